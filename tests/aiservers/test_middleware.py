"""Proxies, request ids and logs."""

import io
import json
import logging
from ipaddress import ip_network

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils.log import log_response

from aiservers import logs
from aiservers.middleware import trusted_proxy

PROXY = "10.1.2.3"


@pytest.fixture
def lines(monkeypatch):
    """What is written to the log, each line parsed as a JSON object."""
    written = io.StringIO()
    [handler] = [handler for handler in logging.getLogger().handlers if handler.name == "stderr"]
    monkeypatch.setattr(handler, "stream", written)
    return lambda: [json.loads(line) for line in written.getvalue().splitlines()]


def access(lines):
    return [line for line in lines() if line["logger"] == "aiservers.access"]


def test_every_request_has_one_line_with_the_id_that_the_answer_carries(client, lines):
    response = client.get("/health/live")
    [line] = access(lines)
    assert line["request_id"] == response["X-Request-ID"]
    assert (line["method"], line["path"], line["status"]) == ("GET", "/health/live", 200)


@pytest.mark.parametrize(
    "path", ["/nothing-here?budget=1000000", "/b/s3cret-t0ken", "/b/s3cret-t0ken/?budget=1000000"]
)
def test_logs_keep_neither_query_strings_nor_tokens(client, db, lines, path):
    client.get(path)
    text = json.dumps(lines())
    assert access(lines)
    assert "1000000" not in text
    assert "s3cret" not in text


def test_the_development_servers_line_loses_its_query_string():
    record = logging.LogRecord(
        "django.server",
        logging.INFO,
        "",
        0,
        '"%s" %s %s',
        ("GET /es/?budget=1000000 HTTP/1.1", "200", "5"),
        None,
    )
    logs.HidePrivateParts().filter(record)
    assert record.getMessage() == '"GET /es/ HTTP/1.1" 200 5'


def ask(settings, *, remote, **headers):
    """Return the request as views see it behind `trusted_proxy`."""
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.0/8"), ip_network("::1/128")]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    request = RequestFactory().get("/", headers=headers, REMOTE_ADDR=remote)
    return trusted_proxy(lambda request: request)(request)


def test_a_trusted_proxy_tells_the_scheme_and_the_client(settings):
    request = ask(
        settings,
        remote=PROXY,
        **{"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9, 192.0.2.7, 10.9.9.9"},
    )
    assert request.is_secure()
    assert (
        request.META["REMOTE_ADDR"] == "192.0.2.7"
    )  # the last that is not ours; what stands before is hearsay


@pytest.mark.parametrize("remote", ["192.0.2.7", "", "unix:"])
def test_nobody_else_does(settings, remote):
    request = ask(settings, remote=remote, **{"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"})
    assert not request.is_secure()
    assert request.META["REMOTE_ADDR"] == remote


def test_an_exception_is_logged_with_the_requests_id(rf, lines):
    request = rf.get("/es/?budget=1000000")
    request.id, request.resolver_match = "abcdef-123456", None
    log_response(
        "%s: %s", "Internal Server Error", request.path, response=HttpResponse(status=500), request=request
    )
    [error] = lines()
    assert error["request_id"] == "abcdef-123456"
    assert error["message"] == "Internal Server Error: /es/"


def test_a_trusted_proxys_id_is_kept_and_a_strangers_is_not(client, settings):
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.0/8")]
    headers = {"X-Request-ID": "abcdef-123456"}
    trusted = client.get("/health/live", headers=headers, REMOTE_ADDR=PROXY)
    stranger = client.get("/health/live", headers=headers, REMOTE_ADDR="192.0.2.7")
    assert trusted["X-Request-ID"] == "abcdef-123456"
    assert stranger["X-Request-ID"] != "abcdef-123456"
