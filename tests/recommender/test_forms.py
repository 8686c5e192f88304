"""Forms: what is typed becomes canonical answers, and only what matters is asked."""

import pytest
from django.http import QueryDict
from django.utils.translation import override
from hypothesis import given, strategies as st

from recommender.answers import KEYS, parse
from recommender.forms import Questionnaire, answer_text, answers_in, submitted_answers
from recommender.questions import GROUPS, WHOLE_LOAD, Work, keys_of, kinds_of


def submit(query):
    return submitted_answers(QueryDict(query)).urlencode()


@pytest.mark.parametrize(
    ("language", "typed", "canonical"),
    [
        ("es", "1.500", "1500"),
        ("es", "1,5", "1.5"),
        ("es", "1.500,5", "1500.5"),
        ("ru", "1 500,5", "1500.5"),
        ("ru", "1.5", "1.5"),
        ("en", "1,500.5", "1500.5"),
        ("en", "1,500", "1500"),
        ("en", "8–32", "8..32"),
        ("es", "8..32", "8..32"),
        ("ru", "8000 – 32 000", "8000..32000"),
    ],
)
def test_numbers_are_read_by_the_language_of_the_form(language, typed, canonical):
    query = QueryDict(mutable=True)
    query.update({"lang": language, "power_kw": typed})
    assert submitted_answers(query)["power_kw"] == canonical


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("-5", "-5"),
        ("\N{MINUS SIGN}5", "-5"),
        ("-2,5", "-2.5"),
        ("-5..10", "-5..10"),
        ("-10 – -5", "-10..-5"),
        ("35", "35"),
        ("cold", "cold"),
        ("-", "-"),
    ],
)
def test_temperatures_may_be_below_zero(typed, canonical):
    query = QueryDict(mutable=True)
    query.update({"lang": "es", "temperature_min_c": typed})
    assert submitted_answers(query)["temperature_min_c"] == canonical


def test_what_cannot_be_read_stays_as_it_was_typed():
    assert submit("lang=es&concurrency=muchas&model=llama-3.1-8b") == "model=llama-3.1-8b&concurrency=muchas"


def test_a_language_that_nobody_speaks_is_read_by_that_of_the_page():
    with override("es"):
        assert submit("lang=xx&power_kw=1.500") == "power_kw=1500"


def test_not_knowing_clears_the_answer_and_its_guess():
    assert submit("lang=en&concurrency=20&users=50&unknown=concurrency&hypothesis=concurrency") == "users=50"


def test_a_guess_needs_an_answer():
    assert submit("lang=en&concurrency=&users=50&hypothesis=concurrency&hypothesis=users") == (
        "users=50&hypothesis=users"
    )


def test_an_address_holds_answers_only_and_in_one_order():
    query = QueryDict("next=results&zzz=1&concurrency=8&workload=rag&workload=chat&stage=inference&users=")
    assert answers_in(query).urlencode() == "stage=inference&workload=rag&workload=chat&concurrency=8"


def asked(stages, workloads=(), **answers):
    given = parse({"stage": stages, "workload": workloads} | answers)
    work = Work(frozenset(stages), frozenset(kinds_of(workloads)), given)
    return {key.name for group in GROUPS for key in keys_of(group, work)}


@pytest.mark.parametrize(
    ("stages", "workloads", "are_asked", "are_not"),
    [
        (["inference"], ["chat"], {"model", "concurrency", "ttft_ms", "power_kw"}, {"method", "streams"}),
        (["training"], [], {"model", "method", "dataset_tokens", "target_hours"}, {"concurrency", "ttft_ms"}),
        (["mixed"], [], {"concurrency", "method", "availability", "one_node"}, {"streams"}),
        (
            ["inference"],
            ["vision"],
            {"streams", "frames_per_second", "availability"},
            {"concurrency", "ttft_ms"},
        ),
        (["inference"], ["speech"], {"audio_streams"}, {"context_tokens", "streams"}),
        (["inference"], ["image_generation"], {"images_per_minute"}, {"output_tokens"}),
        (
            ["inference"],
            ["embeddings"],
            {"requests_per_second", "input_tokens"},
            {"output_tokens", "tpot_ms"},
        ),
        ([], [], {"concurrency", "availability"}, {"method"}),
    ],
)
def test_only_questions_that_matter_are_asked(stages, workloads, are_asked, are_not):
    names = asked(stages, workloads)
    assert are_asked <= names
    assert not are_not & names


