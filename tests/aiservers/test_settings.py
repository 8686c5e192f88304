"""The settings under which the site goes public, and what is said when they are missing."""

import os
import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

PRODUCTION = {
    "ENV_FILE": os.devnull,
    "SECRET_KEY": "k3Xw-a-long-and-random-looking-value-of-more-than-fifty-characters",
    "SITE_URL": "https://servers.example.com",
    "DATABASE_URL": "sqlite:///:memory:",
}
KEPT = ("PATH", "HOME", "LANG")


def manage(*arguments, **environment):
    """Run a command in a process of its own, which knows nothing but this environment."""
    environment |= {name: os.environ[name] for name in KEPT if name in os.environ}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def test_production_settings_pass_djangos_deployment_checks():
    done = manage("check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"SECRET_KEY": ""}, "run `make setup`"),
        ({"SITE_URL": ""}, "SITE_URL is ''"),
        ({"SITE_URL": "servers.example.com"}, "SITE_URL is 'servers.example.com'"),
        ({"SITE_URL": "https://example.com/servers"}, "without a path"),
        ({"TRUSTED_PROXIES": "proxy.internal"}, "TRUSTED_PROXIES"),
        ({"VENDOR_LOGO": "https://cdn.example.com/logo.svg"}, "VENDOR_LOGO"),
    ],
)
def test_a_missing_or_wrong_setting_stops_the_start_and_is_named(changed, message):
    done = manage("check", **PRODUCTION | changed)
    assert done.returncode != 0
    assert message in done.stderr


def test_static_files_are_collected_under_hashed_names_and_compressed(tmp_path):
    done = manage("collectstatic", "--no-input", **PRODUCTION, STATIC_ROOT=str(tmp_path))
    assert done.returncode == 0, done.stderr
    [style] = [
        path
        for path in tmp_path.glob("css/site.*.css")
        if re.fullmatch(r"site\.[0-9a-f]{12}\.css", path.name)
    ]
    assert style.with_name(f"{style.name}.gz").exists()


def test_redis_serves_as_the_cache(redis_url):
    code = (
        "from django.core.cache import cache; cache.set('key', {'a': 1}, 5); print(cache.get('key'));"
        "cache.delete('key')"
    )
    done = manage("shell", "--no-imports", "-c", code, **PRODUCTION, CACHE_URL=redis_url)
    assert done.stdout.strip() == "{'a': 1}", done.stderr


@pytest.fixture
def redis_url():
    """A database of the local Redis that nothing else uses."""
    import redis

    url = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/15")
    try:
        redis.Redis.from_url(url).ping()
    except redis.ConnectionError:
        if os.environ.get("REQUIRE_ALL") == "1":
            raise
        pytest.skip(f"nothing answers at {url}")
    return url
