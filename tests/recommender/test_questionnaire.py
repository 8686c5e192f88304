"""The questionnaire as a whole: every answer goes round, none is lost on the way, and no script is needed."""

import re
from html import unescape
from urllib.parse import urlencode, urlsplit

import pytest
from django.urls import reverse
from django.utils.translation import override

from recommender.answers import EMBEDDINGS, IMAGES, KEYS, SPEECH, TOKENS, VISION, parse
from recommender.questions import GROUPS, NOT_ASKED, group_of
from tests.factories import AIModelFactory
from tests.recommender.forms_of_pages import Filled, answers_of

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]
LANGUAGES = ["es", "ru", "en"]
ASKED = [name for name in KEYS if name not in NOT_ASKED]
NUMBERS = [name for name in ASKED if KEYS[name].kind == "number"]
TASK_OF_KIND = {
    TOKENS: "rag",
    VISION: "vision",
    SPEECH: "speech",
    IMAGES: "image_generation",
    EMBEDDINGS: "embeddings",
}
CHOSEN = {"model": "llama-3.1-8b", "training_model": "llama-3.1-8b", "draft_model": "llama-3.2-1b"}
CHOSEN |= {"cpu_vendor": "intel", "gpu_vendor": "nvidia", "remarks": "No fans, please"}
RAG = {"stage": "inference", "workload": "rag"}


def url(name, language="en", *, step=None, **query):
    with override(language):
        path = reverse(f"recommender:{name}", kwargs={"step": step} if step else None)
    return f"{path}?{urlencode(query, doseq=True)}" if query else path


def body(response):
    return unescape(response.content.decode())


def work_for(name):
    """Return a work for which the question is asked."""
    kind = next(kind for kind in TASK_OF_KIND if kind in KEYS[name].kinds)
    return {"stage": "mixed", "workload": TASK_OF_KIND[kind]}


def plain(name, end="low"):
    """Return a number that may be answered, with a fraction where the question allows one."""
    key = KEYS[name]
    low, high = int(key.minimum) + 2, min(int(key.maximum) - 1, int(key.minimum) + 40)
    number = low if end == "low" else high
    return str(number) if key.whole else f"{number}.5"


def sample(name):
    key = KEYS[name]
    if key.kind == "number":
        return plain(name)
    return CHOSEN.get(name) or key.choices[-1][0]


def typed(text, language):
    """Write a canonical number or range as people of a language type it."""
    sign = "." if language == "en" else ","
    return " – ".join(end.replace(".", sign) for end in text.split(".."))


def sent(client, name, language, **changes):
    """Send the page of one question and return the answers of the address that it leads to, and its page."""
    work = work_for(name)
    page = client.get(url("step", language, step=group_of(name).slug, **work)).content.decode()
    form = Filled(page)
    assert name in form.names
    response, path = form.send(client, "continue", **changes)
    found = answers_of(path)
    assert {key: found.pop(key) for key in work} == work
    return found, response


def in_turn(names):
    """Return each name with one of the three languages, so that all of them read every kind of answer."""
    return [(name, LANGUAGES[place % len(LANGUAGES)]) for place, name in enumerate(names)]


@pytest.mark.parametrize(
    ("name", "language"),
    [*in_turn(ASKED), *((name, language) for name in ("power_kw", "altitude_m") for language in LANGUAGES)],
)
def test_every_answer_can_be_given(client, name, language):
    value = sample(name)
    text = typed(value, language) if name in NUMBERS else value
    found, _response = sent(client, name, language, **{name: text})
    assert found == {name: value}
    query = work_for(name) | found
    page = client.get(url("step", language, step=group_of(name).slug, **query)).content.decode()
    assert Filled(page).fields.getlist(name) == [text]


@pytest.mark.parametrize("name", ASKED)
def test_every_answer_can_be_a_guess(client, name):
    query = work_for(name) | {name: sample(name), "hypothesis": name}
    step = group_of(name).slug
    form = Filled(client.get(url("step", step=step, **query)).content.decode())
    assert form.fields.getlist("hypothesis") == [name]
    _response, path = form.send(client, "continue")
    assert answers_of(path) == query


@pytest.mark.parametrize(("name", "language"), in_turn(NUMBERS))
def test_every_number_can_be_a_range(client, name, language):
    value = f"{plain(name)}..{plain(name, 'high')}"
    found, _response = sent(client, name, language, **{name: typed(value, language)})
    assert found == {name: value}


@pytest.mark.parametrize("name", ASKED)
def test_every_answer_can_be_left_open_and_taken_back(client, name):
    query = work_for(name) | {name: sample(name)}
    form = Filled(client.get(url("step", step=group_of(name).slug, **query)).content.decode())
    changes = {"unknown": name} if "unknown" in form.names else {name: ""}
    if KEYS[name].kind in ("choice", "yes_no", "slug") and not KEYS[name].repeats:
        changes = {name: ""}
    _response, path = form.send(client, "continue", **changes)
    assert answers_of(path) == work_for(name)


