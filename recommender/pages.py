"""What the pages of the questionnaire and its results share: their addresses and notices."""

from urllib.parse import urlencode

from django.urls import reverse

from recommender import answers
from recommender.forms import unknown_in
from recommender.questions import STEP_ONE, group_of

FORM_KEYS = {"lang", "unknown", "next", "from"}
CHECK = "check"  # where `from` and `next` lead back to


def address(name, query, *, coming_from="", anchor="", **kwargs):
    """Return the address of one of our pages with these answers.

    Args:
        query: canonical answers, as a QueryDict or encoded.
        coming_from: the page that the reader goes back to with the answer.
        anchor: the question to show, without its sign.
    """
    encoded = query if isinstance(query, str) else query.urlencode()
    extra = urlencode({"from": coming_from}) if coming_from else ""
    encoded = "&".join(part for part in (encoded, extra) if part)
    path = reverse(f"recommender:{name}", kwargs=kwargs or None)
    return f"{path}{'?' if encoded else ''}{encoded}{'#' if anchor else ''}{anchor}"


def change_address(form, name):
    """Return where an answer is changed, to come back to the check; "" where it is not asked."""
    if name in STEP_ONE:
        return address("questionnaire", form.query, coming_from=CHECK, anchor=f"q-{name}")
    group = group_of(name) if name in answers.KEYS else None
    if group is None:
        return ""
    return address("step", form.query, coming_from=CHECK, anchor=f"q-{name}", step=group.slug)


def unknown_notices(query, own_keys):
    """Return a sentence for every key of the address that is no question of ours."""
    unknown = unknown_in(query, own_keys)
    notices = [answers.Notice("unknown_key", (("key", answers.shown(key)),)) for key in unknown]
    return [notice.text for notice in notices[:5]]
