"""Measured cases of `fixtures/benchmarks/` as rows of the catalog.

The files are those that `evaluate_sizing` reads. A case becomes one row for each figure that is fit to judge
by; one whose card is not in the catalog, or that nobody can look up, stays out with its reason.
"""

import re
from collections import Counter

from django.utils.translation import gettext_noop

from catalog.models import BenchmarkResult

MLPERF = re.compile(r"mlperf-(?P<training>training-)?(?P<round>v\d+\.\d+)")
REPOSITORY = re.compile(r"github:(?P<name>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{7,40})")
GITHUB = re.compile(r"https://github\.com/(?P<name>[\w.-]+/[\w.-]+)/")
# A file, and what follows "#": an anchor where it is written like one, else a heading in words.
PATH = re.compile(r"(?P<file>[\w.+-]+(?:/[\w.+-]+)*)(?:(?P<anchor>#[\w.-]+)|#.*)?")
SAMPLE = re.compile(r"(?P<work>\d+) (?:steps|s clips)\b")  # of a data set: of an image, of speech
VERSION = re.compile(r"v?\d[\w.+-]*")
WORK = {
    "inference-memory": BenchmarkResult.Work.INFERENCE,
    "inference-throughput": BenchmarkResult.Work.INFERENCE,
    "training": BenchmarkResult.Work.TRAINING,
}
# Measured beside a rate and meaningful without it, though no case names it as fit to judge by.
ALWAYS = (BenchmarkResult.Figure.POWER,)
# The same figure in two units: what all GPUs do says more.
PER_GPU = {"output_tokens_per_s_per_gpu": BenchmarkResult.Figure.OUTPUT_TOKENS}

# Why a case stays out, for whoever prints it to translate.
UNKNOWN_CARD = gettext_noop("card or its form not in the catalog")
NO_ADDRESS = gettext_noop("no address to look it up")
NO_FIGURE = gettext_noop("no figure of a known unit")


def rows_of(cases, known):
    """Return (rows, left out): fields of each result by name, and how many cases stay out by reason.

    Args:
        cases: Mappings of one file, in the form that `evaluate_sizing` reads.
        known: {"gpu": slugs, "server": slugs, "ai_model": slugs} of the catalog.
    """
    rows, left_out = [], Counter()
    for case in cases:
        found = fields_of(case, known)
        if isinstance(found, str):
            left_out[found] += 1
            continue
        figures = figures_of(case)
        if not figures:
            left_out[NO_FIGURE] += 1
        rows += [found | {"figure": figure, "value": value} for figure, value in figures.items()]
    return rows, left_out


def fields_of(case, known):
    """Return the configuration of a case as columns, or the reason why it stays out."""
    if case["gpu"] not in known["gpu"]:
        return UNKNOWN_CARD
    source = case.get("source") or {}
    link = link_of(source.get("ref", ""), source.get("locator", ""))
    if link is None:
        return NO_ADDRESS
    given, system = case.get("input") or {}, case.get("system") or {}
    suite, edition = suite_of(case.get("evidence", ""), source.get("ref", ""))
    version = str(given.get("engine_version") or given.get("release") or "")
    engine = given.get("engine") or given.get("framework") or ""
    server = system.get("server")
    return {
        "measurement": case["id"],
        "work": WORK[case["family"]],
        "suite": suite,
        "round": edition or (version if VERSION.fullmatch(version) else ""),
        "scenario": given.get("scenario") or "",
        "benchmark": ", ".join(str(given[key]) for key in ("benchmark", "dataset") if given.get(key)),
        "link": link,
        "gpu": case["gpu"],
        "gpu_count": case["gpu_count"],
        "servers": given.get("nodes") or 1,
        "server": server if server in known["server"] else None,
        "submitter": system.get("submitter") or "",
        "system_name": system.get("name") or "",
        "ai_model": case["model"] if case["model"] in known["ai_model"] else None,
        "model_name": case["model"],
        "precision": (case.get("class") or {}).get("weights"),
        "engine": None if engine.startswith("MLPerf") else engine or None,  # a suite is no framework
        "method": given.get("method"),
        "input_tokens": whole(given.get("input_tokens")),
        "output_tokens": whole(given.get("output_tokens")),
        "sequence_tokens": given.get("seq_len") or given.get("max_sequence_length"),
        "sample_work": sample_work(given.get("dataset") or ""),
        "concurrency": given.get("max_concurrency") or given.get("concurrency"),
        "group": case["group"],
        "note": case.get("notes") or "",
        "is_published": True,
    }


def figures_of(case):
    """Return {figure: value} of what a case measured in a unit of ours."""
    measured, judged = case.get("measured") or {}, list(case.get("judge") or [])
    names = dict.fromkeys(PER_GPU.get(name, name) for name in [*judged, *ALWAYS])
    return {
        name: measured[name]
        for name in names
        if name in BenchmarkResult.Figure.values and isinstance(measured.get(name), int | float)
    }


def suite_of(evidence, reference):
    """Return who published a case, by a benchmark's name or a repository's, and the benchmark's round."""
    if found := MLPERF.fullmatch(evidence):
        return ("MLPerf Training" if found["training"] else "MLPerf Inference"), found["round"]
    repository = REPOSITORY.fullmatch(reference) or GITHUB.match(reference)
    return (repository["name"] if repository else reference.split("/")[2]), ""


def link_of(reference, locator):
    """Return the address at which a case can be read, as near to the figure as it is known; None: nowhere."""
    repository = REPOSITORY.fullmatch(reference)
    if repository is None:
        return reference if reference.startswith("https://") else None
    root = f"https://github.com/{repository['name']}"
    place = PATH.fullmatch(locator)
    if place and ("/" in place["file"] or "." in place["file"]):
        return f"{root}/blob/{repository['commit']}/{place['file']}{place['anchor'] or ''}"
    return f"{root}/tree/{repository['commit']}"


def sample_work(dataset):
    """Return what one sample of a data set takes [steps of denoising, seconds of speech]; None: one piece."""
    found = SAMPLE.search(dataset)
    return float(found["work"]) if found else None


def whole(value):
    """Return a mean length [tokens]; None where the case says it in words or not at all."""
    return round(value) if isinstance(value, int | float) else None