def test_a_walk_through_every_page_keeps_every_answer(client):
    query = {"stage": ["mixed"], "workload": ["rag", "vision", "speech", "image_generation"]}
    query |= {name: sample(name) for name in ASKED}
    query |= {"server": "thinksystem-sr650-v4", "hypothesis": ["model", "concurrency", "power_kw"]}
    query["model"] = "qwen3-32b"
    # Answers that cannot stand together.
    for name in ("temperature_min_c", "context_tokens", "active_parameters_b"):
        del query[name]
    before = parse(query)
    assert not before.problems
    response = client.get(url("questionnaire", "es", **dict(before.as_query()) and query))
    response, path = Filled(response.content.decode()).send(client)
    pages = [urlsplit(path).path]
    while re.search(r"<form[^>]*questionnaire", response.content.decode()):
        response, path = Filled(response.content.decode()).send(client, "continue")
        pages.append(urlsplit(path).path)
    assert pages == [
        *(url("step", "es", step=group.slug) for group in GROUPS),
        url("check", "es"),
    ]
    assert parse(answers_of(path)).values == before.values


def test_from_the_work_to_servers_without_scripts(client):
    response = client.get(url("questionnaire", "ru"))
    response, path = Filled(response.content.decode()).send(client, stage="inference", workload="chat")
    response, path = Filled(response.content.decode()).send(client, "continue", model="llama-3.1-8b")
    response, path = Filled(response.content.decode()).send(client, "check", users="1 000")
    assert urlsplit(path).path == url("check", "ru")
    assert answers_of(path) == {
        "stage": "inference",
        "workload": "chat",
        "model": "llama-3.1-8b",
        "users": "1000",
    }
    link = re.search(r'<a class="button button-primary" href="([^"]*)"', body(response))[1]
    assert urlsplit(link).path == url("results", "ru")
    assert answers_of(link) == answers_of(path)
    assert client.get(link).status_code == 200


def test_a_bad_answer_keeps_its_page_and_all_the_others(client):
    form = Filled(client.get(url("step", "es", step="load", **RAG)).content.decode())
    response, path = form.send(client, "continue", users="muchas", peak_factor="2,5")
    page = body(response)
    assert urlsplit(path).path == url("step", "es", step="load")
    assert answers_of(path) == RAG | {"users": "muchas", "peak_factor": "2.5"}
    assert 'href="#id_users"' in page
    assert "«muchas»" in page
    assert Filled(page).fields["peak_factor"] == "2,5"


def test_a_change_comes_back_to_the_check_and_keeps_the_rest(client):
    page = body(client.get(url("check", **RAG, users="1000", power_kw="7.5")))
    link = re.search(r'href="([^"]*#q-power_kw)"', page)[1]
    assert urlsplit(link).path == url("step", step="site")
    response, path = Filled(client.get(link).content.decode()).send(client, "check", power_kw="8")
    assert urlsplit(path).path == url("check")
    assert answers_of(path) == RAG | {"users": "1000", "power_kw": "8"}
    link = re.search(r'href="([^"]*#q-stage)"', body(response))[1]
    response, path = Filled(client.get(link).content.decode()).send(client)
    assert urlsplit(path).path == url("check")


def test_the_check_tells_answers_guesses_and_typical_values_apart(client):
    page = body(client.get(url("check", **RAG, users="1000", power_kw="7.5", hypothesis="users")))

    def chip(name):
        row = re.search(rf'id="a-{name}">(.*?)</div>', page, re.DOTALL)[1]
        found = re.search(r"chip chip-(\w+)", row)
        return found and found[1]

    assert {name: chip(name) for name in ("power_kw", "users", "input_tokens", "rack_units")} == {
        "power_kw": "given",
        "users": "hypothesis",
        "input_tokens": "profile",
        "rack_units": None,
    }
    assert chip("requests_per_second") == "computed"
    assert "not known yet" in re.search(r'id="a-rack_units">(.*?)</div>', page, re.DOTALL)[1]


def test_the_check_says_what_is_missing_until_nothing_is(client):
    known = RAG | {
        "model": "llama-3.1-8b",
        "concurrency": "8",
        "context_tokens": "8192",
        "input_tokens": "4000",
        "output_tokens": "500",
        "ttft_ms": "2000",
        "tpot_ms": "100",
        "availability": "single",
    }
    open_title = "Still open, and worth finding out"
    assert open_title not in body(client.get(url("check", **known)))
    page = body(client.get(url("check", **known | {"hypothesis": "ttft_ms"})))
    assert open_title in page
    assert "the advice is conditional" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_step_is_named_in_the_language_of_its_page(client, language):
    address = url("step", language, step="site")
    assert client.get(url("step", language, step="site", **RAG)).status_code == 200
    assert client.get(address.rstrip("/").rpartition("/")[0] + "/sitio-web/").status_code == 404


