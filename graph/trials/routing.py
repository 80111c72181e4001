"""Layer ``routing``: the route of labelled questions under a candidate's profiles, judged by accuracy and cost."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ...evolution.defaults import CODE
from ...evolution.pools import query_id
from ...nodes.classify_question import classify_with_model
from ...nodes.route import profile_of, route_of
from ...retrieval.documents.language import language_of_text
from ...retrieval.task import read_task
from ...state.errors import CallerError
from ...state.evolution import Cost, EvalQuery
from ...state.evolution_run import QuerySource
from ...state.query import QueryType
from ...state.routing import Route, RoutingGenome
from ...state.spending import Spending
from ...state.trial_ports import Judgement
from ..docsearch_services import DocsearchServices
from ..prompts import classify_rules
from .query_files import read_rows

RIGHT, UNSURE, WRONG = 10.0, 6.0, 0.0
"""Scores. The default profile is thorough: it answers any question, at a price."""
_CYCLE_PRICE = 0.25


@dataclass(frozen=True)
class RoutingTrial:
    """Labelled questions of one domain; of domain "code", labelled tasks, which no model classifies."""

    services: DocsearchServices
    domain: str
    asked: tuple[EvalQuery, ...]
    judge: str = "labels"
    judge_version: str = "1"

    @property
    def most(self) -> Cost:
        """One call of the classifier."""
        asks = self.domain != CODE and self.services.models.of("classifier")
        return Cost(calls=1, tokens=4_000 if asks else 0, seconds=120.0)

    def queries(self) -> tuple[EvalQuery, ...]:
        """The questions."""
        return self.asked

    def run(self, genome: BaseModel, query: EvalQuery, repeat: int) -> Judgement:
        """Classify; right and sure is best, the default profile costs cycles, wrong and sure is worth nothing."""
        assert isinstance(genome, RoutingGenome)
        started = time.perf_counter()
        spending = Spending()
        route = self._route(query, genome, spending)
        cycles = profile_of(genome, route).depth_budget.max_cycles
        right = route.query_type == query.reference["query_type"]
        base = UNSURE if route.profile == "default" else RIGHT if right else WRONG
        return Judgement(
            score=max(0.0, base - _CYCLE_PRICE * (cycles - 1)),
            response=f"{route.query_type} ({route.confidence:.2f}), profile {route.profile}",
            metrics={"accuracy": 10.0 * right},
            objectives={"accuracy": float(right), "cycles": -float(cycles)},
            reasoning=route.reason,
            cost=Cost(
                calls=max(1, spending.new.calls), tokens=spending.new.tokens, seconds=time.perf_counter() - started
            ),
        )

    def _route(self, query: EvalQuery, genome: RoutingGenome, spending: Spending) -> Route:
        """The route that the graph of the domain gives a question."""
        if self.domain == CODE:
            return route_of(read_task(query.text), genome)
        language = query.reference.get("language") or language_of_text(query.text)
        route = self.services.domains.classifier(self.domain).route(query.text, language, genome)
        if model := self.services.models.of("classifier"):
            route = classify_with_model(model.within(spending), classify_rules(), query.text, genome, route)
        return route


def routing_trial(services: DocsearchServices, domain: str, source: QuerySource) -> RoutingTrial:
    """The trial over a file of ``question``, ``query_type``, ``language`` a line, or over the domain's own examples.

    The examples are what the classifier compares with, so it finds each of them: such a trial shows what profiles cost,
    not how well new questions are told apart. Tasks have no such examples.

    Raises:
        CallerError: the file cannot be read; for domain "code", none is named, or a task bears the type of a question.
    """
    if source.queries:
        rows = read_rows(source.queries, "question", "query_type")
    elif domain == CODE:
        raise CallerError('layer routing of domain "code" needs --queries: question (a task) and query_type a line')
    else:
        rows = [e.model_dump() for e in services.domains.of(domain).examples]
    if domain == CODE:
        _check_types(rows)
    return RoutingTrial(
        services,
        domain,
        tuple(
            EvalQuery(
                id=query_id(row["question"]),
                text=row["question"],
                slice=row["query_type"],
                reference={"query_type": row["query_type"], "language": row.get("language", "")},
            )
            for row in rows[: source.limit]
        ),
    )


def _check_types(rows: list[dict[str, Any]]) -> None:
    known = [kind.value for kind in QueryType]
    for row in rows:
        if row["query_type"] not in known:
            raise CallerError(f"{row['query_type']!r} is no query type of a coding task; those are {', '.join(known)}")
