"""Who reaches what in the admin: asked of every address of it, and written as the table of docs/roles.md."""

import re
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import date, timedelta

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.template.backends.django import Template
from django.test import Client
from django.urls import URLResolver, reverse
from django.utils import timezone

import catalog.groups
import recommender.groups
from aiservers.staff import groups as staff_groups
from aiservers.staff.models import AuditEntry
from catalog import models
from catalog.history import states
from recommender.models import Brief, Contact, ContactMessage, Lead, Price, RegressionCase
from tests import factories
from tests.conftest import ROOT

FILE = ROOT / "docs/roles.md"
GROUPS = ["Product managers", "Sales", "Marketing", "Authors"]
SUPERUSER, NO_GROUP, VISITOR = "Superuser", "Staff without a group", "Visitor"
ROLES = [SUPERUSER, *GROUPS, NO_GROUP]

YES, NO, SIGN_IN = "yes", "no", "sign in"
# Words of the table for the addresses that every table has; some stand for two.
WORDS = {
    "changelist": "list",
    "change": "see",
    "import_preview": "import",
    "recoverlist": "recover",
    "compare": "history",
}
ORDER = [
    "list",
    "see",
    "add",
    "change",
    "publish",
    "delete",
    "history",
    "restore",
    "recover",
    "export",
    "import",
]


@dataclass(frozen=True)
class Address:
    """One pattern of the admin; `model` is None where it belongs to no table."""

    name: str
    parameters: tuple
    model: type | None
    action: str

    def path(self, samples, user):
        found = {name: samples.argument(self, name, user) for name in self.parameters}
        path = reverse(f"admin:{self.name}", kwargs=found)
        return f"{path}?{AUTOCOMPLETE}" if self.name == "autocomplete" else path


AUTOCOMPLETE = "app_label=catalog&model_name=variant&field_name=server"


def addresses():
    """Return every address of the admin that leads somewhere, in its order."""
    models_by_prefix = {
        f"{model._meta.app_label}_{model._meta.model_name}_": model for model in admin.site._registry
    }
    found = []

    def walk(patterns):
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                walk(pattern.url_patterns)
            elif pattern.name:  # the others redirect to a name or answer that there is nothing
                prefix = next((key for key in models_by_prefix if pattern.name.startswith(key)), "")
                found.append(
                    Address(
                        pattern.name,
                        tuple(pattern.pattern.converters) or tuple(pattern.pattern.regex.groupindex),
                        models_by_prefix.get(prefix),
                        pattern.name.removeprefix(prefix),
                    )
                )

    walk(admin.site.urls[0])
    return found


class Samples:
    """A row of every table of the admin, and what else stands in an address."""

    def __init__(self):
        server, gpu = factories.ServerFactory(slug="alpha"), factories.GPUFactory(slug="one")
        variant = factories.VariantFactory(server=server)
        source = factories.SourceFactory()
        soon = timezone.now() + timedelta(days=1)
        brief = Brief.objects.create(
            reader_digest="r", owner_digest="o", language="es", frozen={}, expires_at=soon
        )
        lead = Lead.objects.create(brief=brief, language="es")
        contact = Contact.objects.create(lead=lead, name="Ana", email="ana@x.example", consent_text="Yes")
        self.revision = models.Revision.objects.create(made_by="somebody", means="form")
        rows = [
            server,
            gpu,
            variant,
            source,
            server.manufacturer,
            factories.EnclosureFactory(),
            factories.GPUOptionFactory(variant=variant, gpu=gpu),
            factories.EvidenceFactory(server=server, source=source, field="rack_units", stated="2"),
            factories.AIModelFactory(),
            factories.BenchmarkResultFactory(gpu=gpu),
            factories.GlossaryTermFactory(),
            factories.WorkloadProfileFactory(),
            factories.GuideFactory(),
            models.ErrorReport.objects.create(server=server, about="A", field="rack_units", language="es"),
            models.CatalogVersion.objects.first(),
            self.revision,
            brief,
            lead,
            contact,
            ContactMessage.objects.create(contact=contact, sent_by="sales", subject="Hola", body="Hola"),
            Price.objects.create(
                server=server, gpu=gpu, gpu_count=1, amount=1, currency="EUR", valid_until=date(2099, 1, 1)
            ),
            RegressionCase.objects.create(slug="case", answers={}),
            AuditEntry.objects.create(act="sign_in", who="somebody"),
            Group.objects.create(name="Others"),
            User.objects.create_user("somebody"),
        ]
        self.rows = {type(row): row for row in rows}
        models.GuideTranslation.objects.create(
            guide=self.rows[models.Guide], language="ru", source_language="es"
        )
        self.posted = {"evidence": self.rows[models.Evidence].pk}  # what an address cannot do without
        self.rows[models.SheetUpload] = self.upload(self.rows[User], "")
        for row in rows:
            models.Change.objects.create(
                revision=self.revision,
                content_type=ContentType.objects.get_for_model(row),
                object_id=row.pk,
                path=states.path(row),
                action="added",
                values={},
            )

    def upload(self, user, table):
        return models.SheetUpload.objects.create(
            user=user, table=table, name="x.csv", content=b"", language="es"
        )

    def argument(self, address, name, user):
        """Return what stands for one parameter of an address."""
        if address.name == "catalog_evidence_conflict":  # of a figure, not of a row of evidence
            return {"kind": "server", "pk": self.rows[models.Server].pk, "field": "rack_units"}[name]
        if address.action == "import_preview":
            table = "" if address.model is models.SheetUpload else address.model._meta.model_name
            return self.upload(user, table).pk
        if name in {"object_id", "pk", "id"}:
            model = address.model or {"auth_user_password_change": User}.get(address.name, models.Server)
            return self.rows[model].pk
        return {
            "kind": "xlsx",
            "change_id": 1,
            "revision": self.revision.pk,
            "language": "ru",
            "field": "rack_units",
            "role": "sales",
            "app_label": address.name == "app_list" and "catalog",
            "content_type_id": ContentType.objects.get_for_model(models.Server).pk,
        }[name]


