"""The memory calculator: the advice's own figures, opened line by line, in three languages."""

import re
from html import unescape
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse
from django.utils.translation import override

from recommender import answers, calculator, calculator_form, calculator_notes, memory_texts, services
from recommender.sizing.formulas import FORMULAS
from recommender.sizing.specs import GIB
from tests.recommender.advice import advice

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]
LANGUAGES = ["es", "ru", "en"]

CHAT = {"model": "llama-3.3-70b", "concurrency": "16", "context_tokens": "8192"}
ON_H200 = CHAT | {"gpu": "nvidia-h200-sxm-141gb", "gpus": "4"}
QLORA = {
    "stage": "fine_tuning",
    "model": "llama-3.1-8b",
    "method": "qlora",
    "gpu": "nvidia-l40s",
    "gpus": "2",
}
ON_NVSWITCH = {"gpu": "nvidia-h200-sxm-141gb", "gpus": "8"}
LINES = ("weights", "kv_cache", "activations", "optimizer", "gradients", "overhead")


def url(language="en", **query):
    with override(language):
        return reverse("recommender:calculator", query=query or None)


def seen(response):
    """Return the text of a page as a reader sees it: no tags, simple spaces."""
    text = re.sub(r"<[^>]*>", " ", response.content.decode())
    return re.sub(r"[\s\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]+", " ", unescape(text))


def calculation(**query):
    given = {name: text for name, text in query.items() if name in answers.KEYS}
    machine = {name: [str(text)] for name, text in query.items() if name in calculator.HARDWARE_KEYS}
    values, problems = calculator.hardware_of(machine)
    assert problems == ()
    return calculator.calculate(answers.parse(given), calculator.hardware(values))


def lines_of(memory):
    """Return the lines by the names of the advice [GiB]."""
    values = {name: getattr(memory, name) for name in LINES}
    lines = {name: None if value is None else value.typical / GIB for name, value in values.items()}
    return lines | {"total": memory.total.typical / GIB, "available": memory.available.low / GIB}


# One place and another


@pytest.mark.parametrize(
    "given",
    [
        {"stage": "inference", **CHAT},
        {"model": "deepseek-v3", "concurrency": "64", "context_tokens": "32768", "kv_precision": "fp8"},
        {"model": "gemma-3-27b", "concurrency": "8", "context_tokens": "131072", "adapters": "4"},
        {"model": "llama-3.1-70b", "concurrency": "32", "draft_model": "llama-3.1-8b", "engine": "sglang"},
        {"model": "llama-3.1-8b", "concurrency": "200", "availability": "n_plus_1", "precision": "fp8"},
        {"workload": "chat", "parameters_b": "40", "active_parameters_b": "8"},
        {"workload": "rag", "model": "qwen3-32b", "concurrency": "8..32"},
        {"model": "llama-3.1-8b", "concurrency": "64", "input_tokens": "6000", "prefix_percent": "50..80"},
        {"model": "bge-m3", "requests_per_second": "100"},
        {"model": "whisper-large-v3", "audio_streams": "20"},
        {"model": "sdxl-base-1.0", "images_per_minute": "20"},
        {"model": "deepseek-v4.1-flash", "concurrency": "4"},
        {"stage": "fine_tuning", "model": "llama-3.1-8b", "method": "lora", "sequence_tokens": "8192"},
        {"stage": "fine_tuning", "model": "llama-3.1-8b", "method": "qlora", "micro_batch": "4"},
        {"stage": "training", "parameters_b": "7", "dataset_tokens": "100000000000", "sharding": "zero3"},
        {"stage": "mixed", "model": "llama-3.1-8b", "method": "lora"},
    ],
    ids=lambda given: given.get("model", "") + given.get("method", "") or "own size",
)
def test_the_calculator_shows_the_figures_of_the_advice(given):
    matches = advice(top=12, **given)["matches"]
    assert matches
    for match in matches:
        machine = {
            "gpu": match["gpu"],
            "gpus": match["gpus_per_server"],
            "servers": match["servers"],
            "tensor_parallel": match["tensor_parallel"],
            "pipeline_parallel": match["pipeline_parallel"],
        }
        precision = {} if match["training_hours"] else {"precision": match["precision"]}
        found = calculation(**precision | given | machine)
        # The advice prints three or more decimal places.
        lines, expected = lines_of(found.chosen.memory), match["memory_gib_per_gpu"]
        if expected["total"] is None:  # the cache is not known: the page names its sum "without the cache"
            lines["total"] = None
        assert lines == pytest.approx(expected, abs=5.1e-4), match["server"]
        assert found.chosen.precision == match["precision"]
        assert found.chosen.layout.replicas == match["replicas"]


def test_a_result_opens_in_the_calculator_with_its_own_figures(client):
    given = {"stage": "inference", **CHAT, "input_tokens": "1500", "output_tokens": "400"}
    page = client.get(reverse("recommender:results", query=given))
    match = page.context["matches"][0]
    query = {name: texts[0] for name, texts in parse_qs(urlsplit(match["memory_url"]).query).items()}
    total = lines_of(calculation(**query).chosen.memory)["total"]
    assert total == pytest.approx(match["need_gib"], abs=5.1e-4)
    assert match["memory_url"].replace("&", "&amp;") in page.content.decode()


