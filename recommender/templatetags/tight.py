"""Pages without the line breaks and indentation that their templates are written with."""

import re

from django import template

register = template.Library()

_BREAKS = re.compile(r"\s*\n\s*")


class TightNode(template.Node):
    def __init__(self, nodelist):
        self.nodelist = nodelist

    def render(self, context):
        return _BREAKS.sub("\n", self.nodelist.render(context))


@register.tag
def tight(parser, token):
    """Keep one line break of each run of white space that holds one.

    Unlike {% spaceless %} it never joins words: a space between two elements stays. Not for text whose
    indentation or empty lines mean something.
    """
    nodelist = parser.parse(("endtight",))
    parser.delete_first_token()
    return TightNode(nodelist)
