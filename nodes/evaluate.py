"""evaluate: judge the candidates on the rubric, say why, and name what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..retrieval.gaps import dependency_gaps, no_match_gap, path_gaps, symbol_gaps
from ..retrieval.neighbours import imported_by
from ..retrieval.reasons import reason_for
from ..retrieval.relevance import Floats, Judgement, judge, row_evidence, scaled, scales_of, weighted_evidence
from ..retrieval.signals import NO_NEIGHBOURS, Scene, SignalTable, signal_table
from ..retrieval.stopping import decide
from ..retrieval.terms import keyword_terms
from ..retrieval.text import content_terms
from ..state.analysis import FileAnalysis
from ..state.candidate import Evaluation, Gap
from ..state.genome import RetrievalGenome
from ..state.package import CycleTrace
from ..state.ports import Genomes, Workspace, Workspaces
from ..state.progress import CycleEvaluated, LoopDecided
from ..state.retrieval import RetrievalState, Verdict, keep_best
from .clock import Clock, announce, monotonic
from .dispatch import seeds_of, tests_of
from .route import DOMAIN, profile_of
from .scene import around, modules_of, scene_of

KEPT = 400
"""Evaluations that stay in state; the rest of a basket is noise."""
_EXPLAINED = 40
_RANKING = 60


@dataclass(frozen=True)
class Evaluator:
    """Borrows the workspaces, the genomes and a clock."""

    workspaces: Workspaces
    genomes: Genomes
    clock: Clock = monotonic

    def evaluate(self, state: RetrievalState) -> RetrievalState:
        """The evaluations of this cycle's candidates and of all known files, and the gaps that remain."""
        workspace = self.workspaces.opened(state["root"], state["ref"], state["fingerprint"])
        genome = self.genomes.retrieval(DOMAIN)
        scene = scene_of(workspace, state["task"], genome)
        known = state.get("evaluations", [])
        found_in = {e.path: e.cycle for e in known}
        paths = [c.path for c in state["candidates"]] + list(found_in)
        analyses = workspace.analyses(paths)
        table = table_of(workspace, scene, analyses, known, state["learned"])
        scales = scales_of(table, state.get("scales", {}))
        judgement = judge(table, scales, scene.query.known, genome)
        values = scaled(table, scales)
        new = [
            _evaluation(scene, table, judgement, i, values, genome, found_in.get(path, state["cycle"]))
            for i, path in enumerate(table.paths)
        ]
        best = keep_best(known, new)[:KEPT]
        gaps = gaps_of(workspace, scene, best, analyses, genome)
        evaluations = [_with_missing(e, gaps) for e in best]
        max_files = profile_of(self.genomes.routing(DOMAIN), state["route"]).depth_budget.max_files
        verdict = decide(evaluations, gaps, state["cycle"], state["max_cycles"], known, max_files, genome)
        seconds = self.clock() - state.get("cycle_started", self.clock())
        trace = _trace(state, evaluations, gaps, verdict, seconds)
        announce(CycleEvaluated(cycle=state["cycle"], top=trace.found, gaps=gaps))
        announce(LoopDecided(cycle=state["cycle"], decision=verdict.stop, reason=verdict.reason))
        return {"evaluations": evaluations, "scales": scales, "gaps": gaps, "verdict": verdict, "traces": [trace]}


def table_of(
    workspace: Workspace,
    scene: Scene,
    analyses: Mapping[str, FileAnalysis],
    known: Sequence[Evaluation],
    learned: Sequence[str],
) -> SignalTable:
    """The signals of the given files; the graph and the learned words count from the second cycle on."""
    words = keyword_terms(list(learned), workspace.document_frequency, workspace.size) if learned else None
    graph = around(workspace, seeds_of(known), analyses, tests_of(known)) if known else NO_NEIGHBOURS
    return signal_table(scene, analyses, graph, words)


def evidence_of(workspace: Workspace, genome: RetrievalGenome, state: Mapping[str, Any], path: str) -> dict[str, float]:
    """Signal -> what it adds to the score of ``path``, strongest first.

    Args:
        workspace: where the request ran.
        genome: the weights it ran with.
        state: the request's final ``package``, ``evaluations``, ``learned`` and ``scales``.
        path: a searchable file.
    """
    scene = scene_of(workspace, state["package"].task, genome)
    known = state["evaluations"]
    analyses = workspace.analyses([path, *seeds_of(known), *tests_of(known)])
    table = table_of(workspace, scene, analyses, known if len(state["package"].cycles) > 1 else [], state["learned"])
    evidence = weighted_evidence(table, table.paths.index(path), state["scales"], genome)
    return dict(sorted(((n, round(v, 4)) for n, v in evidence.items() if v), key=lambda pair: -abs(pair[1])))


def gaps_of(
    workspace: Workspace,
    scene: Scene,
    best: Sequence[Evaluation],
    analyses: Mapping[str, FileAnalysis],
    genome: RetrievalGenome,
) -> list[Gap]:
    """What the evidence still lacks, critical gaps first."""
    relevant = [e.path for e in best if e.relevance >= genome.related]
    if not any(e.relevance >= genome.packed for e in best):
        return [no_match_gap(scene.task, workspace.size, workspace.left_out())]
    high = {e.path: analyses[e.path] for e in best if e.relevance >= genome.highly_relevant and e.path in analyses}
    modules = modules_of(workspace)
    held = {s.name for p in relevant if p in analyses for s in analyses[p].structure.symbols}
    task_terms = set(scene.query.terms)
    gaps = [
        *symbol_gaps(scene.task, held, scene.definers),
        *path_gaps(scene.task, modules, set(relevant)),
        *dependency_gaps(
            high,
            {e.path for e in best},
            lambda p, a: imported_by(p, a, modules),
            task_terms,
            lambda p: content_terms(p).parts,
        ),
    ]
    return sorted(gaps, key=lambda g: not g.critical)


def _evaluation(
    scene: Scene,
    table: SignalTable,
    judged: Judgement,
    i: int,
    values: Floats,
    genome: RetrievalGenome,
    cycle: int,
) -> Evaluation:
    rank = int((judged.score > judged.score[i]).sum())
    explained = rank < _EXPLAINED
    return Evaluation(
        path=table.paths[i],
        score=round(float(judged.score[i]), 6),
        relevance=round(float(judged.relevance[i]), 3),
        probability=round(float(judged.probability[i]), 4),
        reason=reason_for(scene, table, i, row_evidence(table.names, values[i], genome)) if explained else "",
        cycle=cycle,
    )


def _trace(
    state: RetrievalState, best: Sequence[Evaluation], gaps: Sequence[Gap], verdict: Verdict, seconds: float
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
