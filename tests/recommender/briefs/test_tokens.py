"""Keys of briefs: long, random, and stored as digests only."""

from base64 import urlsafe_b64decode

import pytest

from recommender.answers import parse
from recommender.briefs import stored, tokens
from recommender.models import Brief


def bits(token):
    return 8 * len(urlsafe_b64decode(token + "=" * (-len(token) % 4)))


def test_both_keys_have_at_least_128_bits():
    owner = tokens.new_owner_token()
    assert bits(owner) >= 128
    assert bits(tokens.reader_token(owner, 1)) >= 128


def test_keys_differ_from_each_other_and_with_every_link():
    owner, other = tokens.new_owner_token(), tokens.new_owner_token()
    made = {
        owner,
        other,
        *(tokens.reader_token(key, number) for key in (owner, other) for number in (1, 2, 3)),
    }
    assert len(made) == 8
    assert tokens.reader_token(owner, 2) == tokens.reader_token(owner, 2)


@pytest.mark.usefixtures("catalog")
def test_the_database_holds_no_key():
    brief, owner = stored.create(parse({"stage": "inference"}), language="es")
    reader = tokens.reader_token(owner, 1)
    row = str(Brief.objects.filter(pk=brief.pk).values().get())
    assert owner not in row
    assert reader not in row
    assert stored.readable(reader) == brief
    assert stored.owned(owner) == brief
    assert stored.readable(owner) is None
    assert stored.owned(reader) is None
    assert stored.readable(brief.reader_digest) is None