def browser_of(role):
    """Return a browser of somebody in a role, signed in, and the account."""
    if role == VISITOR:
        return Client(), None
    user = User.objects.create_user(role, is_staff=True, is_superuser=role == SUPERUSER)
    if role in GROUPS:
        user.groups.add(Group.objects.get(name=role))
    browser = Client()
    browser.force_login(user)
    return browser, user


def make_groups():
    for module, name in ((catalog.groups, "make_groups"), (recommender.groups, "add_rights")):
        label = module.__name__.partition(".")[0]
        getattr(module, name)(apps.get_app_config(label), "default")
    staff_groups.add_rights(apps.get_app_config("staff"), "default")


def draw_nothing(monkeypatch):
    """Leave pages empty: what they look like does not decide who sees them, and takes most of the time."""
    monkeypatch.setattr(Template, "render", lambda *arguments, **context: "")
    monkeypatch.setattr(settings, "SESSION_SAVE_EVERY_REQUEST", False)


def asked(browser, method, path, data=None):
    """Ask one address, take back what that did, and say what became of it."""
    cookies = browser.cookies.copy()
    with transaction.atomic():
        response = getattr(browser, method)(path, data)
        transaction.set_rollback(True)
    browser.cookies = cookies  # a sign-out is taken back too
    if response.status_code == 302 and response["Location"].startswith("/admin/login/"):
        return SIGN_IN
    return response.status_code


KEPT = ("staff_auditentry", "django_session", "auth_user")  # what is seen is noted; sign-ins are dated


def writes(sql):
    return sql.split()[0] in {"INSERT", "UPDATE", "DELETE"}


def reached(monkeypatch):
    """Ask every address as somebody of every role.

    Returns:
        {(role, address, method): status or "sign in"}, by GET and what is only posted by POST; what a
        superuser's looking has written; the names of addresses that refuse GET.
    """
    draw_nothing(monkeypatch)
    make_groups()
    samples = Samples()
    answers, written, post_only = {}, [], set()

    def watch(execute, sql, params, many, context):
        if writes(sql) and not any(f'"{name}"' in sql for name in KEPT):
            written.append(f"{path}: {sql}")
        return execute(sql, params, many, context)

    for role in [*ROLES, VISITOR]:
        browser, user = browser_of(role)
        for address in addresses():
            path = address.path(samples, user or samples.rows[User])
            with connection.execute_wrapper(watch) if role == SUPERUSER else nullcontext():
                answer = asked(browser, "get", path)
            if answer == 405:
                post_only.add(address.name)
            if address.name not in post_only:
                answers[role, address, "get"] = answer
            if address.action == "change" or address.name in post_only:
                answers[role, address, "post"] = asked(
                    browser, "post", path, {"evidence": samples.rows[models.Evidence].pk}
                )
    return answers, written, post_only


def is_open(answers, role, address, method):
    """Tell whether a role gets what a superuser gets; some pages say "not there" where others forbid."""
    status = answers[role, address, method]
    return status not in (403, SIGN_IN) and status == answers[SUPERUSER, address, method]


def table(answers):
    """Return the table of docs/roles.md."""
    rows = {}
    for role, address, method in answers:
        if role in ROLES:
            words = rows.setdefault(label_of(address), {}).setdefault(role, {})
            word = word_of(address, method)
            words.setdefault(word, []).append(is_open(answers, role, address, method))
    lines = [f"| | {' | '.join(ROLES)} |", "|---" * (len(ROLES) + 1) + "|"]
    for label in sorted(rows, key=lambda label: ("." not in label, label.lower())):
        cells = [cell(label, role, rows[label][role]) for role in ROLES]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines)


def word_of(address, method):
    saves = (address.action, method) == ("change", "post")
    return "change" if saves else WORDS.get(address.action, address.action)


def label_of(address):
    return address.model._meta.label if address.model else address.name


def cell(label, role, words):
    """Say what a role may do; a word that stands for several addresses holds for all, or "in part"."""
    said = [word if all(opened) else f"{word} in part" for word, opened in words.items() if any(opened)]
    if "." not in label:
        return "yes" if said else "–"
    if may_publish(label, role):
        said.append("publish")
    ranks = {word: rank for rank, word in enumerate(ORDER)}
    return ", ".join(sorted(said, key=lambda word: ranks.get(word, len(ranks)))) or "–"


def may_publish(label, role):
    """Publishing is a right on the form of a row, not an address."""
    model = apps.get_model(label)
    right = f"publish_{model._meta.model_name}"
    user = User.objects.get(username=role)
    return right in dict(model._meta.permissions) and user.has_perm(f"{model._meta.app_label}.{right}")


def documented():
    """Return the table as the documentation has it."""
    return "\n".join(re.findall(r"^\|.*\|$", FILE.read_text(encoding="utf-8"), re.MULTILINE))


def write(new):
    """Put a new table into the documentation; its text stays."""
    text = FILE.read_text(encoding="utf-8")
    FILE.write_text(text.replace(documented(), new), encoding="utf-8")
