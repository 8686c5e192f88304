"""Keeps the table of tokens in step with the facts, in the transaction that changes them."""

from contextlib import contextmanager
from contextvars import ContextVar

from django.db import transaction
from django.db.models.signals import post_delete, post_save, pre_delete, pre_save

from catalog import versions
from catalog.models import SearchToken
from catalog.search import query, registry
from catalog.search.registry import LOOSE_SHARE, PART
from catalog.search.tokens import MAX_TOKEN, NAMES_LANGUAGE, index_tokens

BATCH = 200  # rows of a kind that are read at once
LONGEST_TEXT = 20_000  # characters of one text that count

_waiting = ContextVar("waiting", default=None)  # {kind: numbers} of what is written at the end


def register(kind):
    """Make a kind of page findable, and follow the changes of its tables from now on."""
    registry.add(kind)
    for model in (kind.model, *kind.touched_by):
        uid = f"search_{model._meta.label}"
        pre_save.connect(_remember, sender=model, dispatch_uid=uid)
        pre_delete.connect(_remember, sender=model, dispatch_uid=uid)
        post_save.connect(_refresh, sender=model, dispatch_uid=uid)
        post_delete.connect(_refresh, sender=model, dispatch_uid=uid)


def rebuild():
    """Bring all tokens in line with the facts and tell how many were written or dropped.

    A bulk change ends with this, and so does a release: the same facts may be cut otherwise by newer code.
    Whoever calls it raises the catalog version where something changed.
    """
    with transaction.atomic():
        names = [kind.name for kind in registry.kinds()]
        changed, _tables = SearchToken.objects.exclude(kind__in=names).delete()
        for kind in registry.kinds():
            published = list(kind.rows().values_list("pk", flat=True))
            indexed = (
                SearchToken.objects.filter(kind=kind.name).values_list("object_id", flat=True).distinct()
            )
            ids = [*published, *(set(indexed) - set(published))]
            for start in range(0, len(ids), BATCH):
                changed += reindex(kind, ids[start : start + BATCH])
    return changed


def follow(changed):
    """Bring the tokens in line after {table: numbers} have changed, which stay part of what they were.

    `rebuild` does the same for all rows, whatever has happened to them.
    """
    wanted = {}
    for model, numbers in changed.items():
        for kind, lookup in registry.touched(model):
            ids = kind.model._base_manager.filter(**{f"{lookup}__in": numbers}).values_list("pk", flat=True)
            wanted.setdefault(kind.name, set()).update(ids)
    for name, ids in wanted.items():
        found = sorted(ids)
        for start in range(0, len(found), BATCH):
            reindex(registry.kind_named(name), found[start : start + BATCH])


@contextmanager
def written_once():
    """Write the tokens of each page once, at the end, however many of its rows change inside."""
    waiting = {}
    token = _waiting.set(waiting)
    try:
        yield
    finally:
        _waiting.reset(token)
    for name, ids in waiting.items():
        _write(registry.kind_named(name), ids)


def reindex(kind, ids):
    """Write the tokens of some rows of a kind, none for what is gone or unpublished; tell how many."""
    wanted = {}
    for row in kind.rows().filter(pk__in=ids):
        for (language, token), (weight, word) in tokens_of(kind, row).items():
            wanted[row.pk, language, token] = (weight, word)
    stale = []
    for token in SearchToken.objects.filter(kind=kind.name, object_id__in=ids):
        key = (token.object_id, token.language, token.token)
        if wanted.get(key) == (token.weight, token.word):
            del wanted[key]
        else:
            stale.append(token.pk)
    for start in range(0, len(stale), BATCH):
        SearchToken.objects.filter(pk__in=stale[start : start + BATCH]).delete()
    SearchToken.objects.bulk_create(
        [
            SearchToken(
                kind=kind.name, object_id=pk, language=language, token=token, weight=weight, word=word
            )
            for (pk, language, token), (weight, word) in wanted.items()
        ],
        batch_size=1000,
    )
    return len(stale) + len(wanted)


def tokens_of(kind, row):
    """Return {(language, token): (weight, word)} of one row, the largest weight where texts share a token."""
    found = {}
    for text in kind.texts(row):
        language = text.language or NAMES_LANGUAGE
        tokens = index_tokens(
            text.text[:LONGEST_TEXT], language, is_name=text.is_name, anchored=text.anchored
        )
        for token, (sort, word) in tokens.items():
            weight = text.weight
            if sort == "loose":
                weight = max(1, weight // LOOSE_SHARE)
            elif sort == "part":
                weight = min(PART, weight)
            key = (text.language, token)
            known = found.get(key, (0, ""))
            if weight > known[0]:
                found[key] = (weight, (word or known[1])[:MAX_TOKEN])
            elif word and not known[1]:
                found[key] = (known[0], word[:MAX_TOKEN])
    return found


def _ids(kind, lookup, instance):
    if lookup == "pk":
        return {instance.pk}
    return set(kind.model._default_manager.filter(**{lookup: instance.pk}).values_list("pk", flat=True))


def _remember(sender, instance, **kwargs):
    """Before a change: whose tokens the row is part of now, for it may leave them."""
    if versions.is_held_back() or instance.pk is None:
        return
    instance._search_before = {
        kind.name: _ids(kind, lookup, instance) for kind, lookup in registry.touched(sender) if lookup != "pk"
    }


def _refresh(sender, instance, **kwargs):
    """After a change: write the tokens of whatever the row was and is part of."""
    if versions.is_held_back():
        return
    before = instance.__dict__.pop("_search_before", {})
    for kind, lookup in registry.touched(sender):
        ids = before.get(kind.name, set()) | _ids(kind, lookup, instance)
        if (waiting := _waiting.get()) is not None:
            waiting.setdefault(kind.name, set()).update(ids)
        else:
            _write(kind, ids)


def _write(kind, ids):
    if ids:
        reindex(kind, ids)
        transaction.on_commit(query.make_ready, robust=True)  # not at the next reader's expense
