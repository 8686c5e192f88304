"""What the tests of the staff's pages share."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client


@pytest.fixture
def as_member(client, db):
    """Log in as a member of one group and return the client."""

    def log_in(group):
        user = User.objects.create_user(f"{group}@vendor.example", password="x", is_staff=True)
        user.groups.add(Group.objects.get(name=group))
        client.force_login(user)
        return client

    return log_in


@pytest.fixture
def editor(db):
    """Return a new browser in which somebody of a group is signed in: editor("Ana", "Sales")."""

    def sign_in(name, group="Product managers"):
        user = User.objects.create_user(name, password="x", is_staff=True)
        user.groups.add(Group.objects.get(name=group))
        client = Client()
        client.force_login(user)
        return client

    return sign_in
