"""The catalog as the shelf that cases are answered from."""

from collections import defaultdict
from statistics import median

from django.db.models import Prefetch

from catalog.models import GPU, AIModel, MeasuredWeights, Source
from recommender import adapters
from recommender.evaluation.cases import Question, Refused
from recommender.evaluation.shelf import Card, reporting, same_source
from recommender.sizing import power
from recommender.sizing.power_constants import Work
from recommender.sizing.specs import AIModelSpec, MeasuredResult, Range


class CatalogShelf:
    """What is published of AI models, and all cards, read once.

    Cards that no server takes are not published, and are here to check the calculations. Checkpoints measured
    in the source of a case are left out for that case.
    """

    def __init__(self) -> None:
        self._models: dict[str, AIModel] = {
            model.slug: model
            for model in AIModel.objects.for_sizing().prefetch_related("measured_weights__source")
        }
        self._specs: dict[tuple[str, frozenset[int]], AIModelSpec] = {}
        self._cards: dict[str, Card] = {}
        for gpu in GPU.objects.select_related("manufacturer"):
            fabric = gpu.fabric_gbs_total
            self._cards[gpu.slug] = Card(adapters.gpu_spec(gpu), fabric and fabric * 1e9)

        self._measured: dict[str, list[MeasuredResult]] = defaultdict(list)
        for result in adapters.measured_results():
            self._measured[result.model].append(result)

    def measured(self, question: Question) -> tuple[MeasuredResult, ...]:
        """Return stored results of the case's model, without those of its own log or table."""
        return tuple(one for one in self._measured[question.model] if one.group != question.group)

    def model(self, question: Question) -> AIModelSpec:
        """Return the model of a case.

        Raises:
            Refused: it is not in the catalog.
        """
        model = self._models.get(question.model)
        if model is None:
            raise Refused(f"AI model not in the catalog: {question.model}")
        texts = {row.pk: _texts(row.source) for row in model.measured_weights.all() if row.source}
        left_out = frozenset(key for key, text in texts.items() if same_source(question.source, text))
        if (model.slug, left_out) not in self._specs:
            row = model
            if left_out:
                kept = Prefetch("measured_weights", MeasuredWeights.objects.exclude(pk__in=left_out))
                row = AIModel.objects.prefetch_related("cache_groups", "parts", kept).get(pk=model.pk)
            self._specs[model.slug, left_out] = adapters.ai_model_spec(row)
        return self._specs[model.slug, left_out]

    def card(self, question: Question) -> Card:
        """Return the card of a case or its stand-in, with the memory that the driver reported, if any.

        Raises:
            Refused: neither is in the catalog.
        """
        card = self._cards.get(question.gpu) or self._cards.get(question.gpu_proxy or "")
        if card is None:
            raise Refused(f"GPU not in the catalog: {question.gpu}")
        return reporting(card, question.gpu_total_gib)

    def server_power_w(self, card: Card, gpus: int, work: Work) -> Range:
        """Return what servers of the catalog draw with that many of these cards at that kind of work [W].

        The case names no server of ours: from the least of them to the most.

        Raises:
            Refused: none takes them, or their power is not known.
        """
        nodes = [
            node
            for machine in adapters.load_specs().machines
            for node in machine.nodes
            if node.gpu.slug == card.spec.slug and max(node.counts) >= gpus
        ]
        drawn = [found for node in nodes if (found := power.server_power_w(node, gpus, work))]
        if not drawn:
            raise Refused("no server of the catalog takes that many of these cards")
        low, high = min(one.low for one in drawn), max(one.high for one in drawn)
        return Range(low, median(one.typical for one in drawn), high)


def _texts(source: Source) -> tuple[str, ...]:
    """Return everything in which a source may name where it was found."""
    return source.slug, source.url, source.title, source.via
