import re

import pytest
from django.utils.translation import override

from tests.pages import LANGUAGES, Document, Page

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]

CHAT = (
    "stage=inference&workload=chat&model=llama-3.1-8b&input_tokens=1500&output_tokens=400"
    "&ttft_ms=4000&tpot_ms=100"
)


def page_of(client, query, language="en"):
    return client.get(f"{Page('recommender:workings').path(language)}?{CHAT}&{query}")


def shown(response):
    """Return {label: (typical, formula)} of the first match."""
    return {
        str(figure["label"]): (figure["text"]["typical"], figure["formula"])
        for figure in response.context["matches"][0]["load"]["figures"]
    }


def test_a_rate_waits_at_the_peak_and_longer_with_one_server_lost(client):
    response = page_of(client, "requests_per_second=6&availability=n_plus_1")
    figures = shown(response)
    with_all, lost = figures["At the peak: places taken"], figures["With one server lost: places taken"]
    assert float(with_all[0].rstrip("%")) < float(lost[0].rstrip("%")) <= 100
    assert re.search(r"= 6 × [\d.]+ ÷ [\d,]+\n", with_all[1])
    assert "√(2 × (" in figures["At the peak: wait for a place, on average"][1]
    assert "Sakasegawa" in response.content.decode()


def test_a_stated_number_has_places_and_no_wait(client):
    figures = shown(page_of(client, "concurrency=20"))
    assert figures["At the peak: wait for a place, on average"][0] == "0\u202fs"
    assert "20 ≤ " in figures["At the peak: wait for a place, on average"][1]
    assert "the service stops" in page_of(client, "concurrency=20").content.decode()


def test_times_alone_and_at_the_load_and_what_each_server_carries(client):
    response = page_of(client, "users=400&active_percent=20&requests_per_user_minute=1&peak_factor=2")
    match, figures = response.context["matches"][0], shown(response)
    loaded = figures["A whole answer at the load you stated"][1]
    # the first-token time and the time of a token are those that the match shows
    first, each = (str(match[name][1]) for name in ("ttft_ms", "tpot_ms"))
    written = re.search(r"\n= \(([\d.]+) \+ 400 × ([\d.]+)", loaded)
    assert [float(part) for part in written.groups()] == pytest.approx([float(first), float(each)], rel=1e-3)
    assert "÷ (0.2 × 1 × 2)" in figures["People that each server is enough for with all places taken"][1]
    people = next(one for one in match["load"]["figures"] if "assumed" in one)
    assert people["assumed"] == 0
    assert "Output of each server" in figures


def test_what_a_draft_and_a_shared_start_are_assumed_to_bring_is_said(client):
    plain = page_of(client, "concurrency=4").context["matches"][0]["load"]
    assert plain["assumptions"] == []
    query = "concurrency=4&prefix_percent=60&draft_model=llama-3.2-1b"
    draft, shared = page_of(client, query).context["matches"][0]["load"]["assumptions"]
    assert "4 tokens at a time" in draft
    assert "35% to 80%" in draft
    assert "50% to 100%" in shared


def test_what_makes_no_text_or_has_no_speed_carries_nothing(client):
    path = Page("recommender:workings").path("en")
    response = client.get(f"{path}?stage=inference&workload=vision&streams=40")
    assert all(match["load"] is None for match in response.context["matches"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_reads_in_every_language(client, language):
    with override(language):
        response = page_of(client, "requests_per_second=3..40&availability=n_plus_1", language)
        document = Document(response.content.decode())
    assert not [text for text in document.texts if "None" in text]
