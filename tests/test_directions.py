"""Who may know whom."""

import ast
import sys

import pytest

from tests.conftest import ROOT


def imports(path):
    """Return the full names of the modules and objects that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def files(*folders):
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return [
        pytest.param(path, id=str(path.relative_to(ROOT))) for path in found if "migrations" not in path.parts
    ]


@pytest.mark.parametrize(
    "path", [*files("recommender/sizing"), ROOT / "recommender/ranking.py", ROOT / "aiservers/numbers.py"]
)
def test_the_core_knows_the_standard_library_and_itself(path):
    outside = {
        name
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("recommender.sizing")
    }
    assert outside == set()


@pytest.mark.parametrize("path", files("recommender/sizing"))
def test_sizing_does_not_know_ranking(path):
    assert not any(name.startswith("recommender.ranking") for name in imports(path))


@pytest.mark.parametrize("path", [*files("recommender/plans"), ROOT / "recommender/measure.py"])
def test_comparisons_know_the_core_and_the_ranking_alone(path):
    known = ("recommender.sizing", "recommender.ranking", "recommender.plans")
    outside = {
        name
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith(known)
    }
    assert outside == set()


@pytest.mark.parametrize("path", files("catalog"))
def test_facts_do_not_know_advice(path):
    """The catalog's views and admin may call the recommender's services; the rest knows nothing of it."""
    known = {name for name in imports(path) if name.split(".")[0] == "recommender"}
    if path.name.startswith("views") or path.parent.name == "admin":
        known = {name for name in known if not name.startswith("recommender.services")}
    assert known == set()


@pytest.mark.parametrize("path", files("catalog/models", "recommender/sizing"))
def test_models_and_core_never_see_a_request(path):
    assert not any(name.startswith(("django.http", "django.shortcuts")) for name in imports(path))
