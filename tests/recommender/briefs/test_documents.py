"""A frozen brief reads the same in every language, today and after the code has changed."""

import csv
import io
import json
import re
from datetime import date

import pytest
from django.utils.translation import override

from aiservers import spreadsheets
from recommender.answers import KEYS, parse
from recommender.briefs import downloads, frozen, sections
from recommender.briefs.changes import changes
from recommender.briefs.document import document
from recommender.models import Brief

LANGUAGES = ["es", "ru", "en"]
CASES = [
    {"stage": "inference", "workload": "chat", "model": "llama-3.3-70b", "concurrency": "8..32"},
    {
        "stage": "mixed",
        "workload": "chat",
        "model": "llama-3.1-8b",
        "users": 1000,
        "method": "lora",
        "experiments_per_month": 8,
        "checkpoints_kept": 3,
        "storage_gbs": "2..10",
        "hypothesis": ["users"],
        "availability": "n_plus_1",
        "power_kw": 7.5,
    },
    {"stage": "training", "parameters_b": 7, "dataset_tokens": 100_000_000_000, "target_hours": 720},
    {"stage": "inference", "workload": "vision", "streams": 40, "frames_per_second": 15},
    {"stage": "inference", "workload": "chat", "rack_units": 1, "power_kw": 0.1, "must": ["latency"]},
    {},
]


def freeze(given, **more):
    """Return a frozen brief as the database gives it back."""
    return json.loads(json.dumps(frozen.freeze(parse(given), language="es", on=date(2026, 11, 30), **more)))


def facts(content):
    """Return everything of a document that is not wording."""
    lines = [line for part in (*content.parts, content.site) for line in part.lines]
    return {
        "lines": [
            (line.key, line.status, line.low, line.high, line.unit, line.code)
            for line in (*content.work, *lines)
        ],
        "questions": [len(part.questions) for part in content.parts],
        "derived": [(row["code"], row["low"], row["high"], row["unit"]) for row in content.derived],
        "matches": [
            (
                match["slug"],
                match["rank"],
                match["state"],
                match["confirmed"],
                match["tied"],
                [(row["code"], row["low"], row["typical"], row["high"]) for row in match["figures"]],
                len(match["reasons"]),
                len(match["warnings"]),
            )
            for match in content.matches
        ],
        "rejected": [(item["server"], item["gpu"], item["codes"]) for item in content.rejected],
        "plans": [(way["name"], way["advised"], len(way["lines"])) for way in content.plans.get("ways", [])],
        "measures": [(item["subject"], item["is_open"], len(item["lines"])) for item in content.measures],
        "find_out": len(content.find_out),
        "versions": (content.catalog_version, content.rules_version),
    }


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("given", CASES)
def test_the_facts_are_the_same_in_three_languages(given):
    content = freeze(given, server="thinksystem-sr675-v3")
    found, files = [], []
    for language in LANGUAGES:
        with override(language):
            found.append(facts(document(content)))
            table = list(downloads.rows(document(content)))
            files.append([(*row[3:6], row[6]) for row in table[1:]])
    assert found[0] == found[1] == found[2]
    assert files[0] == files[1] == files[2]
    assert found[0]["lines"]


@pytest.mark.usefixtures("catalog")
def test_the_language_of_its_maker_changes_nothing_that_is_kept():
    kept = []
    for language in LANGUAGES:
        with override(language):
            made = frozen.freeze(parse(CASES[1]), language=language, on=date(2026, 11, 30))
            kept.append(made | {"language": ""})
    assert kept[0] == kept[1] == kept[2]


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("given", CASES)
def test_every_answer_stands_in_the_brief_with_how_it_is_known(given):
    content = document(freeze(given))
    lines = {line.key: line for part in (*content.parts, content.site) for line in part.lines}
    lines |= {line.key: line for line in content.work}
    for key in set(given) - {"hypothesis"}:
        assert lines[key].status == ("guess" if key in given.get("hypothesis", ()) else "given"), key
        assert lines[key].value


def test_every_answer_of_the_vocabulary_has_exactly_one_section():
    for name, key in KEYS.items():
        places = [
            section.slug
            for section in (*sections.SECTIONS, sections.SITE)
            if key in sections.keys_of(section)
        ]
        assert len(places) == (0 if name in sections.NOT_LISTED else 1), (name, places)