@pytest.mark.parametrize("query", [ON_H200, ON_H200 | {"kv_precision": "fp8"}, QLORA])
def test_lines_add_up_and_so_do_gpus(client, query):
    memory = client.get(url(**query)).context["result"]["memory"]
    for end in range(3):
        total = sum(line["gib"][end] for line in memory["lines"])
        assert total == pytest.approx(memory["total"]["gib"][end], rel=1e-12)
        for line in memory["lines"]:
            parts = sum(item["gib"][end] for item in line["items"])
            assert parts == pytest.approx(line["gib"][end], rel=1e-12), line["name"]
    for one, everything in zip(memory["bar"], memory["all_bar"], strict=True):
        assert everything["gib"] == tuple(end * memory["gpus"] for end in one["gib"])


def test_tokens_times_bytes_a_token_is_the_cache(client):
    # Llama 3.3 70B: 80 layers, 8 KV heads of 128; half of the heads on each of two GPUs, 8 requests a copy.
    expected = 8 * 8192 * 2 * 80 * 4 * 128 * 2
    result = client.get(url(**ON_H200, tensor_parallel="2")).context["result"]
    cache = next(line for line in result["memory"]["lines"] if line["name"] == "kv_cache")
    assert cache["gib"][1] * GIB == expected
    assert "8 × 80 × 2 × 4 × 128 × 2 × 8,192" in cache["items"][0]["formula"]
    assert "10,737,418,240 bytes = 10 GiB" in re.sub(r"\s", " ", cache["items"][0]["formula"])[:400]


def test_a_shared_start_is_kept_once_in_each_copy(client):
    # Half of a prompt of 2000 tokens: 62 whole pages of 16 tokens, one KV head of Llama 3.3 70B on each GPU.
    asked = ON_H200 | {"tensor_parallel": "4", "input_tokens": "2000", "prefix_percent": "50"}
    result = client.get(url(**asked)).context["result"]
    cache = next(line for line in result["memory"]["lines"] if line["name"] == "kv_cache")
    token = 2 * 80 * 2 * 128 * 2
    assert cache["gib"][1] * GIB == token * (992 + 16 * (8192 - 992))
    row = next(row for row in result["beside"] if row["state"] == "shared")
    assert row["saved"] * GIB == 15 * token * 992
    # Two copies in place of one: each keeps the start.
    two = calculation(**asked | {"tensor_parallel": "2"}).chosen
    assert (two.layout.replicas, two.memory.kv_cache.typical) == (2, 2 * token * (992 + 8 * (8192 - 992)))


def test_a_share_of_the_prompt_takes_nothing_off_what_the_context_leaves_room_for():
    short = calculation(**ON_H200, input_tokens="100", prefix_percent="100").chosen.memory.kv_cache.typical
    assert short > 0.9 * calculation(**ON_H200).chosen.memory.kv_cache.typical


def test_a_range_of_shared_starts_counts_its_lower_end():
    shared = [
        calculation(**ON_H200, input_tokens="4000", prefix_percent=percent).chosen.memory.kv_cache
        for percent in ("20..60", "20", "60")
    ]
    assert shared[0] == shared[1] != shared[2]


def test_a_shared_start_lets_more_requests_run():
    asked = {"model": "llama-3.1-8b", "concurrency": 8, "input_tokens": 8000, "output_tokens": 500}
    alone, shared = (
        {(one["server"], one["gpu"]): one for one in advice(**asked, prefix_percent=percent)["matches"]}
        for percent in (0, 80)
    )
    layout = ("gpus_per_server", "servers", "replicas", "tensor_parallel", "precision")
    alike = [
        key for key in alone.keys() & shared.keys() if all(alone[key][i] == shared[key][i] for i in layout)
    ]
    saved = []
    for key in alike:
        assert alone[key]["max_concurrency"] <= shared[key]["max_concurrency"], key
        before, after = (one[key]["memory_gib_per_gpu"]["kv_cache"] for one in (alone, shared))
        assert after <= before, key  # a copy with one request shares with nobody
        saved.append(before - after)
    assert max(saved) > 0


def test_both_units_stand_on_the_page(client):
    text = seen(client.get(url(**ON_H200)))
    assert "10 GiB" in text
    assert "10.7 GB" in text  # 10 x 1.0737


def test_a_model_of_one_s_own_has_its_own_dimensions():
    # 48 layers, 4 KV heads of 128, 2 values of 16 bits: 98,304 bytes a token.
    shape = {"num_layers": 48, "num_kv_heads": 4, "head_dim": 128, "hidden_size": 5120}
    query = {
        "parameters_b": "30",
        "concurrency": "10",
        "context_tokens": "8192",
        "gpu": "nvidia-h200-sxm-141gb",
    }
    found = calculation(**query, **shape)
    assert found.chosen.memory.kv_cache.typical == 98_304 * 8192 * 10
    listed = {"model": "qwen3-32b", "gpu": "nvidia-h200-sxm-141gb"}
    assert calculation(**listed, **shape).chosen.memory == calculation(**listed).chosen.memory


# The form


