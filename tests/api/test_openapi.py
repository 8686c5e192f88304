"""The API against its own description: generated requests in one process, the same ones in every run."""

import copy
import json
import os
import re

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from aiservers import throttling
from aiservers.api import api
from aiservers.paging import PageQuery
from aiservers.wsgi import application
from catalog.api_queries import ServerQuery
from catalog.filters import ServerFilter
from recommender.answers import KEYS
from recommender.calculator import HARDWARE_KEYS
from recommender.calculator_form import ASKED

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
EXAMPLES = 60 if LONG else 10  # generated requests of each operation
# Which slugs there are and which answers go together is not in the description: 422 names them.
DEPENDS_ON_THE_CATALOG = {"list_servers", "list_benchmarks", "memory", "recommend"}

description = api.get_openapi_schema(path_prefix="/api/v1/")
schema = schemathesis.openapi.from_dict(
    copy.deepcopy(description),
    # Every limit of every parameter on its own takes minutes: only at length.
    config=schemathesis.Config.from_dict({"phases": {"coverage": {"enabled": LONG}}}),
)
schema.app = application


@pytest.fixture
def unthrottled(monkeypatch):
    for throttle in (throttling.READ, throttling.COMPUTE, throttling.ADVISE):
        monkeypatch.setattr(throttle, "limit", 10**6)


@pytest.fixture
def open_connection():
    """Keep the connection, and with it the test's transaction, as Django's own client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@pytest.mark.usefixtures("catalog", "unthrottled", "open_connection")
def test_the_api_keeps_to_its_description(case):
    is_free = case.operation.definition.raw["operationId"] in DEPENDS_ON_THE_CATALOG
    case.headers["Accept-Encoding"] = "identity"  # what the client here cannot unpack
    case.call_and_validate(excluded_checks=[positive_data_acceptance] if is_free else [])


def test_the_description_is_valid_and_in_english():
    schema.validate()
    text = json.dumps(description, ensure_ascii=False)
    assert not re.search("[а-яё¿ñ]", text)
    assert description["openapi"].startswith("3.1")
    assert description["servers"] == [{"url": "http://testserver"}]


def test_every_operation_says_how_it_fails_and_in_which_language():
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            responses = operation["responses"]
            assert {"200", "422", "429"} <= {str(code) for code in responses}, path
            assert ("404" in map(str, responses)) == ("{" in path)
            for code, response in responses.items():
                if int(code) >= 400:
                    assert list(response["content"]) == ["application/problem+json"]
            assert {"$ref": "#/components/parameters/language"} in operation["parameters"]
            assert method in ("get", "post")


def test_the_filters_of_servers_are_those_of_the_page():
    assert set(ServerQuery.model_fields) - set(PageQuery.model_fields) == {
        *ServerFilter.base_filters,
        "sort",
    }


def test_every_answer_and_every_parameter_of_the_calculator_is_described():
    paths = description["paths"]
    body = paths["/api/v1/recommendations"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert set(body["properties"]) == set(KEYS)
    names = {item.get("name") for item in paths["/api/v1/memory"]["get"]["parameters"]}
    assert names == {*ASKED, *HARDWARE_KEYS, "If-None-Match", None}