def test_a_step_without_questions_for_this_work_leads_back(client):
    response = client.get(url("step", step="training", **RAG))
    assert (response.status_code, response["Location"]) == (302, url("questionnaire", **RAG))


def test_typing_on_a_step_is_answered_beside_the_field_and_in_the_formula(client):
    headers = {"HX-Request": "true", "HX-Trigger": "q-users"}
    query = RAG | {"lang": "es", "users": "1.000", "concurrency": "", "from": "check"}
    response = client.get(url("step", "es", step="load", **query), headers=headers)
    page = body(response)
    assert "<html" not in page
    assert "1000" in page
    assert 'id="load-formula"' in page
    assert response["HX-Replace-Url"] == url("step", "es", step="load", **RAG, users="1000") + "&from=check"


def test_a_step_that_is_restored_is_whole(client):
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    for address in (url("step", step="load", **RAG), url("check", tested="1", **RAG)):
        assert "<html" in body(client.get(address, headers=headers))


@pytest.mark.parametrize(
    ("language", "rate", "running"),
    [("es", "8,33", "150"), ("ru", "8,33", "150"), ("en", "8.33", "150")],
)
def test_people_become_requests_by_a_formula_with_its_numbers(client, language, rate, running):
    # 1,000 x 20 % x 1.0/min x 2.5 = 500/min = 8.33/s; 8.33/s x 18 s = 150 (Little's law)
    given = RAG | {"users": "1000", "active_percent": "20", "requests_per_user_minute": "1"}
    given |= {"peak_factor": "2.5", "ttft_ms": "2000", "output_tokens": "400", "tpot_ms": "40"}
    page = body(client.get(url("step", language, step="load", **given)))
    box = re.search(r'id="load-formula".*?</div>', page, re.DOTALL)[0]
    first, second = re.findall(r"<dd>(.*?)</dd>", box, re.DOTALL)
    assert re.search(rf"<b>{rate}\D", first)
    assert re.search(rf"<b>{running}\D", second)
    for figure in ("20", "2,5" if language != "en" else "2.5"):
        assert figure in first
    assert "400" in second
    assert "note-of-option" not in box  # nothing was assumed


def test_a_formula_says_how_many_of_its_figures_are_assumed(client):
    page = body(client.get(url("step", step="load", **RAG, users="1000")))
    assert "3 of these figures are assumed" in page


def test_a_load_that_is_given_needs_no_formula(client):
    page = body(client.get(url("step", step="load", **RAG, concurrency="8")))
    assert "<dd>" not in re.search(r'id="load-formula".*?</div>', page, re.DOTALL)[0]


def test_a_reader_who_began_with_a_server_is_asked_for_the_work_and_keeps_it(client):
    response = client.get(url("questionnaire", server="thinksystem-sr650-v4"))
    assert "ThinkSystem SR650 V4" in body(response)
    _response, path = Filled(response.content.decode()).send(client, stage="inference")
    assert answers_of(path) == {"stage": "inference", "server": "thinksystem-sr650-v4"}


def test_a_server_that_is_not_in_the_catalog_gets_a_message(client):
    page = body(client.get(url("check", server="no-such", **RAG)))
    assert "“no-such” is not in the catalog." in page
    assert client.get(url("results", server="no-such", **RAG)).status_code == 200


def test_what_is_only_for_the_brief_says_so(client):
    page = body(client.get(url("questions", **RAG)))
    for name in ("quality_test", "data_location", "remarks"):
        part = re.search(rf'id="q-{name}".*?<details', page, re.DOTALL)[0]
        assert "does not change the order" in part
    part = re.search(r'id="q-concurrency".*?<details', page, re.DOTALL)[0]
    assert "does not change the order" not in part


def test_the_budget_says_plainly_that_no_prices_are_used(client):
    part = re.search(r'id="q-budget".*?<details', body(client.get(url("questions", **RAG))), re.DOTALL)[0]
    assert "The catalog has no prices: the budget changes nothing in the order." in part


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_number_of_queries_does_not_grow_with_the_answers(
    client, language, django_assert_max_num_queries
):
    few, many = RAG, RAG | {name: sample(name) for name in ("users", "power_kw", "model", "availability")}
    client.get(url("check", language, **few))  # what a process keeps
    for name in ("questionnaire", "questions", "check"):
        for query in (few, many):
            with django_assert_max_num_queries(4):
                client.get(url(name, language, **query))


def test_a_model_whose_developer_is_not_known_can_be_chosen(client):
    AIModelFactory(slug="nobodys-8b", name="Nobody's 8B", developer=None, is_published=True)
    for name in ("recommender:questionnaire", "recommender:questions", "recommender:calculator"):
        page = client.get(reverse(name), {"stage": "inference"}, follow=True)
        assert page.status_code == 200, name
