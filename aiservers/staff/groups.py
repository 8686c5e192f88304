"""Who may read the audit log, besides superusers."""

GROUPS = ["Product managers"]


def add_rights(sender, using, **kwargs):
    """Give the groups the right that they lack; rights added by hand stay."""
    from django.contrib.auth.management import create_permissions
    from django.contrib.auth.models import Group, Permission

    create_permissions(sender, verbosity=0, using=using)
    right = Permission.objects.using(using).get(content_type__app_label="staff", codename="view_auditentry")
    for name in GROUPS:
        group, _created = Group.objects.using(using).get_or_create(name=name)
        group.permissions.add(right)