@pytest.mark.parametrize(("language", "typed"), [("es", "1,5"), ("ru", "1,5"), ("en", "1.5"), ("es", "1.5")])
def test_numbers_are_typed_in_the_reader_s_way(client, language, typed):
    response = client.get(url(language, lang=language, parameters_b=typed, gpus="2", gpu="nvidia-l40s"))
    assert response.status_code == 302
    assert parse_qs(urlsplit(response["Location"]).query)["parameters_b"] == ["1.5"]
    page = client.get(response["Location"])
    shown = typed if language == "en" else "1,5"
    assert f'value="{shown}"' in page.content.decode()


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"concurrency": "many"}, "concurrency"),
        ({"gpus": "17"}, "gpus"),
        ({"gpus": "2..4"}, "gpus"),
        ({"gpus": "1.5"}, "gpus"),
        ({"gpu": "nvidia-h1000"}, "gpu"),
        ({"utilization": "120"}, "utilization"),
        ({"model": "no-such-model"}, "model"),
        ({"context_tokens": "9999999"}, "context_tokens"),
        ({"precision": "fp3"}, "precision"),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bad_answer_is_told_beside_its_field_and_the_others_stay(client, bad, field, language):
    response = client.get(url(language, **ON_H200 | {"output_tokens": "321"} | bad))
    html = response.content.decode()
    assert response.status_code == 200
    message = re.search(rf'id="id_{field}_error"[^>]*>(.*?)</div>', html, re.DOTALL).group(1)
    assert "<li>" in message
    assert f'href="#id_{field}"' in html
    assert 'value="321"' in html
    assert response.context["result"]["model"]["name"]


def test_what_was_typed_badly_stays_in_its_field(client):
    html = client.get(url(concurrency="many")).content.decode()
    assert 'value="many"' in html


def test_a_change_answers_with_the_result_and_the_messages_alone(client):
    typed = ON_H200 | {"lang": "es", "concurrency": "1.500", "stage": "inference"}
    response = client.get(url("es", **typed), headers={"HX-Request": "true"})
    html = response.content.decode()
    assert "<html" not in html
    assert 'id="calculation-title"' in html
    assert 'id="live"' in html
    assert 'id="id_concurrency_error" hx-swap-oob="innerHTML"' in html
    address = urlsplit(response["HX-Replace-Url"])
    assert parse_qs(address.query)["concurrency"] == ["1500"]
    assert client.get(response["HX-Replace-Url"]).content.decode().startswith("<!doctype html>")


def test_the_other_work_s_fields_leave_the_address(client):
    response = client.get(
        url(lang="en", stage="fine_tuning", method="lora", concurrency="8", model="llama-3.1-8b")
    )
    query = parse_qs(urlsplit(response["Location"]).query)
    assert "concurrency" not in query
    assert query["method"] == ["lora"]


def test_answers_that_the_page_does_not_ask_are_carried_along(client):
    response = client.get(url(**ON_H200, rack_units="4"))
    assert '<input type="hidden" name="rack_units" value="4">' in response.content.decode()
    assert "rack_units=4" in response.context["result"]["results_url"]


def test_the_bare_page_is_found_and_every_other_is_not(client):
    assert "X-Robots-Tag" not in client.get(url())
    assert client.get(url(model="llama-3.1-8b"))["X-Robots-Tag"] == "noindex"
    assert "canonical" in client.get(url()).content.decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_stands_in_the_sitemap_and_in_the_navigation(client, language):
    assert url(language) in client.get("/sitemap.xml").content.decode()
    assert f'href="{url(language)}"' in client.get(f"/{language}/").content.decode()


@pytest.mark.parametrize(
    ("language", "path"), [("es", "/es/memoria/"), ("ru", "/ru/pamyat/"), ("en", "/en/memory/")]
)
def test_its_address_is_in_the_reader_s_language(language, path):
    assert url(language) == path


# The result


def test_without_a_gpu_it_lists_those_that_hold_it(client):
    cards = client.get(url(**CHAT)).context["result"]["cards"]
    names = {(row["slug"], row["count"]) for row in cards["rows"] + cards["more"]}
    # 70.6 billion parameters in 16 bits are 131 GiB: it takes two cards of 141 GB.
    assert ("nvidia-h200-nvl-141gb", 2) in names
    assert not any(slug == "nvidia-l4" for slug, _count in names)


def test_each_card_opens_a_calculation_in_which_it_fits(client):
    cards = client.get(url(**CHAT)).context["result"]["cards"]
    for row in cards["rows"]:
        assert client.get(row["url"]).context["result"]["state"] == "fits", row["name"]


def test_the_table_agrees_with_the_verdict_at_every_cell(client):
    result = client.get(url(**ON_H200)).context["result"]
    columns = result["table"]["columns"]
    for row in result["table"]["rows"]:
        for load, cell in zip(columns, row["cells"], strict=True):
            query = ON_H200 | {
                "context_tokens": str(row["tokens"]),
                "concurrency": str(load),
                "tensor_parallel": "2",
            }
            if row["tokens"] >= 2500:  # shorter than prompt and answer: the same length, with a notice
                assert calculation(**query).chosen.state == cell["state"], query


def test_more_requests_never_fit_where_fewer_do_not(client):
    order = ["fits", "fits_if", "no"]
    for row in client.get(url(**ON_H200)).context["result"]["table"]["rows"]:
        states = [order.index(cell["state"]) for cell in row["cells"]]
        assert states == sorted(states)


def test_an_architecture_that_is_not_understood_says_what_is_known(client):
    query = {"model": "deepseek-v4.1-flash", "gpu": "nvidia-h200-sxm-141gb", "gpus": "8"}
    response = client.get(url(**query))
    result = response.context["result"]
    assert result["cache_unknown"]
    assert "not limited by memory" not in seen(response)
    assert {line["name"] for line in result["memory"]["lines"]} == {"weights", "activations", "overhead"}
    assert result["table"] is None


def test_a_cache_that_is_not_understood_never_fits(client):
    query = {"model": "deepseek-v4.1-flash", "gpu": "nvidia-h200-sxm-141gb", "gpus": "8"}
    result = client.get(url(**query)).context["result"]
    assert result["state"] == "unknown"
    assert {row["state"] for row in result["layouts"]} <= {"unknown", "no"}
    assert "without the cache" in result["memory"]["total"]["label"]


