"""The vocabulary of answers: what is understood, and that nothing good is lost because of something bad."""

from decimal import Decimal

import pytest
from django.utils import translation
from hypothesis import given, strategies as st

from aiservers.numbers import Interval
from recommender.answers import CRITERIA, KEYS, NOTICES, PROBLEMS, parse, questions_for
from recommender.ranking import CRITERIA as RANKED


@pytest.mark.parametrize(
    ("given_value", "kept"),
    [(8, "8"), ("8", "8"), (8.0, "8"), ("08.50", "8.5"), ("1..4", "1..4"), ([8], "8"), (" 8 ", "8")],
)
def test_numbers_are_kept_in_one_form(given_value, kept):
    assert parse({"power_kw": given_value}).values == {"power_kw": kept}


def test_large_numbers_keep_every_digit():
    assert parse({"dataset_tokens": 200_000_000_000}).values == {"dataset_tokens": "200000000000"}
    assert parse({"dataset_tokens": 2e11}).values == {"dataset_tokens": "200000000000"}


def test_signs_that_cannot_be_printed_are_not_repeated():
    answers = parse({"workload": "a\0b", "concurrency": "\x01x", "col\x02our": "red"})
    texts = [problem.text for problem in answers.problems] + [notice.text for notice in answers.notices]
    assert len(texts) == 3
    assert all(text.isprintable() for text in texts)


def test_temperatures_may_be_below_zero():
    answers = parse({"temperature_min_c": "-10..-5"})
    assert answers.interval("temperature_min_c") == Interval(Decimal(-10), Decimal(-5))


def test_a_room_is_not_colder_at_its_warmest():
    answers = parse({"temperature_min_c": 30, "temperature_max_c": 20})
    assert [problem.key for problem in answers.problems] == ["temperature_max_c"]
    assert answers.values == {"temperature_min_c": "30"}


def test_repeating_keys_keep_their_order_and_lose_doubles():
    assert parse({"workload": ["rag", "chat", "rag"]}).several("workload") == ("rag", "chat")


def test_yes_and_no_may_be_truth_values():
    assert parse({"queue_ok": True, "model_may_change": "No"}).values == {
        "queue_ok": "yes",
        "model_may_change": "no",
    }


def test_a_guess_about_no_answer_of_ours_is_told_so():
    answers = parse({"stage": "inference", "hypothesis": ["nonsense"]})
    assert [(problem.key, problem.code) for problem in answers.problems] == [("hypothesis", "not_an_answer")]


def test_a_guess_without_an_answer_is_noticed():
    answers = parse({"hypothesis": ["model"]})
    assert [notice.code for notice in answers.notices] == ["hypothesis_without_answer"]


def test_answers_go_round_through_an_address():
    answers = parse({"stage": ["inference"], "concurrency": "8..16", "hypothesis": ["concurrency"]})
    again = {}
    for key, value in answers.as_query():
        again.setdefault(key, []).append(value)
    assert parse(again).values == answers.values


def test_one_answer_can_be_changed_or_taken_back():
    answers = parse({"stage": "inference", "concurrency": 8})
    assert answers.without("concurrency").values == {"stage": ("inference",)}
    assert answers.with_values(concurrency=9).one("concurrency") == "9"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(list(KEYS)) | st.text(max_size=10), json_values, max_size=8))
def test_whatever_is_given_each_answer_is_kept_or_named(mapping):
    answers = parse(mapping)
    named = {problem.key for problem in answers.problems}
    for key in mapping:
        if key in KEYS and mapping[key] not in (None, "", []):
            empty = key not in answers.values and key not in named
            assert (
                not empty
                or not str(mapping[key]).strip(" []'NoneE,\t\n\r\x0b\x0c")
                or not _words(mapping[key])
            )
    for item in (*answers.problems, *answers.notices):
        assert item.text


def _words(value):
    """Return the non-empty values inside an answer."""
    if isinstance(value, list | tuple):
        return [word for item in value for word in _words(item)]
    if value is None or (isinstance(value, str) and not value.strip()):
        return []
    return [value]


@pytest.mark.parametrize("language", ["es", "ru", "en"])
def test_every_question_has_words(language):
    with translation.override(language):
        for key in KEYS.values():
            assert str(key.label)
            assert str(key.why)


def test_every_message_names_its_places():
    for text in (*PROBLEMS.values(), *NOTICES.values()):
        assert "%%" not in str(text)


def test_criteria_are_the_same_words_everywhere():
    assert CRITERIA == RANKED


def test_only_questions_that_matter_are_asked():
    training = {key.name for key in questions_for(parse({"stage": "training"}))}
    assert "dataset_tokens" in training
    assert not training & {"ttft_ms", "streams", "availability"}
    seeing = {key.name for key in questions_for(parse({"stage": "inference"}), "vision")}
    assert "streams" in seeing
    assert not seeing & {"context_tokens", "tpot_ms", "method"}