@pytest.mark.usefixtures("catalog")
def test_the_six_sections_come_in_the_order_of_the_guide_and_empty_ones_ask():
    with override("en"):
        content = document(freeze({"stage": "inference"}))
    assert [part.number for part in content.parts] == [1, 2, 3, 4, 5, 6]
    assert [part.slug for part in content.parts] == [
        "model", "training", "load", "availability", "data", "acceptance",
    ]  # fmt: skip
    for part in content.parts:
        if part.slug != "training":  # nothing is trained
            assert part.questions, part.slug
    assert "only serves" in content.parts[1].empty


@pytest.mark.usefixtures("catalog")
def test_what_is_accepted_carries_the_harder_end_of_a_range():
    # 40 requests that grow by half three times are 135; what fits only at the easier end carries 68.
    content = freeze({
        "stage": "mixed", "workload": "rag", "model": "llama-3.3-70b", "concurrency": "20..40",
        "input_tokens": 4000, "output_tokens": 400, "context_tokens": 8000, "ttft_ms": 1200, "tpot_ms": 50,
        "method": "lora", "growth_percent": 50, "horizon_years": 3, "power_kw": 8,
    })  # fmt: skip
    assert content["matches"][0]["requests"] == 68
    with override("en"):
        lines = {line.key: line for part in document(content).parts for line in part.lines}
    assert "with 135 simultaneous requests" in lines["test_ttft"].value
    assert "with 135 simultaneous requests" in lines["test_tpot"].value


@pytest.mark.usefixtures("catalog")
def test_times_stand_in_a_brief_as_on_the_pages():
    content = freeze({
        "stage": "mixed", "model": "llama-3.1-8b", "concurrency": 10, "context_tokens": 8000, "ttft_ms": 500,
        "tpot_ms": 50, "method": "lora", "dataset_tokens": 5_000_000, "target_hours": 8,
    })  # fmt: skip
    first = content["matches"][0]
    assert first["training_hours"][1] < 1
    assert first["tpot_ms"][0] > 10
    with override("en"):
        figures = {figure["code"]: figure["value"] for figure in document(content).matches[0]["figures"]}
    assert re.fullmatch(r"\d+\s?min \(\d+–\d+\)", figures["training_hours"])
    assert re.fullmatch(r"\d+\s?ms \(\d+–\d+\)", figures["tpot"])


@pytest.mark.usefixtures("catalog")
def test_an_answer_that_is_known_is_no_open_question():
    def asked(given):
        return [text for part in document(freeze(given)).parts for text in part.questions]

    growth = str(KEYS["growth_percent"].label)
    assert growth in asked({"stage": "inference"})
    assert growth not in asked({"stage": "inference", "growth_percent": 50})


@pytest.mark.usefixtures("catalog")
def test_a_brief_that_began_from_a_server_says_whether_it_fits():
    with override("en"):
        fitting = document(freeze(CASES[0], server="thinksystem-sr675-v3"))
        out = document(freeze(CASES[0], server="thinksystem-st650-v3"))
        gone = document(freeze(CASES[0], server="no-such-server"))
    assert fitting.asked_state in ("fits", "fits_if")
    assert "place" in fitting.asked
    assert out.asked_state == "no"
    assert "does not fit" in out.asked
    assert gone.asked_state == "unknown"
    assert document(freeze(CASES[0])).asked == ""


# Older and newer forms


@pytest.mark.usefixtures("catalog")
def test_what_a_later_version_adds_is_left_alone_and_what_is_missing_is_empty():
    content = freeze(CASES[1])
    later = content | {"schema": 99, "prices": {"x": 1}, "derived": [*content["derived"], NEW_QUANTITY]}
    later["matches"] = [match | {"colour": "blue"} for match in content["matches"]]
    assert facts(document(later)) == facts(document(content))
    for part in content:
        smaller = {name: value for name, value in content.items() if name != part}
        assert document(smaller).parts, part
    assert document({}).matches == ()


NEW_QUANTITY = {"code": "noise", "terms": {"fans": [8, 8]}, "value": [70, 70]}


@pytest.mark.usefixtures("catalog")
def test_a_sentence_that_is_no_longer_worded_shows_its_figures():
    content = freeze(CASES[0])
    content["matches"][0]["reasons"] = [{"code": "old_reason", "params": {"need": 3, "have": 7}}]
    content["matches"][0]["warnings"] = [{"code": "old_warning", "params": {}}]
    content["rejected"][0]["reasons"] = [{"code": "old_rule", "params": {"need": 4}}]
    content["assumptions"].append({"key": "old_key", "value": "12", "origin": "given", "source": ""})
    content["notices"] = [{"code": "old_notice", "params": {}}]
    shown = document(content)
    assert shown.matches[0]["reasons"] == ["old_reason (need = 3, have = 7)"]
    assert shown.matches[0]["warnings"] == ["old_warning"]
    assert shown.rejected[0]["reasons"] == ["old_rule (need = 4)"]


