"""The result page: the advice with its reasons, what it rests on, and what to do next, in three languages."""

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.template import Context, Template
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import strip_tags
from django.utils.translation import override
from hypothesis import HealthCheck, given, settings, strategies as st

from catalog.models import Server
from recommender import adapters, answers, presentation, services
from recommender.answers import KEYS
from recommender.management.commands.benchmark_results import MAX_BYTES, QUESTIONS
from tests.pages import Page

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]
LANGUAGES = ["es", "ru", "en"]

CHAT = {"stage": "inference", "workload": "chat", "model": "llama-3.1-8b", "concurrency": "10"}
COMPLETE = CHAT | {
    "input_tokens": "1500",
    "output_tokens": "400",
    "context_tokens": "8192",
    "ttft_ms": "2000",
    "tpot_ms": "100",
    "availability": "single",
}
# No machine reads 120,000 tokens into a model of 406 billion parameters in 0.2 s.
IMPOSSIBLE = {
    "stage": "inference",
    "model": "llama-3.1-405b",
    "precision": "fp8",
    "concurrency": "4",
    "context_tokens": "131072",
    "input_tokens": "120000",
    "output_tokens": "1000",
    "ttft_ms": "200",
}


def url(language="en", **query):
    with override(language):
        return reverse("recommender:results", query=query or None)


def seen(response):
    """Return the text of a page as a reader sees it: no tags, simple spaces."""
    text = re.sub(r"<[^>]*>", " ", response.content.decode())
    return re.sub(r"[\s\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]+", " ", unescape(text))


def advice(query, top=5):
    result = services.recommend(answers.parse(query))
    with override("en"):
        return services.as_json(result, top=top)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_shows_the_same_servers_in_the_same_order(client, language):
    text = seen(client.get(url(language, **CHAT)))
    expected = [Server.objects.get(slug=match["server"]).name for match in advice(CHAT)["matches"]]
    places = []
    for rank, name in enumerate(expected, 1):
        places.append(text.index(f"{rank}. {name}"))
    assert places == sorted(places)


@pytest.mark.parametrize(("language", "power"), [("es", "7,5 kW"), ("ru", "7,5 кВт"), ("en", "7.5 kW")])
def test_answers_come_back_as_the_language_writes_them(client, language, power):
    text = seen(client.get(url(language, **CHAT, power_kw="7.5", temperature_min_c="-5")))
    assert power in text
    assert "\N{MINUS SIGN}5 °C" in text
    assert "Llama 3.1 8B" in text


@pytest.mark.parametrize(("language", "sign"), [("es", ","), ("ru", ","), ("en", ".")])
def test_figures_have_the_decimal_sign_of_the_language_and_drawings_the_plain_one(client, language, sign):
    response = client.get(url(language, **CHAT))
    bars = re.findall(r'<rect class="segment[^>]*width="([^"]*)"', response.content.decode())
    assert bars
    assert all(re.fullmatch(r"[0-9]+(\.[0-9]+)?", width) for width in bars)
    memory = re.search(r"GiB|ГиБ", seen(response))[0]
    assert re.search(rf"[0-9]\{sign}[0-9]+ {memory}", seen(response))


def test_guesses_and_typical_values_are_told_from_answers(client):
    page = client.get(url(**CHAT, hypothesis="concurrency")).content.decode()
    rows = re.findall(r"<tr>\s*<th scope=\"row\">(.*?)</th>.*?chip-(\w+)", page, re.DOTALL)
    origins = {strip_tags(label): origin for label, origin in rows}
    assert origins[str(KEYS["model"].label)] == "given"
    assert origins[str(KEYS["concurrency"].label)] == "hypothesis"
    assert origins[str(KEYS["output_tokens"].label)] == "profile"


def test_advice_is_conditional_until_the_load_and_the_targets_are_known(client):
    assert "This recommendation is conditional" in seen(client.get(url(**CHAT)))
    assert "This recommendation is conditional" not in seen(client.get(url(**COMPLETE)))
    assert "This recommendation is conditional" in seen(client.get(url(**COMPLETE, hypothesis="ttft_ms")))


def test_what_is_missing_links_to_its_question(client):
    page = unescape(client.get(url(**CHAT)).content.decode())
    banner = re.search(r'class="note note-warn conditional".*?</section>', page, re.DOTALL)[0]
    for key in ("context_tokens", "ttft_ms", "availability"):
        assert f'href="#id_{key}"' in banner
        assert f'id="id_{key}"' in page  # asked on the page itself


