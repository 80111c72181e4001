"""The files of a repository as the loop's subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..retrieval.advice.planned import PlannedEvidence, planned_evidence, planned_genome
from ..retrieval.expansion import commit_words, defined_words, longer_forms, thesaurus_words, vocabulary_of
from ..retrieval.gaps import dependency_gaps, no_match_gap, path_gaps, symbol_gaps
from ..retrieval.gather import Lists, best_first, ranked_lists
from ..retrieval.neighbours import imported_by
from ..retrieval.patterns import Patterns
from ..retrieval.reasons import reason_for
from ..retrieval.relevance import judge, row_evidence, scaled, scales_of, weighted_evidence
from ..retrieval.roles import role_of
from ..retrieval.signals import NO_NEIGHBOURS, Scene, SignalTable, signal_table
from ..retrieval.terms import keyword_terms
from ..retrieval.text import content_terms, unique
from ..state.advice import Plan
from ..state.analysis import FileAnalysis
from ..state.candidate import Evaluation, Gap
from ..state.genome import RetrievalGenome
from ..state.ports import Clause, Genomes, Workspace, Workspaces
from ..state.query import Query, Scope
from ..state.retrieval import RetrievalState
from ..state.routing import DepthBudget
from ..state.source import FileRole
from .route import DOMAIN, profile_of
from .scene import around, frequency_in, modules_of, scene_of
from .subject import Judged

_FIELD_WEIGHTS = {"path": 2.0, "definitions": 1.5, "body": 1.0}
_SEED_RELEVANCE = 0.2
_PREFIXES = 30
SEEDS = 10
"""How many of the best files hand their probability to their neighbours."""


@dataclass(frozen=True)
class CodeSubjects:
    """Opens the workspace of a retrieval request. Borrows the workspaces and the genomes."""

    workspaces: Workspaces
    genomes: Genomes

    def __call__(self, state: RetrievalState) -> CodeSubject:
        """The subject of a request."""
        workspace = self.workspaces.opened(state["root"], state["ref"], state["fingerprint"])
        pins = state.get("genomes")
        genome = self.genomes.retrieval(DOMAIN, pins)
        depth = profile_of(self.genomes.routing(DOMAIN, pins), state["route"]).depth_budget
        scene = scene_of(workspace, state.get("gap") or state["task"], genome)
        return CodeSubject(
            workspace, scene, genome, depth, state["scope"], state["excludes"], state.get("plan", Plan())
        )


@dataclass(frozen=True)
class CodeSubject:
    """One workspace under one task. plan: what a language model proposed besides, empty offline."""

    workspace: Workspace
    scene: Scene
    genome: RetrievalGenome
    depth: DepthBudget
    scope: Scope
    excludes: Sequence[str]
    plan: Plan = field(default_factory=Plan)

    def lists(self, cycle: int, query: Query, known: Sequence[Evaluation]) -> Lists:
        """Every ranked list that the task itself gives; later, what was learned and the graph around the best.

        A search that continues an earlier one knows files from the start: its first cycle has both.
        """
        later = self._next(query, known) if known else {}
        return {**self._first(), **later} if cycle == 1 else self._next(query, known)

    def _first(self) -> Lists:
        s = self.scene
        return ranked_lists(s.task, s.query, self.workspace.search, s.definers, s.places, s.past, self.depth.list_depth)

    def further_lists(self, cycle: int) -> Lists:
        """What the plan gives, in the first cycle: it adds candidates to those of the task, and takes no place."""
        if cycle > 1 or not self.plan:
            return {}
        search, depth = self.workspace.search, self.depth.list_depth
        named = search([Clause("symbols", name, 1.0) for name in self.plan.names], depth)
        return {
            "planned_names": [h.path for h in named],
            "planned_paths": best_first(self.plan.paths, depth),
            "planned_words": [h.path for h in search(learned_clauses(self.plan.terms), depth * 3)],
        }

    def _next(self, query: Query, known: Sequence[Evaluation]) -> Lists:
        """What the learned words, the focus areas and the graph around the best files give."""
        workspace, depth = self.workspace, self.depth.list_depth
        seeds = seeds_of(known)
        tests = tests_of(known)
        graph = around(workspace, seeds, workspace.analyses([*seeds, *tests]), tests)
        modules = modules_of(workspace)
        places = [
            p
            for area in query.focus_areas
            for p in ([area] if workspace.searchable(area) else modules.find_path(area)[:4])
        ]
        definers = workspace.search([Clause("symbols", a, 1.0) for a in query.focus_areas], 40)
        return {
            "learned": [h.path for h in workspace.search(learned_clauses(query.keywords), depth * 3)],
            "focus": unique([*places, *(h.path for h in definers)]),
            "imports": best_first(graph.imports, depth),
            "importers": best_first(graph.importers, depth),
            "co_changed": best_first(graph.co_changed, depth),
            "siblings": best_first(graph.siblings, depth),
            "bases": best_first(graph.bases, depth),
            "tested": best_first(graph.tested, depth),
        }

    def allowed(self, query: Query) -> Callable[[str], bool]:
        """Whether a path may be a candidate under patterns, excludes and scope."""
        return admission(self.workspace, query, self.scope, self.excludes)

    def demoted(self, path: str) -> bool:
        """Whether a file is neither source nor configuration."""
        return role_of(path) not in (FileRole.SOURCE, FileRole.CONFIG)

    def judge(
        self, paths: Sequence[str], known: Sequence[Evaluation], learned: Sequence[str], scales: Mapping[str, float]
    ) -> Judged:
        """Score, probability and relevance of files."""
        genome = planned_genome(self.genome, self.plan)
        planned = planned_of(self.workspace, self.scene, self.plan)
        table = table_of(self.workspace, self.scene, self.workspace.analyses(paths), known, learned, planned)
        fixed = scales_of(table, scales)
        values = scaled(table, fixed)

        def reason(i: int) -> str:
            return reason_for(self.scene, table, i, row_evidence(table.names, values[i], genome))

        return Judged(table.paths, judge(table, fixed, self.scene.query.known, genome), fixed, reason)

    def gaps(self, best: Sequence[Evaluation]) -> list[Gap]:
        """What the evidence still lacks, critical gaps first."""
        wanted = [e.path for e in best if e.relevance >= self.genome.related]
        analyses = self.workspace.analyses(wanted)
        return gaps_of(self.workspace, self.scene, best, analyses, self.genome)

    def learn(self, high: Sequence[Evaluation]) -> tuple[list[str], list[str]]:
        """The code base's own words for the task, and names that relevant files define."""
        return words_to_learn(self.workspace, self.scene, high, self.genome.learned_words)


