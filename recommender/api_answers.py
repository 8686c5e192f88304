"""The answers' vocabulary as JSON Schema, for the description of the API."""

from typing import Any

from recommender import answers
from recommender.answers import KEYS, MAX_VALUES, Key
from recommender.calculator import HARDWARE_KEYS
from recommender.calculator_form import ASKED

# What counts as no answer.
EMPTY = [{"type": "null"}, {"type": "string", "pattern": r"^\s*$"}]
RANGE = "a plain number such as 8, or a range such as 8..16"
EXAMPLE = {
    "stage": "inference",
    "workload": ["chat"],
    "model": "llama-3.1-8b",
    "concurrency": 32,
    "context_tokens": "8000..32000",
    "hypothesis": ["concurrency"],
}


def answers_schema() -> dict[str, Any]:
    """Return the schema of a JSON object of answers; a key that it does not name is answered by a notice."""
    return {
        "type": "object",
        "title": "Answers",
        "properties": {name: _answer(key) for name, key in KEYS.items()},
        "additionalProperties": True,
        "examples": [EXAMPLE],
    }


def parameters() -> list[dict[str, Any]]:
    """Return the query parameters of the memory calculator."""
    keys = {name: key for name, key in KEYS.items() if name in ASKED} | HARDWARE_KEYS
    return [_parameter(key) for key in keys.values()]


def _parameter(key: Key) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "maxLength": 100}
    if key.choices:
        schema = {"type": "string", "enum": [name for name, _label in key.choices]}
    if key.name in PARAMETER_EXAMPLES:
        schema["examples"] = [PARAMETER_EXAMPLES[key.name]]
    if key.repeats:
        schema = {"type": "array", "items": schema, "maxItems": MAX_VALUES}
    return {
        "name": key.name,
        "in": "query",
        "required": False,
        "allowEmptyValue": True,  # no answer
        "description": _description(key),
        "schema": schema,
    }


PARAMETER_EXAMPLES = {
    "model": "llama-3.3-70b",
    "concurrency": "16",
    "context_tokens": "8192",
    "gpu": "nvidia-h200-sxm-141gb",
    "gpus": "4",
}


def _answer(key: Key) -> dict[str, Any]:
    single = [*_kinds(key), *EMPTY]
    several = {"type": "array", "items": {"anyOf": single}}  # what is empty does not count as one
    return {"description": _description(key), "anyOf": [*single, several]}


def _kinds(key: Key) -> list[dict[str, Any]]:
    """Return the schemas of one value."""
    if key.kind == "number":
        assert key.minimum is not None
        assert key.maximum is not None
        kind = "integer" if key.whole else "number"
        limits = {"minimum": float(key.minimum), "maximum": float(key.maximum)}
        return [{"type": kind, **limits}, {"type": "string", "description": RANGE}]
    if key.name == "hypothesis":
        return [{"type": "string", "enum": [name for name in KEYS if name != "hypothesis"]}]
    if key.kind == "text":
        plain = [{"type": "number"}, {"type": "boolean"}]  # kept as they are written
        return [{"type": "string", "maxLength": answers.parsing.MAX_TEXT}, *plain]
    if key.kind == "slug":
        return [{"type": "string", "maxLength": 100, "description": "A slug of the catalog."}]
    words = [{"type": "string", "enum": [name for name, _label in key.choices]}]
    return [*words, {"type": "boolean"}] if key.kind == "yes_no" else words


def _description(key: Key) -> str:
    parts = [str(key.label)]
    if key.kind == "number":
        unit = f" {key.unit}" if key.unit not in ("", "1") else ""
        parts.append(f"From {key.minimum} to {key.maximum}{unit}: {RANGE}.")
    elif key.choices:
        parts.append("One of: " + ", ".join(name for name, _label in key.choices) + ".")
    if key.repeats:
        parts.append(f"At most {MAX_VALUES} values.")
    if key.brief_only:
        parts.append("Reaches the brief only, and never changes the advice.")
    return " ".join(parts)
