"""`manage.py recommend`, as other programs call it."""

import io
import json
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.recommender.advice import advice

pytestmark = pytest.mark.usefixtures("catalog")

CHAT = {"stage": "inference", "model": "llama-3.1-8b", "concurrency": 10, "context_tokens": 8192}


@pytest.fixture
def run(monkeypatch):
    def call(answers, *arguments):
        """Return exit status, standard output and standard error."""
        text = answers if isinstance(answers, str) else json.dumps(answers)
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        out, err = io.StringIO(), io.StringIO()
        status = 0
        try:
            call_command("recommend", "--answers", "-", *arguments, stdout=out, stderr=err, no_color=True)
        except SystemExit as end:
            status = end.code
        return status, out.getvalue(), err.getvalue()

    return call


def test_a_file_that_cannot_be_read_is_said_in_a_line(tmp_path, capsys):
    err = io.StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("recommend", "--answers", str(tmp_path / "none.json"), stderr=err, no_color=True)
    assert end.value.code == 2
    assert err.getvalue().startswith("answers: ")
    assert len(err.getvalue().splitlines()) == 1


def test_a_byte_order_mark_is_no_part_of_the_answers(run, tmp_path):
    file = tmp_path / "answers.json"
    file.write_text(json.dumps(CHAT), encoding="utf-8-sig")
    out = io.StringIO()
    call_command("recommend", "--answers", str(file), "--format", "json", stdout=out, no_color=True)
    assert out.getvalue() == run("\N{ZERO WIDTH NO-BREAK SPACE}" + json.dumps(CHAT), "--format", "json")[1]


def test_json_has_every_part_that_was_agreed(run):
    status, out, err = run(CHAT, "--format", "json")
    result = json.loads(out)
    assert (status, err) == (0, "")
    assert list(result) == [
        "catalog_version", "rules_version", "language", "conditional", "notices", "assumptions", "matches",
        "not_shown", "rejected", "plans", "sensitivity", "to_measure",
    ]  # fmt: skip
    assert len(result["matches"]) == 5
    assert list(result["matches"][0]) == [
        "rank", "server", "variant", "gpu", "gpus_per_server", "servers", "state", "precision",
        "tensor_parallel", "pipeline_parallel", "replicas", "idle_gpus", "score", "criteria",
        "memory_gib_per_gpu", "ttft_ms", "tpot_ms", "output_tokens_per_s", "throughput", "training_hours",
        "max_concurrency", "power_w", "rack_units", "evidence", "firm", "pareto", "tied", "reasons",
        "warnings",
    ]  # fmt: skip
    assert list(result["matches"][0]["memory_gib_per_gpu"]) == [
        "weights", "kv_cache", "activations", "optimizer", "gradients", "overhead", "total", "available",
    ]  # fmt: skip


def test_answers_may_come_from_a_file(run, tmp_path):
    path = Path(tmp_path) / "answers.json"
    path.write_text(json.dumps(CHAT), encoding="utf-8")
    out = io.StringIO()
    call_command("recommend", answers=str(path), format="json", stdout=out)
    assert json.loads(out.getvalue())["matches"]


@pytest.mark.parametrize(("language", "word"), [("es", "peticiones"), ("ru", "запрос"), ("en", "requests")])
def test_the_language_is_that_of_the_option(run, language, word):
    _status, out, _err = run(CHAT, "--format", "json", "--language", language)
    result = json.loads(out)
    assert result["language"] == language
    assert word in " ".join(result["matches"][0]["reasons"])


def test_bad_answers_end_with_status_two_and_a_line_each(run):
    status, out, err = run({"concurrency": "many", "model": "gpt-9", "power_kw": -1}, "--language", "en")
    assert (status, out) == (2, "")
    assert sorted(line.split(":")[0] for line in err.splitlines()) == ["concurrency", "model", "power_kw"]


@pytest.mark.parametrize("text", ["", "{}"])
def test_no_answers_are_answers_too(run, text):
    status, out, _err = run(text, "--format", "json")
    assert status == 0
    assert json.loads(out)["conditional"] is True


@pytest.mark.parametrize("text", ["[1]", "nonsense", '{"a": }', "null", '"x"'])
def test_what_is_no_object_is_a_bad_answer(run, text):
    status, _out, err = run(text)
    assert status == 2
    assert err.startswith("answers:")


def test_the_table_is_for_people(run):
    status, out, _err = run(CHAT, "--language", "en", "--top", "2")
    assert status == 0
    assert "thinksystem-sr650" in out
    assert "no_gpu" in out


def test_a_server_that_the_catalog_does_not_have_is_no_answer(run):
    status, out, err = run(CHAT | {"server": "no-such-server"})
    assert (status, out) == (2, "")
    assert err.startswith("server: ")
    assert "no-such-server" in err
    assert run(CHAT | {"server": "thinksystem-sr675-v3"})[0] == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"concurrency": 10, "normal_concurrency": 500}, "500 requests at once, more than the peak (10)"),
        ({"concurrency": 10, "queue_seconds": 60}, "“queue_seconds” was not used"),
        ({"concurrency": 10, "queue_seconds": 60, "queue_ok": "no"}, "“queue_seconds” was not used"),
        ({"concurrency": "5..10", "normal_concurrency": 8}, None),
        ({"concurrency": 10, "queue_seconds": 60, "queue_ok": "yes"}, None),
    ],
)
def test_answers_about_the_load_that_cannot_both_hold_are_noticed(given, said):
    notices = advice(**{"model": "llama-3.1-8b"} | given, top=1)["notices"]
    assert len(notices) == (said is not None)
    assert all(said in notice for notice in notices)
