"""Who may do what by a file: what the editor may do by hand, and nothing else."""

from django.utils.translation import gettext as _


class Rights:
    """The rights of one member of the staff.

    `locked(table, row)` names the columns that their own form of a row does not offer.
    """

    def __init__(self, user, locked=None):
        self.user = user
        self.locked = locked or (lambda table, row: ())

    def may(self, action, table):
        return self.user.has_perm(f"catalog.{action}_{table._meta.model_name}")

    def may_see(self, table):
        return self.may("view", table) or self.may("change", table)

    def may_import(self, table):
        return self.may("add", table) or self.may("change", table)

    def refused(self, row, changed, is_new):
        """Return (column, reason) of everything that this member may not do to a row."""
        table = type(row)
        name = {"table": table._meta.verbose_name_plural}
        if is_new and not self.may("add", table):
            return [("", _("You may not add to the table “%(table)s”.") % name)]
        if not is_new and not self.may("change", table):
            return [("", _("You may not change the table “%(table)s”.") % name)]
        locked = {*self.locked(table, None if is_new else row)}
        return [
            (column.column_name, self.reason(column)) for column in changed if column.column_name in locked
        ]

    def reason(self, column):
        if column.column_name == "is_published":
            return _("You may not publish.")
        return _("You may not change “%(column)s”.") % {"column": column.label}


class AllRights(Rights):
    """Whoever may run a command may do everything."""

    def __init__(self):
        super().__init__(None)

    def may(self, action, table):
        return True