def beside(client, **query):
    rows = client.get(url(**ON_H200, **query)).context["result"]["beside"]
    return {row["label"].split(":")[0]: row for row in rows}


def test_companions_take_their_memory_on_the_card(client):
    alone, both = beside(client), beside(client, embedder="bge-m3", reranker="bge-reranker-v2-m3")
    # 567,754,752 parameters of 16 bits are 1.06 GiB before the process around them.
    assert both["Embedding model"]["gib"][0] > 567_754_752 * 2 / GIB
    before, after = (
        client.get(url(**ON_H200, **extra)).context["result"]["memory"]["total"]["gib"][1]
        for extra in ({}, {"embedder": "bge-m3", "reranker": "bge-reranker-v2-m3"})
    )
    added = both["Embedding model"]["gib"][1] + both["Reranker"]["gib"][1]
    assert after - before == pytest.approx(added, rel=1e-9)
    assert alone["Reranker"]["state"] == "open"


def test_nothing_said_differs_from_nothing_there(client):
    rows = beside(client, embedder="none", adapters="0")
    assert rows["Embedding model"]["state"] == rows["LoRA adapters being served"]["state"] == "said"
    assert rows["Reranker"]["state"] == rows["Draft model"]["state"] == "open"
    assert rows["Prediction layers"]["state"] == "none"  # Llama has none


def test_a_companion_of_another_kind_is_refused(client):
    response = client.get(url(**ON_H200, embedder="llama-3.1-8b"))
    assert response.context["form"].errors["embedder"]


def test_a_model_that_misses_says_what_it_needs_and_has(client):
    result = client.get(url(model="llama-3.1-405b", gpu="nvidia-l4", gpus="1")).context["result"]
    assert result["state"] == "no"
    assert "GiB" in result["headline"]


def test_a_type_that_the_card_does_not_take_does_not_fit(client):
    result = client.get(url(model="llama-3.1-8b", gpu="qualcomm-ai100", precision="bf16")).context["result"]
    assert result["state"] == "no"
    assert "BF16" in result["headline"]


def test_a_smaller_part_of_the_card_leaves_less(client):
    full, half = (
        client.get(url(**ON_H200, tensor_parallel="2", utilization=share)).context["result"]["memory"]
        for share in ("90", "45")
    )
    assert half["available_gib"] == pytest.approx(full["available_gib"] / 2)
    assert half["lines"][0]["gib"] == full["lines"][0]["gib"]


def test_other_layouts_are_a_link_away(client):
    rows = client.get(url(**ON_H200)).context["result"]["layouts"]
    assert {(row["tensor"], row["pipeline"]) for row in rows} >= {(1, 1), (2, 1), (4, 1), (2, 2), (1, 4)}
    four = next(row for row in rows if (row["tensor"], row["pipeline"]) == (4, 1))
    assert (
        client.get(four["url"]).context["result"]["memory"]["total"]["gib"]
        == four["need"][:1] + four["need"][1:]
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_layout_names_its_link_and_its_cost(client, language):
    def row_of(tensor, pipeline, **query):
        rows = client.get(url(language, **query)).context["result"]["layouts"]
        return next(row for row in rows if (row["tensor"], row["pipeline"]) == (tensor, pipeline))

    with override(language):
        stages = str(calculator_notes.COSTS["pipeline_no_faster"])
        over_pcie = str(calculator_notes.COSTS["tensor_over_pcie"])
        as_seen = over_pcie.replace("\N{NO-BREAK SPACE}", " ")
    assert row_of(1, 1, **ON_H200)["path"] == ""
    assert (row_of(4, 1, **ON_H200)["path"], row_of(4, 1, **ON_H200)["costs"]) == ("NVSwitch", [])
    assert stages in row_of(2, 2, **ON_H200)["costs"]
    cards = {"model": "llama-3.1-8b", "gpu": "nvidia-l40s", "gpus": "2"}
    assert row_of(2, 1, **cards)["path"] == "PCIe"
    assert over_pcie in row_of(2, 1, **cards)["costs"]
    assert as_seen in seen(client.get(url(language, **cards)))


def test_training_names_what_its_copies_talk_over(client):
    rows = client.get(url(**QLORA)).context["result"]["layouts"]
    copies = next(row for row in rows if (row["tensor"], row["replicas"]) == (1, 2))
    assert copies["path"] == "PCIe"
    assert any("gradients over PCIe" in cost for cost in copies["costs"])
    rows = client.get(url(**QLORA | ON_NVSWITCH)).context["result"]["layouts"]
    assert {row["path"] for row in rows} == {"NVSwitch"}
    rows = client.get(url(**QLORA | ON_NVSWITCH, servers="2")).context["result"]["layouts"]
    assert any("network" in cost for row in rows for cost in row["costs"])


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        ({"tensor_parallel": "4"}, True),
        ({"tensor_parallel": "2", "pipeline_parallel": "2"}, True),
        ({"tensor_parallel": "3"}, False),  # no number of GPUs that divides the heads
        ({"tensor_parallel": "16"}, False),  # more than there are
        ({"tensor_parallel": "2", "pipeline_parallel": "3"}, False),
        ({"pipeline_parallel": "16"}, False),
        ({"tensor_parallel": "2", "expert_parallel": "2"}, False),  # it has no experts
        ({}, True),
    ],
)
def test_a_layout_that_these_gpus_do_not_carry_is_said(client, asked, taken):
    result = client.get(url(**ON_H200, **asked)).context["result"]
    said = [notice for notice in result["notices"] if "another way to split it" in notice]
    assert bool(said) is not taken
    assert result["state"] == "fits"
    for name, degree in asked.items():
        assert not said or f"{name.split('_')[0]}" in said[0].replace("experts", "expert"), degree


