"""route: the query type of a documentation question, the profile it activates, and the first query."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..retrieval.passages.words import says_nothing
from ..retrieval.text import raw_words, unique
from ..state.docsearch import DocsearchState
from ..state.document_ports import ChatModel, Domains
from ..state.progress import Routed
from ..state.query import Query
from ..state.spending import Spending, SpendingLimit, Spent
from .classify_question import classify_with_model
from .clock import announce
from .route import profile_of

_KEYWORDS = 24


@dataclass(frozen=True)
class DocsRouter:
    """Borrows the domains, a model (None offline) with its rules, and the most that a request may spend on models."""

    domains: Domains
    model: ChatModel | None = None
    rules: str = ""
    limit: SpendingLimit = field(default_factory=SpendingLimit)

    def route(self, state: DocsearchState) -> DocsearchState:
        """The route, by a model's word where there is one, and what the loop begins with."""
        genome = self.domains.of(state["domain"], state.get("genomes")).routing
        route = state["route"]
        spending = Spending(self.limit, state.get("spent", Spent()))
        if self.model:
            route = classify_with_model(self.model.within(spending), self.rules, state["question"], genome, route)
        announce(
            Routed(query_type=route.query_type, profile=route.profile, confidence=route.confidence, reason=route.reason)
        )
        begin: Any = {
            "route": route,
            "max_cycles": state["max_cycles"] or profile_of(genome, route).depth_budget.max_cycles,
            "cycle": 1,
            "spent": spending.new,
            "query": Query(keywords=unique(w for w in raw_words(state["question"]) if not says_nothing(w))[:_KEYWORDS]),
        }
        update: DocsearchState = begin
        return update
