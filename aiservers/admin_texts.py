"""Texts of Django's admin that it does not have in all of our languages.

Named here, they are extracted with our own, and translations of our own win over those of Django. Nothing
reads this list: Django asks for these texts itself. A text that Django has translated by now can go.
"""

from django.utils.translation import gettext_noop

TEXTS = (
    gettext_noop("- Select an option -"),
    gettext_noop("Run"),
    gettext_noop("Filter by %(field_name)s"),
    gettext_noop("Search %(name)s"),
    gettext_noop("Pagination %(name)s"),
    gettext_noop("Pagination %(name)s entries"),
)