def admission(workspace: Workspace, query: Query, scope: Scope, user_excludes: Sequence[str]) -> Callable[[str], bool]:
    """Whether a path may be a candidate under patterns, excludes and scope.

    Excludes that refine learned are exact paths; they only keep files from coming in again, files that are in stay in.
    """
    wanted, unwanted = Patterns(query.patterns), Patterns(user_excludes)
    learned = frozenset(query.excludes) - set(user_excludes)

    def allowed(path: str) -> bool:
        if (
            not workspace.searchable(path)
            or path in learned
            or unwanted.match(path)
            or (wanted and not wanted.match(path))
        ):
            return False
        role = role_of(path)
        return (scope.tests or role is not FileRole.TEST) and (scope.docs or role is not FileRole.DOC)

    return allowed


def seeds_of(known: Sequence[Evaluation]) -> dict[str, float]:
    """The best files so far with their probabilities; none while nothing relevant is found."""
    return {e.path: max(e.probability, 0.01) for e in known[:SEEDS] if e.relevance >= _SEED_RELEVANCE}


def tests_of(known: Sequence[Evaluation]) -> dict[str, float]:
    """The test files that read most like the task, the first with weight 1."""
    tests = [e.path for e in known if role_of(e.path) is FileRole.TEST][:6]
    return {path: 1.0 / (1 + rank) for rank, path in enumerate(tests)}