def test_every_server_is_shown_named_or_ruled_out_with_its_rule(client):
    text = seen(client.get(url(**CHAT, rack_units="1")))
    for server in Server.objects.published():
        assert server.name in text
    assert "2U" in text[text.index("Ruled out") :]


def test_show_all_is_part_of_the_address(client):
    page = client.get(url(**CHAT)).content.decode()
    assert page.count('<article class="match"') == 5
    link = unescape(re.search(r'href="([^"]*show=all[^"]*)"', page)[1])
    whole = client.get(link).content.decode()
    assert whole.count('<article class="match"') == len(advice(CHAT, top=1000)["matches"])


@pytest.mark.parametrize(
    ("language", "heading"),
    [("es", "Nada del catálogo encaja"), ("ru", "каталог"), ("en", "Nothing in the catalog fits")],
)
def test_nothing_fits_says_which_answer_to_change(client, language, heading):
    response = client.get(url(language, **IMPOSSIBLE))
    assert heading in seen(response)
    empty = re.search(r'<section class="empty".*?</section>', response.content.decode(), re.DOTALL)[0]
    assert "#q-ttft_ms" in empty


@pytest.mark.parametrize(
    ("per_server", "servers", "idle", "drawn"),
    [
        (3, 1, 1, [(2, 1)]),
        (2, 1, 0, [(2, 0)]),
        (3, 2, 2, [(2, 1), (2, 1)]),
        (8, 2, 0, [(8, 0), (8, 0)]),
        (1, 6, 0, [(1, 0)] * 4),
    ],
)
def test_cards_in_use_and_idle_ones_are_drawn_apart(per_server, servers, idle, drawn):
    page = services.page(services.recommend(answers.parse(CHAT)))
    found = page["matches"][0] | {"gpus_per_server": per_server, "servers": servers, "idle_gpus": idle}
    match = presentation.match(found, page)
    assert [(rack["used"], rack["idle"]) for rack in match["racks"]] == drawn
    assert match["more_racks"] == servers - len(drawn)


def test_a_further_server_carries_its_share_of_the_load():
    with override("en"):
        assert " 30 " in presentation.each_more({"servers": 3, "max_concurrency": 90}, spare=False)
        assert " 45 " in presentation.each_more({"servers": 3, "max_concurrency": 90}, spare=True)
        assert presentation.each_more({"servers": 1, "max_concurrency": None}, spare=False) == ""


def test_what_a_third_card_does_is_said(client):
    query = {
        "stage": "inference",
        "model": "llama-3.1-70b",
        "precision": "fp8",
        "concurrency": "4",
        "context_tokens": "4096",
    }
    page = client.get(url(**query, show="all")).content.decode()
    matches = page.split('<article class="match"')[1:]
    with_three = [match for match in matches if "3\N{NO-BREAK SPACE}×" in match and "SR650 V3" in match]
    assert with_three
    assert all("three cards" in match for match in with_three)


def test_a_spare_server_is_drawn_as_one(client):
    page = client.get(url(**COMPLETE | {"availability": "n_plus_1"})).content.decode()
    first = page[page.index('id="match-1"') : page.index('id="match-2"')]
    assert "A spare server." in first


def test_mixed_work_compares_one_server_with_two(client):
    text = seen(client.get(url(stage="mixed", model="llama-3.1-8b", method="lora")))
    assert "One server for both, or one for each" in text


def test_versions_are_named(client):
    result = advice(CHAT)
    assert f"catalog version {result['catalog_version']} and rules version {result['rules_version']}" in seen(
        client.get(url(**CHAT))
    )


def test_work_that_cannot_be_sized_as_asked_is_said_and_the_rest_is_sized(client):
    response = client.get(url(stage="mixed", workload="vision"))
    assert "Only the service is sized" in seen(response)
    assert '<article class="match"' in response.content.decode()


def test_an_answer_that_does_not_matter_is_named_by_its_question(client):
    text = seen(client.get(url(**CHAT, target_hours="24")))
    assert f"“{KEYS['target_hours'].label}” does not apply to this stage and task" in text


def test_a_bad_answer_is_left_out_and_said(client):
    response = client.get(url(**CHAT, context_tokens="9999999"))
    text = seen(response)
    assert "These answers were ignored" in text
    assert 'href="#id_context_tokens"' in response.content.decode()
    assert response.content.decode().count('<article class="match"') == 5


def test_an_edited_answer_swaps_the_advice_and_speaks_the_count(client):
    response = client.get(url(**CHAT), headers={"HX-Request": "true"})
    page = response.content.decode()
    assert "<html" not in page
    assert re.search(r'id="live"[^>]*hx-swap-oob[^>]*>[^<]*servers match', page)


