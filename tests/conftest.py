"""What every test may use: compiled texts, and the real catalog loaded once a session."""

import os
from pathlib import Path

import polib
import pytest
from django.apps import apps
from django.core.cache import cache
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection
from django.test.utils import setup_databases, teardown_databases
from django.utils import translation
from hypothesis import settings as hypothesis_settings

from catalog import versions
from catalog.filtering import facts
from recommender import adapters

ROOT = Path(__file__).resolve().parent.parent

# The short run takes the same examples every time; the long one takes others each time.
hypothesis_settings.register_profile("short", max_examples=20, deadline=None, derandomize=True)
hypothesis_settings.register_profile("long", max_examples=2000, deadline=None)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))


def pytest_addoption(parser):
    parser.addoption(
        "--second-database",
        action="store_true",
        help="leave out what a run on another database settles: tests without rows and `one_database`",
    )


def pytest_configure(config):
    """Compile stale message files: the words of our addresses are among them."""
    for path in ROOT.glob("locale/*/LC_MESSAGES/django.po"):
        compiled = path.with_suffix(".mo")
        if not compiled.exists() or compiled.stat().st_mtime < path.stat().st_mtime:
            # Workers of one run may do this at the same time.
            unfinished = compiled.with_name(f"{compiled.name}.{os.getpid()}")
            polib.pofile(str(path)).save_as_mofile(str(unfinished))
            unfinished.replace(compiled)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Put tests of rows of their own first: to empty the real catalog for each takes longer than they do."""
    items.sort(key=lambda item: "loaded_catalog" in getattr(item, "fixturenames", ()))
    if config.getoption("second_database"):
        settled = [item for item in items if not depends_on_the_database(item)]
        items[:] = [item for item in items if depends_on_the_database(item)]
        config.hook.pytest_deselected(items=settled)
        if hasattr(config, "workeroutput"):  # of several processes, none of which prints the summary
            config.workeroutput["settled"] = len(settled)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Let the summary count what was left out, once: every worker leaves out the same."""
    terminal = node.config.pluginmanager.get_plugin("terminalreporter")
    if "deselected" not in terminal.stats:
        settled = getattr(node, "workeroutput", {}).get("settled", 0)
        node.config.hook.pytest_deselected(items=[node] * settled)  # how many is all that it shows


def uses_database(item):
    return bool({"db", "loaded_catalog"} & set(item.fixturenames) or item.get_closest_marker("django_db"))


def depends_on_the_database(item):
    return uses_database(item) and not item.get_closest_marker("one_database")


def forget_catalog():
    """Drop what this process keeps of the catalog: another test's may have the same version."""
    adapters.forget()
    facts.forget()


@pytest.fixture(autouse=True)
def fresh_state():
    """Start every test with an empty cache and in the site's own language."""
    cache.clear()
    with translation.override("es"):
        yield


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment,
    django_db_blocker,
    django_db_keepdb,
    django_db_createdb,
    django_db_modify_db_settings,
):
    """The test database, always: pytest-django makes it only where a test names its own fixtures."""
    with django_db_blocker.unblock():
        created = setup_databases(
            verbosity=0,
            interactive=False,
            aliases={"default"},
            keepdb=django_db_keepdb and not django_db_createdb,
        )
    yield
    if not django_db_keepdb:
        with django_db_blocker.unblock():
            teardown_databases(created, verbosity=0)


@pytest.fixture(scope="session")
def loaded_catalog(django_db_setup, django_db_blocker):
    """Load the real catalog once, for every test after it that asks for `catalog`."""
    with django_db_blocker.unblock():
        call_command("load_catalog", verbosity=0)


@pytest.fixture
def catalog(loaded_catalog, db):
    """The real catalog, for one test, which rolls back what it changes."""
    if versions.current() == "0":  # a test with transactions of its own has emptied the tables
        call_command("load_catalog", verbosity=0)
    loaded = versions.current()
    yield
    if versions.current() != loaded:
        forget_catalog()


@pytest.fixture(autouse=True)
def own_rows_only(request):
    """Hide the real catalog from a test that uses the database and did not ask for it."""
    if not uses_database(request.node) or "loaded_catalog" in request.fixturenames:
        yield
        return
    request.getfixturevalue("db")
    if versions.current() != "0":
        tables = [
            model._meta.db_table
            for model in apps.get_app_config("catalog").get_models(include_auto_created=True)
        ]
        connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), tables, allow_cascade=True))
    forget_catalog()
    yield
    forget_catalog()
