"""One server or several: what is compared, what is advised, and what would turn it.

Pure: no Django, clock or language. Results are codes with figures; `plan_texts` makes the sentences.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recommender.plans.comparison import WAYS, Plan, Scale, ways_of
from recommender.plans.components import Component, components
from recommender.plans.contention import Way
from recommender.plans.terms import Span, Terms
from recommender.plans.verdict import Verdict, decide
from recommender.ranking import Ranking
from recommender.sizing.demand import Case, Machine
from recommender.sizing.specs import AIModelSpec

__all__ = ["WAYS", "Component", "Plan", "Plans", "Scale", "Span", "Terms", "Verdict", "Way", "compare"]


@dataclass(frozen=True, slots=True)
class Plans:
    """The ways of running both jobs with a verdict, or how the only job grows."""

    terms: Terms
    ways: Mapping[Way, Plan] = field(default_factory=dict)
    verdict: Verdict | None = None  # None: there is only one job
    scale: Scale | None = None
    components: tuple[Component, ...] = ()  # of a search in documents


def compare(
    case: Case,
    terms: Terms,
    machines: Sequence[Machine],
    ranked: Ranking,
    models: Mapping[str, AIModelSpec],
) -> Plans:
    """Return how the work that is asked can be spread over servers.

    Args:
        case: The resolved answers.
        terms: The answers about running it.
        machines: What can be ordered.
        ranked: The ranking of that case.
        models: Published models by slug.
    """
    found = ways_of(case, terms, machines, ranked)
    verdict = decide(case, terms, found.plans) if found.plans else None
    advised = None if verdict is None or verdict.way is None else found.plans[verdict.way].serving
    if verdict is None and ranked.matches:
        advised = ranked.matches[0]
    return Plans(terms, found.plans, verdict, found.scale, components(case, terms, advised, models))
