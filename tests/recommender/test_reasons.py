"""Codes become sentences, in three languages, with figures as each writes them."""

import re

import pytest
from django.utils import translation

from recommender import reasons, sentences
from recommender.answers import KEYS
from recommender.cases import DEFAULTS, STAGE_DEFAULTS
from recommender.sizing.demand import message
from recommender.sizing.specs import GIB

NARROW, PLAIN = "\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}"


def test_figures_are_written_as_each_language_does():
    fact = message("memory_rate", need=1.5 * GIB, have=40.5 * GIB)
    written = {}
    for language in ("es", "ru", "en"):
        with translation.override(language):
            written[language] = reasons.reason(fact, {}).replace(PLAIN, NARROW)
    assert f"1,5{NARROW}GiB" in written["es"]
    assert f"1,5{NARROW}ГиБ" in written["ru"]
    assert f"1.5{NARROW}GiB" in written["en"]


@pytest.mark.parametrize("table", [reasons.REASONS, reasons.WARNINGS, reasons.REJECTIONS, reasons.FIXES])
def test_every_place_of_a_sentence_has_its_figure(table):
    for code, (text, formats) in table.items():
        places = {name: f"<{name}>" for name in formats}
        for count in (1, 2):
            with translation.override(None):  # our own sentences: a language may count without a figure
                said = text % (places | {"count": count}) if code in sentences.COUNTED else str(text) % places
            said_places = set(re.findall(r"<(\w+)>", said))
            # A sentence on one of a kind may say so in words.
            assert said_places == set(formats) or (count == 1 and said_places < set(formats))
        assert set(formats.values()) <= {*sentences.FORMATS, "name"}
        assert sentences.COUNTED.get(code) in {None, *formats}


def test_words_agree_with_their_number():
    with translation.override("en"):
        one = reasons.warning(message("idle", gpus=1), {})
        several = reasons.warning(message("idle", gpus=3), {})
    assert one == "1 GPU is idle in this configuration."
    assert several == "3 GPUs are idle in this configuration."


@pytest.mark.parametrize(
    ("servers", "target", "said"),
    [
        (1, None, "One training run takes 2 h to 4 h."),
        (1, 36_000.0, "One training run takes 2 h to 4 h; the target is 10 h."),
        (3, None, "One training run over 3 servers takes 2 h to 4 h."),
        (3, 36_000.0, "One training run over 3 servers takes 2 h to 4 h; the target is 10 h."),
    ],
)
def test_a_training_over_several_servers_says_so(servers, target, said):
    fact = message("training_hours", low=7200.0, high=14_400.0, target=target, servers=servers)
    with translation.override("en"):
        assert reasons.reason(fact, {}).replace(NARROW, " ") == said


def test_an_estimate_has_three_digits_and_a_target_its_own():
    late = message("range_hours", high=21548 * 36, target=21548 * 36)
    with translation.override("en"):
        said = reasons.warning(late, {})
    assert f"up to 215{NARROW}h (9 days); the target is 215{NARROW}h" in said
    with translation.override("en"):
        rate = reasons.reason(message("rate_embeddings", low=21548.2, high=21551.0, need=20001), {})
    assert "21,500 to 21,600 tokens per second" in rate
    assert "20,001" in rate


def test_states_that_are_shared_out_are_not_called_whole_models():
    with translation.override("en"):
        shared = reasons.layout(1, 1, 8, "zero3", plain=False)
        served = reasons.layout(1, 1, 8)
    assert "sharded across 8 GPUs (ZeRO-3 / FSDP)" in shared
    assert served == "Each of 8 GPUs holds the whole model."


@pytest.mark.parametrize("language", ["en", "es", "ru"])
@pytest.mark.parametrize("number", [1, 2, 5, 21])
def test_every_reason_keeps_its_figures_in_every_language(language, number):
    values = {"gib": 2**31, "hours": 7200.0, "ms": 0.5}
    with translation.override(language):
        for code, (_text, formats) in reasons.REASONS.items():
            params = {name: values.get(kind, number) for name, kind in formats.items()}
            assert any(sign.isdigit() for sign in reasons.reason(message(code, **params), {})), code


def test_every_default_has_its_reason():
    keys = set(DEFAULTS) | {key for values in STAGE_DEFAULTS.values() for key in values}
    assert keys <= set(reasons.WHY_DEFAULT)


def test_what_is_to_be_found_out_is_a_question_of_ours():
    assert set(reasons.TO_MEASURE) <= set(KEYS)
    assert reasons.to_measure("growth_percent")


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"tensor": 1, "replicas": 3}, "three independent copies"),
        ({"tensor": 2, "replicas": 1}, "third card"),
        ({"tensor": 1, "replicas": 1}, "pipeline stages"),
    ],
)
def test_what_the_third_card_does_is_said(params, said):
    with translation.override("en"):
        assert said in reasons.warning(message("three_cards", **params), {})


def test_a_successor_is_named():
    names = {"new": "New Server"}
    with translation.override("en"):
        gone = reasons.warning(message("server_not_orderable", successor="new"), names)
        alone = reasons.warning(message("server_not_orderable", successor=None), names)
    assert "New Server" in gone
    assert "successor" not in alone


def test_every_code_that_rules_out_has_a_label_and_a_sentence():
    for code in reasons.CODE_LABELS:
        assert code in reasons.REJECTIONS or f"{code}_ttft" in reasons.REJECTIONS


@pytest.mark.parametrize("language", ["es", "ru", "en"])
@pytest.mark.parametrize("splits", [(1, 1, 1), (1, 1, 4), (2, 1, 1), (4, 2, 3)])
def test_a_layout_is_said_with_its_numbers(language, splits):
    with translation.override(language):
        sentence = reasons.layout(*splits)
    for number in splits:
        assert number == 1 or str(number) in sentence


@pytest.mark.parametrize(
    ("amount", "word"),
    [(1, "stream in real time"), (21, "streams in real time"), (1.5, "streams in real time")],
)
def test_a_unit_that_is_a_noun_agrees_with_its_number(amount, word):
    with translation.override("en"):
        assert reasons.unit_after("audio_s/s", amount) == word
        assert reasons.unit_after("ms", amount) == "ms"
