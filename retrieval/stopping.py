"""Whether the evidence is enough: a small policy that answers with a reason."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..state.candidate import Evaluation, Gap
from ..state.genome import RetrievalGenome
from ..state.loop import Verdict
from ..state.package import StopReason

_FAR = 8.0  # score distances beyond this all mean the same


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
    confidence = package_confidence(evaluations, max_files, genome)
    enough = len(highly) >= genome.wanted and not critical
    sure = not critical and confidence >= genome.sufficient_confidence and bool(highly)
    if enough and sure:
        reason = f"{len(highly)} highly relevant files, no critical gap"
        return Verdict(stop=StopReason.SUFFICIENT, sufficient=True, reason=reason)
    if before and _saturated(evaluations, before, max_files):
        return Verdict(stop=StopReason.SATURATED, sufficient=sure, reason="no new file and no score gain")
    if cycle >= max_cycles:
        found = any(e.relevance >= genome.packed for e in evaluations)
        stop = StopReason.MAX_CYCLES if found else StopReason.NOTHING_FOUND
        return Verdict(stop=stop, sufficient=sure, reason=f"{cycle} cycle{'s' * (cycle > 1)} used")
    return Verdict(stop=None, sufficient=sure, reason=_missing(highly, critical, confidence, genome))


def package_confidence(evaluations: Sequence[Evaluation], max_files: int, genome: RetrievalGenome) -> float:
    """The chance, 0 to 1, that the best ``max_files`` files hold every file of the change."""
    if not evaluations:
        return 0.0
    found = sufficiency_features([e.score for e in evaluations], [e.probability for e in evaluations], max_files)
    total = sum(genome.sufficiency.get(name, 0.0) * value for name, value in found.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


def sufficiency_features(scores: Sequence[float], probabilities: Sequence[float], max_files: int) -> dict[str, float]:
    """What tells whether a package is whole, from scores and probabilities best first.

    lead: how far the best file is ahead of the first that is not packed. spread: ahead of the fourth. last: log10
    probability of the first that is not packed. best: log10 probability of the best.
    """
    outside = max_files < len(scores)
    lead = scores[0] - scores[max_files] if outside else _FAR
    spread = scores[0] - scores[3] if len(scores) > 3 else _FAR
    last = probabilities[max_files] if outside else 0.0
    return {
        "bias": 1.0,
        "lead": min(_FAR, lead),
        "spread": min(_FAR, spread),
        "last": math.log10(max(1e-4, last)),
        "best": math.log10(max(1e-4, probabilities[0])),
    }


def _saturated(now: Sequence[Evaluation], before: Sequence[Evaluation], top: int) -> bool:
    """Whether the head of the ranking holds the same files with the same scores as before."""
    old = {e.path: e.score for e in before[:top]}
    return all(e.path in old and e.score <= old[e.path] + 1e-6 for e in now[:top])


def _missing(highly: Sequence[Evaluation], critical: Sequence[Gap], confidence: float, genome: RetrievalGenome) -> str:
    if critical:
        return f"critical gap: {critical[0].target}"
    if len(highly) < genome.wanted:
        return f"{len(highly)} of {genome.wanted} highly relevant files"
    return f"the package is whole with probability {confidence:.2f}, {genome.sufficient_confidence:.2f} wanted"
