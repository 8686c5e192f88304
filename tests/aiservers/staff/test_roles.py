"""Every address of the admin for every role, and what may change something by which method."""

import os

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse

from recommender.questions import GROUPS as GROUPS_OF_QUESTIONS
from tests.aiservers.staff import matrix
from tests.aiservers.staff.matrix import GROUPS, NO_GROUP, ROLES, SIGN_IN, SUPERUSER, VISITOR

# Django's own templates ask for variables that they may not have.
pytestmark = [pytest.mark.django_db, pytest.mark.ignore_template_errors]

OPEN_TO_ALL = {"login", "logout"}  # whoever is not signed in is out already
OWN = {"index", "help", "help_role", "two_factor", "password_change", "password_change_done", "jsi18n"}
POST_ONLY = {"logout", "two_factor_begin", "two_factor_confirm", "two_factor_codes", "two_factor_remove"}


def test_every_role_reaches_what_the_documentation_says_and_looking_changes_nothing(monkeypatch):
    answers, written, post_only = matrix.reached(monkeypatch)
    assert written == []
    assert post_only >= POST_ONLY
    assert_rules(answers)
    table = matrix.table(answers)
    if os.environ.get("WRITE_ROLES"):
        matrix.write(table)
    assert matrix.documented() == table


def assert_rules(answers):
    """What holds whatever a file says."""

    def reach(role, model=None, method=None):
        return {
            address.name
            for who, address, how in answers
            if who == role
            and (how == method or method is None)
            and matrix.is_open(answers, who, address, how)
            and (model is None or (address.model and address.model._meta.model_name == model))
        }

    def ending(role, end):
        return {name for name in reach(role) if name.endswith(end)}

    seen = {key[1].name: answer for key, answer in answers.items() if key[::2] == (SUPERUSER, "get")}
    # A sample that leads nowhere would be forbidden to nobody. No row was deleted, none has a public page.
    nowhere = {name for name, answer in seen.items() if answer == 404 and not name.endswith("_recover")}
    assert nowhere == {"view_on_site"}

    open_to_all = {key[1].name for key, answer in answers.items() if key[0] == VISITOR and answer != SIGN_IN}
    assert open_to_all == OPEN_TO_ALL
    of_tables = {address.name for _role, address, _method in answers if address.model}
    assert reach(NO_GROUP) >= OWN
    assert not reach(NO_GROUP) & of_tables
    for role in ROLES:
        for record in ("auditentry", "revision"):
            assert not reach(role, record, "post"), role
            assert not ending(role, f"_{record}_delete"), role
    for role in GROUPS:
        assert not reach(role, "user"), role
        assert not reach(role, "group"), role
    for role in GROUPS[1:]:
        assert not ending(role, "_delete"), role
        assert not reach(role, "auditentry"), role
    for role in ("Marketing", "Authors"):
        assert not {name for name in reach(role) if name.startswith("recommender_")}, role
        assert not reach(role, "server", "post"), role
        assert reach(role, "guide", "post"), role
    assert reach("Sales", "lead", "post")
    assert reach("Sales", "server", "post")
    assert not ending("Sales", "_server_add")


def test_every_address_of_the_admin_refuses_a_form_without_its_token(monkeypatch):
    matrix.draw_nothing(monkeypatch)
    samples = matrix.Samples()
    _browser, user = matrix.browser_of(SUPERUSER)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)
    paths = {address.name: address.path(samples, user) for address in matrix.addresses()}
    assert len(paths) > 200
    for name, path in {**paths, "language": reverse("admin_language")}.items():
        assert strict.post(path).status_code == 403, name


SAMPLES = {  # by the name of the converter
    "IntConverter": 1,
    "StringConverter": "x" * 24,
    "SlugConverter": "x",
    "DottedSlugConverter": "x",
    "FileFormatConverter": "csv",
    "StepConverter": GROUPS_OF_QUESTIONS[0].slug,
}


def public_paths():
    """Return an address of every pattern outside of the admin and the API."""
    found = {}

    def walk(patterns, prefix, converters):
        for pattern in patterns:
            namespace = getattr(pattern, "namespace", None)
            if namespace in {admin.site.name, "api"}:
                continue
            if isinstance(pattern, URLResolver):
                inner = f"{prefix}{namespace}:" if namespace else prefix
                walk(pattern.url_patterns, inner, converters | pattern.pattern.converters)
            else:
                needed = (converters | pattern.pattern.converters).items()
                kwargs = {name: SAMPLES[type(converter).__name__] for name, converter in needed}
                found[f"{prefix}{pattern.name}"] = reverse(f"{prefix}{pattern.name}", kwargs=kwargs)

    walk(get_resolver().url_patterns, "", {})
    return found


def test_every_public_address_refuses_a_form_without_its_token(monkeypatch):
    matrix.draw_nothing(monkeypatch)
    paths = public_paths()
    assert {"briefs:owner", "briefs:sales", "catalog:server", "choose_language"} <= set(paths)
    strict = Client(enforce_csrf_checks=True)
    for name, path in paths.items():
        assert strict.post(path, {"anything": 1}).status_code == 403, name


def test_the_api_takes_questions_without_a_token_since_they_change_nothing():
    written = []

    def watch(execute, sql, params, many, context):
        if matrix.writes(sql):
            written.append(sql)
        return execute(sql, params, many, context)

    strict = Client(enforce_csrf_checks=True)
    question = {"stage": "inference"}
    with connection.execute_wrapper(watch):
        response = strict.post("/api/v1/recommendations", question, content_type="application/json")
    assert response.status_code == 200
    assert not response.cookies
    assert written == []
