"""What the page before a deletion says of tables that do no more than link two others."""

from django.apps import apps
from django.utils.text import capfirst


def without_links(found):
    """Leave such rows out of what `get_deleted_objects` returned: nobody knows them, and they have no name.

    Who loses a link says it in words of its own.
    """
    gone, counts, needed, protected = found
    tables = [model._meta for model in apps.get_models(include_auto_created=True) if model._meta.auto_created]
    beginnings = tuple(f"{capfirst(table.verbose_name)}: " for table in tables)
    plurals = {str(table.verbose_name_plural) for table in tables}
    counts = {name: count for name, count in counts.items() if str(name) not in plurals}
    return _without(gone, beginnings), counts, needed, protected


def _without(lines, beginnings):
    kept = (
        _without(line, beginnings) if isinstance(line, list) else line
        for line in lines
        if isinstance(line, list) or not str(line).startswith(beginnings)
    )
    return [line for line in kept if line != []]
