"""What the staff's own pages show: what waits, and the dates of sources."""

from django import template

from catalog import sentences
from catalog.admin.queue import TABS, waiting

register = template.Library()
register.filter("published_on", sentences.published_on)


@register.inclusion_tag("admin/evidence/_waiting.html")
def waiting_for(user):
    """List what waits for a member of the staff who may act on it."""
    may = {
        "checks": user.has_perm("catalog.change_evidence"),
        "reports": user.has_perm("catalog.change_errorreport"),
        "conflicts": user.has_perm("catalog.decide_evidence"),
    }
    counts = waiting() if any(may.values()) else {}
    return {
        "lines": [(name, label, counts[name]) for name, label in TABS.items() if may[name]],
        "sees_boards": user.has_perm("catalog.view_server") or user.has_perm("catalog.view_workloadprofile"),
    }