@pytest.mark.parametrize("stage", ["training", "fine_tuning", "inference", "mixed", "development"])
def test_every_question_is_asked_for_some_work(stage):
    every = {
        name
        for workload in ["chat", "rag", "vision", "speech", "image_generation", "embeddings"]
        for name in asked([stage], [workload])
    }
    expected = {key.name for key in KEYS.values() if stage in key.stages}
    # Only where a service runs beside it can the trained model be another one.
    not_asked = {"stage", "workload", "server", "hypothesis"}
    not_asked |= set() if stage == "mixed" else {"training_model"}
    assert every == expected - not_asked


@pytest.mark.parametrize(
    ("answer", "gone", "stays"),
    [
        ({"model": "llama-3.1-8b"}, {"parameters_b", "active_parameters_b"}, {"precision"}),
        (
            {"concurrency": "8"},
            {"requests_per_second", *WHOLE_LOAD},
            {"normal_concurrency", "context_tokens"},
        ),
        ({"requests_per_second": "8"}, set(WHOLE_LOAD), {"concurrency"}),
        ({"queue_ok": "no"}, {"queue_seconds"}, {"ttft_ms"}),
        ({"queue_ok": "yes"}, set(), {"queue_seconds"}),
        ({"availability": "n_plus_1"}, {"on_node_loss"}, {"growth_percent"}),
        ({"components": "ocr"}, {"vector_dimensions", "index_replicas", "separate_index"}, {"documents"}),
    ],
)
def test_an_answer_ends_the_questions_that_it_makes_needless(answer, gone, stays):
    before, after = asked(["inference"], ["rag"]), asked(["inference"], ["rag"], **answer)
    assert before - after == gone
    assert stays <= after


def test_a_needless_answer_stays_to_be_taken_back():
    assert "users" in asked(["inference"], ["chat"], concurrency="8", users="100")


def test_two_jobs_chosen_one_by_one_ask_whether_one_server_does_both():
    assert "one_node" in asked(["fine_tuning", "inference"])
    assert "one_node" not in asked(["inference"])


def test_several_tasks_ask_for_the_load_of_each():
    names = asked(["inference"], ["rag", "vision", "speech"])
    assert {"documents", "concurrency", "streams", "audio_streams"} <= names
    assert "images_per_minute" not in names


@pytest.mark.django_db
def test_a_bad_answer_is_asked_even_where_it_does_not_matter():
    form = Questionnaire(QueryDict("stage=inference&target_hours=soon&budget=little"))
    shown = {question.name: question for section in form.sections() for question in section.questions}
    assert shown["target_hours"].error
    assert shown["budget"].error


@pytest.mark.django_db
def test_what_is_not_asked_is_carried_along():
    form = Questionnaire(QueryDict("stage=inference&method=lora&concurrency=8&hypothesis=method"))
    shown = {question.name for section in form.sections() for question in section.questions + section.extra}
    assert form.hidden(shown) == [("stage", "inference"), ("method", "lora"), ("hypothesis", "method")]


@pytest.mark.parametrize(
    ("language", "name", "text", "shown"),
    [
        ("es", "power_kw", "1.5", "1,5\N{NARROW NO-BREAK SPACE}kW"),
        ("ru", "power_kw", "0.5", "0,5\N{NARROW NO-BREAK SPACE}кВт"),
        ("en", "power_kw", "1.5", "1.5\N{NARROW NO-BREAK SPACE}kW"),
        ("en", "context_tokens", "8000..32000", "8,000–32,000\N{NARROW NO-BREAK SPACE}tokens"),
        ("es", "temperature_min_c", "-5", "\N{MINUS SIGN}5\N{NARROW NO-BREAK SPACE}°C"),
        ("en", "precision", "fp8", "FP8"),
    ],
)
def test_answers_are_shown_as_the_language_writes_them(language, name, text, shown):
    with override(language):
        assert (
            answer_text(KEYS[name], text).replace("\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}") == shown
        )


@given(st.dictionaries(st.sampled_from([*KEYS, "lang", "unknown", "zzz"]), st.lists(st.text(), max_size=3)))
def test_any_submission_becomes_an_address_of_answers(values):
    query = QueryDict(mutable=True)
    for name, texts in values.items():
        query.setlist(name, texts)
    canonical = submitted_answers(query)
    assert set(canonical) <= set(KEYS)
    assert all(text.strip() for _name, texts in canonical.lists() for text in texts)
    assert answers_in(QueryDict(canonical.urlencode())) == canonical
