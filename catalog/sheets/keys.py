"""How a sheet names a row of another table: by slugs, which are the same in every database."""

from collections import defaultdict

from django.utils.translation import gettext as _

from catalog.models import GPUOption, Variant
from catalog.sheets.cells import CellError

# Several options may hold the same GPU: there the number behind # tells them apart.
PARTS = {
    Variant: ("server__slug", "slug"),
    GPUOption: ("variant__server__slug", "variant__slug", "gpu__slug"),
}


class NotFoundError(CellError):
    """No row has that name (yet)."""

    def __init__(self, model, text, is_wrong):
        self.model = model
        message = (
            _("The row of “%(name)s” in this file is wrong itself.")
            if is_wrong
            else _("“%(name)s” is not in the table “%(table)s”.")
        )
        super().__init__(message % {"table": model._meta.verbose_name_plural, "name": text})


class Keys:
    """Names and numbers of all rows, one query a table, kept while one file is written or read."""

    def __init__(self):
        self._names = {}
        self._numbers = {}
        self._wrong = set()
        self._in_file = defaultdict(dict)  # model -> {number of a row: the number that the file gives it}

    def text(self, model, pk):
        """Return the name of a row."""
        names, numbers = self._table(model)
        name = names[pk]
        return name if len(numbers[name]) == 1 else f"{name}#{self._in_file[model].get(pk, pk)}"

    def find(self, model, text):
        """Return the number of the row that has this name.

        Raises:
            CellError: no row has it, or several have.
        """
        _names, numbers = self._table(model)
        name, _sign, number = text.partition("#")
        found = numbers.get(name, ())
        if number:
            found = [pk for pk in found if str(self._in_file[model].get(pk, pk)) == number]
        if not found:
            raise NotFoundError(model, text, (model, text.partition("/")[0]) in self._wrong)
        if len(found) > 1:
            raise CellError(
                _("Several rows are named “%(name)s”: write # and the number behind it.") % {"name": name}
            )
        return found[0]

    def add(self, row):
        """Remember a row that has just been made."""
        model = type(row)
        if model in self._names:
            (values,) = model._base_manager.filter(pk=row.pk).values_list(*PARTS.get(model, ("slug",)))
            self._remember(model, row.pk, values)

    def came_as(self, row, number):
        """Remember by which number a file calls a row that it brings into another database."""
        self._in_file[type(row)][row.pk] = number

    def miss(self, model, slug):
        """Remember a new row that the file names and that is wrong."""
        if slug:
            self._wrong.add((model, slug))

    def _table(self, model):
        if model not in self._names:
            self._names[model], self._numbers[model] = {}, defaultdict(list)
            for pk, *values in model._base_manager.values_list("pk", *PARTS.get(model, ("slug",))):
                self._remember(model, pk, values)
        return self._names[model], self._numbers[model]

    def _remember(self, model, pk, values):
        name = "/".join(values)
        self._names[model][pk] = name
        self._numbers[model][name].append(pk)
