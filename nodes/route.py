"""route: classify the task and activate a profile of the active routing genome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langgraph.types import Overwrite

from ..retrieval.classify import classify
from ..retrieval.continuing import check_source, known_evaluations
from ..retrieval.patterns import Patterns
from ..retrieval.task import Task, read_task
from ..retrieval.text import analyse, content_terms, raw_words, unique
from ..state.advice import Plan, Schedule
from ..state.candidate import Evaluation
from ..state.complaints import request_in
from ..state.errors import BudgetTooSmall, CallerError, EmptyTask
from ..state.ports import Genomes, Workspace, Workspaces
from ..state.progress import Routed
from ..state.query import MIN_BUDGET, Query
from ..state.retrieval import RetrievalInput, RetrievalState
from ..state.routing import Profile, Route, RoutingGenome
from ..state.spending import Spent
from .clock import Clock, announce, monotonic

DOMAIN = "code"


@dataclass(frozen=True)
class Router:
    """Borrows the genomes, the workspaces (to fail early on a bad root) and a clock.

    llm_calls: most model calls of a request that does not say; None when no model is configured.
    """

    genomes: Genomes
    workspaces: Workspaces
    clock: Clock = monotonic
    llm_calls: int | None = None

    def route(self, state: RetrievalState) -> RetrievalState:
        """The checked request, its profile's budgets, and the first query.

        Raises:
            CallerError: a field of the request is missing or out of bounds, or its patterns leave no file.
            EmptyTask: no word to search for.
            BudgetTooSmall: the token budget holds no span.
            ForeignResult: the search to be continued was of another root or ref.
            UnknownRoot, UnknownRef: from opening the workspace.
        """
        started = self.clock()
        return self._routed(request_in(RetrievalInput, state), started)

    def _routed(self, state: RetrievalInput, started: float) -> RetrievalState:
        check_request(state)
        llm_calls = self._llm_calls(state)
        task = read_task(state.task)
        pins = self.genomes.pins(DOMAIN)
        genome = self.genomes.routing(DOMAIN, pins)
        route = route_of(task, genome)
        workspace = self.workspaces.open(state.root, state.ref, announce)
        _check_patterns(state, workspace)
        known: list[Evaluation] = []
        if state.previous is not None:
            check_source(state.previous, workspace.root, state.ref)
            known = known_evaluations(state.previous, workspace.searchable)
        announce(
            Routed(query_type=route.query_type, profile=route.profile, confidence=route.confidence, reason=route.reason)
        )
        depth = profile_of(genome, route).depth_budget
        return {
            "task": state.task,
            "root": workspace.root,
            "ref": state.ref,
            "patterns": state.patterns,
            "excludes": state.excludes,
            "scope": state.scope,
            "max_cycles": state.max_cycles or depth.max_cycles,
            "budget": state.budget or depth.budget_tokens,
            "started": started,
            "fingerprint": workspace.fingerprint,
            "previous": state.previous,
            "gap": state.gap,
            "llm_calls": llm_calls,
            "genomes": pins,
            "route": route,
            "cycle": 1,
            "query": first_query(state, read_task(state.gap) if state.gap else task),
            **_clean_slate(known),
        }

    def _llm_calls(self, request: RetrievalInput) -> int:
        """Most model calls of a request, 0 offline. Raises CallerError when models are demanded and there is none."""
        if self.llm_calls is None and request.llm:
            raise CallerError("no language model is configured; set IR_MODEL and OPENAI_BASE_URL, or leave llm out")
        if self.llm_calls is None or request.llm is False:
            return 0
        return self.llm_calls if request.max_llm_calls is None else request.max_llm_calls


def _check_patterns(request: RetrievalInput, workspace: Workspace) -> None:
    """Raises CallerError when the globs leave no file: an empty result would sound as if the task were at fault."""
    if not (request.patterns or request.excludes) or not workspace.size:
        return
    wanted, unwanted = Patterns(request.patterns), Patterns(request.excludes)
    if any(
        workspace.searchable(p) and (not wanted or wanted.match(p)) and not unwanted.match(p) for p in workspace.paths
    ):
        return
    shown = ", ".join([*request.patterns, *(f"without {e}" for e in request.excludes)])
    raise CallerError(
        f"no searchable file is left by the patterns ({shown}); they are globs relative to the root, e.g. src/**/*.py"
    )


def route_of(task: Task, genome: RoutingGenome) -> Route:
    """The route of a task: its query type does not depend on the genome, whether that activates a profile does."""
    found = classify(task)
    sure = found.confidence >= genome.min_confidence and found.query_type in genome.profiles
    return Route(
        query_type=found.query_type,
        profile=found.query_type.value if sure else "default",
        confidence=found.confidence,
        reason=found.reason,
    )


def _clean_slate(known: list[Evaluation]) -> RetrievalState:
    """What an earlier request on the same thread may have left behind, emptied; Overwrite passes by the reducers.

    known: the files of the search that is continued.
    """
    empty: Any = {
        "asked": Overwrite([]),
        "evaluations": Overwrite(known),
        "traces": Overwrite([]),
        "candidates": [],
        "scales": {},
        "gaps": [],
        "learned": [],
        "schedule": Schedule(),
        "plan": Plan(),
        "lifts": {},
        "advice": Overwrite([]),
        "spent": Overwrite(Spent()),
    }
    slate: RetrievalState = empty
    return slate


def profile_of(genome: RoutingGenome, route: Route) -> Profile:
    """The profile that a route activates."""
    for query_type, profile in genome.profiles.items():
        if query_type == route.profile:
            return profile
    return genome.default_profile


def title_words(task: Task) -> list[str]:
    """The title's words as written, without those that say nothing."""
    text = task.title if content_terms(task.title).parts else task.prose[:400]
    return unique(w.lower() if w.islower() or w.istitle() else w for w in raw_words(text) if content_terms(w).parts)


def check_request(request: RetrievalInput) -> None:
    """Raise on a request that cannot be served: an empty task or gap, or a budget below one span."""
    if not analyse(request.task).parts:
        raise EmptyTask(
            'the task holds no word to search for; say what should be found, e.g. "fix the token expiry bug"'
        )
    if (request.previous is None) != (request.gap is None):
        raise CallerError("previous and gap go together: the earlier result, and what it lacks in words")
    if request.gap is not None and not analyse(request.gap).parts:
        raise EmptyTask('the gap holds no word to search for; say what is missing, e.g. "where are tokens stored?"')
    if request.budget is not None and request.budget < MIN_BUDGET:
        raise BudgetTooSmall(f"a budget of {request.budget} tokens holds no span; give at least {MIN_BUDGET}")


def first_query(request: RetrievalInput, task: Task) -> Query:
    """The query of cycle 1: the caller's patterns and excludes, the task's own words and names."""
    named = [*task.paths, *task.strong_symbols]
    return Query(
        patterns=list(request.patterns),
        keywords=title_words(task)[:24],
        excludes=list(request.excludes),
        focus_areas=named[:16],
    )