@pytest.mark.usefixtures("catalog")
def test_a_brief_needs_nothing_of_the_catalog_to_be_read(django_assert_num_queries):
    content = freeze(CASES[1], server="thinksystem-sr675-v3")
    with django_assert_num_queries(0), override("ru"):
        document(content)


# Differences


@pytest.mark.usefixtures("catalog")
def test_nothing_differs_on_the_same_day():
    content = document(freeze(CASES[1]))
    assert changes(content, content) == ()


@pytest.mark.usefixtures("catalog")
def test_what_differs_is_named_before_and_after():
    old = freeze(CASES[0])
    new = json.loads(json.dumps(old))
    new["matches"][0], new["matches"][1] = new["matches"][1], new["matches"][0]
    for rank, match in enumerate(new["matches"], 1):
        match["rank"] = rank
    new["matches"][1]["power_w"] = [1, 2, 3]
    new["catalog_version"] = "99"
    new["rejected"] = new["rejected"][1:]
    with override("en"):
        found = {
            change.what: (change.before, change.after) for change in changes(document(old), document(new))
        }
        first = document(old).matches[0]
    assert found["First place"][0].startswith(first["server"])
    assert found["Catalog version"][1] == "99"
    assert any(what.startswith("Ruled out") and after == "" for what, (_before, after) in found.items())
    power = [pair for what, pair in found.items() if first["server"] in what and "W" in pair[1]]
    assert power
    assert all(before != after for before, after in found.values())


# Files


@pytest.fixture
def brief(catalog):
    return Brief(
        frozen=freeze(CASES[1]),
        title="=HYPERLINK(1)",
        note="@cmd",
        language="es",
        created_at=None,
    )


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_text_is_never_a_formula(start):
    assert spreadsheets.harmless(f"{start}1+1") == f"'{start}1+1"
    assert spreadsheets.harmless("1=1") == "1=1"
    assert spreadsheets.harmless(-1.5) == -1.5


def test_a_csv_has_its_numbers_plain_and_its_texts_harmless(brief):
    for language in LANGUAGES:
        with override(language):
            text = downloads.as_csv(brief).decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text)))
        assert {len(row) for row in rows} == {9}
        assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@", "\t"))]
        assert "'=HYPERLINK(1)" in {row[2] for row in rows}
        assert "'@cmd" in {row[2] for row in rows}
        power = next(row for row in rows if row[6] == "kW")
        assert (float(power[3]), float(power[5])) == (7.5, 7.5)


def test_a_workbook_has_numbers_as_numbers_and_no_formula(brief):
    from openpyxl import load_workbook

    with override("ru"):
        sheet = load_workbook(io.BytesIO(downloads.as_xlsx(brief))).active
    cells = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert not [cell for cell in cells if cell.data_type == "f"]
    power = next(row for row in sheet.iter_rows(values_only=True) if row[6] == "kW")
    assert (power[3], power[5]) == (7.5, 7.5)


def test_json_is_the_same_in_every_language(brief):
    made = []
    for language in LANGUAGES:
        with override(language):
            made.append(downloads.as_json(brief))
    assert made[0] == made[1] == made[2]
    content = json.loads(made[0])
    assert content["schema"] == frozen.SCHEMA
    assert content["answers"]["users"] == "1000"


def pdf_of(brief, language):
    from pypdf import PdfReader

    with override(language):
        return PdfReader(io.BytesIO(downloads.as_pdf(brief)))


@pytest.mark.parametrize(("language", "word"), [("es", "año"), ("ru", "Сервер"), ("en", "Server")])
def test_a_pdf_holds_real_text_its_language_and_its_own_fonts(brief, language, word):
    reader = pdf_of(brief, language)
    text = "\n".join(page.extract_text() for page in reader.pages)
    assert word in text
    assert reader.trailer["/Root"]["/Lang"] == language
    assert "/StructTreeRoot" in reader.trailer["/Root"]
    fonts = {
        str(font.get_object()["/BaseFont"])
        for page in reader.pages
        for font in page["/Resources"]["/Font"].values()
    }
    assert fonts
    assert all("LiberationSans" in name for name in fonts), fonts
    with override(language):
        content = document(brief.frozen)
    squeezed = "".join(text.split())
    for match in content.matches:
        assert "".join(match["server"].split()) in squeezed


def test_the_same_brief_gives_the_same_pdf(brief):
    with override("ru"):
        assert downloads.as_pdf(brief) == downloads.as_pdf(brief)
