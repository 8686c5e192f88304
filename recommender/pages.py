"""What the pages of the questionnaire and its results share: their addresses and notices."""

from django.urls import reverse

from recommender import answers
from recommender.forms import unknown_in

FORM_KEYS = {"lang", "unknown", "next"}


def address(name, query):
    """Return the address of one of our pages with these answers."""
    encoded = query if isinstance(query, str) else query.urlencode()
    path = reverse(f"recommender:{name}")
    return f"{path}?{encoded}" if encoded else path


def unknown_notices(query, own_keys):
    """Return a sentence for every key of the address that is no question of ours."""
    unknown = unknown_in(query, own_keys)
    notices = [answers.Notice("unknown_key", (("key", answers.shown(key)),)) for key in unknown]
    return [notice.text for notice in notices[:5]]
