"""Every change of a fact raises the catalog version, in the transaction of the change."""

from datetime import UTC, datetime, timedelta

import pytest
from django.apps import apps
from django.db import transaction
from django.utils import timezone

from catalog import versions
from catalog.models import CatalogVersion, Server, Source
from catalog.models.base import Fact
from tests.factories import GPUOptionFactory, ServerFactory, SourceFactory, VariantFactory

pytestmark = pytest.mark.django_db

FACTS = [model for model in apps.get_app_config("catalog").get_models() if issubclass(model, Fact)]


def number():
    return int(versions.current())


def test_nothing_loaded_is_version_zero():
    CatalogVersion.objects.all().delete()
    assert versions.current() == "0"


def test_saving_raises_the_version():
    server = ServerFactory()
    before = number()
    server.rack_units = 4
    server.save()
    assert number() == before + 1


def test_deleting_raises_the_version_alone_in_bulk_and_by_cascade():
    before = number()
    option = GPUOptionFactory()
    middle = number()
    assert middle > before
    option.delete()
    assert number() > middle
    middle = number()
    VariantFactory().server.delete()
    assert number() > middle
    SourceFactory.create_batch(3)
    middle = number()
    Source.objects.all().exclude(evidence__isnull=False).exclude(measured_weights__isnull=False).exclude(
        assumptions__isnull=False
    ).delete()
    assert number() > middle


def test_a_change_that_is_rolled_back_leaves_the_version():
    before = number()
    with transaction.atomic():
        ServerFactory()
        transaction.set_rollback(True)
    assert number() == before


@pytest.mark.parametrize("model", FACTS, ids=lambda model: model.__name__)
def test_update_on_facts_is_refused(model):
    """update() sends no signal and calls no save(): the version would stay behind."""
    with pytest.raises(TypeError, match="change facts with save"):
        model.objects.all().update(updated_at=None)
    with pytest.raises(TypeError):
        model.objects.filter(pk=1).update(updated_at=None)


def test_every_table_of_the_catalog_counts():
    others = {model.__name__ for model in apps.get_app_config("catalog").get_models()} - {
        model.__name__ for model in FACTS
    }
    texts = {"Guide", "GuideAddress", "GuideBlock", "GuideEdition", "GuideTranslation"}
    records = {"Change", "ErrorReport", "Revision", "SheetUpload"}
    assert others - records - texts == {"CatalogVersion", "SearchToken"}


def test_held_back_leaves_the_version_to_the_caller():
    server = ServerFactory()
    before = number()
    with versions.held_back():
        server.save()
        Server.objects.filter(pk=server.pk).delete()
    assert number() == before
    ServerFactory()
    assert number() > before


def test_the_day_of_the_last_change_of_a_fact_stands_at_the_foot_of_each_page(client):
    ServerFactory()
    CatalogVersion.objects.update(changed_at=datetime(2026, 3, 9, 12, tzinfo=UTC))
    assert "9 de marzo de 2026" in client.get("/es/").content.decode()
    assert "9 марта 2026" in client.get("/ru/").content.decode()
    before = timezone.now()
    versions.bump_content()  # a text is no fact
    assert versions.changed_at() < before
    ServerFactory()
    assert versions.changed_at() >= before - timedelta(seconds=1)  # the database's clock
