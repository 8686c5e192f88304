"""One server or several: the ways to run training and a service, compared; pure, without Django or languages.

The ways come from the same engine with different inputs: both jobs at the same time on one server, a server
for each, both on the same cards one after the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from recommender.ranking import Match, Ranking, rank
from recommender.sizing.demand import Case, Machine

WAYS = ("shared", "separate", "scheduled")


@dataclass(frozen=True, slots=True)
class Plan:
    """One way to run training and a service: on the same server, or on one each."""

    serving: Match | None
    training: Match | None

    @property
    def works(self) -> bool:
        return self.serving is not None and self.training is not None


@dataclass(frozen=True, slots=True)
class Plans:
    """The ways of running both jobs; none where there is only one job."""

    ways: Mapping[str, Plan] = field(default_factory=dict)


def compare(case: Case, machines: Sequence[Machine], ranked: Ranking) -> Plans:
    """Return the ways to run the work that is asked.

    Args:
        case: The resolved answers.
        machines: What can be ordered.
        ranked: The ranking of that case.
    """
    if not (case.serves and case.trains):
        return Plans()
    at_once = ranked if case.together else rank(replace(case, together=True), machines)
    in_turn = rank(replace(case, together=False), machines) if case.together else ranked
    serving = rank(replace(case, trains=False, together=False), machines)
    training = rank(replace(case, serves=False, together=False, n_plus_1=False, kind="tokens"), machines)
    both, turns = _first(at_once), _first(in_turn)
    return Plans(
        {
            "shared": Plan(both, both),
            "separate": Plan(_first(serving), _first(training)),
            "scheduled": Plan(turns, turns),
        }
    )


def _first(ranked: Ranking) -> Match | None:
    return ranked.matches[0] if ranked.matches else None
