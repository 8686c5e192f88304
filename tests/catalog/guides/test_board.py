"""The board of guides: what readers see and should not comes first."""

import datetime

import pytest
from django.urls import reverse

from catalog.guides import publishing
from catalog.models import GuideBlock
from tests.factories import GuideFactory

pytestmark = pytest.mark.django_db

BOARD = "/admin/catalog/guide/board/"
RUSSIAN = {"title_ru": "Память", "summary_ru": "Сколько её нужно.", "body_ru": "Текст."}


def test_the_board_has_first_what_readers_should_not_see(clock, as_member, django_assert_max_num_queries):
    client = as_member("Marketing")
    names = ["Publicada", "Borrador", "Atrasada", "Con fallo"]
    guides = {
        name: GuideFactory(title_es=name, **RUSSIAN | {"slug_ru": f"g-{i}"}) for i, name in enumerate(names)
    }
    for name in ("Publicada", "Atrasada", "Con fallo"):
        publishing.publish(guides[name], "es")
        publishing.publish(guides[name], "ru")
    publishing.follow(guides["Atrasada"], "ru", "es")
    guides["Atrasada"].body_es = "Otro texto."
    guides["Atrasada"].save()
    publishing.publish(guides["Atrasada"], "es")
    edition = guides["Con fallo"].editions.get(language="es")
    GuideBlock.objects.create(edition=edition, key="x", failed_since=clock.now, error="No hay tal servidor.")
    publishing.publish(guides["Borrador"], "ru", at=clock.now + datetime.timedelta(days=1))
    with django_assert_max_num_queries(12):
        html = client.get(BOARD).content.decode()
    places = {name: html.index(f">{name}</a>") for name in names}
    assert sorted(names, key=places.get) == ["Atrasada", "Con fallo", "Borrador", "Publicada"]
    assert "No hay tal servidor." in html
    assert "2 de marzo de 2027" in html
    for address in (reverse("admin:catalog_guide_changelist"), reverse("admin:index")):
        assert BOARD in client.get(address).content.decode()


def test_the_board_is_for_those_who_see_guides(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("x", is_staff=True))
    assert client.get(BOARD).status_code == 403
    assert BOARD not in client.get(reverse("admin:index")).content.decode()