def test_three_cards_offer_copies_and_stages(client):
    rows = client.get(url(model="llama-3.1-8b", gpu="nvidia-l40s", gpus="3")).context["result"]["layouts"]
    found = {(row["tensor"], row["pipeline"]): (row["replicas"], row["idle"]) for row in rows}
    assert found[1, 1] == (3, 0)
    assert found[2, 1] == (1, 1)


def test_training_names_checkpoints(client):
    query = {
        "stage": "training",
        "model": "llama-3.1-8b",
        "method": "full",
        "gpu": "nvidia-h200-sxm-141gb",
        "gpus": "8",
    }
    facts = dict(client.get(url(**query)).context["result"]["facts"])
    # 8.03 billion parameters: 16 bits of weights; with master weights and two moments 14 bytes each.
    assert any("16.1" in text for text in facts.values())
    assert any("112" in text for text in facts.values())


FULL_70B = {
    "stage": "fine_tuning",
    "method": "full",
    "model": "llama-3.1-70b",
    "sharding": "zero3",
    "gpu": "nvidia-h200-sxm-141gb",
    "gpus": "8",
    "servers": "4",
}


def test_states_that_are_shared_out_are_not_said_to_lie_whole_on_each_gpu(client):
    whole = "Each of 32 GPUs holds the whole model."
    shared = client.get(url(**FULL_70B)).content.decode()
    assert "ZeRO-3 / FSDP" in shared
    assert whole not in shared
    assert whole in client.get(url(**FULL_70B | {"sharding": "none"})).content.decode()


def test_bytes_of_a_formula_keep_the_part_that_makes_the_result_another(client):
    text = client.get(url(model="deepseek-v3", gpu="nvidia-h200-sxm-141gb", gpus="8")).content.decode()
    # 0.2 GiB are 214,748,364.8 bytes; lines are rounded up to whole ones.
    assert "214,748,365 bytes" in text
    assert "= 214,748,364.8 × " in text


def test_checkpoints_are_written_at_the_given_rate(client):
    # 70.55 billion parameters x 14 bytes = 987.7 GB: 494 s at 2 GB/s.
    result = client.get(url(**FULL_70B, storage_gbs="2", checkpoints_kept="3")).context["result"]
    facts = re.sub(r"\s", " ", str(result["facts"]).replace("\\u202f", " "))
    assert "988 GB" in facts
    assert "494 s" in facts


def workings(response):
    rows = response.context["result"]["workings"]
    return [re.sub(r"[\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]", " ", row["text"]) for row in rows]


def test_usable_memory_opens_to_its_formula(client):
    found = workings(client.get(url(**ON_H200)))
    held = calculation(**ON_H200).chosen.memory.available.typical
    assert len(found) == 1
    assert "= 0.9 × " in found[0]
    assert f"{held / GIB:.0f} GiB" in found[0]
    less = workings(client.get(url(**ON_H200, utilization="80")))
    assert "= 0.8 × " in less[0]


def test_a_label_without_a_report_says_so(client):
    card = next(gpu for gpu in calculator.gpus().values() if not gpu.memory_reported)
    found = workings(client.get(url(model="qwen3-8b", gpu=card.slug)))
    assert "expected by the printed label" in found[0]
    assert "between" in found[0]


def test_checkpoints_disk_and_time_open_to_their_formula(client):
    response = client.get(url(**FULL_70B, storage_gbs="2", checkpoints_kept="3"))
    usable, full, weights, disk, seconds = workings(response)
    assert "(2 + 12)" in full
    assert "988 GB" in full
    assert "× 2 bytes" in weights
    assert "= 3 × 988 GB + 141 GB" in disk
    assert "= 988 GB / 2 GB/s" in seconds
    assert "494 s" in seconds
    assert all("\n= " in text for text in (usable, full, weights, disk, seconds))
    assert len(workings(client.get(url(**FULL_70B)))) == 4


def line(result, name):
    return next(line for line in result["memory"]["lines"] if line["name"] == name)


def test_preference_tuning_keeps_a_reference_model_too(client):
    plain = client.get(url(**FULL_70B)).context["result"]
    tuned = client.get(url(**FULL_70B, preference="yes")).context["result"]
    assert line(tuned, "weights")["gib"][1] > line(plain, "weights")["gib"][1]
    assert "reference_weights" in {item["code"] for item in line(tuned, "weights")["items"]}


def test_states_moved_to_the_host_leave_the_gpu(client):
    plain = client.get(url(**FULL_70B)).context["result"]
    moved = client.get(url(**FULL_70B, offload="optimizer")).context["result"]
    assert moved["memory"]["total"]["gib"][1] < plain["memory"]["total"]["gib"][1]
    assert moved["host"]["gib"][1] > plain["host"]["gib"][1]


