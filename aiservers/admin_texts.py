"""Texts of Django's admin that are translated with our own, which win over those of Django.

Named here, they are extracted. Nothing reads these lists: Django asks for these texts itself.
"""

from django.utils.translation import gettext_noop, ngettext_lazy

# Those that Django does not have in all of our languages. What it has translated by now can go.
TEXTS = (
    gettext_noop("- Select an option -"),
    gettext_noop("Run"),
    gettext_noop("Filter by %(field_name)s"),
    gettext_noop("Search %(name)s"),
    gettext_noop("Pagination %(name)s"),
    gettext_noop("Pagination %(name)s entries"),
)

# Those that put the name of a table into a sentence. In Russian it would need another case, gender or number
# there: a translation puts it behind a colon. Spanish has articles and participles to leave out.
SENTENCES = (
    gettext_noop("Add %s"),
    gettext_noop("Change %s"),
    gettext_noop("View %s"),
    gettext_noop("Select %s"),
    gettext_noop("Select %s to change"),
    gettext_noop("Select %s to view"),
    gettext_noop("Add %(name)s"),
    gettext_noop("Add another %(verbose_name)s"),
    gettext_noop("Cannot delete %(name)s"),
    gettext_noop("Delete selected %(verbose_name_plural)s"),
    gettext_noop("Successfully deleted %(count)d %(items)s."),
    gettext_noop("Added {name} “{object}”."),
    gettext_noop("Changed {fields} for {name} “{object}”."),
    gettext_noop("Deleted {name} “{object}”."),
    gettext_noop("The {name} “{obj}” was added successfully."),
    gettext_noop("The {name} “{obj}” was added successfully. You may add another {name} below."),
    gettext_noop("The {name} “{obj}” was changed successfully."),
    gettext_noop("The {name} “{obj}” was changed successfully. You may edit it again below."),
    gettext_noop("The {name} “{obj}” was changed successfully. You may add another {name} below."),
    gettext_noop("The %(name)s “%(obj)s” was deleted successfully."),
    gettext_noop("%(name)s with ID “%(key)s” doesn’t exist. Perhaps it was deleted?"),
    ngettext_lazy(
        "%(count)s %(name)s was changed successfully.", "%(count)s %(name)s were changed successfully."
    ),
    gettext_noop(
        "Deleting %(class_name)s %(instance)s would require deleting the following protected related "
        "objects: %(related_objects)s"
    ),
    gettext_noop(
        "Deleting the %(object_name)s “%(escaped_object)s” would result in deleting related objects, but "
        "your account doesn't have permission to delete the following types of objects:"
    ),
    gettext_noop(
        "Deleting the %(object_name)s “%(escaped_object)s” would require deleting the following protected "
        "related objects:"
    ),
    gettext_noop(
        "Deleting the selected %(objects_name)s would result in deleting related objects, but your account "
        "doesn't have permission to delete the following types of objects:"
    ),
    gettext_noop(
        "Deleting the selected %(objects_name)s would require deleting the following protected related "
        "objects:"
    ),
    gettext_noop(
        "Are you sure you want to delete the selected %(objects_name)s? All of the following objects and "
        "their related items will be deleted:"
    ),
)
