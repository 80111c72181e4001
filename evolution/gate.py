"""The gate: is a candidate better than the active genome on queries that nobody has tuned on?

It looks at *confirm* at most a few times, at sizes fixed beforehand, and every look spends its share of ``alpha``: who
asks for more queries until the answer pleases would otherwise promote luck. The shares add up to alpha whatever the
distribution (a union bound over the alpha spending of Lan and DeMets 1983).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log2, sqrt
from statistics import fmean
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from ..state.errors import EvolutionRefused
from ..state.evolution import Cost, EvalQuery, GateReport, GateVerdict, Layer, PairedDifference
from .checks import CheckPolicy, check_warnings
from .comparison import Arm, Comparison, compare, outcomes
from .statistics import holm, paired_difference, queries_needed

__all__ = ["GateCase", "GatePolicy", "Look", "decide", "look_at", "looks", "noise_sd", "until_next_look"]

_Z95 = 1.96
_FEW_CLUSTERS = 10


class GatePolicy(BaseModel):
    """alpha: chance to promote what is not better, one-sided, over all variants and looks.

    max_queries: of confirm, at most. looks: at which shares of them the gate decides, though not before ``first_look``
    queries, where there are so many: an early look at few spends alpha and sees little. worthwhile: the smallest mean
    difference (points of 10) that is worth a person's time. power: of which missing queries are estimated.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    alpha: float = Field(default=0.05, gt=0.0, lt=0.5)
    max_queries: int = Field(default=120, ge=4)
    min_queries: int = Field(default=20, ge=2, description="A smaller confirm pool decides nothing.")
    looks: list[float] = Field(default=[0.25, 0.5, 1.0], min_length=1)
    first_look: int = Field(default=30, ge=1)
    worthwhile: float = Field(default=0.1, gt=0.0, le=10.0)
    power: float = Field(default=0.8, gt=0.0, lt=1.0)
    judged_twice: int = Field(
        default=12, ge=0, le=200, description="Answers of the active genome that an A/A run judges a second time."
    )
    max_unmeasured: float = Field(default=0.2, ge=0.0, lt=1.0, description="Share of the queries asked.")
    checks: CheckPolicy = Field(default_factory=CheckPolicy)

    @property
    def confidence(self) -> float:
        """Of the intervals shown: two-sided, so that the lower bound speaks at alpha."""
        return 1 - 2 * self.alpha

    def model_post_init(self, context: object) -> None:
        """Looks must grow and end with all queries.

        Raises:
            ValueError: they do not.
        """
        if self.looks != sorted(set(self.looks)) or self.looks[0] <= 0 or self.looks[-1] != 1.0:
            raise ValueError(f"looks {self.looks} must grow from above 0 to 1: shares of the confirm queries")


@dataclass(frozen=True, slots=True)
class GateCase:
    """All that the gate is told.

    queries: of confirm, those asked so far, in the order drawn. available: how many confirm holds in all. select: hash
    -> query id -> score on *select*, the active genome's among them; shown as optimism, never counted. noise_sd: of
    A/A differences, see ``noise_sd``; None when no A/A run was made. judged_twice: queries of that run. pools: pool ->
    hash of its query ids.
    """

    layer: Layer
    domain: str
    queries: Sequence[EvalQuery]
    available: int
    active: Arm
    candidates: Sequence[Arm]
    select: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    noise_sd: float | None = None
    judged_twice: int = 0
    pools: Mapping[str, str] = field(default_factory=dict)
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class Look:
    """The look that so many queries are for. size: queries it needs. missing: how many of them were not asked yet.

    alpha: what it may spend. following: queries between it and the next look, 0 when it is the last.
    """

    size: int
    missing: int
    alpha: float
    following: int


class _Ruling(NamedTuple):
    verdict: GateVerdict
    reason: str
    missing: int = 0


def decide(case: GateCase, policy: GatePolicy | None = None) -> GateReport:
    """The report on the best candidate, with verdict, reason and all that a person needs to judge the verdict.

    An undecided cycle goes on while ``until_next_look`` says how many queries to ask; at the last look
    ``missing_queries`` estimates what a later cycle would need. ``p_adjusted`` is after Holm over the candidates and
    after the looks' shares, so it compares with ``alpha``.

    Raises:
        EvolutionRefused: no candidate, a candidate that is the active genome, a query asked twice, or one that stands
            in select too.
    """
    policy = policy or GatePolicy()
    _refuse_misuse(case)
    look = look_at(len(case.queries), case.available, policy)
    compared = [compare(case.active, arm, case.queries, policy.checks, policy.confidence) for arm in case.candidates]
    adjusted = [min(1.0, p * policy.alpha / look.alpha) for p in holm([c.difference.p for c in compared])]
    ruled = [(_rule(case, c, p, look, policy), p, c) for c, p in zip(compared, adjusted, strict=True)]
    ruling, p_adjusted, best = min(ruled, key=_first)
    return _report(case, ruling, p_adjusted, best, policy)