def test_experts_may_lie_over_all_copies_and_stages_over_servers(client):
    query = {"model": "deepseek-v3", "gpu": "nvidia-h200-sxm-141gb", "gpus": "8", "servers": "2"}
    result = client.get(url(**query)).context["result"]
    rows = result["layouts"] + result["more_layouts"]
    assert any(row["experts"] == 16 for row in rows)
    spread = next(row for row in rows if row["experts"] == 16 and row["tensor"] == 1)
    alone = next(row for row in rows if not row["experts"] and row["tensor"] == row["pipeline"] == 1)
    assert spread["need"][1] < alone["need"][1]
    opened = client.get(spread["url"]).context["result"]
    assert opened["memory"]["total"]["gib"] == spread["need"]


def test_an_index_of_documents_lies_in_host_memory(client):
    query = ON_H200 | {"documents": "1000000", "vector_dimensions": "1024", "index_type": "flat"}
    index = client.get(url(**query)).context["result"]["index"]
    # Two chunks a page, ten pages a document: 20 million vectors of 4,096 bytes, a tenth more for the rest.
    assert index["gib"][1] == pytest.approx(20e6 * 4096 * 1.1 / GIB, rel=1e-6)
    assert client.get(url(**ON_H200)).context["result"]["index"] is None


def test_an_index_counts_its_copies_and_says_what_it_assumes(client):
    query = ON_H200 | {"documents": "1000000", "vector_dimensions": "1024", "index_type": "flat"}
    result = client.get(url(**query, index_replicas="2")).context["result"]
    text = re.sub(r"[\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]", " ", result["index"]["sum"])
    assert "= 1,000,000 × 20 (2 to 100)" in text
    assert "= 20,000,000 vectors (2,000,000 to 100,000,000)" in text
    assert "= 2 × 83.9 GiB" in text
    assert "= 168 GiB = " in text
    assert {"label": "Vectors of a document", "value": "20 (2 to 100)", "origin": "default"} in result[
        "assumptions"
    ]
    labels = [row["label"] for row in client.get(url(**ON_H200)).context["result"]["assumptions"]]
    assert "Vectors of a document" not in labels


@pytest.mark.parametrize(
    ("gpu", "gpus", "counts"),
    [
        ("nvidia-b200-sxm-180gb", "1", "8"),
        ("nvidia-h100-sxm-80gb", "3", "4, 8"),
        ("nvidia-h100-sxm-80gb", "4", None),
        ("nvidia-b200-sxm-180gb", "8", None),
    ],
)
def test_a_number_that_cannot_be_ordered_says_so(client, gpu, gpus, counts):
    result = client.get(url(model="llama-3.1-8b", gpu=gpu, gpus=gpus)).context["result"]
    assert bool(result["servers"]) == (counts is None)
    if counts is None:
        assert result["order"] is None
        assert (result["state"], result["word"]) == ("fits", "fits")
        return
    assert result["state"] == "fits_if", "never plainly fits"
    assert result["word"] == "cannot be ordered"
    numbers = [row["text"].split("\N{NO-BREAK SPACE}")[0] for row in result["order"]]
    assert ", ".join(numbers) == counts
    for row in result["order"]:
        assert client.get(row["url"]).context["result"]["order"] is None


def test_several_gpus_on_a_card_are_named(client):
    several = "Each card carries 4 GPUs"
    page = client.get(url(model="llama-3.1-8b", gpu="qualcomm-ai100-ultra", gpus="2"))
    assert any(several in note for note in page.context["result"]["notes"])
    assert several not in seen(client.get(url(**ON_H200)))


# Texts


def test_every_line_and_every_number_of_a_formula_has_a_name():
    assert set(FORMULAS) <= set(memory_texts.ITEM_LABELS)
    names = {word.partition(":")[0] for _text, words, _sources in FORMULAS.values() for word in words.split()}
    assert names <= set(memory_texts.VALUE_LABELS)
    sources = {source for _text, _words, several in FORMULAS.values() for source in several}
    assert sources <= set(memory_texts.SOURCE_LABELS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "query", [ON_H200, QLORA, {"model": "deepseek-v3", "gpu": "nvidia-b200-sxm-180gb", "gpus": "8"}]
)
def test_formulas_are_plain_text_with_the_numbers_put_in(client, language, query):
    html = client.get(url(language, **query)).content.decode()
    formulas = re.findall(r"<pre[^>]*>(.*?)</pre>", html, re.DOTALL)
    assert len(formulas) >= 4
    for formula in formulas:
        assert not re.search(r"[a-z]_[a-z]|<", formula), formula
        assert "=" in formula


def test_bars_carry_plain_numbers_and_texts_the_reader_s(client):
    html = client.get(url("es", **ON_H200)).content.decode()
    widths = re.findall(r'<rect class="segment [^>]*width="([^"]+)"', html)
    assert widths
    assert all(re.fullmatch(r"[0-9]+(\.[0-9]+)?", width) for width in widths)
    assert re.search(r"\d,\d", seen(client.get(url("es", **ON_H200))))


def test_the_page_needs_as_many_queries_for_every_model(client, django_assert_max_num_queries):
    client.get(url())
    for model in ("llama-3.1-8b", "deepseek-v3", "bge-m3"):
        with django_assert_max_num_queries(5):
            client.get(url(model=model, gpu="nvidia-h200-sxm-141gb", gpus="8"))


def test_nothing_of_the_form_breaks_the_address(client):
    query = calculator_form.submitted(client.get(url(**ON_H200)).wsgi_request.GET)
    assert dict(query.items()) == ON_H200
    assert services.models()


# Cards with several GPUs


