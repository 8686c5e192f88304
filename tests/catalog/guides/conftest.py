"""A clock that tests can set, and guides that are public."""

import datetime

import pytest
from django.utils import timezone

from catalog.guides import publishing
from tests.factories import GuideFactory


class Clock:
    """What `timezone.now` says until the test moves it."""

    def __init__(self):
        self.now = timezone.make_aware(datetime.datetime(2027, 3, 1, 9, 0))

    def pass_by(self, **parts):
        self.now += datetime.timedelta(**parts)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(timezone, "now", lambda: clock.now)
    return clock


@pytest.fixture
def publish():
    """Write a guide with these texts and publish it in some languages."""

    def make(*languages, at=None, **texts):
        guide = GuideFactory(**texts)
        for language in languages or ("es",):
            publishing.publish(guide, language, at=at)
        return guide

    return make
