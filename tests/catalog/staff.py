"""Forms of the staff's pages, filled in and sent back as a browser does it."""

from django.forms import NullBooleanField
from django.urls import reverse


def url(row, view="change"):
    arguments = [] if view in ("add", "changelist") else [row.pk]
    return reverse(f"admin:catalog_{row._meta.model_name}_{view}", args=arguments)


def form_of(client, address):
    """Return what a browser would send back from an admin form that nobody touched."""
    response = client.get(address)
    assert response.status_code == 200
    context = response.context
    data = {}
    forms = [context["adminform"].form]
    for formset in context["inline_admin_formsets"]:
        forms += [formset.formset.management_form, *formset.formset.forms]
    for form in forms:
        for bound in form:
            value = bound.value()
            if isinstance(bound.field, NullBooleanField):
                data[bound.html_name] = {True: "true", False: "false", None: "unknown"}[value]
            elif value is True:
                data[bound.html_name] = "on"
            elif value is not None and value is not False:
                data[bound.html_name] = value
    return data


def save(client, address, **changes):
    return client.post(address, form_of(client, address) | changes)
