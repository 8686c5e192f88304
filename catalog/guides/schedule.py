"""Time as a version: texts appear and go at their minute without anybody doing anything."""

from bisect import bisect_right

from django.apps import apps
from django.core.cache import cache
from django.utils import timezone

from catalog import versions

KEPT_SECONDS = 24 * 3600


def state():
    """Return a text that changes when a guide or text of the site does, and when one's time has come.

    One query a content revision.
    """
    revision = versions.content()
    moments = cache.get_or_set(f"guide-moments:{revision}", _moments, KEPT_SECONDS)
    return f"{revision}.{bisect_right(moments, timezone.now())}"


def _moments():
    """Return every time at which an edition begins or ends, in order."""
    editions = apps.get_model("catalog", "GuideEdition").objects.values_list("publish_at", "ended_at")
    return sorted({moment for row in editions for moment in row if moment})
