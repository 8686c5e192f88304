"""The staff's pages: who may do what, and what the forms refuse."""

import re

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.urls import reverse

from catalog.models import GPU, Evidence, GPUOption, Server, WorkloadProfile
from tests.catalog.staff import form_of, save, url
from tests.factories import EvidenceFactory, GPUOptionFactory, ServerFactory, SourceFactory, VariantFactory

pytestmark = pytest.mark.django_db


def errors(response):
    assert response.status_code == 200, "the form was accepted"
    return response.content.decode()


# --- groups ----------------------------------------------------------------------------------------


def test_groups_are_made_once_and_completed():
    names = {"Product managers", "Sales", "Marketing", "Authors"}
    assert names <= set(Group.objects.values_list("name", flat=True))
    sales = Group.objects.get(name="Sales")
    rights = set(sales.permissions.values_list("codename", flat=True))
    sales.permissions.clear()
    call_command("migrate", verbosity=0)
    assert Group.objects.filter(name__in=names).count() == 4
    assert set(sales.permissions.values_list("codename", flat=True)) == rights


def test_rights_that_were_added_by_hand_stay():
    marketing = Group.objects.get(name="Marketing")
    extra = Group.objects.get(name="Product managers").permissions.get(codename="change_server")
    marketing.permissions.add(extra)
    call_command("migrate", verbosity=0)
    assert extra in marketing.permissions.all()


def test_sales_neither_delete_nor_publish():
    rights = Group.objects.get(name="Sales").permissions.values_list("codename", flat=True)
    assert not [name for name in rights if name.startswith(("delete_", "publish_"))]
    assert {"change_server", "change_gpu", "change_gpuoption", "change_source"} <= set(rights)


# --- product managers ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "server",
        "variant",
        "gpu",
        "gpuoption",
        "aimodel",
        "workloadprofile",
        "source",
        "evidence",
        "enclosure",
    ],
)
def test_product_managers_see_every_list_and_page(catalog, as_member, name):
    client = as_member("Product managers")
    response = client.get(reverse(f"admin:catalog_{name}_changelist"))
    assert response.status_code == 200
    row = response.context["cl"].result_list[0]
    assert client.get(url(row)).status_code == 200
    assert client.get(url(row, "add")).status_code == 200


def test_an_untouched_form_saves_what_was_there(catalog, as_member):
    client = as_member("Product managers")
    server = Server.objects.get(slug="thinksystem-sr680a-v3")
    before = Server.objects.values().get(pk=server.pk)
    evidence = list(server.evidence.order_by("pk").values())
    assert save(client, url(server)).status_code == 302
    after = Server.objects.values().get(pk=server.pk)
    same = {key: value for key, value in after.items() if key != "updated_at"}
    assert same == {key: value for key, value in before.items() if key != "updated_at"}
    rows = list(server.evidence.order_by("pk").values())
    assert [row["field"] for row in rows] == [row["field"] for row in evidence]


def test_unknown_stays_null_when_a_form_is_saved(catalog, as_member):
    client = as_member("Product managers")
    server = Server.objects.get(slug="thinksystem-sr680a-v3")
    save(client, url(server), depth_mm="", ashrae_class="")
    server.refresh_from_db()
    assert (server.depth_mm, server.ashrae_class) == (None, None)


@pytest.mark.parametrize("code", ["es", "ru", "en"])
def test_each_language_is_saved_and_changes_no_other(catalog, as_member, code):
    client = as_member("Product managers")
    server = Server.objects.get(slug="thinksystem-sr675-v3")
    before = {other: getattr(server, f"summary_{other}") for other in ("es", "ru", "en")}
    assert save(client, url(server), **{f"summary_{code}": "Новый текст"}).status_code == 302
    server.refresh_from_db()
    after = {other: getattr(server, f"summary_{other}") for other in ("es", "ru", "en")}
    assert after == before | {code: "Новый текст"}


