"""Who on the staff may do what: four groups, made after migrating and completed when a right is missing."""

from django.apps import apps

EVERYTHING = ("view", "add", "change", "delete")
CHILDREN = ("variant", "slotalternative", "powersupply", "coolingoption", "gpuoption", "source", "evidence")
GROUPS = {
    "Product managers": {"*": (*EVERYTHING, "publish", "decide")},
    # Sales keep facts right, but neither delete nor publish.
    "Sales": {
        "*": ("view",),
        "server": ("change",),
        "gpu": ("change",),
        "errorreport": ("change",),
        **{name: ("add", "change") for name in CHILDREN},
    },
    # Marketing write the texts; which fields these are is decided in the admin.
    "Marketing": {
        "workloadprofile": ("view", "change"),
        "requirement": ("view", "add", "change"),
        "glossaryterm": ("view", "add", "change"),
        "guide": ("view", "add", "change", "publish"),
    },
    # Authors write guides; somebody else publishes them.
    "Authors": {"guide": ("view", "add", "change")},
}


def make_groups(sender, using, **kwargs):
    """Create the groups and give them the rights that they lack; rights added by hand stay."""
    from django.contrib.auth.management import create_permissions
    from django.contrib.auth.models import Group, Permission

    create_permissions(sender, verbosity=0, using=using)
    known = {
        (permission.content_type.model, permission.codename.partition("_")[0]): permission
        for permission in Permission.objects.using(using)
        .filter(content_type__app_label="catalog")
        .select_related("content_type")
    }
    editable = [model._meta.model_name for model in apps.get_app_config("catalog").get_models()]
    for name in ("catalogversion", "searchtoken", "sheetupload"):
        editable.remove(name)
    for name, rights in GROUPS.items():
        group, _created = Group.objects.using(using).get_or_create(name=name)
        wanted = [
            known[table, action]
            for pattern, actions in rights.items()
            for table in (editable if pattern == "*" else [pattern])
            for action in actions
            if (table, action) in known
        ]
        group.permissions.add(*wanted)
