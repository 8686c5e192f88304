"""The admin under the same strict policy as the site, in the language that its user has chosen."""

import pytest
from django.contrib import admin
from django.urls import reverse

from tests.pages import LANGUAGES, Document

# Django's own templates ask for variables that they may not have.
pytestmark = pytest.mark.ignore_template_errors


@pytest.mark.one_database
@pytest.mark.parametrize("model", admin.site._registry, ids=lambda model: model._meta.label_lower)
def test_lists_and_forms_keep_the_policy(admin_client, catalog, model):
    name = f"{model._meta.app_label}_{model._meta.model_name}"
    paths = [reverse(f"admin:{name}_changelist")]
    row = model._base_manager.order_by("pk").first()
    if row:
        paths.append(reverse(f"admin:{name}_change", args=[row.pk]))
    for path in paths:
        response = admin_client.get(path)
        assert response.status_code == 200
        assert "unsafe" not in response["Content-Security-Policy"]
        assert "no-store" in response["Cache-Control"]
        document = Document(response.content.decode())
        assert not document.scripts, path
        for tag, attributes in document.elements:
            assert not [key for key in attributes if key == "style" or key.startswith("on")], (
                path,
                tag,
                attributes,
            )
            address = attributes.get("src") or (attributes.get("href") if tag == "link" else None) or ""
            assert not address.startswith(("http", "//")), (path, tag, attributes)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_admin_follows_the_browser_until_its_user_chooses(admin_client, language):
    other = "es" if language != "es" else "ru"
    headers = {"Accept-Language": language}
    path = reverse("admin:index")
    assert f'<html lang="{language}"' in admin_client.get(path, headers=headers).content.decode()
    chosen = admin_client.post(reverse("admin_language"), {"language": other, "next": path})
    assert (chosen.status_code, chosen["Location"]) == (302, path)
    assert chosen.cookies["django_language"]["path"] == "/admin/"
    assert f'<html lang="{other}"' in admin_client.get(path, headers=headers).content.decode()


def test_the_sites_pages_never_see_the_staffs_session(client, admin_user):
    credentials = {"username": admin_user.username, "password": "password"}
    response = client.post(reverse("admin:login"), credentials)
    assert response.status_code == 302
    assert response.cookies["sessionid"]["path"] == "/admin/"
