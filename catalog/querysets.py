"""Named, chainable reads of the catalog's tables."""

from django.db import models
from django.db.models import Case, Exists, F, Max, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone

# Figures that say how fast something works.
RATES = (
    "output_tokens_per_s",
    "total_tokens_per_s",
    "decode_tokens_per_s",
    "prefill_tokens_per_s",
    "samples_per_s",
    "tokens_per_s_per_gpu",
    "tokens_per_s",
)


class FactQuerySet(models.QuerySet):
    def update(self, **kwargs):
        raise TypeError("update() would leave the catalog version behind: change facts with save().")

    def published(self):
        return self.filter(is_published=True)


class ServerQuerySet(FactQuerySet):
    def with_gpu_memory(self):
        """Annotate the memory of the server's largest GPU option, all cards together.

        `gpu_memory_gb` sums the printed labels [GB], `gpu_memory_gib` what drivers report [GiB]; a count that
        is not published counts as one card; null: no option, or nothing reported.
        """
        option = "variants__gpu_options"
        devices = Case(
            When(**{f"{option}__gpu__form": "superchip"}, then=Value(1)),
            default=F(f"{option}__gpu__devices_per_board"),
            output_field=models.PositiveIntegerField(),
        )
        count = Coalesce(F(f"{option}__max_count"), F(f"{option}__min_count"))
        return self.annotate(
            gpu_memory_gb=Max(count * devices * F(f"{option}__gpu__memory_gb")),
            gpu_memory_gib=Max(count * devices * F(f"{option}__gpu__memory_gib_usable")),
        )

    def for_cards(self):
        """Rows for a list of cards: everything a card prints, in a fixed number of queries."""
        return (
            self.published()
            .select_related("manufacturer", "cpu_manufacturer", "enclosure")
            .with_gpu_memory()
            .prefetch_related("cooling_options", "variants__slot_alternatives", "variants__gpu_options__gpu")
            .order_by("sort_key")
        )

    def for_page(self):
        """One server with all that its page prints."""
        return (
            self.published()
            .select_related("manufacturer", "cpu_manufacturer", "enclosure", "successor")
            .with_gpu_memory()
            .prefetch_related(
                "power_supplies",
                "cooling_options",
                "predecessors",
                "variants__slot_alternatives",
                "variants__gpu_options__gpu__manufacturer",
            )
        )


class GPUQuerySet(FactQuerySet):
    def for_cards(self):
        return self.published().select_related("manufacturer").order_by("sort_key")

    def for_page(self):
        return (
            self.published()
            .select_related("manufacturer")
            .prefetch_related("options__variant__server__manufacturer")
        )


class AIModelQuerySet(FactQuerySet):
    def for_sizing(self):
        """Every published model with the rows that a memory calculation reads.

        Annotated with `cache_contested`: a source states another cache than the one that is kept.
        """
        others = self.model.evidence.rel.related_model.objects.filter(
            ai_model=OuterRef("pk"), field="cache_groups", kept=False
        )
        return (
            self.published()
            .annotate(cache_contested=Exists(others))
            .prefetch_related("cache_groups", "parts", "measured_weights")
            .order_by("sort_key")
        )


class WorkloadProfileQuerySet(FactQuerySet):
    def for_page(self):
        return (
            self.published().prefetch_related("requirements", "assumptions__source").order_by("order", "slug")
        )


class BenchmarkResultQuerySet(FactQuerySet):
    def published(self):
        """Results that readers see: of cards that they see too."""
        return self.filter(is_published=True, gpu__is_published=True)

    def for_tables(self):
        """Rows for a table: everything that a line prints, in one query, best known first.

        A server of the catalog comes before other machines, a rate before other figures, and the newer round
        before the older one.
        """
        return (
            self.published()
            .select_related("gpu", "server", "ai_model")
            .annotate(
                in_our_server=Case(When(server__is_published=True, then=Value(0)), default=Value(1)),
                figure_place=Case(
                    When(figure__in=RATES, then=Value(0)),
                    When(figure="mean_system_power_w", then=Value(1)),
                    default=Value(2),
                ),
            )
            .order_by("in_our_server", "figure_place", "-round", "suite", "measurement", "figure")
        )

    def for_sizing(self):
        """What a recommendation compares with: rates and power, with the names that they are found by."""
        return (
            self.published()
            .filter(figure__in=(*RATES, "mean_system_power_w"))
            .select_related("gpu__manufacturer", "server", "ai_model")
            .order_by("measurement", "figure")
        )


class GuideEditionQuerySet(models.QuerySet):
    def live(self):
        """What readers see at this moment: at most one edition a guide and language."""
        now = timezone.now()
        return self.filter(Q(ended_at=None) | Q(ended_at__gt=now), publish_at__lte=now)

    def lasting(self):
        """What readers see now or will see, when its time comes."""
        return self.filter(Q(ended_at=None) | Q(ended_at__gt=timezone.now()))

    def for_page(self):
        """Editions with all that a page prints of them; `first_published` is when the language first was."""
        earlier = self.model.objects.filter(guide=OuterRef("guide"), language=OuterRef("language"))
        return (
            self.select_related("guide")
            .prefetch_related("blocks")
            .annotate(first_published=Subquery(earlier.order_by("publish_at").values("publish_at")[:1]))
        )

    def guides(self):
        """Guides alone, without the site's own texts."""
        return self.filter(guide__kind="guide")