@pytest.mark.parametrize("code", ["es", "ru", "en"])
def test_each_language_of_an_inline_is_saved(catalog, as_member, code):
    client = as_member("Product managers")
    profile = WorkloadProfile.objects.get(slug="chat")
    line = profile.requirements.get(aspect="gpus")
    data = form_of(client, url(profile))
    prefix = next(
        k.removesuffix("-id") for k, v in data.items() if v == line.pk and k.startswith("requirements")
    )
    assert client.post(url(profile), data | {f"{prefix}-text_{code}": "Uno"}).status_code == 302
    after = profile.requirements.get(aspect="gpus")
    for other in ("es", "ru", "en"):
        text = getattr(after, f"text_{other}")
        assert text == ("Uno" if other == code else getattr(line, f"text_{other}"))


def test_a_missing_text_is_saved_as_empty_never_null(catalog, as_member):
    client = as_member("Product managers")
    server = Server.objects.get(slug="thinksystem-sr675-v3")
    save(client, url(server), summary_ru="")
    server.refresh_from_db()
    assert server.summary_ru == ""


def test_wrong_figures_get_a_message(catalog, as_member):
    client = as_member("Product managers")
    server = Server.objects.get(slug="thinksystem-sr650-v3")
    assert "sockets_min" in errors(save(client, url(server), sockets_min=3))
    server.refresh_from_db()
    assert server.sockets_min == 1


def test_publishing_without_a_source_is_refused(as_member):
    client = as_member("Product managers")
    draft = GPUOptionFactory(variant__server__is_published=False).variant.server
    errors(save(client, url(draft), is_published="on"))
    draft.refresh_from_db()
    assert not draft.is_published
    EvidenceFactory(server=draft, field="rack_units")
    assert save(client, url(draft), is_published="on").status_code == 302
    draft.refresh_from_db()
    assert draft.is_published


def test_publishing_with_a_source_in_the_same_form_is_accepted(as_member):
    client = as_member("Product managers")
    draft = GPUOptionFactory(variant__server__is_published=False).variant.server
    source = SourceFactory()
    added = {
        "evidence-TOTAL_FORMS": 1,
        "evidence-0-server": draft.pk,
        "evidence-0-field": "rack_units",
        "evidence-0-source": source.pk,
        "evidence-0-state": "maker",
        "evidence-0-stated": "2",
        "evidence-0-kept": "on",
    }
    assert save(client, url(draft), is_published="on", **added).status_code == 302
    assert Evidence.objects.get(server=draft).stated == "2"


def test_the_last_source_of_something_published_stays(as_member):
    client = as_member("Product managers")
    server = ServerFactory()
    EvidenceFactory(server=server, field="rack_units")
    errors(save(client, url(server), **{"evidence-0-DELETE": "on"}))
    assert server.evidence.count() == 1


def test_a_published_slug_is_read_only(catalog, as_member):
    client = as_member("Product managers")
    server = Server.objects.get(slug="thinksystem-sr650-v3")
    assert "slug" not in form_of(client, url(server))
    save(client, url(server), slug="other")
    server.refresh_from_db()
    assert server.slug == "thinksystem-sr650-v3"
    assert "slug" in form_of(client, url(ServerFactory(is_published=False)))


def test_evidence_can_only_speak_of_fields_that_exist(as_member):
    client = as_member("Product managers")
    page = client.get(url(VariantFactory())).content.decode()
    assert '<option value="slot_alternatives"' in page
    assert '<option value="memory_gb"' not in page


def test_derived_figures_stand_beside_the_inputs(catalog, as_member):
    client = as_member("Product managers")
    page = client.get(url(Server.objects.get(slug="thinksystem-sr680a-v3"))).content.decode()
    assert "1440" in page
    option = GPUOption.objects.get(
        variant__server__slug="thinksystem-sr680a-v3", gpu__slug="nvidia-h100-sxm-80gb"
    )
    page = client.get(url(option)).content.decode()
    assert "8 × 80\u202fGB, 637\u202fGiB" in page
    assert "5600" in page  # 8 x 700 W
    page = client.get(url(GPU.objects.get(slug="nvidia-a16"))).content.decode()
    assert "64" in page  # 4 x 16 GB on one board