def test_a_card_with_several_gpus_is_ordered_by_the_card_and_counted_by_the_gpu(client):
    asked = {"stage": "inference", "model": "yolo11", "streams": "8", "gpu": "nvidia-a16", "gpus": "4"}
    response = client.get(url(**asked))
    result = response.context["result"]
    assert any(server["slug"] == "thinksystem-sr655-v3" for server in result["servers"])
    assert result["memory"]["gpus"] == 4
    note = next(note for note in result["notes"] if "4 GPUs" in note)
    assert "cards: 1." in note
    cards = result["cards"]["rows"] + result["cards"]["more"]
    ordered = next(row["ordered"] for row in cards if row["slug"] == "nvidia-a16")
    assert re.sub(r"\s", " ", ordered).startswith("1 × NVIDIA A16")
    assert ordered.endswith("4 GPUs")
    matches = advice(**{name: asked[name] for name in ("stage", "model", "streams")}, gpu_vendor="nvidia")
    found = [match for match in matches["matches"] if match["gpu"] == "nvidia-a16"]
    assert all(match["gpus_per_server"] % 4 == 0 for match in found)
    for match in found:
        at_work = match["tensor_parallel"] * match["pipeline_parallel"] * match["replicas"]
        assert at_work + match["idle_gpus"] == match["gpus_per_server"] * match["servers"]


# The server around the GPUs

DOCUMENTS = {"documents": "1000000", "vector_dimensions": "1024"}


def test_the_index_lies_in_host_memory(client):
    alone = client.get(url(**ON_H200)).context["result"]["host"]
    indexed = client.get(url(**ON_H200, **DOCUMENTS)).context["result"]
    size = indexed["index"]["gib"]
    assert size[1] > 10
    for end in range(3):
        assert indexed["host"]["gib"][end] == pytest.approx(alone["gib"][end] + size[end])
    assert "vector index" in indexed["host"]["item"]["formula"]
    two = client.get(url(**ON_H200, **DOCUMENTS, index_replicas="3", servers="2")).context["result"]
    # Three copies over two servers: two of them in one.
    assert two["host"]["gib"][1] == pytest.approx(alone["gib"][1] + two["index"]["gib"][1] * 2 / 3)


def test_an_index_of_its_own_is_not_in_it(client):
    host = client.get(url(**ON_H200, **DOCUMENTS, separate_index="yes")).context["result"]["host"]
    assert host["gib"] == client.get(url(**ON_H200)).context["result"]["host"]["gib"]
    assert host["index_elsewhere"]


# Windows, drafts


def test_a_window_that_bounds_the_cache_is_said(client):
    asked = {"gpu": "nvidia-l40s", "gpus": "1"}
    facts = {
        slug: dict(client.get(url(**asked, model=slug)).context["result"]["facts"])
        for slug in ("mistral-7b-v0.1", "gemma-3-4b", "llama-3.1-8b")
    }
    token = {slug: next(iter(found.values())) for slug, found in facts.items()}
    assert "the window bounds the cache" in token["mistral-7b-v0.1"]
    assert "4,096" in token["mistral-7b-v0.1"]
    assert "past 1,024 tokens" in token["gemma-3-4b"]
    assert "past" not in token["llama-3.1-8b"]


def test_no_draft_model_can_be_said(client):
    response = client.get(url(**ON_H200, draft_model="none"))
    result = response.context["result"]
    assert not response.context["messages_of_answers"]
    rows = {row["label"].split(":")[0]: row for row in result["beside"]}
    assert rows["Draft model"]["state"] == "said"
    assert 'value="none" selected' in response.content.decode()
    assert "draft_model" not in result["results_url"] + result["questionnaire_url"]
    assert "draft_model=none" in result["cards"]["rows"][0]["url"]
    assert result["memory"]["total"] == client.get(url(**ON_H200)).context["result"]["memory"]["total"]


# A model that is not in the list


def notices(client, **query):
    return " ".join(str(text) for text in client.get(url(**query)).context["result"]["notices"])


def test_a_size_beside_a_model_of_the_list_is_not_dropped_silently(client):
    said = notices(client, **ON_H200, parameters_b="8", active_parameters_b="3")
    assert "“parameters_b” was not used" in said
    assert "“active_parameters_b” was not used" in said
    assert "“active_parameters_b” was not used" in notices(client, active_parameters_b="3")
    found = advice(model="llama-3.1-8b", parameters_b=70, concurrency=4)
    assert any("parameters_b" in text for text in found["notices"])


def test_a_range_says_which_end_counts(client):
    said = notices(client, parameters_b="8..70", concurrency="4..16", gpu="nvidia-h200-sxm-141gb")
    assert "70" in said
    assert "16" in said
    found = calculation(parameters_b="8..70", concurrency="4", gpu="nvidia-h200-sxm-141gb")
    assert found.model.parameters == 70_000_000_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_layers_and_width_of_another_size_are_told_beside_their_field(client, language):
    asked = {"parameters_b": "70", "num_layers": "32", "hidden_size": "4096", "gpu": "nvidia-h200-sxm-141gb"}
    response = client.get(url(language, **asked))
    html = response.content.decode()
    message = re.search(r'id="id_hidden_size_error"[^>]*>(.*?)</div>', html, re.DOTALL).group(1)
    assert "<li>" in message
    assert response.context["result"]["memory"], "the figures are there all the same"
    both = client.get(url(language, **asked | {"parameters_b": "8..70"})).content.decode()
    assert "<li>" not in re.search(r'id="id_hidden_size_error"[^>]*>(.*?)</div>', both, re.DOTALL).group(1)
    fine = client.get(url(language, **asked | {"num_layers": "80", "hidden_size": "8192"})).content.decode()
    assert "<li>" not in re.search(r'id="id_hidden_size_error"[^>]*>(.*?)</div>', fine, re.DOTALL).group(1)


