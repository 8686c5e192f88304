"""What is wrong with a page's HTML: repairs of a parser, ids that repeat, references that lead nowhere."""

from collections import Counter

import html5lib
from html5lib.constants import E as MESSAGES

# Attributes that name elements of the same page, by their ids.
REFERENCES = ("for", "aria-labelledby", "aria-describedby", "aria-controls", "headers", "list", "form")
INTERACTIVE = {"a", "button", "select", "textarea", "summary"}


def problems(html):
    """Return a line for every mistake of a page; none: it is valid as far as a parser can tell."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    tree = parser.parse(html)
    found = [f"line {line}: {MESSAGES[code] % values}" for (line, _column), code, values in parser.errors]
    ids = Counter(element.get("id") for element in tree.iter() if element.get("id"))
    found += [f"id {name} stands {count} times" for name, count in ids.items() if count > 1]
    for element in tree.iter():
        for attribute in REFERENCES:
            found += [
                f"{element.tag} {attribute}: there is no {name}"
                for name in (element.get(attribute) or "").split()
                if name not in ids
            ]
        if element.tag == "img" and element.get("alt") is None:
            found.append("img without alt")
        href = element.get("href") or ""
        if element.tag == "a" and href.startswith("#") and len(href) > 1 and href[1:] not in ids:
            found.append(f"a: there is no {href}")
    return found + _nested(tree, frozenset())


def _nested(element, inside):
    """Return a line for every control that stands inside another one."""
    found = []
    here = inside
    if element.tag in INTERACTIVE:
        found += [f"{element.tag} inside {other}" for other in inside]
        here = inside | {element.tag}
    for child in element:
        found += _nested(child, here)
    return found
