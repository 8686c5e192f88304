"""Who changed which fact or text, from what to what, and why: recorded, read, restored.

Whatever is saved or deleted inside `recording()` becomes one revision with a change for each row; nothing is
kept of a save that changes nothing. Restoring takes the way of any other edit: `full_clean()` and `save()`.
"""

from catalog.history.reading import between, entries, last
from catalog.history.recording import added, connect, follow, forget, note, recording
from catalog.history.restoring import CannotRestore, restore, undelete

__all__ = [
    "CannotRestore",
    "added",
    "between",
    "connect",
    "entries",
    "follow",
    "forget",
    "last",
    "note",
    "recording",
    "restore",
    "undelete",
]
