"""dispatch: run the query against the corpus and gather candidates."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..retrieval.gather import Lists, basket, best_first, ranked_lists
from ..retrieval.patterns import Patterns
from ..retrieval.roles import role_of
from ..retrieval.signals import Scene
from ..retrieval.text import content_terms, unique
from ..state.candidate import Evaluation
from ..state.ports import Clause, Genomes, Workspace, Workspaces
from ..state.progress import CycleDispatched
from ..state.query import Query, Scope
from ..state.retrieval import RetrievalState
from ..state.source import FileRole
from .clock import Clock, announce, monotonic
from .route import DOMAIN, profile_of
from .scene import around, modules_of, scene_of

_FIELD_WEIGHTS = {"path": 2.0, "definitions": 1.5, "body": 1.0}
_SEED_RELEVANCE = 0.2
SEEDS = 10
"""How many of the best files hand their probability to their neighbours."""


@dataclass(frozen=True)
class Dispatcher:
    """Borrows the workspaces, the genomes and a clock."""

    workspaces: Workspaces
    genomes: Genomes
    clock: Clock = monotonic

    def dispatch(self, state: RetrievalState) -> RetrievalState:
        """The candidates of this cycle, and a note that its query was asked."""
        started = self.clock()
        workspace = self.workspaces.opened(state["root"], state["ref"], state["fingerprint"])
        genome = self.genomes.retrieval(DOMAIN)
        depth = profile_of(self.genomes.routing(DOMAIN), state["route"]).depth_budget
        query = state["query"]
        scene = scene_of(workspace, state["task"], genome)
        if state["cycle"] == 1:
            lists = self._first(workspace, scene, depth.list_depth)
        else:
            lists = self._next(workspace, query, state["evaluations"], depth.list_depth)
        allowed = admission(workspace, query, state["scope"], state["excludes"])
        most = depth.candidates if state["cycle"] == 1 else depth.candidates // 3
        candidates = basket(lists, allowed, depth.list_depth, most, genome.rrf_k)
        announce(CycleDispatched(cycle=state["cycle"], query=query, candidates=len(candidates)))
        return {"candidates": candidates, "asked": [query_key(query)], "cycle_started": started}

    def _first(self, workspace: Workspace, scene: Scene, depth: int) -> Lists:
        """Every ranked list that the task itself gives."""
        return ranked_lists(scene.task, scene.query, workspace.search, scene.definers, scene.places, scene.past, depth)

    def _next(self, workspace: Workspace, query: Query, known: Sequence[Evaluation], depth: int) -> Lists:
        """What the learned words, the focus areas and the graph around the best files give."""
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


def query_key(query: Query) -> str:
    """What makes two queries the same."""
    return json.dumps(query.model_dump(), sort_keys=True)
