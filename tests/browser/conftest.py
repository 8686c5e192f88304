"""A real browser against the running site with the real catalog; nothing in these tests changes a fact.

    def test_x(page): page.goto("/es/")            with JavaScript
    def test_y(page_without_scripts): ...          without
    def test_z(page, axe): ...; axe(page)          accessibility

Every test fails on a request to another host, on an error in the console and on a script's exception.
"""

import os
import shutil
import threading
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.management import call_command
from django.db import connection
from pytest_django.live_server_helper import LiveServer

CHROMIUM = shutil.which(os.environ.get("CHROMIUM", "chromium"))
QUIET = [
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-gpu",
    "--disable-dev-shm-usage",
]
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

# Playwright runs a loop in the tests' own thread, where Django would refuse the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


def pytest_collection_modifyitems(items):
    if CHROMIUM is None:
        skip = pytest.mark.skip(reason="no Chromium here: install it, or name one in CHROMIUM")
        for item in items:
            if "/browser/" in str(item.path):
                item.add_marker(skip)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix, tmp_path_factory):
    """SQLite in a file: in memory the server's threads share one connection and now and then fail."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args, base_url):
    # The site comes first: once Playwright's loop runs, Django opens other connections for this thread.
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": QUIET}


@pytest.fixture(scope="session")
def base_url(django_db_setup, django_db_blocker):
    """The address of the running site, for all browser tests of a session."""
    with django_db_blocker.unblock():
        call_command("load_catalog", verbosity=0)
        server = LiveServer("localhost")
        yield server.url
        server.stop()
        # A thread that has just answered may still hold the database, which goes next.
        for thread in threading.enumerate():
            if "process_request_thread" in thread.name:
                thread.join(timeout=10)


@pytest.fixture
def browser_context_args(browser_context_args):
    return {**browser_context_args, "locale": "es-ES", "viewport": {"width": 1280, "height": 900}}


@pytest.fixture
def context(new_context):
    """A fresh browser profile, watched."""
    with Watched(new_context()) as context:
        yield context


@pytest.fixture
def page_without_scripts(new_context):
    """A page of a reader whose browser runs no JavaScript."""
    with Watched(new_context(java_script_enabled=False)) as context:
        yield context.new_page()


class Watched:
    """Collects what a page must not do, and fails with it at the end."""

    def __init__(self, context):
        self.context = context
        self.wrong = []
        context.on("request", self._request)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.wrong.append(f"exception: {error.error}"))

    def __enter__(self):
        return self.context

    def __exit__(self, *failure):
        if failure == (None, None, None):
            assert self.wrong == []

    def _request(self, request):
        address = urlsplit(request.url)
        if address.scheme in {"http", "https"} and address.hostname != "localhost":
            self.wrong.append(f"foreign host: {request.url}")

    def _console(self, message):
        # A missing page is an answer that some tests ask for.
        if message.type == "error" and "404" not in message.text:
            self.wrong.append(f"console: {message.text}")


@pytest.fixture(scope="session")
def shared(browser, base_url):
    """A profile for tests that only look at pages: what it has fetched once stays."""
    watched = Watched(browser.new_context(base_url=base_url, locale="es-ES"))
    page = watched.context.new_page()
    yield watched, page
    watched.context.close()


@pytest.fixture
def shared_page(shared):
    """The page of the shared profile, watched for this test."""
    watched, page = shared
    watched.wrong.clear()
    with watched:
        yield page


@pytest.fixture(scope="session")
def axe():
    """Check a page against WCAG 2.2 AA; call it with the page, and with rules where some are enough."""
    script = Axe().axe_script

    def check(page, rules=None):
        if not page.evaluate("'axe' in window"):  # once a page, whatever is checked there
            page.evaluate(script)
        wanted = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": STANDARDS}
        options = {"runOnly": wanted, "resultTypes": ["violations"]}
        results = page.evaluate("options => axe.run(document, options)", options)
        found = [
            f"{violation['id']}: {violation['help']}: {node['html'][:200]} {node.get('failureSummary', '')}"
            for violation in results["violations"]
            for node in violation["nodes"]
        ]
        assert found == [], "\n".join(found)

    return check