def learned_clauses(keywords: Sequence[str]) -> list[Clause]:
    """The clauses of a later cycle's keywords."""
    terms = unique(t for k in keywords for found in [content_terms(k)] for t in [*found.parts, *found.wholes])
    return [Clause(f, t, w) for t in terms for f, w in _FIELD_WEIGHTS.items()]


def table_of(
    workspace: Workspace,
    scene: Scene,
    analyses: Mapping[str, FileAnalysis],
    known: Sequence[Evaluation],
    learned: Sequence[str],
    planned: PlannedEvidence | None = None,
) -> SignalTable:
    """The signals of the given files; the graph and the learned words count from the second cycle on."""
    words = keyword_terms(list(learned), frequency_in(workspace), workspace.size) if learned else None
    graph = around(workspace, seeds_of(known), analyses, tests_of(known)) if known else NO_NEIGHBOURS
    return signal_table(scene, analyses, graph, words, planned.columns if planned else None)


def planned_of(workspace: Workspace, scene: Scene, plan: Plan) -> PlannedEvidence | None:
    """What the plan says of files; None for an empty one."""
    return planned_evidence(
        plan, workspace.document_frequency, scene.definers, workspace.size, workspace.mean_length, scene.knobs
    )


def evidence_of(workspace: Workspace, genome: RetrievalGenome, state: Mapping[str, Any], path: str) -> dict[str, float]:
    """Signal -> what it adds to the score of ``path``, strongest first.

    Args:
        workspace: where the request ran.
        genome: the weights it ran with.
        state: the request's final ``package``, ``evaluations``, ``learned`` and ``scales``.
        path: a searchable file.
    """
    scene = scene_of(workspace, state["package"].gap or state["package"].task, genome)
    known, plan = state["evaluations"], state.get("plan", Plan())
    analyses = workspace.analyses([path, *seeds_of(known), *tests_of(known)])
    around_best = known if len(state["package"].cycles) > 1 else []
    planned = planned_of(workspace, scene, plan)
    table = table_of(workspace, scene, analyses, around_best, state["learned"], planned)
    evidence = weighted_evidence(table, table.paths.index(path), state["scales"], planned_genome(genome, plan))
    evidence |= {"model": lift} if (lift := state.get("lifts", {}).get(path, 0.0)) else {}
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


def words_to_learn(
    workspace: Workspace, scene: Scene, high: Sequence[Evaluation], limit: int
) -> tuple[list[str], list[str]]:
    """The code base's own words for the task, and names that relevant files define; most trusted first.

    Only the words are evidence: a name that was learned from a file would speak for that very file again.
    """
    stems = set(content_terms(f"{scene.task.title}\n{scene.task.prose}").parts)
    analyses = workspace.analyses(e.path for e in high)
    frequency = workspace.document_frequency
    definitions = defined_words(analyses, stems, frequency, limit)
    meanings = thesaurus_words(scene.task, frequency, workspace.size, limit)
    forms = longer_forms(
        scene.task, frequency, lambda prefix: workspace.words_with_prefix(prefix, _PREFIXES), limit // 2
    )
    spoken = unique(t for a in analyses.values() for s in a.structure.symbols for t in content_terms(s.name).parts)
    joined = commit_words(scene.query, workspace.history, vocabulary_of([*meanings, *spoken]), limit // 2)
    half = limit // 2
    words = [
        w for w in unique([*meanings[:half], *joined[:half], *forms[:half]]) if not set(content_terms(w).parts) <= stems
    ]
    return words[:limit], [n for n in definitions if n not in words][: limit - len(words[:limit])]
