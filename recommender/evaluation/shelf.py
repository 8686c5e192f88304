"""Models and cards as cases ask for them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from recommender.evaluation.cases import Question, Refused
from recommender.sizing.power_constants import Work
from recommender.sizing.specs import (
    GIB,
    USABLE_SHARE,
    AIModelSpec,
    GPUSpec,
    Link,
    MeasuredResult,
    Range,
    SizingError,
)

_REPOSITORY = re.compile(r"github:(?P<name>[\w.-]+/[\w.-]+?)(?:@.*)?")
_LABEL = re.compile(r"-(?P<gb>\d{1,3})gb\b")
_INDEX = re.compile(r"\b\d{7,}\b")


@dataclass(frozen=True)
class Card:
    """One accelerator, and what joins it to others where no server is named."""

    spec: GPUSpec
    fabric_bytes_per_s: float | None

    def link(self, gpus: int) -> tuple[Link, float | None]:
        """Return what usually joins that many of these cards, and its rate per card, both directions."""
        spec = self.spec
        if gpus == 1:
            return "none", None
        if spec.form in ("sxm", "superchip") and spec.nvlink_bytes_per_s:
            return "nvswitch", spec.nvlink_bytes_per_s
        if spec.form == "oam" and self.fabric_bytes_per_s:
            return "fabric", self.fabric_bytes_per_s
        if spec.bridge_max_gpus and spec.nvlink_bytes_per_s and gpus <= spec.bridge_max_gpus:
            return "bridge", spec.nvlink_bytes_per_s
        return "pcie", spec.pcie_bytes_per_s


class Shelf(Protocol):
    """Models and cards as the cases ask for them."""

    def model(self, question: Question) -> AIModelSpec:
        """Return the model of a case, without checkpoints that were measured in the case's own source.

        Raises:
            Refused: it is not there.
        """

    def card(self, question: Question) -> Card:
        """Return the card of a case or its stand-in, with the memory that the driver reported, if any.

        Raises:
            Refused: neither is there.
        """

    def measured(self, question: Question) -> tuple[MeasuredResult, ...]:
        """Return stored results of the case's model, without those of its own log or table."""

    def server_power_w(self, card: Card, gpus: int, work: Work) -> Range:
        """Return what servers draw with that many of these cards at that kind of work [W].

        Raises:
            Refused: none takes them, or their power is not known.
        """


def reporting(card: Card, total_gib: float | None) -> Card:
    """Return the card with the memory that its driver reported [GiB].

    Raises:
        Refused: no accelerator has that much, or that little.
    """
    if total_gib is None:
        return card
    memory = Range.exact(total_gib * GIB)
    try:
        spec = replace(card.spec, memory_bytes=memory, memory_reported=True, memory_label_gb=None)
    except SizingError as error:
        raise Refused("gpu_total_gib_reported is not the memory of one accelerator") from error
    return replace(card, spec=spec)


def memory_card(shelf: Shelf, question: Question) -> Card:
    """Return the card of a case; of one that is not there, as much as its report or its name tell of memory.

    Memory depends on nothing else of a card but its maker; rates stay unknown and are refused as such.

    Raises:
        Refused: it is not there, and neither report nor name states its memory.
    """
    try:
        return shelf.card(question)
    except Refused:
        label = _LABEL.search(question.gpu)
        if question.gpu_total_gib is None and label is None:
            raise
    total, printed = question.gpu_total_gib, float(label["gb"]) if label else None
    memory = USABLE_SHARE.scaled(printed * GIB) if printed else Range.exact(0.0)
    if total is not None:
        memory, printed = Range.exact(total * GIB), None
    spec = GPUSpec(
        slug=question.gpu,
        vendor=question.gpu.partition("-")[0],
        architecture="",
        form=None,
        memory_bytes=memory,
        memory_reported=total is not None,
        bandwidth_bytes_per_s=None,
        dense_flops={},
        native_precisions=frozenset(),
        tdp_w=None,
        memory_label_gb=printed,
    )
    return Card(spec, None)


def same_source(reference: str, texts: Iterable[str]) -> bool:
    """Tell whether a case comes from a source of the catalog: the same address, repository or file."""
    found = " ".join(texts)
    repository = _REPOSITORY.fullmatch(reference)
    if repository:
        return _names(found, repository["name"])
    if "://" in reference:
        return _names(found, reference.partition("://")[2].rstrip("/"))
    return any(_names(found, number) for number in _INDEX.findall(reference))


def _names(text: str, name: str) -> bool:
    """Tell whether a text has that name, and not only as a part of a longer one."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) is not None


def resized(model: AIModelSpec, parameters: float | None) -> AIModelSpec:
    """Return the model with the parameters that the case counts: vocabulary and positions may differ.

    Raises:
        Refused: another model goes by the name.
    """
    if parameters is None or parameters == model.parameters:
        return model
    if not 0.9 < parameters / model.parameters < 1.1:
        raise Refused("stated parameters are not those of the model in the catalog")
    slug = f"{model.slug}:{parameters:.0f}"  # results are kept by slug
    return replace(model, slug=slug, parameters=int(parameters), measured_weights={})
