"""Whether the evidence is enough: a small policy that answers with a reason."""

from __future__ import annotations

from collections.abc import Sequence

from ..state.candidate import Evaluation, Gap
from ..state.genome import RetrievalGenome
from ..state.package import StopReason
from ..state.retrieval import Verdict

WANTED_FILES = 3


def decide(
    evaluations: Sequence[Evaluation],
    gaps: Sequence[Gap],
    cycle: int,
    max_cycles: int,
    before: Sequence[Evaluation],
    max_files: int,
    genome: RetrievalGenome,
) -> Verdict:
    """Stop or go on after a cycle.

    Args:
        evaluations: best first, of all cycles so far.
        gaps: what is missing.
        cycle: the cycle that just ended, from 1.
        max_cycles: most cycles.
        before: the evaluations before this cycle, empty in the first.
        max_files: how many files a package holds.
        genome: thresholds.
    """
    highly = [e for e in evaluations if e.relevance >= genome.highly_relevant]
    critical = [g for g in gaps if g.critical]
    held = sum(e.probability for e in evaluations[:max_files])
    enough = len(highly) >= WANTED_FILES and not critical
    sure = not critical and held >= genome.sufficient_mass and bool(highly)
    if enough and sure:
        return Verdict(
            stop=StopReason.SUFFICIENT, sufficient=True, reason=f"{len(highly)} highly relevant files, no critical gap"
        )
    if before and _saturated(evaluations, before, max_files):
        return Verdict(stop=StopReason.SATURATED, sufficient=sure, reason="no new file and no score gain")
    if cycle >= max_cycles:
        stop = (
            StopReason.MAX_CYCLES
            if any(e.relevance >= genome.related for e in evaluations)
            else StopReason.NOTHING_FOUND
        )
        return Verdict(stop=stop, sufficient=sure, reason=f"{cycle} cycle{'s' * (cycle > 1)} used")
    return Verdict(stop=None, sufficient=sure, reason=_missing(highly, critical, held, genome))


def _saturated(now: Sequence[Evaluation], before: Sequence[Evaluation], top: int) -> bool:
    """Whether the head of the ranking holds the same files with the same scores as before."""
    old = {e.path: e.score for e in before[:top]}
    return all(e.path in old and e.score <= old[e.path] + 1e-6 for e in now[:top])


def _missing(highly: Sequence[Evaluation], critical: Sequence[Gap], held: float, genome: RetrievalGenome) -> str:
    if critical:
        return f"critical gap: {critical[0].target}"
    if len(highly) < WANTED_FILES:
        return f"{len(highly)} of {WANTED_FILES} highly relevant files"
    return f"the files hold the change with probability {held:.2f}, {genome.sufficient_mass:.2f} wanted"
