"""The table of tokens keeps in step with the facts, in the transaction that changes them."""

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from catalog import loading, versions
from catalog.models import GPU, SearchToken, Server
from catalog.search import index, query, registry
from tests.factories import (
    EnclosureFactory,
    GPUFactory,
    GPUOptionFactory,
    ManufacturerFactory,
    ServerFactory,
    VariantFactory,
)

pytestmark = pytest.mark.django_db


def found(text, kind="server", language="en"):
    return {
        pk for group in query.search(text, language).groups if group.kind.name == kind for pk in group.ids
    }


def state():
    return set(SearchToken.objects.values_list("kind", "object_id", "language", "token", "weight", "word"))


def test_a_new_name_is_found_and_the_old_one_is_not():
    server = ServerFactory(name="Walnut")
    assert found("walnut") == {server.pk}
    server.name = "Chestnut"
    server.save()
    assert (found("walnut"), found("chestnut")) == (set(), {server.pk})


def test_only_what_is_published_is_found():
    server = ServerFactory(name="Walnut", is_published=False)
    assert not SearchToken.objects.exists()
    server.is_published = True
    server.save()
    assert found("walnut") == {server.pk}
    server.is_published = False
    server.save()
    assert not SearchToken.objects.exists()


@pytest.mark.parametrize("bulk", [False, True])
def test_what_is_deleted_is_gone_with_its_tokens(bulk):
    server = GPUOptionFactory(variant__server__name="Walnut").variant.server
    Server.objects.filter(pk=server.pk).delete() if bulk else server.delete()
    assert not SearchToken.objects.filter(kind="server").exists()


def test_a_change_that_is_rolled_back_changes_no_token():
    server = ServerFactory(name="Walnut")
    before = state()
    with transaction.atomic():
        server.name = "Chestnut"
        server.save()
        ServerFactory(name="Hazel")
        transaction.set_rollback(True)
    assert state() == before


def test_what_a_server_is_made_of_changes_what_it_is_found_by():
    server = ServerFactory(
        name="Walnut", kind="tray", enclosure=EnclosureFactory(name="Pantry", rack_units=7)
    )
    variant = VariantFactory(server=server, name="Kernel")
    gpu = GPUFactory(name="Hazelnut 100")
    option = GPUOptionFactory(variant=variant, gpu=gpu, max_count=4)
    assert (
        found("pantry")
        == found("7u")
        == found("kernel")
        == found("hazelnut")
        == found("4x hazelnut")
        == {server.pk}
    )
    gpu.name = "Cashew 200"
    gpu.save()
    assert (found("hazelnut"), found("cashew")) == (set(), {server.pk})
    option.max_count = 2
    option.save()
    assert found("2x cashew") == {server.pk}
    assert query.search("4x cashew", "en").complete is False
    other = VariantFactory(server=ServerFactory(name="Almond"))
    option.variant = other  # leaves one server for another
    option.save()
    assert found("cashew") == {other.server.pk}
    option.delete()
    assert found("cashew") == set()
    maker = ManufacturerFactory(slug="lenovo")
    maker.name = "Orchard"
    maker.save()
    assert found("orchard") == {server.pk, other.server.pk}
    enclosure = server.enclosure
    enclosure.name = "Cupboard"
    enclosure.save()
    assert (found("pantry"), found("cupboard")) == (set(), {server.pk})


def test_a_gpu_that_is_not_published_is_no_word_of_a_server():
    GPUOptionFactory(gpu=GPUFactory(name="Hazelnut 100", is_published=False))
    assert found("hazelnut") == set()


@pytest.mark.usefixtures("catalog")
def test_what_changes_keep_is_what_a_rebuild_makes():
    server = Server.objects.get(slug="thinksystem-sr650-v3")
    server.name = "Walnut"
    server.save()
    server.variants.first().gpu_options.first().delete()
    GPU.objects.filter(options=None).first().delete()
    kept = state()
    assert index.rebuild() == 0
    SearchToken.objects.all().delete()
    index.rebuild()
    assert state() == kept


def test_a_rebuild_repairs_and_the_language_of_who_runs_it_does_not_matter():
    ServerFactory(name="Walnut")
    GPUOptionFactory()
    before = state()
    SearchToken.objects.filter(token="walnut").delete()
    SearchToken.objects.create(kind="no such kind", object_id=1, token="x", weight=1)
    SearchToken.objects.create(kind="server", object_id=10**6, token="x", weight=1)
    with override("ru"):
        assert index.rebuild() > 0
    assert state() == before


@pytest.mark.usefixtures("catalog")
def test_a_load_fills_the_table_and_raises_the_version_where_it_was_empty():
    everything = state()
    assert {kind for kind, *_rest in everything} == {
        kind.name for kind in registry.kinds() if kind.rows().exists()
    }
    SearchToken.objects.all().delete()
    before = int(versions.current())
    loading.load()
    assert state() == everything
    assert int(versions.current()) == before + 1
    loading.load()
    assert int(versions.current()) == before + 1


@pytest.mark.usefixtures("catalog")
def test_the_command_brings_the_table_in_line(capsys):
    SearchToken.objects.filter(kind="gpu").delete()
    before = int(versions.current())
    call_command("index_search")
    assert int(versions.current()) == before + 1
    call_command("index_search")
    assert int(versions.current()) == before + 1
    assert str(SearchToken.objects.count()) in capsys.readouterr().out


def test_the_first_search_after_a_change_does_not_read_all_words_again(
    django_capture_on_commit_callbacks,
):
    with django_capture_on_commit_callbacks(execute=True):
        server = ServerFactory(name="Northwind Q7")
    for language in ("es", "ru", "en"):
        with CaptureQueriesContext(connection) as first:
            assert found("northwind", language=language) == {server.pk}
        with CaptureQueriesContext(connection) as second:
            found("northwind", language=language)
        assert len(first) == len(second)