def test_a_form_leads_to_the_canonical_address(client):
    response = client.get(url("es", lang="es", **CHAT, power_kw="1.500,5", show="all"))
    assert response.status_code == 302
    assert response.url == url("es", **CHAT, power_kw="1500.5", show="all")


@pytest.mark.parametrize("extra", [{}, {"show": "all"}, {"stage": "mixed"}])
def test_the_number_of_queries_does_not_grow_with_the_matches(client, extra):
    client.get(url(**CHAT))  # specifications are read once a process
    with CaptureQueriesContext(
        connection,
    ) as queries:
        client.get(url(**CHAT | extra))
    assert len(queries) <= 15


def test_the_first_result_of_a_process_needs_few_queries(client):
    adapters.forget()
    with CaptureQueriesContext(connection) as queries:
        client.get(url(**COMPLETE))
    assert len(queries) <= 16  # the catalog's, and the prices that hold today, which are read for each page


texts = st.one_of(
    st.text(max_size=12),
    st.integers().map(str),
    st.sampled_from(["inference", "mixed", "training", "vision", "llama-3.1-8b", "bge-m3", "8..32", "-5"]),
)
queries = st.lists(st.tuples(st.sampled_from([*KEYS, "lang", "show", "q[]"]), texts), max_size=6)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=queries)
def test_any_query_gives_a_page(client, pairs):
    response = client.get(f"{url()}?{urlencode(pairs, errors='surrogatepass')}", follow=True)
    assert response.status_code == 200
    assert "What the result is based on" in seen(response)


def test_an_empty_result_names_the_servers_that_one_change_would_let_in(client):
    response = client.get(url(**CHAT, temperature_max_c="70"))
    nearest = response.context["nearest"]
    assert 1 <= len(nearest) <= presentation.MAX_NEAREST
    text = unescape(response.content.decode())
    assert all(item["nearest_fix"] in text for item in nearest)


def test_a_result_leads_to_the_view_that_checks_its_answers(client):
    page = unescape(client.get(url(**CHAT)).content.decode())
    assert f'href="{reverse("recommender:check", query=CHAT)}"' in page


def test_pages_keep_no_indentation_and_join_no_words(client):
    page = client.get(url(**CHAT)).content.decode()
    advice_of_page = page[page.index('id="advice"') : page.index("<footer")]
    assert not re.search(r"\n[ \n]", advice_of_page.rpartition("</section>")[0])
    text = Template("{% load tight %}{% tight %}<b>one</b>\n   <i>two</i> three{% endtight %}").render(
        Context()
    )
    assert text == "<b>one</b>\n<i>two</i> three"


@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_pages_of_usual_questions_stay_light(client, language):
    with override(language):
        address = reverse("recommender:results")
    for name in ("mixed", "mixed, all known", "retrieval"):
        assert len(client.get(f"{address}?{QUESTIONS[name]}").content) <= MAX_BYTES, name


@pytest.mark.parametrize("view", ["best", "small"])
def test_the_first_match_is_worked_out_where_the_results_lead(client, view):
    address = f"{Page('recommender:results').path('en')}?{QUESTIONS['mixed, all known']}&view={view}"
    page = client.get(address)
    first = page.context["matches"][0]
    links = re.findall(r'<a href="([^"]*/workings/[^"]*)"', page.content.decode())
    assert len(links) == 1
    opened = client.get(unescape(links[0]))
    (match,) = opened.context["matches"]
    assert (match["server"], match["gpu"]) == (first["server"], first["gpu"])
    assert match["load"]
    assert match["power"]
    assert match["month"]
    part = client.get(unescape(links[0]), headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div class="stack-small workings">')
    assert part.strip() in opened.content.decode()


def test_where_nothing_fits_nothing_is_worked_out(client):
    query = QUESTIONS["chat, nothing fits"]
    assert (
        "/workings/" not in client.get(f"{Page('recommender:results').path('en')}?{query}").content.decode()
    )
    assert (
        "No server does this work."
        in client.get(f"{Page('recommender:workings').path('en')}?{query}").content.decode()
    )


def test_the_index_is_named_in_the_unit_of_memory(client):
    response = client.get(f"{Page('recommender:results').path('en')}?{QUESTIONS['retrieval']}")
    said = re.findall(r"The index takes [^<]*", response.content.decode())
    assert said
    assert all("GiB" in text and "GB" not in text for text in said)
