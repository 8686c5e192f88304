"""Questions that can no longer change the order: what is marked is tried once more, on the whole advice."""

import pytest
from django.urls import reverse
from django.utils.html import escape
from django.utils.translation import override

from recommender import services
from recommender.answers import KEYS, parse
from recommender.relevance import COMPANIONS, relevance, trials

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]

CHAT = {"stage": "inference", "workload": "chat", "model": "llama-3.1-8b", "concurrency": "8"}
VISION = {"stage": "inference", "workload": "vision", "streams": "8", "frames_per_second": "10"}
UNBOUND = 600  # seconds: no time limit


def order(answers):
    """Return the advice as a buyer reads it: servers, cards, their numbers and states, in their order."""
    try:
        matches = services.recommend(parse(answers)).ranking.matches
    except services.BadAnswers:
        return None
    return [
        (
            match.config.node.server,
            match.config.node.gpu.slug,
            match.config.count,
            match.config.servers,
            match.state,
        )
        for match in matches
    ]


def test_what_is_called_needless_changes_no_advice():
    given, names = VISION, [name for name in KEYS if KEYS[name].used]
    found = relevance(parse(given), names, UNBOUND)
    assert found.needless
    assert found.is_complete
    for name in found.needless:
        beside = given | {key: value for key, value in COMPANIONS.get(name, {}).items() if key not in given}
        usual = order(beside)
        for value in trials(KEYS[name]):
            assert order(beside | {name: value}) in (usual, None), (name, value)


@pytest.mark.parametrize("name", ["rack_units", "availability", "site", "gpu_vendor"])
def test_what_changes_the_advice_is_not_called_needless(name):
    ends = [order(VISION | {name: value}) for value in trials(KEYS[name])]
    assert any(end != order(VISION) for end in ends)  # so it does matter
    found = relevance(parse(VISION), [name], UNBOUND)
    assert found.tried == {name}
    assert not found.needless


def test_a_load_that_is_known_makes_the_people_needless():
    people = ["users", "active_percent", "requests_per_user_minute", "peak_factor", "requests_per_second"]
    assert relevance(parse(CHAT), people).needless == set(people)
    open_load = {key: value for key, value in CHAT.items() if key != "concurrency"}
    assert not relevance(parse(open_load), ["users"], UNBOUND).needless


def test_what_needs_another_answer_is_tried_with_it():
    heavy = VISION | {"streams": "2000"}
    found = relevance(parse(heavy), ["growth_percent", "horizon_years"], UNBOUND)
    assert found.tried == {"growth_percent", "horizon_years"}
    assert not found.needless


def test_answered_questions_are_not_tried():
    assert not relevance(parse(CHAT), ["concurrency", "model"]).asked


def test_without_time_only_what_needs_no_ranking_is_said_and_later_calls_go_on():
    names = ["users", "power_kw", "rack_units"]
    first = relevance(parse(CHAT), names, seconds=-1)
    assert first.needless == {"users"}
    assert first.tried == {"users"}
    assert not first.is_complete
    assert relevance(parse(CHAT), names, UNBOUND).tried == set(names)
    assert relevance(parse(CHAT), names, seconds=-1).tried == set(names)  # kept


def test_answers_that_do_not_go_together_mark_nothing():
    bad = CHAT | {"context_tokens": "900000"}
    assert not relevance(parse(bad), ["users", "power_kw"]).needless


@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_the_check_says_without_scripts_what_is_needless(client, language):
    query = CHAT | {"queue_ok": "no", "tested": "1"}
    with override(language):
        page = client.get(reverse("recommender:check", query=query)).content.decode()
        label = escape(str(KEYS["normal_concurrency"].label))
    part = page.partition('id="tested"')[2].partition("</section>")[0]
    assert label in part
    assert "hx-get" not in part.partition(">")[0]


def test_a_page_of_questions_gets_marks_for_its_own_questions(client):
    with override("en"):
        address = reverse("recommender:check", query=CHAT | {"queue_ok": "no", "tested": "1", "for": "load"})
    page = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert 'id="optional-normal_concurrency" hx-swap-oob="true"' in page
    assert "<html" not in page
    assert "optional-power_kw" not in page
    assert 'id="tested"' not in page