def test_deleting_goes_through_the_list_and_raises_the_version(catalog, as_member):
    from catalog import versions

    client = as_member("Product managers")
    server = Server.objects.get(slug="thinkedge-se100")
    before = int(versions.current())
    client.post(
        reverse("admin:catalog_server_changelist"),
        {"action": "delete_selected", "_selected_action": [server.pk], "post": "yes"},
    )
    assert not Server.objects.filter(pk=server.pk).exists()
    assert int(versions.current()) > before


def test_a_gpu_in_use_is_not_deleted(catalog, as_member):
    client = as_member("Product managers")
    gpu = GPU.objects.get(slug="nvidia-l4")
    client.post(url(gpu, "delete"), {"post": "yes"})
    assert GPU.objects.filter(pk=gpu.pk).exists()


def test_pages_have_no_inline_scripts_or_styles(catalog, as_member):
    client = as_member("Product managers")
    for row in (Server.objects.first(), WorkloadProfile.objects.first()):
        page = client.get(url(row)).content.decode()
        for script in re.findall(r"<script([^>]*)>(.*?)</script>", page, re.S):
            assert "src=" in script[0] or "application/json" in script[0], script
        assert not re.search(r"<style|\son\w+=|style=", page)
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//(?!testserver)", re.sub(r"<a [^>]*>", "", page))


# --- sales -----------------------------------------------------------------------------------------


def test_sales_change_facts(catalog, as_member):
    client = as_member("Sales")
    server = Server.objects.get(slug="thinksystem-sr650-v3")
    source = SourceFactory().pk
    assert save(client, url(server), bays_nvme=32, other_source=source).status_code == 302
    server.refresh_from_db()
    assert server.bays_nvme == 32
    option = server.variants.get().gpu_options.get(gpu__slug="nvidia-l40s")
    assert save(client, url(option), max_count=2, other_source=source).status_code == 302


def test_sales_do_not_publish(as_member):
    client = as_member("Sales")
    draft = ServerFactory(is_published=False)
    EvidenceFactory(server=draft, field="rack_units")
    assert "is_published" not in form_of(client, url(draft))
    save(client, url(draft), is_published="on")
    draft.refresh_from_db()
    assert not draft.is_published
    published = ServerFactory()
    EvidenceFactory(server=published, field="rack_units")
    save(client, url(published))
    published.refresh_from_db()
    assert published.is_published


def test_sales_delete_nothing(catalog, as_member):
    client = as_member("Sales")
    for row in (Server.objects.first(), GPU.objects.first(), GPUOption.objects.first()):
        assert client.post(url(row, "delete"), {"post": "yes"}).status_code == 403
    server = Server.objects.get(slug="thinksystem-sr650-v3")
    count = server.evidence.count()
    save(client, url(server), **{"evidence-0-DELETE": "on", "variants-0-DELETE": "on"})
    assert (server.evidence.count(), server.variants.count()) == (count, 1)


# --- marketing -------------------------------------------------------------------------------------


def test_marketing_write_profile_texts_and_nothing_else(catalog, as_member):
    client = as_member("Marketing")
    profile = WorkloadProfile.objects.get(slug="chat")
    assert save(client, url(profile), summary_es="Nuevo", gpus_max=99, stage="training").status_code == 302
    profile.refresh_from_db()
    assert (profile.summary_es, profile.gpus_max, profile.stage) == ("Nuevo", 4, "inference")
    assert client.get(url(Server.objects.first())).status_code == 403
    assert client.get(reverse("admin:catalog_gpu_changelist")).status_code == 403


def test_outsiders_see_nothing(client, catalog):
    assert client.get(url(Server.objects.first())).status_code == 302
    client.force_login(User.objects.create_user("nobody", is_staff=True))
    assert client.get(url(Server.objects.first())).status_code == 403
