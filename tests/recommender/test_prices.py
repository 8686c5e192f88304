"""Prices by hand: only public ones are seen, and they order only where every match has one."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from catalog import history
from catalog.models import Variant
from recommender import answers, orders, prices, services
from recommender.models import Price
from tests.catalog.staff import save
from tests.factories import AIModelFactory, GPUFactory, GPUOptionFactory, VariantFactory

pytestmark = pytest.mark.django_db

ANSWERS = {"stage": "inference", "model": "tiny", "concurrency": "4", "context_tokens": "4096"}
TODAY = timezone.localdate


@pytest.fixture
def options(db):
    """Two servers with the same card; the lower one comes first."""
    AIModelFactory(slug="tiny", developer="Meta")
    gpu = GPUFactory(name="Card", slug="card")
    return [
        GPUOptionFactory(
            gpu=gpu,
            variant__server__name=name,
            variant__server__slug=name.lower(),
            variant__server__rack_units=u,
        )
        for name, u in (("Low", 2), ("High", 4))
    ]


def price(option, amount, **fields):
    return Price.objects.create(
        **{
            "server": option.variant.server,
            "gpu": option.gpu,
            "gpu_count": 1,
            "amount": Decimal(amount),
            "currency": "EUR",
            "valid_from": TODAY() - timedelta(days=1),
            "valid_until": TODAY(),
            "is_public": True,
        }
        | fields
    )


def order(view="price"):
    page = services.page(services.recommend(answers.parse(ANSWERS)), view=view)
    return page["view"], [match["server"].name for match in page["matches"]]


def results(**query):
    with translation.override("en"):
        return Client().get(reverse("recommender:results"), ANSWERS | query)


def test_the_lowest_price_is_an_order_where_every_match_has_one(options):
    price(options[0], "20000")
    price(options[1], "12500.50")
    assert order() == ("price", ["High", "Low"])
    assert order("best") == ("best", ["Low", "High"])
    page = results(view="price").content.decode()
    assert "Lowest price" in page
    assert "12,500.5\N{NO-BREAK SPACE}EUR" in page


@pytest.mark.parametrize(
    "fields",
    [
        None,
        {"is_public": False},
        {"currency": "USD"},
        {"valid_until": TODAY() - timedelta(days=1)},
        {"valid_from": TODAY() + timedelta(days=1), "valid_until": TODAY() + timedelta(days=2)},
        {"gpu_count": 2},
    ],
    ids=["none", "internal", "another currency", "over", "not yet", "another number of cards"],
)
def test_one_match_without_a_public_price_of_today_leaves_price_out(options, fields):
    price(options[0], "20000")
    if fields is not None:
        price(options[1], "12500", **fields)
    assert order() == ("best", ["Low", "High"])
    page = results(view="price").content.decode()
    assert "Lowest price" not in page
    assert "EUR" not in page
    assert "12,500" not in page


def test_prices_of_some_matches_are_no_order(options):
    """The pure order refuses as well, whoever hands it prices."""
    matches = services.recommend(answers.parse(ANSWERS)).ranking.matches
    assert orders.ordered(matches, "price", {("high", "card"): Decimal(1)}) == matches


def test_prices_never_move_a_score_and_are_no_part_of_the_json(options):
    def advice():
        return services.as_json(services.recommend(answers.parse(ANSWERS)))

    before = advice()
    price(options[0], "20000")
    price(options[1], "1")
    assert advice() == before


def test_the_price_of_a_variant_goes_before_that_of_its_server(options):
    option = options[0]
    price(option, "20000")
    price(options[1], "15000")
    price(option, "9000", variant=option.variant)
    assert order() == ("price", ["Low", "High"])
    other = Variant.objects.create(server=option.variant.server, slug="other", name="Other")
    price(option, "1", variant=other)
    match = services.page(services.recommend(answers.parse(ANSWERS)), view="price")["matches"][0]
    assert match["cost"].amount == 9000


def test_amounts_read_in_each_language():
    with translation.override("ru"):
        assert prices.money(Decimal("12500.50"), "RUB") == "12\N{NO-BREAK SPACE}500,5\N{NO-BREAK SPACE}RUB"
    with translation.override("en"):
        assert prices.money(Decimal("12500"), "USD") == "12,500\N{NO-BREAK SPACE}USD"


def test_a_changed_price_makes_another_etag(options):
    before = results().headers["ETag"]
    row = price(options[0], "20000")
    changed = results().headers["ETag"]
    row.delete()
    assert len({before, changed, results().headers["ETag"]}) == 3


@pytest.mark.parametrize(
    "fields", [{"amount": 0}, {"valid_until": TODAY() - timedelta(days=9)}, {"gpu_count": 0}]
)
def test_prices_that_make_no_sense_are_refused(options, fields):
    row = Price(
        **{
            "server": options[0].variant.server,
            "gpu": options[0].gpu,
            "gpu_count": 1,
            "amount": 5,
            "currency": "EUR",
            "valid_until": TODAY(),
        }
        | fields
    )
    with pytest.raises(ValidationError):
        row.full_clean()


def test_a_price_is_for_what_can_be_ordered(options):
    """One or two cards of two GPUs each; of another variant's card as many as that takes."""
    low, high = options
    low.gpu.devices_per_board = 2
    low.gpu.save()
    long = VariantFactory(server=low.variant.server, slug="long", is_default=False)
    other = GPUOptionFactory(variant=long, gpu=low.gpu, min_count=4, max_count=None)

    def wrong(**fields):
        defaults = {"server": low.variant.server, "gpu": low.gpu, "amount": 5, "currency": "EUR"}
        try:
            Price(**defaults | {"valid_until": TODAY()} | fields).full_clean()
        except ValidationError as error:
            return list(error.message_dict)
        return []

    assert [wrong(gpu_count=count) for count in (2, 4, 8, 16)] == [[], [], [], []]
    assert [wrong(gpu_count=count) for count in (1, 3, 6)] == [["gpu_count"]] * 3
    assert wrong(gpu_count=8, variant=low.variant) == ["gpu_count"]
    assert wrong(gpu_count=2, variant=other.variant) == ["gpu_count"]
    assert wrong(gpu_count=2, gpu=GPUFactory(name="Another")) == ["gpu"]
    assert wrong(gpu_count=2, server=high.variant.server) == []


def member(name, group):
    user = User.objects.create_user(name, password="x", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    client = Client()
    client.force_login(user)
    return client


def form(option, **fields):
    return {
        "server": option.variant.server.pk,
        "gpu": option.gpu.pk,
        "gpu_count": 1,
        "amount": "20000",
        "currency": "EUR",
        "valid_from": TODAY().isoformat(),
        "valid_until": TODAY().isoformat(),
    } | fields


def test_sales_set_prices_and_product_managers_publish_them(options):
    sales, manager = member("Sam", "Sales"), member("Ana", "Product managers")
    add = reverse("admin:recommender_price_add")
    assert sales.post(add, form(options[0], is_public="on", why="Offer 12")).status_code == 302
    row = Price.objects.get()
    assert (row.is_public, row.set_by.username, row.amount) == (False, "Sam", 20000)
    change = reverse("admin:recommender_price_change", args=[row.pk])
    assert save(manager, change, is_public="on").status_code == 302
    row.refresh_from_db()
    assert row.is_public
    assert sales.post(change, form(options[0], amount="1")).status_code == 403
    assert [entry.revision.made_by for entry in history.entries(row)] == ["Ana", "Sam"]
    assert member("Mia", "Marketing").get(change).status_code == 403