def looks(available: int, policy: GatePolicy) -> list[int]:
    """At how many queries the gate decides, given how many confirm holds."""
    most = min(available, policy.max_queries)
    sizes = {ceil(share * most) for share in policy.looks}
    return sorted(size for size in sizes if size >= min(policy.first_look, most))


def look_at(asked: int, available: int, policy: GatePolicy) -> Look:
    """The look that comes with, or first after, so many queries asked."""
    sizes = looks(available, policy) if available else [1]
    place = next((i for i, size in enumerate(sizes) if asked <= size), len(sizes) - 1)
    before = sizes[place - 1] if place else 0
    return Look(
        size=sizes[place],
        missing=max(0, sizes[place] - asked),
        alpha=policy.alpha * (sizes[place] - before) / sizes[-1],
        following=sizes[place + 1] - sizes[place] if place + 1 < len(sizes) else 0,
    )


def until_next_look(asked: int, available: int, policy: GatePolicy) -> int:
    """How many queries to ask before the gate is asked (again) in this cycle; 0 when no look remains."""
    if not available:
        return 0
    look = look_at(asked, available, policy)
    return look.missing or look.following


def noise_sd(first: Mapping[str, float], second: Mapping[str, float]) -> float | None:
    """Standard deviation of the difference of two runs of the same genome (an A/A run), per query.

    Their true difference is 0, so it is the root mean square. None when no query was measured in both.
    """
    squares = [(first[query] - second[query]) ** 2 for query in sorted(first) if query in second]
    return sqrt(fmean(squares)) if squares else None


def _refuse_misuse(case: GateCase) -> None:
    ids = [query.id for query in case.queries]
    seen = sorted(set(ids) & {query for scores in case.select.values() for query in scores})
    if not case.candidates:
        raise EvolutionRefused("no candidate reached the gate; record the cycle without asking it")
    if any(arm.genome_hash == case.active.genome_hash for arm in case.candidates):
        raise EvolutionRefused(f"candidate {case.active.genome_hash} is the active genome; leave it out")
    if len(ids) != len(set(ids)):
        raise EvolutionRefused("a confirm query is listed twice; each counts once")
    if seen:
        raise EvolutionRefused(f"queries stand in select and in confirm, first {seen[0]}; split the pools again")


def _rule(case: GateCase, found: Comparison, p: float, look: Look, policy: GatePolicy) -> _Ruling:
    """The first rule that applies: enough asked and measured, nothing worse, better, surely, and by enough."""
    asked, mean = len(case.queries), found.difference.mean
    if case.available < policy.min_queries:
        missing = policy.min_queries - case.available
        return _Ruling("undecided", f"confirm holds {case.available} queries; bring {missing} more", missing)
    if look.missing:
        reason = f"{asked} queries asked; the next look is at {look.size}, {look.missing} queries missing"
        return _Ruling("undecided", reason, look.missing)
    if len(found.unmeasured) > policy.max_unmeasured * asked:
        lost = len(found.unmeasured)
        return _Ruling("undecided", f"{lost} of {asked} queries are unmeasured; judge them again", lost)
    said = _in_words(found.difference, p)
    if found.worse:
        names = ", ".join(f"{c.kind} {c.name} ({c.difference.mean:+.2f})" for c in found.worse)
        return _Ruling("reject", f"worse than allowed: {names}; overall {said}")
    if mean <= 0.0:
        return _Ruling("reject", f"not better: {said}")
    if p >= policy.alpha:
        return _unsure(found, said, look, policy)
    return _sure(case, found, said, policy)


def _unsure(found: Comparison, said: str, look: Look, policy: GatePolicy) -> _Ruling:
    """Better, but perhaps by chance: go on to the next look, or say what it would take."""
    if look.following:
        reason = f"better, not yet surely: {said}; {look.following} queries missing until the next look"
        return _Ruling("undecided", reason, look.following)
    if found.difference.high < policy.worthwhile:
        return _Ruling("reject", f"any gain is below {policy.worthwhile:.2f}: {said}")
    if 0.5**found.clusters >= look.alpha:  # the smallest p that so many signs can give
        missing = floor(-log2(look.alpha)) + 1 - found.clusters
        reason = f"better, but {found.clusters} independent clusters can never tell: {said}; bring {missing} more"
        return _Ruling("undecided", reason, missing)
    effect = max(found.difference.mean, policy.worthwhile)
    needed = queries_needed(effect, found.error, found.difference.n, alpha=policy.alpha, power=policy.power)
    missing = max(1, (needed or 2 * found.difference.n) - found.difference.n)
    reason = f"better, but not surely: {said}; about {missing} more queries would tell a difference of {effect:.2f}"
    return _Ruling("undecided", reason, missing)


