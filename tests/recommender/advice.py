"""Asking for advice in a line, for tests of rules that readers rely on."""

from django.utils import translation

from recommender import answers, services


def advice(language="en", top=1000, **given):
    """Return the advice for these answers as the command prints it."""
    with translation.override(language):
        return services.as_json(services.recommend(answers.parse(given)), top)


def bad_keys(**given):
    """Return which answers are refused."""
    try:
        advice(**given)
    except services.BadAnswers as bad:
        return [problem.key for problem in bad.problems]
    return []


def servers(result):
    return [match["server"] for match in result["matches"]]


def match_of(result, server, gpu=None):
    """Return the first match of a server, with that GPU where one is named; None: there is none."""
    return next(
        (match for match in result["matches"] if match["server"] == server and gpu in (None, match["gpu"])),
        None,
    )


def codes_of(result, server):
    """Return why a server is ruled out."""
    return {
        reason["code"]
        for item in result["rejected"]
        if item["server"] == server
        for reason in item["reasons"]
    }


def assumption(result, key):
    return next(item for item in result["assumptions"] if item["key"] == key)


CHAT = {
    "stage": "inference",
    "model": "llama-3.1-8b",
    "concurrency": 10,
    "context_tokens": 8192,
    "input_tokens": 1500,
    "output_tokens": 400,
}
KNOWN_CHAT = CHAT | {"ttft_ms": 2000, "tpot_ms": 100, "availability": "single"}
