"""Who reads which page of the admin's help."""

from dataclasses import dataclass

from django.utils.translation import get_language, gettext_lazy as _


@dataclass(frozen=True)
class Role:
    slug: str
    title: str
    summary: str
    picture_text: str = ""  # what the picture shows; without it there is none

    @property
    def picture(self):
        """Where the picture is, in the reader's language; tests/browser/help_pictures.py takes them."""
        return f"img/help/{self.slug}.{get_language()}.png"


ROLES = {
    role.slug: role
    for role in (
        Role(
            "product-managers",
            _("Help for product managers"),
            _("Keep the figures right, with their sources; import, compare, publish, restore."),
            _("The list of servers, with its filters, its search and the spreadsheets above it."),
        ),
        Role(
            "sales",
            _("Help for sales"),
            _("Work on leads, read briefs, correct figures and answer error reports."),
            _("The list of leads: who asks, which server came first, and what is due."),
        ),
        Role(
            "marketing",
            _("Help for marketing and authors"),
            _("Write guides and texts in three languages, and see which language lags behind."),
            _("Guides by language: what is missing, in review, published or behind its source."),
        ),
        Role(
            "everybody",
            _("Help for everybody: signing in"),
            _("Two-factor sign-in, lost phones, locked sign-ins and what is written down about them."),
            _("The page of two-factor sign-in: where it stands, and the button that sets it up."),
        ),
    )
}