def _sure(case: GateCase, found: Comparison, said: str, policy: GatePolicy) -> _Ruling:
    """Surely better: promoted unless it is too little, within the judge's noise, or an anchor is unmeasured."""
    anchors = [q.id for q in case.queries if q.anchor and q.id in found.unmeasured]
    floor, mean = _noise_floor(case, found), found.difference.mean
    if mean < policy.worthwhile:
        return _Ruling("reject", f"surely better, but by less than {policy.worthwhile:.2f}: {said}")
    if floor is not None and mean <= floor:
        missing = max(1, ceil(found.difference.n * (floor / mean) ** 2) - found.difference.n)
        reason = f"within the {floor:.2f} that the judge alone shows: {said}; repeat judgements or bring {missing} more"
        return _Ruling("undecided", reason, missing)
    if anchors:
        return _Ruling("undecided", f"anchor {anchors[0]} is unmeasured: {said}; judge it again", len(anchors))
    return _Ruling("promote", f"better: {said}; nothing is worse than allowed")


def _in_words(d: PairedDifference, p: float) -> str:
    return f"{d.mean:+.2f} ({d.confidence:.0%} interval {d.low:+.2f} to {d.high:+.2f}, p {p:.4f}, {d.n} unseen queries)"


def _noise_floor(case: GateCase, found: Comparison) -> float | None:
    """The mean difference that so many queries of an A/A run stay below in 95 % of cases; None without one."""
    if case.noise_sd is None or not found.difference.n:
        return None
    return _Z95 * case.noise_sd / sqrt(found.difference.n)


def _first(entry: tuple[_Ruling, float, Comparison]) -> tuple[int, float, float, str]:
    """Promoted before undecided before rejected; then the larger difference, the smaller p, the hash."""
    ruling, p, found = entry
    order = ("promote", "undecided", "reject").index(ruling.verdict)
    return order, -found.difference.mean, p, found.candidate.genome_hash


def _report(case: GateCase, ruling: _Ruling, p_adjusted: float, best: Comparison, policy: GatePolicy) -> GateReport:
    rows = outcomes(case.active, best, case.queries, policy.checks)
    chosen = _select_difference(case, best.candidate.genome_hash, policy)
    return GateReport(
        verdict=ruling.verdict,
        reason=ruling.reason,
        layer=case.layer,
        domain=case.domain,
        candidate_hash=best.candidate.genome_hash,
        active_hash=case.active.genome_hash,
        difference=best.difference,
        p_adjusted=p_adjusted,
        variants=len(case.candidates),
        repeats=min(_repeats(case, best), default=1),
        noise_floor=_noise_floor(case, best),
        judged_twice=case.judged_twice,
        optimism=chosen.mean - best.difference.mean if chosen and rows else None,
        select_difference=chosen,
        checks=best.checks,
        won=[row.query_id for row in reversed(rows) if row.candidate_score > row.active_score],
        lost=[row.query_id for row in rows if row.candidate_score < row.active_score],
        queries=rows,
        missing_queries=ruling.missing,
        candidate_score=fmean(row.candidate_score for row in rows) if rows else None,
        active_score=fmean(row.active_score for row in rows) if rows else None,
        cost=case.cost,
        pools=dict(case.pools),
        warnings=_warnings(case, best, policy),
    )


def _select_difference(case: GateCase, candidate: str, policy: GatePolicy) -> PairedDifference | None:
    """The candidate's difference on *select*; None when it was not handed in."""
    old, new = case.select.get(case.active.genome_hash, {}), case.select.get(candidate, {})
    shared = [query for query in sorted(new) if query in old]
    if not shared:
        return None
    return paired_difference([new[query] - old[query] for query in shared], confidence=policy.confidence)


def _repeats(case: GateCase, best: Comparison) -> set[int]:
    """The numbers of judgements that occur."""
    return {len(arm.scores[query]) for arm in (case.active, best.candidate) for query in best.differences}


def _warnings(case: GateCase, best: Comparison, policy: GatePolicy) -> list[str]:
    """What a reviewer should know beside the verdict."""
    warnings = check_warnings(best.checks, policy.checks)
    if best.unmeasured:
        warnings.append(f"{len(best.unmeasured)} of {len(case.queries)} queries are unmeasured and left out")
    if best.clusters < min(_FEW_CLUSTERS, len(case.queries)):
        warnings.append(f"only {best.clusters} independent clusters: the queries count for little more than that")
    if len(_repeats(case, best)) > 1:
        warnings.append("some queries were judged more often than others")
    if case.noise_sd is None:
        warnings.append("no A/A run: how much the judge differs from itself is unknown")
    return warnings
