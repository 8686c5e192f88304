from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from aiservers.numbers import Interval
from catalog.models import GPU, Server
from recommender.adapters import load_specs
from recommender.power_page import power_details
from recommender.sizing.power import server_power_w
from tests.pages import LANGUAGES, Document, Page

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.one_database]


def a_match(server="thinksystem-sr680a-v3", gpu="nvidia-b200-sxm-180gb", gpus=8, servers=1, units=8):
    return {
        "server": Server.objects.get(slug=server),
        "variant": None,
        "gpu": GPU.objects.get(slug=gpu),
        "gpus_per_server": gpus,
        "servers": servers,
        "rack_units": units,
    }


def figures(details):
    return [str(figure["label"]) for figure in details["figures"]]


def test_parts_and_what_follows_from_them():
    with override("en"):
        details = power_details(a_match())
        assert [str(part["label"]) for part in details["parts"]][:2] == ["Cards", "Processors"]
        # eight modules of 1,000 W at 78 % of their limit
        assert details["parts"][0]["text"] == {"typical": "6.24\u202fkW", "ends": "3.2–8"}
        assert figures(details) == ["Energy of a month at the peak load", "Heat for the room to take away"]
        assert "÷ 1,000" in details["figures"][0]["formula"]


def test_what_nobody_measured_is_named_as_our_own_estimate():
    with override("en"):
        shown = render_to_string("recommender/_power.html", {"power": power_details(a_match()), "name": "x"})
    assert "is our own estimate" in shown
    assert "measured by others" not in shown


def test_money_and_a_normal_load_only_where_they_are_given():
    with override("en"):
        details = power_details(a_match(servers=2, units=16), Interval(Decimal("0.2"), Decimal("0.2")), 0.25)
        assert figures(details)[1] == "Energy of a month at your normal load"
        assert figures(details)[-1].startswith("Cost of a month")
        assert not {"€", "$", "₽"} & set("".join(figure["formula"] for figure in details["figures"]))
    assert power_details(a_match(), 0.2)["figures"][-1]["formula"]


def test_two_servers_take_twice_as_much_and_each_unit_as_before():
    one, two = power_details(a_match()), power_details(a_match(servers=2, units=16))
    assert one["total"] == two["total"], "the table is of one server"
    assert one["each_unit"] == two["each_unit"]
    assert one["figures"][1]["text"] != two["figures"][1]["text"]
    assert power_details(a_match(units=None))["each_unit"] is None


def test_cards_that_only_train_draw_what_training_draws(client):
    path = Page("recommender:workings").path("en")
    query = "model=llama-3.1-8b&method=full&dataset_tokens=50000000&target_hours=24"

    def first(stage):
        (match, *_others) = client.get(f"{path}?stage={stage}&{query}").context["matches"]
        return match

    alone, beside = first("fine_tuning"), first("mixed")
    node = next(
        node
        for machine in load_specs().machines
        for node in machine.nodes
        if (node.server, node.gpu.slug) == (alone["server"].slug, alone["gpu"].slug)
        and node.variant == alone["variant"].slug
    )
    drawn = server_power_w(node, alone["gpus_per_server"], "training").scaled(alone["servers"])
    assert alone["power_w"] == [round(end) for end in (drawn.low, drawn.typical, drawn.high)]
    with override("en"):
        total = power_details(alone)["total"]["typical"]
        assert total == power_details(alone | {"servers": 1})["total"]["typical"]
        assert total != power_details(alone | {"memory_gib_per_gpu": None})["total"]["typical"]
    assert beside["memory_gib_per_gpu"]["gradients"] is None  # it serves, and trains now and then


def test_a_server_without_that_card_has_no_figure():
    unknown = a_match() | {"gpu": SimpleNamespace(slug="nothing")}
    assert power_details(unknown) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_reads_in_every_language(language):
    with override(language):
        html = render_to_string(
            "recommender/_power.html",
            {
                "power": power_details(a_match(), Interval(Decimal("0.1"), Decimal("0.3")), 0.5),
                "name": "SR680a V3",
            },
        )
    texts = " ".join(Document(html).texts)
    assert "None" not in texts
    assert ("kWh" in texts) or language == "ru"
    decimal = {"en": "0.2", "es": "0,2", "ru": "0,2"}[language]
    assert decimal in texts, "the tariff in the reader's way of writing numbers"


def test_the_first_match_opens_to_it(client):
    load = "stage=inference&workload=chat&model=llama-3.3-70b&concurrency=32"
    query = f"{load}&normal_concurrency=8&energy_price=0.25"
    html = client.get(f"{Page('recommender:workings').path('en')}?{query}").content.decode()
    assert "Where the power goes, energy and heat" in html
    assert "Energy of a month at your normal load" in html
    assert "× 0.25" in html
    plain = client.get(f"{Page('recommender:workings').path('en')}?{load}")
    assert "Cost of a month" not in plain.content.decode()
