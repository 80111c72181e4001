"""evaluate: judge the candidates on the rubric, say why, and name what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic

from ..retrieval.stopping import decide
from ..state.candidate import Evaluation, Gap
from ..state.loop import LoopState, Verdict, keep_best
from ..state.package import CycleTrace
from ..state.progress import CycleEvaluated, LoopDecided
from .clock import Clock, announce, monotonic
from .subject import Judged, S, Subjects

KEPT = 400
"""Evaluations that stay in state; the rest of a basket is noise."""
_EXPLAINED = 40
_RANKING = 60


@dataclass(frozen=True)
class Evaluator(Generic[S]):
    """Borrows the subjects and a clock."""

    subjects: Subjects[S]
    clock: Clock = monotonic

    def evaluate(self, state: S) -> Any:
        """The evaluations of this cycle's candidates and of all known paths, and the gaps that remain."""
        subject = self.subjects(state)
        shared: LoopState = state
        known = shared.get("evaluations", [])
        found_in = {e.path: e.cycle for e in known}
        paths = [c.path for c in state["candidates"]] + list(found_in)
        judged = subject.judge(paths, known, shared["learned"], shared.get("scales", {}))
        new = [_evaluation(judged, i, found_in.get(path, state["cycle"])) for i, path in enumerate(judged.paths)]
        best = keep_best(known, new)[:KEPT]
        gaps = subject.gaps(best)
        evaluations = [_with_missing(e, gaps) for e in best]
        verdict = decide(
            evaluations, gaps, state["cycle"], state["max_cycles"], known, subject.depth.max_files, subject.genome
        )
        seconds = self.clock() - shared.get("cycle_started", self.clock())
        trace = _trace(state, evaluations, gaps, verdict, seconds)
        announce(CycleEvaluated(cycle=state["cycle"], top=trace.found, gaps=gaps))
        announce(LoopDecided(cycle=state["cycle"], decision=verdict.stop, reason=verdict.reason))
        return {
            "evaluations": evaluations,
            "scales": judged.scales,
            "gaps": gaps,
            "verdict": verdict,
            "traces": [trace],
        }


def _evaluation(judged: Judged, i: int, cycle: int) -> Evaluation:
    scores = judged.judgement.score
    explained = int((scores > scores[i]).sum()) < _EXPLAINED
    return Evaluation(
        path=judged.paths[i],
        score=round(float(scores[i]), 6),
        relevance=round(float(judged.judgement.relevance[i]), 3),
        probability=round(float(judged.judgement.probability[i]), 4),
        reason=judged.reason(i) if explained else "",
        cycle=cycle,
    )


def _trace(
    state: LoopState, best: Sequence[Evaluation], gaps: Sequence[Gap], verdict: Verdict, seconds: float
) -> CycleTrace:
    """What this cycle did; ``found`` are the best files that it brought or raised."""
    before = {e.path: e.score for e in state.get("evaluations", [])}
    gained = [e for e in best if e.score > before.get(e.path, float("-inf")) + 1e-6]
    fresh = [e for e in gained if e.path not in before] or gained
    return CycleTrace(
        cycle=state["cycle"],
        query=state["query"],
        candidates=len(state["candidates"]),
        new_files=sum(1 for c in state["candidates"] if c.path not in before),
        found=[(e.path, e.relevance) for e in fresh[:8]],
        ranking=_ranking(best, state.get("traces", [])),
        gaps=list(gaps),
        decision=verdict.reason,
        seconds=round(max(0.0, seconds), 3),
    )


def _ranking(best: Sequence[Evaluation], traces: Sequence[CycleTrace]) -> list[str]:
    """The head of the ranking, and whatever an earlier cycle's head held: what was found is never lost."""
    held = set(traces[-1].ranking) if traces else set()
    return [e.path for place, e in enumerate(best) if place < _RANKING or e.path in held]


def _with_missing(evaluation: Evaluation, gaps: Sequence[Gap]) -> Evaluation:
    missing = [g.target for g in gaps if g.wanted_by == evaluation.path]
    return (
        evaluation.model_copy(update={"missing_context": missing})
        if missing != evaluation.missing_context
        else evaluation
    )
