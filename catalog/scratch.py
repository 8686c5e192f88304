"""A made-up catalog of any size, to measure with; its slugs all begin with the same word."""

from random import Random

from django.db import transaction

from catalog import versions
from catalog.models import (
    GPU,
    CoolingOption,
    GPUOption,
    Manufacturer,
    Server,
    SlotAlternative,
    Variant,
    WorkloadProfile,
)
from catalog.models.base import sort_key

PREFIX = "scratch-"
GPUS = 60
MEMORIES_GB = (16, 24, 32, 48, 80, 96, 141, 192, 288)


def is_scratch():
    """Tell whether the database holds no servers but made-up ones."""
    return not Server.objects.exclude(slug__startswith=PREFIX).exists()


@transaction.atomic
def fill(servers, options, seed=1):
    """Add made-up servers and GPU options, the same for the same seed; facts are missing at random."""
    random = Random(seed)
    with versions.held_back():
        makers = _makers()
        gpus = _gpus(random, makers)
        _profiles()
        rows = Server.objects.bulk_create(_server(random, number, makers) for number in range(servers))
        CoolingOption.objects.bulk_create(
            CoolingOption(server=row, kind=kind)
            for row in rows
            for kind in random.sample(CoolingOption.Kind.values, random.randint(0, 2))
        )
        variants = Variant.objects.bulk_create(
            Variant(server=row, slug="base", name=row.name, is_default=True) for row in rows
        )
        SlotAlternative.objects.bulk_create(
            SlotAlternative(variant=variant, width=width, count=random.randint(1, 8))
            for variant in variants
            for width in SlotAlternative.Width.values
        )
        GPUOption.objects.bulk_create(
            _option(random, variants[number % servers], random.choice(gpus)) for number in range(options)
        )
    versions.bump()


def _makers():
    rows = [
        Manufacturer(
            slug=f"{PREFIX}maker-{number}",
            name=f"Maker {number}",
            sort_key=sort_key(f"Maker {number}"),
            makes_servers=True,
            makes_processors=True,
            makes_gpus=True,
        )
        for number in range(5)
    ]
    return Manufacturer.objects.bulk_create(rows)


def _gpus(random, makers):
    rows = []
    for number in range(GPUS):
        name = f"Accelerator {number}"
        form = random.choice(GPU.Form.values)
        rows.append(
            GPU(
                slug=f"{PREFIX}gpu-{number}",
                name=name,
                sort_key=sort_key(name),
                manufacturer=random.choice(makers),
                market_state="current",
                form=form,
                slots_wide=random.randint(1, 2) if form == GPU.Form.PCIE else None,
                memory_gb=random.choice(MEMORIES_GB),
                tdp_w=_perhaps(random, random.randrange(70, 1200, 10)),
                is_published=True,
            )
        )
    return GPU.objects.bulk_create(rows)


def _profiles():
    WorkloadProfile.objects.bulk_create(
        WorkloadProfile(
            slug=f"{PREFIX}work-{number}",
            stage=stage,
            gpus_min=number + 1,
            name_es=f"Trabajo {number}",
            name_ru=f"Работа {number}",
            name_en=f"Work {number}",
            order=number,
            is_published=True,
        )
        for number, stage in enumerate(WorkloadProfile.Stage.values)
    )


def _server(random, number, makers):
    name = f"Machine {number}"
    return Server(
        slug=f"{PREFIX}{number}",
        name=name,
        sort_key=sort_key(name),
        manufacturer=makers[0],
        kind=random.choice(("rack", "edge", "tower")),
        launch_year=random.randint(2019, 2026),
        lifecycle="current" if random.random() < 0.8 else "withdrawn",
        is_published=True,
        rack_units=_perhaps(random, random.randint(1, 8)),
        depth_mm=_perhaps(random, random.randint(400, 950)),
        short_depth=random.choice((None, False, True)),
        cpu_manufacturer=random.choice(makers),
        sockets_min=1,
        sockets_max=random.randint(1, 4),
        bays_2_5=_perhaps(random, random.randrange(0, 40, 4)),
        bays_nvme=_perhaps(random, random.randrange(0, 36, 4)),
        temperature_min_c=_perhaps(random, random.randint(-5, 10)),
        temperature_max_c=_perhaps(random, random.randint(25, 55)),
        for_training=random.random() < 0.4,
        for_fine_tuning=random.random() < 0.4,
        for_inference=random.random() < 0.7,
        for_edge=random.random() < 0.1,
    )


def _option(random, variant, gpu):
    most = _perhaps(random, random.choice((1, 2, 3, 4, 8, 10)))
    return GPUOption(
        variant=variant,
        gpu=gpu,
        max_count=most,
        link=_perhaps(random, random.choice(GPUOption.Link.values)),
        lifecycle="current" if random.random() < 0.8 else "withdrawn",
        ambient_max_c=_perhaps(random, random.randint(25, 40)),
        blocks_bays=random.choice((None, False, True)),
        basis="maker",
    )


def _perhaps(random, value):
    """Return the value, or three times in ten that it is not known."""
    return value if random.random() < 0.7 else None
