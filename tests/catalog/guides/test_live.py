"""Published guides and the catalog: facts follow at once, dates are true, a broken block breaks nothing."""

import logging
import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from catalog import versions
from catalog.filtering import facts
from catalog.guides import checks
from catalog.models import GuideBlock, Server
from recommender import adapters
from tests.pages import Document

pytestmark = pytest.mark.usefixtures("catalog")

SR675 = "thinksystem-sr675-v3"
SR650 = "thinksystem-sr650-v3"
LOAD = "model=llama-3.3-70b&precision=bf16&concurrency=32&context_tokens=8000"
TEN_BLOCKS = f"""
El {{{{ name {SR675} }}}} mide {{{{ figure {SR675} rack_units }}}}; el otro,
{{{{ figure {SR650} rack_units }}}}.
Los pesos ocupan {{{{ memory weights {LOAD} }}}}.

```servers
stage=training
columns=height,gpus,gpu_memory,link,cooling
caption=Entrenamiento
```

```servers
stage=inference&rack_units=2
columns=height,room,bays
caption=Inferencia
```

```server
{SR675}
```

```matrix
training inference
```

```calculator
{LOAD}&gpu=nvidia-h200-nvl-141gb&gpus=2
```

```questionnaire
stage=inference&workload=chat
```
"""


def visit(client, slug="guia"):
    return client.get(reverse("catalog:guide", args=[slug]))


def forget():
    """Make the process as if it had just started."""
    cache.clear()
    facts.forget()
    adapters.forget()


def test_a_page_with_ten_blocks_takes_at_most_twelve_queries_in_a_new_process(client, publish):
    publish(slug_es="guia", body_es=TEN_BLOCKS)
    forget()
    with CaptureQueriesContext(connection) as queries:
        response = visit(client)
    assert response.content.decode().count("guide-block") == 6
    assert len(queries) <= 12, [query["sql"][:100] for query in queries]


def test_a_changed_fact_is_shown_without_the_guide_being_saved(client, clock, publish):
    publish(slug_es="guia", body_es=f"Mide {{{{ figure {SR675} rack_units }}}} en total.")
    first = visit(client)
    assert "Mide 3U en total" in " ".join(Document(first.content.decode()).texts)
    clock.pass_by(days=2)
    server = Server.objects.get(slug=SR675)
    server.rack_units = 4
    server.save()
    second = client.get(reverse("catalog:guide", args=["guia"]), headers={"If-None-Match": first["ETag"]})
    assert "Mide 4U en total" in " ".join(Document(second.content.decode()).texts)
    assert 'datetime="2027-03-03' in second.content.decode()


def test_a_fact_that_is_saved_without_a_change_makes_no_new_date(client, clock, publish):
    publish(slug_es="guia", body_es=f"Mide {{{{ figure {SR675} rack_units }}}}.")
    clock.pass_by(days=2)
    Server.objects.get(slug=SR675).save()
    other = Server.objects.get(slug=SR650)
    other.rack_units = 4
    other.save()
    html = visit(client).content.decode()
    assert 'datetime="2027-03-01' in html
    assert 'datetime="2027-03-03' not in html


def test_a_server_that_goes_is_a_change_of_today(client, clock, publish):
    publish(slug_es="guia", body_es="```servers\nrack_units=3\ncaption=De 3U\n```\n")
    clock.pass_by(days=5)
    server = Server.objects.get(slug=SR675)
    server.is_published = False
    server.save()
    html = visit(client).content.decode()
    assert "SR675 V3" not in html
    assert 'datetime="2027-03-06' in html


def test_a_block_that_fails_shows_its_last_good_form_and_staff_are_told(client, publish, caplog):
    guide = publish(slug_es="guia", body_es=f"Mide {{{{ figure {SR675} rack_units }}}}.")
    server = Server.objects.get(slug=SR675)
    server.is_published = False
    server.save()
    with caplog.at_level(logging.ERROR):
        for _visit in range(2):
            response = visit(client)
            assert response.status_code == 200
            assert "3U" in response.content.decode()
    assert [SR675 in record.getMessage() for record in caplog.records] == [True]  # told once
    block = GuideBlock.objects.get(edition__guide=guide)
    assert block.failed_since is not None
    assert SR675 in block.error
    server.is_published, server.rack_units = True, 5
    server.save()
    assert "5U" in visit(client).content.decode()
    block.refresh_from_db()
    assert (block.failed_since, block.error) == (None, "")


def test_a_block_that_never_worked_leaves_a_page_that_says_so(client, publish):
    guide = publish(slug_es="guia", body_es="```server\nthinksystem-sr675-v3\n```\n")
    GuideBlock.objects.all().delete()
    Server.objects.get(slug=SR675).delete()
    response = visit(client)
    assert response.status_code == 200
    assert GuideBlock.objects.get(edition__guide=guide).html == ""


def test_whoever_cannot_write_reads_all_the_same(client, publish, monkeypatch):
    publish(slug_es="guia", body_es=f"Mide {{{{ figure {SR675} rack_units }}}}.")
    server = Server.objects.get(slug=SR675)
    server.rack_units = 4
    server.save()

    def refuse(*args, **kwargs):
        from django.db import OperationalError

        raise OperationalError("read-only")

    monkeypatch.setattr("catalog.guides.live.GuideBlock.objects.bulk_create", refuse)
    assert "4U" in visit(client).content.decode()


def test_blocks_of_a_page_are_kept_until_a_fact_changes(client, publish):
    publish(slug_es="guia", body_es=TEN_BLOCKS)
    assert {block.made_from.split("-")[0] for block in GuideBlock.objects.all()} == {versions.current()}
    with CaptureQueriesContext(connection) as queries:
        visit(client)
    assert not [query for query in queries if query["sql"].startswith(("INSERT", "UPDATE"))]


# The checker of numbers


@pytest.mark.parametrize(
    ("sentence", "doubted"),
    [
        ("El SR675 V3 lleva hasta 8 GPU de 600 W en 3U.", []),
        ("El ThinkSystem SR675 V3 lleva hasta 17 GPU.", ["17"]),
        ("El SR675 V3 es modular. Hay 17 motivos.", []),
        ("El SR675 V3 y el SR650 V3: 3 y 2 unidades, y 7777 W.", ["7777"]),
        ("Hay 17 motivos.", []),
        (f"El SR675 V3 mide {{{{ figure {SR675} rack_units }}}}.", []),
        ("El SR675 V3 lleva 12 345 GPU.", ["12345"]),
    ],
)
def test_numbers_beside_a_server_that_it_does_not_have_are_listed(sentence, doubted):
    warnings = [problem for problem in checks.check(f"uno\n\n{sentence}\n") if not problem.is_error]
    assert [re.search("[“«](.+?)[”»]", problem.text)[1] for problem in warnings] == doubted
    assert {problem.line for problem in warnings} <= {3}
