"""What would this change do? Asked below a form, before anything is saved."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from catalog import history, versions
from catalog.models import Change, Revision, Server
from recommender import adapters, services, services_impact
from recommender.answers import parse
from recommender.models import Brief, RegressionCase
from tests.catalog.staff import form_of, url
from tests.factories import AIModelFactory, EvidenceFactory, GPUFactory, GPUOptionFactory, SourceFactory

pytestmark = pytest.mark.django_db

ANSWERS = {"stage": "inference", "model": "tiny", "concurrency": "4", "context_tokens": "4096"}


@pytest.fixture
def servers(db):
    """Two servers with the same card: the lower one comes first."""
    RegressionCase.objects.all().delete()
    AIModelFactory(slug="tiny")
    gpu = GPUFactory(name="Card", slug="card")
    low = GPUOptionFactory(gpu=gpu, variant__server__name="Low", variant__server__slug="low").variant.server
    high = GPUOptionFactory(
        gpu=gpu, variant__server__name="High", variant__server__slug="high", variant__server__rack_units=4
    ).variant.server
    return low, high


@pytest.fixture
def case(servers):
    return RegressionCase.objects.create(slug="chat", name_es="Charla", answers=ANSWERS)


def brief(number, **fields):
    return Brief.objects.create(
        reader_digest=f"r{number}",
        owner_digest=f"o{number}",
        language="ru",
        frozen={"answers": ANSWERS},
        **{"expires_at": timezone.now() + timedelta(days=1), "title": f"Пилот {number}"} | fields,
    )


def first_now():
    return services.recommend(parse(ANSWERS)).ranking.matches[0].config.node.server


def ask(client, row, **changes):
    data = form_of(client, url(row)) | {"_impact": "1"} | changes
    return client.post(url(row), {key: value for key, value in data.items() if value is not None})


def test_a_change_is_shown_and_not_made(editor, servers, case):
    low, _high = servers
    brief(1)
    version, client = versions.current(), editor("Ana")
    page = ask(client, low, is_published=None, why="Out of stock")
    assert page.status_code == 200
    impact = page.context["impact"]
    assert (impact.looked, impact.total) == (2, 2)
    assert [(row.name, row.brief is None) for row in impact.rows] == [("Charla", True), ("Пилот 1", False)]
    line = impact.rows[0].first
    assert (line.before, line.after) == ("Low, 1 × Card: Encaja", "High, 1 × Card: Encaja")
    assert "High, 1 × Card" in page.content.decode()
    low.refresh_from_db()
    assert low.is_published
    assert versions.current() == version
    assert not Revision.objects.exists()
    assert not Change.objects.exists()
    assert first_now() == "low"


def test_what_was_typed_is_still_there_and_can_be_saved(editor, servers, case):
    low, _high = servers
    client = editor("Ana")
    page = ask(client, low, is_published=None, why="Out of stock", machine_types="7D9R")
    form = page.context["adminform"].form
    assert form["why"].value() == "Out of stock"
    assert form["machine_types"].value() == "7D9R"
    assert not form["is_published"].value()
    assert not page.context["errors"]
    data = {
        bound.html_name: bound.value()
        for bound in form
        if bound.value() not in (None, False) and bound.value() is not True
    }
    formsets = page.context["inline_admin_formsets"]
    for formset in formsets:
        for inner in (formset.formset.management_form, *formset.formset.forms):
            data |= {bound.html_name: bound.value() for bound in inner if bound.value() not in (None, False)}
    assert client.post(url(low), data).status_code == 302
    low.refresh_from_db()
    assert (low.is_published, low.machine_types) == (False, "7D9R")
    assert len(history.entries(low)) == 1
    assert first_now() == "high"


def test_what_was_tried_is_kept_by_no_cache(servers, case):
    """The next change gets the version that the trial had."""
    low, high = servers

    def unpublish():
        low.is_published = False
        low.save()
        return True

    assert first_now() == "low"
    assert services_impact.impact(unpublish).rows
    high.rack_units = 1
    high.save()
    assert {machine.bare.server for machine in adapters.load_specs().machines} == {"low", "high"}
    assert first_now() == "high"


@pytest.mark.parametrize("bandwidth", [20, 5000])
def test_what_it_says_comes_true(servers, case, bandwidth):
    low, high = servers
    better = GPUFactory(name="Better", slug="better", memory_gb=96, bandwidth_gbs=1800)
    GPUOptionFactory(gpu=better, variant=high.variants.get())
    gpu = low.variants.get().gpu_options.get().gpu
    case.answers = ANSWERS | {"tpot_ms": "30"}
    case.save()
    before = services.recommend(parse(case.answers)).ranking.matches

    def change():
        gpu.bandwidth_gbs = bandwidth
        gpu.save()
        return True

    (row,) = services_impact.impact(change).rows
    change()
    after = services.recommend(parse(case.answers)).ranking.matches
    assert [said.split(",")[0] for said in (row.first.before, row.first.after)] == [
        matches[0].config.node.server.title() for matches in (before, after)
    ]
    gone = {state_of(match) for match in before} - {state_of(match) for match in after}
    assert len(row.moved) + row.first_changed >= len(gone)


def state_of(match):
    return match.config.node.server, match.config.node.gpu.slug, match.state


def test_a_form_that_is_wrong_says_so_and_is_not_tried(editor, servers, case):
    page = ask(editor("Ana"), servers[0], rack_units="many")
    assert page.context["impact"] is None
    assert "rack_units" in page.context["adminform"].form.errors


def test_an_expectation_that_no_longer_holds_is_named(servers, case):
    low, _high = servers
    case.expected_server = "low"
    case.save()

    def unpublish():
        low.is_published = False
        low.save()
        return True

    row = services_impact.impact(unpublish).rows[0]
    assert row.expected == "Low"


def test_a_model_that_goes_leaves_questions_that_cannot_be_worked_out(servers, case):
    from catalog.models import AIModel

    def unpublish():
        model = AIModel.objects.get(slug="tiny")
        model.is_published = False
        model.save()
        return True

    line = services_impact.impact(unpublish).rows[0].first
    assert line.before.startswith("Low, 1 × Card")
    assert "modelo" in line.after


def test_closed_briefs_and_resting_cases_are_not_asked(servers, case):
    case.is_active = False
    case.save()
    brief(1, revoked_at=timezone.now())
    brief(2, expires_at=timezone.now() - timedelta(days=1))
    brief(3)
    impact = services_impact.impact(lambda: True)
    assert (impact.rows, impact.looked, impact.total) == ((), 1, 1)


def test_the_newest_fifty_briefs_are_asked(servers):
    for number in range(52):
        brief(number)
    assert services_impact.impact(lambda: True).total == 50


def test_the_time_is_bounded_and_what_was_left_is_said(servers, case):
    impact = services_impact.impact(lambda: True, seconds=0)
    assert (impact.looked, impact.total, impact.is_whole) == (0, 1, False)


def test_whoever_may_not_change_is_not_asked(editor, servers):
    low, _high = servers
    assert "_impact" in editor("Ana").get(url(low)).content.decode()
    assert 'name="_impact"' not in editor("Eva", "Marketing").get(url(low)).content.decode()
    assert ask_status(editor("Leo", "Marketing"), low) == 403
    assert Server.objects.get(pk=low.pk).name == "Low"


def ask_status(client, row):
    return client.post(url(row), {"name": "Other", "_impact": "1"}).status_code


def test_the_question_stands_beside_the_buttons_that_save_and_is_no_default(editor, servers):
    low, _high = servers
    client = editor("Ana")
    for row in (low, low.variants.get(), low.variants.get().gpu_options.get()):
        page = client.get(url(row)).text
        rows = re.findall(r'<div class="submit-row">(.*?)</div>', page, re.DOTALL)
        buttons = [re.findall(r'<input type="submit"[^>]* name="(\w+)"', found) for found in rows]
        assert len(buttons) == 2  # above the form and below it
        assert all(found[0] == "_save" and found[-1] == "_impact" for found in buttons)


def test_a_trial_tells_nothing_as_if_it_were_done(editor, servers, case):
    low, _high = servers
    EvidenceFactory(server=low, field="rack_units", stated="3")
    page = ask(editor("Ana"), low, rack_units=4, other_source=SourceFactory().pk)
    assert page.context["impact"].rows
    assert not list(page.context["messages"])


def test_a_case_without_an_expected_server_says_what_is_compared(editor, servers, case):
    low, _high = servers
    client = editor("Ana")
    client.cookies["django_language"] = "en"
    cases = client.get(reverse("admin:recommender_regressioncase_changelist")).text
    assert "before and after are compared" in cases
    row = ask(client, low, is_published=None).context["impact"].rows[0]
    assert (row.first_changed, row.expected) == (True, "")


def test_a_bulk_edit_is_asked_the_same_way(editor, servers, case):
    low, _high = servers
    client = editor("Ana")
    data = {
        "action": "bulk_edit",
        "_selected_action": [low.pk],
        "apply": "yes",
        "set_lifecycle": "on",
        "lifecycle": "withdrawn",
        "other_source": SourceFactory().pk,
        "source_state": "maker",
    }
    page = client.post(url(low, "changelist"), data | {"_impact": "1"})
    row = page.context["impact"].rows[0]
    assert (row.first.before.split(",")[0], row.first.after.split(",")[0]) == ("Low", "High")
    assert page.context["form"]["lifecycle"].value() == "withdrawn"
    assert not list(page.context["messages"])
    low.refresh_from_db()
    assert low.lifecycle == "current"
    assert not low.evidence.exists()
    assert not Change.objects.exists()
    assert client.post(url(low, "changelist"), data).status_code == 302
    low.refresh_from_db()
    assert low.lifecycle == "withdrawn"
