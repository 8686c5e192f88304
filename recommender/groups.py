"""What the staff's groups may do with briefs and leads; the groups themselves belong to the catalog."""

GROUPS = {
    "Product managers": {
        "brief": ("view", "delete"),
        "lead": ("view", "change", "delete"),
        "contact": ("view", "delete"),
        "contactmessage": ("view",),
        "price": ("view", "add", "change", "delete", "publish"),
        "regressioncase": ("view", "add", "change", "delete"),
    },
    # Sales work on leads and delete nothing: a visitor does that alone, or asks the product managers.
    # They set prices, and product managers publish them.
    "Sales": {
        "brief": ("view",),
        "lead": ("view", "change"),
        "contact": ("view",),
        "contactmessage": ("view",),
        "price": ("view", "add", "change"),
        "regressioncase": ("view",),
    },
}


def add_rights(sender, using, **kwargs):
    """Give the groups the rights that they lack; rights added by hand stay."""
    from django.contrib.auth.management import create_permissions
    from django.contrib.auth.models import Group, Permission

    create_permissions(sender, verbosity=0, using=using)
    known = {
        permission.codename: permission
        for permission in Permission.objects.using(using).filter(content_type__app_label="recommender")
    }
    for name, rights in GROUPS.items():
        group, _created = Group.objects.using(using).get_or_create(name=name)
        names = [f"{action}_{table}" for table, actions in rights.items() for action in actions]
        group.permissions.add(*(known[code] for code in names if code in known))
