"""Filling in and sending a page's form as a browser without JavaScript does it."""

from html import unescape
from urllib.parse import urlsplit

from django.http import QueryDict

from tests.pages import Document


class Filled:
    """The form of a questionnaire page: its fields as the page shows them, to be changed and sent."""

    def __init__(self, html, selector="questionnaire"):
        self.action, self.fields, self.names = "", QueryDict(mutable=True), set()
        inside, select = False, None
        for tag, attributes in Document(html).elements:
            if tag == "form":
                inside = selector in (attributes.get("class") or "")
                self.action = attributes["action"] if inside else self.action
            if not inside:
                continue
            name = attributes.get("name")
            if tag == "input" and name:
                self.names.add(name)
                ticked = attributes.get("type") not in ("checkbox", "radio") or "checked" in attributes
                if ticked:
                    self.fields.appendlist(name, unescape(attributes.get("value") or ""))
            elif tag == "select":
                select = name
                self.names.add(name)
                self.fields.setlist(name, [""])
            elif tag == "option" and "selected" in attributes:
                self.fields.setlist(select, [attributes["value"]])

    def send(self, client, button="", **changes):
        """Return the page that the form leads to, with where that is."""
        query = self.fields.copy()
        for name, value in changes.items():
            query.setlist(name, value if isinstance(value, list) else [value])
        if button:
            query["next"] = button
        response = client.get(f"{self.action}?{query.urlencode()}", follow=True)
        assert response.status_code == 200
        assert len(response.redirect_chain) <= 1
        if response.redirect_chain:
            return response, response.redirect_chain[-1][0]
        return response, f"{response.request['PATH_INFO']}?{response.request['QUERY_STRING']}"


def answers_of(path):
    """Return the answers in an address."""
    return {
        name: values if len(values) > 1 else values[0]
        for name, values in QueryDict(urlsplit(path).query).lists()
    }
