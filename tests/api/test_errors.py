"""Errors as problem details: one entry a key, in the caller's language, never in plain text."""

import json
from ipaddress import ip_network

import pytest
from django.test import Client

from aiservers import throttling
from aiservers.bodies import MAX_BODY
from recommender import services
from tests.pages import LANGUAGES

pytestmark = pytest.mark.usefixtures("catalog")
ADVICE = "/api/v1/recommendations"


def problem(response, status):
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"
    assert response["Cache-Control"] == "no-store"
    found = response.json()
    assert set(found) == {"type", "title", "status", "detail", "errors"}
    assert found["status"] == status
    return found


def keys(found):
    return [error["key"] for error in found["errors"]]


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("servers?limit=101", ["limit"]),
        ("servers?limit=many&offset=-1&sort=price&cooling=fire", ["limit", "offset", "sort", "cooling"]),
        ("servers?gpu=nvidia-h9000&cpu_vendor=acme", ["gpu", "cpu_vendor"]),
        ("servers?gpu_memory_min=640&gpu_memory_max=80", ["gpu_memory_max"]),
        ("servers?gpu_memory_min=inf", ["gpu_memory_min"]),
        ("gpus?offset=10001", ["offset"]),
        ("models?kind=llms", ["kind"]),
        ("benchmarks?gpu=none&suite=nobody", ["gpu", "suite"]),
        ("memory?model=gpt-9&concurrency=many&gpu=abacus", ["concurrency", "gpu"]),
        ("memory?model=llama-3.1-8b&context_tokens=1000000", ["context_tokens"]),
        ("gpus?language=de", ["language"]),
    ],
)
def test_each_bad_parameter_is_named_once(client, path, wrong):
    found = problem(client.get(f"/api/v1/{path}"), 422)
    assert sorted(keys(found)) == sorted(wrong)
    assert all(error["detail"] for error in found["errors"])


def test_bad_answers_are_named_as_the_command_names_them(client):
    given = {"concurrency": "many", "ttft_ms": -1, "workload": "chat", "site": ["edge", "datacenter"]}
    found = problem(client.post(ADVICE, given, content_type="application/json"), 422)
    assert sorted(keys(found)) == ["concurrency", "site", "ttft_ms"]
    only_the_catalog_knows = {"workload": "poetry", "concurrency": 8}
    found = problem(client.post(ADVICE, only_the_catalog_knows, content_type="application/json"), 422)
    assert keys(found) == ["workload"]
    assert found["type"] == "http://testserver/en/api/#bad-answers"


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        ("{", "application/json", 400),
        ("[" * 100_00, "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        ("[1, 2]", "application/json", 422),
        ('"text"', "application/json", 422),
        ("null", "application/json", 422),
        ("{}", "text/plain", 415),
        ("concurrency=8", "application/x-www-form-urlencoded", 415),
        (json.dumps({"remarks": "x" * MAX_BODY}), "application/json", 413),
    ],
)
def test_what_is_no_json_object_is_refused(client, body, content_type, status):
    problem(client.post(ADVICE, body, content_type=content_type), status)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("post", "servers", "GET, HEAD"),
        ("delete", "servers/thinksystem-sr650-v3", "GET, HEAD"),
        ("get", "recommendations", "POST"),
        ("put", "openapi.json", None),
    ],
)
def test_a_wrong_method_is_told_the_right_one(client, method, path, allowed):
    response = getattr(client, method)(f"/api/v1/{path}")
    problem(response, 405)
    assert response["Allow"] == (allowed or "GET, HEAD")


@pytest.mark.parametrize(
    "path", ["nothing", "servers/", "servers/no-such", "gpus/no-such", "models/no-such", "workloads/no-such"]
)
def test_nothing_there_is_a_problem_too(client, path):
    for response in (client.get(f"/api/v1/{path}"), client.get(f"/api/v1/{path}", {"language": "ru"})):
        assert problem(response, 404)["type"] == "about:blank"
    assert client.post("/api/v1/nothing").status_code == 404


def test_a_fault_of_ours_is_a_problem_without_its_reason(monkeypatch):
    monkeypatch.setattr(services, "recommend", lambda answers: 1 / 0)
    client = Client(raise_request_exception=False)
    found = problem(client.post(ADVICE, {}, content_type="application/json"), 500)
    assert "ZeroDivision" not in json.dumps(found)


def test_a_forged_host_is_a_problem(client):
    assert client.get("/api/v1/servers", headers={"Host": "evil.example"}).status_code == 400


@pytest.mark.parametrize("language", LANGUAGES)
def test_errors_speak_the_callers_language(client, language):
    asked = client.get("/api/v1/servers?limit=x", headers={"Accept-Language": language})
    named = client.get(f"/api/v1/servers?limit=x&language={language}", headers={"Accept-Language": "en"})
    assert asked.json()["errors"] == named.json()["errors"]
    assert asked["Content-Language"] == named["Content-Language"] == language
    words = {"es": "no es un número entero", "ru": "целое число", "en": "is not a whole number"}
    assert words[language] in asked.json()["errors"][0]["detail"]


def test_who_asks_too_often_is_told_when_to_come_back(client, monkeypatch, settings):
    monkeypatch.setattr(throttling.READ, "limit", 2)
    monkeypatch.setattr(throttling.COMPUTE, "limit", 1)
    monkeypatch.setattr(throttling.time, "time", lambda: 1_800_000_012.0)
    for _ in range(2):
        assert client.get("/api/v1/gpus?limit=1").status_code == 200
    response = client.get("/api/v1/servers?limit=1")
    problem(response, 429)
    assert response["Retry-After"] == "48"
    # Memory is counted apart, and another address from the start.
    assert client.get("/api/v1/memory").status_code == 200
    assert client.get("/api/v1/memory").status_code == 429
    assert client.get("/api/v1/gpus?limit=1", REMOTE_ADDR="192.0.2.9").status_code == 200
    # A header that anybody can send makes nobody another client, nor does what it
    # writes in front of the proxy's own word.
    forged = client.get("/api/v1/gpus?limit=1", headers={"X-Forwarded-For": "192.0.2.10"})
    assert forged.status_code == 429
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1/32")]
    through_proxy = [
        client.get("/api/v1/gpus?limit=1", headers={"X-Forwarded-For": f"192.0.2.{made_up}, 198.51.100.7"})
        for made_up in range(3)
    ]
    assert [response.status_code for response in through_proxy] == [200, 200, 429]
    monkeypatch.setattr(throttling.time, "time", lambda: 1_800_000_060.0)
    assert client.get("/api/v1/gpus?limit=1").status_code == 200


def test_a_post_needs_no_token_because_it_changes_nothing():
    strict = Client(enforce_csrf_checks=True)
    answers = {"workload": "speech", "audio_streams": 4, "gpu_vendor": "nvidia"}
    response = strict.post(ADVICE, answers, content_type="application/json")
    assert response.status_code == 200
    assert strict.put("/api/v1/openapi.json").status_code == 405
    assert not response.cookies
    assert response["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in response


@pytest.mark.parametrize("body", [b"\r", b"  ", b"\xef\xbb\xbf"])
def test_a_body_of_blanks_is_no_json(client, body):
    answer = client.post("/api/v1/recommendations", body, content_type="application/json")
    assert answer.status_code == 400
