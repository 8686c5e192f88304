from django.db import migrations

FROM_FILES = "load_catalog"


def name_the_files(apps, schema_editor):
    """Say of checks that came with the project's files that they did; what staff noted stays."""
    Evidence = apps.get_model("catalog", "Evidence")
    Change = apps.get_model("catalog", "Change")
    edited = Change.objects.filter(content_type__app_label="catalog", content_type__model="evidence")
    rows = Evidence.objects.filter(checked_by="", checked_on__isnull=False)
    rows.exclude(pk__in=edited.values("object_id")).update(checked_by=FROM_FILES)


class Migration(migrations.Migration):

    dependencies = [
        ("catalog", "0012_labels"),
    ]

    operations = [
        migrations.RunPython(name_the_files, migrations.RunPython.noop),
    ]
