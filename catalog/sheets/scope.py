"""Which rows a file stands for: what is filtered in a list, with all that hangs on it, or everything."""

from django.db.models import Q

from catalog.models import Source
from catalog.sheets.resources import COMPANIONS, RESOURCES


class Everything:
    """The whole catalog: a row that is in no sheet of the file has vanished."""

    def rows(self, table, outcome):
        return table._base_manager.order_by("pk")


class FilteredList:
    """What a list shows: other tables are compared for the rows of that list that are in the file."""

    def __init__(self, queryset):
        self.queryset = queryset

    def rows(self, table, outcome):
        if table is self.queryset.model:
            return self.queryset
        if table is Source:  # a source stands for more than this list
            return None
        return companion(
            self.queryset.model, table, [line.pk for line in outcome.lines_of(self.queryset.model) if line.pk]
        )


def companion(model, table, ids):
    """Return the rows of another table that hang on some rows of a model."""
    condition = Q()
    for lookup in paths(model, table):
        condition |= Q(**{f"{lookup}__in": ids})
    return table._base_manager.filter(condition).order_by("pk")


def paths(model, table):
    lookups = COMPANIONS[model][table]
    return (lookups,) if isinstance(lookups, str) else lookups


def export_tables(queryset, may_see):
    """Return {table: rows} of what leaves with a list, in the order in which tables name each other."""
    model = queryset.model
    ids = list(queryset.values_list("pk", flat=True))
    tables = {model: model._base_manager.filter(pk__in=ids).order_by("pk")}
    for table in COMPANIONS.get(model, {}):
        if may_see(table):
            tables[table] = companion(model, table, ids)
    named = set()
    for table, rows in tables.items():
        for field in table._meta.concrete_fields:
            if field.remote_field and field.remote_field.model is Source:
                named |= set(rows.order_by().values_list(field.attname, flat=True))
    if len(tables) > 1 and may_see(Source):
        tables[Source] = Source._base_manager.filter(pk__in=named).order_by("pk")
    return {table: tables[table] for table in RESOURCES if table in tables}


def whole_catalog(may_see):
    """Return {table: rows} of everything that travels in sheets."""
    return {table: table._base_manager.order_by("pk") for table in RESOURCES if may_see(table)}
