"""The questionnaire's pages: the work comes first, and whatever stands in an address gives a page."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.urls import reverse
from django.utils.translation import override
from hypothesis import HealthCheck, given, settings, strategies as st

from recommender.answers import KEYS, parse

pytestmark = pytest.mark.usefixtures("catalog")
LANGUAGES = ["es", "ru", "en"]


def url(name, language="en", **query):
    with override(language):
        return reverse(f"recommender:{name}", query=query or None)


def body(response):
    return unescape(response.content.decode())


def value_of(page, name):
    """Return what the text field of an answer shows."""
    found = re.search(rf'<input type="text"[^>]*name="{name}"[^>]*value="([^"]*)"', page)
    return found and found[1]


def hidden_of(page):
    return re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_question_is_the_work_and_not_the_gpu(client, language):
    page = body(client.get(url("questionnaire", language)))
    assert re.findall(r'name="stage" value="(\w+)"', page) == [
        "training", "fine_tuning", "inference", "mixed", "development",
    ]  # fmt: skip
    assert 'value="chat"' in page
    assert "NVIDIA" not in page


def test_a_profile_brings_its_stage_along(client):
    page = body(client.get(url("questionnaire", workload="llm_pretraining")))
    assert re.search(r'name="stage" value="training"[^>]* checked', page)


def test_every_profile_says_with_which_work_it_goes(client):
    page = body(client.get(url("questionnaire")))
    assert re.search(r'data-stages="training"[^>]*><input [^>]*value="llm_pretraining"', page)
    assert re.search(r'data-stages="inference mixed development"[^>]*><input [^>]*value="chat"', page)


def test_a_choice_in_the_first_step_sends_back_only_what_follows_the_address(client):
    page = body(client.get(url("questionnaire", stage="training"), headers={"HX-Request": "true"}))
    assert url("questionnaire", "ru", stage="training") in page
    assert "<html" not in page
    assert "llm_pretraining" not in page


def test_a_restored_page_is_whole(client):
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" in body(client.get(url("questionnaire", stage="training"), headers=headers))
    assert "<html" in body(client.get(url("results", stage="training"), headers=headers))


def test_each_step_keeps_the_answers_of_the_other(client):
    address = url("questions", stage="inference", workload="rag", concurrency="8", power_kw="1.5")
    page = body(client.get(address))
    assert value_of(page, "concurrency") == "8"
    assert hidden_of(page) == [("lang", "en"), ("stage", "inference"), ("workload", "rag")]
    back = unescape(re.search(r'id="work-link" href="([^"]*)"', page)[1])
    first = body(client.get(back))
    assert re.search(r'value="rag"[^>]* checked', first)
    assert hidden_of(first) == [("power_kw", "1.5"), ("concurrency", "8")] or hidden_of(first) == [
        ("concurrency", "8"),
        ("power_kw", "1.5"),
    ]


@pytest.mark.parametrize(("language", "shown"), [("es", "1,5"), ("ru", "1,5"), ("en", "1.5")])
def test_fields_show_numbers_as_the_language_writes_them(client, language, shown):
    assert value_of(body(client.get(url("questions", language, power_kw="1.5"))), "power_kw") == shown


@pytest.mark.parametrize(
    ("language", "typed"), [("es", "1.500,5"), ("ru", "1\N{NO-BREAK SPACE}500,5"), ("en", "1,500.5")]
)
def test_a_form_leads_to_the_canonical_address(client, language, typed):
    response = client.get(
        url(
            "questions",
            language,
            lang=language,
            next="results",
            power_kw=typed,
            ttft_ms="",
            stage="inference",
        )
    )
    assert response.status_code == 302
    assert response.url == url("results", language, stage="inference", power_kw="1500.5")


def test_a_bad_answer_comes_back_to_its_question_with_all_the_others(client):
    response = client.get(
        url(
            "questions",
            lang="en",
            next="results",
            stage="inference",
            concurrency="many",
            context_tokens="8192",
        ),
        follow=True,
    )
    page = body(response)
    assert urlsplit(response.redirect_chain[-1][0]).path == urlsplit(url("questions")).path
    assert value_of(page, "concurrency") == "many"
    assert value_of(page, "context_tokens") == "8192"
    assert "“many” is not a number." in page
    assert 'href="#id_concurrency"' in page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page_name", ["questions", "results"])
def test_messages_are_in_the_readers_language(client, language, page_name):
    address = url(page_name, language, stage="inference", concurrency="0", ttft_ms="2000")
    page = body(client.get(address))
    with override(language):
        (problem,) = parse({"concurrency": "0"}).problems
        assert problem.text in page
    assert value_of(page, "ttft_ms") == "2000"


def test_a_misspelt_model_gets_the_nearest_one(client):
    for page_name in ("questions", "results"):
        page = body(client.get(url(page_name, stage="inference", model="lama-3-3-70b", concurrency="8")))
        assert "“lama-3-3-70b” is not in the catalog. The nearest is “llama-3.3-70b”." in page


def test_a_model_that_is_not_in_the_catalog_gets_a_message(client):
    for page_name in ("questions", "results"):
        page = body(client.get(url(page_name, stage="inference", model="gpt-99", concurrency="8")))
        assert "“gpt-99” is not in the catalog." in page
        assert "The nearest is" not in page
        assert value_of(page, "concurrency") == "8"


def test_an_unknown_key_gets_a_notice(client):
    for page_name in ("questionnaire", "questions", "results"):
        assert "zzz" in body(client.get(url(page_name, zzz="1")))


def test_typing_is_answered_beside_the_field(client):
    headers = {"HX-Request": "true", "HX-Trigger": "q-context_tokens"}
    response = client.get(url("questions", "es", lang="es", context_tokens="1.500"), headers=headers)
    page = body(response)
    assert "1500" in page
    assert "<html" not in page
    assert response.headers["HX-Replace-Url"] == url("questions", "es", context_tokens="1500")


def test_a_model_with_another_load_leads_to_its_questions(client):
    headers = {"HX-Request": "true", "HX-Trigger": "q-model"}
    shown = re.findall(
        r'<(?:input|select)[^>]* name="(\w+)"', body(client.get(url("questions", stage="inference")))
    )
    form = dict.fromkeys(shown, "") | {"lang": "en", "stage": "inference", "hypothesis": "", "unknown": ""}
    same = body(client.get(url("questions", **form | {"model": "llama-3.1-8b"}), headers=headers))
    assert "Other questions matter" not in same
    other = body(client.get(url("questions", **form | {"model": "whisper-large-v3"}), headers=headers))
    assert "Other questions matter for this model." in other
    address = re.search(r'<a href="([^"]*#load)"', other)[1]
    assert 'id="q-audio_streams"' in body(client.get(address))


def test_languages_lead_to_the_same_answers(client):
    query = {"stage": "inference", "concurrency": "8..16", "power_kw": "1.5"}
    for page_name in ("questionnaire", "questions", "results"):
        page = body(client.get(url(page_name, "es", **query)))
        for language in ("ru", "en"):
            assert f'href="{url(page_name, language, **query)}"' in page


def test_a_bad_number_is_answered_beside_the_field(client):
    headers = {"HX-Request": "true", "HX-Trigger": "q-concurrency"}
    page = body(client.get(url("questions", lang="en", concurrency="-3"), headers=headers))
    assert (
        "\N{MINUS SIGN}3 is out of range: enter a value from 1 to 100,000\N{NO-BREAK SPACE}requests." in page
    )


def test_questions_say_their_unit_what_is_usual_and_why(client):
    page = body(client.get(url("questions", stage="inference", workload="chat")))
    for name in ("concurrency", "ttft_ms", "power_kw"):
        key = KEYS[name]
        assert str(key.label) in page
        assert str(key.unit_label) in page
        assert str(key.why) in page
    assert 'name="unknown" value="concurrency"' in page
    assert 'name="hypothesis" value="concurrency"' in page


texts = st.one_of(
    st.text(max_size=12),
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(
        ["inference", "mixed", "chat", "llama-3.1-8b", "yes", "8..32", "32..8", "-5", "1e309", "nan", "\x00"]
    ),
)
queries = st.lists(
    st.tuples(st.sampled_from([*KEYS, "lang", "show", "unknown", "next", "q[]"]), texts), max_size=8
)


@pytest.mark.parametrize("page_name", ["questionnaire", "questions"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=queries)
def test_any_query_gives_a_page_with_the_good_answers(client, page_name, pairs):
    response = client.get(f"{url(page_name)}?{urlencode(pairs, errors='surrogatepass')}")
    assert response.status_code in (200, 302)
    if response.status_code == 302:
        response = client.get(response.url)
        assert response.status_code == 200


def test_links_into_results_are_not_followed_and_results_are_not_indexed(client):
    response = client.get(url("results", stage="inference"))
    assert response.headers["X-Robots-Tag"] == "noindex"
    page = body(response)
    for link in re.findall(r"<a [^>]*>", page):
        href = re.search(r'href="([^"]*)"', link)
        if href and "?" in href[1] and "hreflang" not in link:
            assert 'rel="nofollow"' in link, link


def test_change_links_lead_to_the_question_with_all_answers(client):
    given_answers = {
        "stage": "inference",
        "workload": "chat",
        "model": "llama-3.1-8b",
        "concurrency": "8..16",
    }
    page = body(client.get(url("results", **given_answers)))
    href = re.search(r'href="([^"]*#q-model)"', page)[1]
    assert dict(parse_qsl(urlsplit(href).query)) == given_answers
    assert 'id="q-model"' in body(client.get(href))
