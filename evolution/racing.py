"""Racing on *select*: every candidate answers a few queries, the better half goes on, the best meets the gate.

Successive halving (Jamieson and Talwalkar 2016) with a futility stop. Racing only ranks and saves judge calls; it
promotes nobody, and it never sees *confirm*, so that its luck cannot help at the gate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from pydantic import BaseModel, ConfigDict, Field

from .statistics import sign_flip_p

__all__ = ["RaceRound", "RacingPolicy", "race"]

_SEVERAL = 4  # equal marks of fewer queries may be chance

Scores = Mapping[str, float]
"""Query id -> score of 0 to 10, the mean of its judgements; unmeasured queries are absent."""


class RacingPolicy(BaseModel):
    """rounds: queries answered in all by the end of each. keep: share that goes on, rounded up.

    finalists: how many meet the gate. futility: a candidate goes out, whatever its place, once the one-sided p of "not
    worse than the active genome" is below this.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rounds: list[int] = Field(default=[8, 16], min_length=1)
    keep: float = Field(default=0.5, gt=0.0, le=1.0)
    finalists: int = Field(default=1, ge=1, le=5)
    futility: float = Field(default=0.05, ge=0.0, lt=0.5)
    min_measured: float = Field(default=0.5, gt=0.0, le=1.0, description="Share of a round's queries, at least.")

    def model_post_init(self, context: object) -> None:
        """Rounds must grow.

        Raises:
            ValueError: they do not.
        """
        if self.rounds[0] < 1 or any(
            later <= before for before, later in zip(self.rounds, self.rounds[1:], strict=False)
        ):
            raise ValueError(f"rounds {self.rounds} must grow from at least 1: queries answered by the end of each")


@dataclass(frozen=True, slots=True)
class RaceRound:
    """What a round of racing says.

    go_on: hashes, best first; finalists when ``final``, else those that answer up to ``queries`` queries next.
    stopped: hash -> why. differences: hash -> mean difference to the active genome; who measured too little is absent.
    """

    go_on: list[str]
    stopped: dict[str, str]
    differences: dict[str, float]
    final: bool
    queries: int


def race(
    active: Scores,
    candidates: Mapping[str, Scores],
    round_index: int,
    policy: RacingPolicy | None = None,
    clusters: Mapping[str, str] | None = None,
) -> RaceRound:
    """Who goes on after a round.

    Args:
        active: of the active genome on the *select* queries so far.
        candidates: hash -> scores, of those still in the race.
        round_index: from 0.
        policy: the shipped one when None.
        clusters: query id -> cluster, for the futility stop; '' or absent when a query is on its own.
    """
    policy, clusters = policy or RacingPolicy(), clusters or {}
    final = round_index >= len(policy.rounds) - 1
    pairs = {name: _differences(active, scores) for name, scores in candidates.items()}
    least = max(1, ceil(policy.min_measured * policy.rounds[min(round_index, len(policy.rounds) - 1)]))
    stopped = {name: f"only {len(d)} queries measured, {least} needed" for name, d in pairs.items() if len(d) < least}
    means = {name: sum(d.values()) / len(d) for name, d in pairs.items() if name not in stopped}
    told = "; every answer got the same mark: this judge tells nothing apart" if _deaf(active, candidates) else ""
    stopped |= {name: why + told for name in means if (why := _hopeless(pairs[name], clusters, final, policy))}
    ranked = sorted((n for n in means if n not in stopped), key=lambda n: (-means[n], n))
    places = policy.finalists if final else max(policy.finalists, ceil(policy.keep * len(candidates)))
    stopped |= {n: f"place {place} of {len(candidates)}" for place, n in enumerate(ranked, 1) if place > places}
    upcoming = policy.rounds[-1] if final else policy.rounds[round_index + 1]
    return RaceRound(ranked[:places], stopped, means, final, upcoming)


def _differences(active: Scores, candidate: Scores) -> dict[str, float]:
    """Query id -> candidate minus active where both were measured, in the order of the ids."""
    return {query: candidate[query] - active[query] for query in sorted(candidate) if query in active}


def _deaf(active: Scores, candidates: Mapping[str, Scores]) -> bool:
    """Whether everybody's answers to all of several queries have one and the same score."""
    marks = {score for scores in (active, *candidates.values()) for score in scores.values()}
    return len(active) >= _SEVERAL and len(marks) == 1


def _hopeless(differences: Scores, clusters: Mapping[str, str], final: bool, policy: RacingPolicy) -> str:
    """Why a candidate need not go on, whoever else does; '' when it may."""
    mean = sum(differences.values()) / len(differences)
    if final and mean <= 0.0:
        return f"not better than the active genome on {len(differences)} queries ({mean:+.2f})"
    p = sign_flip_p([-d for d in differences.values()], [clusters.get(query, "") for query in differences])
    if p < policy.futility:
        return f"clearly worse on {len(differences)} queries ({mean:+.2f}, p {p:.3f})"
    return ""