def test_layers_that_no_model_of_that_size_has_are_told_beside_their_field(client):
    asked = {"parameters_b": "70", "gpu": "nvidia-h200-sxm-141gb"}

    def told(**given):
        html = client.get(url(**asked | given)).content.decode()
        return "<li>" in re.search(r'id="id_num_layers_error"[^>]*>(.*?)</div>', html, re.DOTALL).group(1)

    assert told(num_layers="3")
    assert told(num_layers="900")
    assert not told(num_layers="80")
    assert told(num_layers="3", parameters_b="8..70")
    assert not told(num_layers="32", parameters_b="8..70")


def test_a_guessed_cache_is_a_range_that_says_so(client):
    asked = {
        "parameters_b": "8",
        "concurrency": "16",
        "context_tokens": "8192",
        "gpu": "nvidia-h200-sxm-141gb",
    }
    said = notices(client, **asked)
    assert "KiB a token" in said
    line = next(
        line
        for line in client.get(url(**asked)).context["result"]["memory"]["lines"]
        if line["name"] == "kv_cache"
    )
    low, typical, high = line["gib"]
    assert typical * GIB == pytest.approx(131_072 * 16 * 8192)
    assert low < typical / 4 < typical < high / 2
    shared = client.get(url(**asked, prefix_percent="50")).context["result"]["beside"]
    assert any(row["state"] == "shared" and row["saved"] > 0 for row in shared)
    own = {"num_layers": "32", "num_kv_heads": "8", "head_dim": "128"}
    assert "KiB a token" not in notices(client, **asked, **own)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cache_that_sources_disagree_about_is_marked_wherever_it_is_shown(client, language):
    contested, agreed = "gemma-4-31b", "gemma-4-12b"
    warned = {
        slug: client.get(url(language, model=slug, gpu="nvidia-h200-nvl-141gb")).context["result"]["notes"]
        for slug in (contested, agreed)
    }
    said = set(map(str, warned[contested])) - set(map(str, warned[agreed]))
    assert len(said) == 1
    found = advice(language, top=3, model=contested, concurrency=4)["matches"]
    assert all(said <= set(match["warnings"]) for match in found)
    with override(language):
        page = client.get(reverse("catalog:ai_model", args=[contested])).content.decode()
    for reading in ("80", "108", "960", "configiq/issues/112", "tt-metal/pull/48819"):
        assert reading in page, reading


# Ways to save memory in training

FULL_8B = {
    "stage": "fine_tuning",
    "model": "llama-3.1-8b",
    "method": "full",
    "gpu": "nvidia-h200-sxm-141gb",
    "gpus": "8",
}


@pytest.mark.parametrize("recompute", ["none", "selective", "full"])
@pytest.mark.parametrize("sharding", ["none", "zero2", "zero3"])
def test_a_larger_batch_never_needs_less_where_the_way_is_given(recompute, sharding):
    asked = FULL_8B | {"recompute": recompute, "sharding": sharding}
    runs = [calculation(**asked, micro_batch=str(batch)).fits for batch in (1, 2, 4, 8)]
    for before, after in pairwise(runs):
        for one, other in zip(before, after, strict=True):
            assert one.layout == other.layout
            assert one.memory.total.low <= other.memory.total.low
            assert one.memory.total.typical <= other.memory.total.typical
            assert one.memory.total.high <= other.memory.total.high


def test_a_way_that_was_chosen_for_the_reader_is_said(client):
    small, large = (
        client.get(url(**FULL_8B, micro_batch=batch)).context["result"]["notes"] for batch in ("1", "64")
    )
    assert any("left open" in str(note) for note in small)
    assert any("would need" in str(note) for note in large), "activations are computed again in full"
    given = client.get(url(**FULL_8B, recompute="full", sharding="zero3")).context["result"]["notes"]
    assert not any("left open" in str(note) for note in given)


# Looking for a model


def options(html):
    return re.findall(r'<option value="([^"]+)"', html)


def test_words_narrow_the_list_of_models_and_keep_the_chosen_one(client):
    answer = client.get(
        url(find="qwen3 32b", model="llama-3.1-8b"),
        headers={"HX-Request": "true", "HX-Target": "id_model"},
    )
    html = answer.content.decode()
    assert "<html" not in html
    assert {"qwen3-32b", "llama-3.1-8b"} <= set(options(html))
    assert "gemma-3-27b" not in options(html)
    assert 'value="llama-3.1-8b" selected' in html
    nothing = client.get(url(find="nosuchmodel"), headers={"HX-Request": "true", "HX-Target": "id_model"})
    assert "disabled" in nothing.content.decode()


def test_without_scripts_the_words_come_with_the_form(client):
    one = client.get(url(lang="en", find="GPT-OSS-120B"))
    assert parse_qs(urlsplit(one["Location"]).query)["model"] == ["gpt-oss-120b"]
    several = client.get(url(lang="en", find="gemma", gpu="nvidia-l40s"))
    query = parse_qs(urlsplit(several["Location"]).query)
    assert query["find"] == ["gemma"]
    page = client.get(several["Location"]).content.decode()
    select = page[page.index('id="id_model"') : page.index("</select>", page.index('id="id_model"'))]
    assert "gemma-3-27b" in options(select)
    assert "llama-3.1-8b" not in options(select)
    assert not client.get(several["Location"]).context["notices"]
