"""What a load balancer asks."""

from django.db import connection

from catalog import versions


def test_live_asks_no_database(client):
    response = client.get("/health/live")
    assert (response.status_code, response.content) == (200, b"ok\n")
    assert response["Cache-Control"] == "no-store"


def test_ready_when_a_catalog_is_loaded(client, db):
    versions.bump()
    response = client.get("/health/ready")
    assert response.status_code == 200
    assert response.json() == {"database": True, "migrations": True, "catalog": True}


def test_not_ready_without_a_catalog(client, db):
    from catalog.models import CatalogVersion

    CatalogVersion.objects.all().delete()
    response = client.get("/health/ready")
    assert response.status_code == 503
    assert response.json() == {"database": True, "migrations": True, "catalog": False}


def test_not_ready_with_migrations_to_apply(client, db):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'recommender' OR app = 'catalog'")
    response = client.get("/health/ready")
    assert response.status_code == 503
    assert response.json() == {"database": True, "migrations": False, "catalog": False}
