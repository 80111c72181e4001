"""intake: check a documentation question, find its collection and language, and give it a first route."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from langgraph.types import Overwrite

from ..retrieval.documents.language import language_of_text
from ..retrieval.passages.words import words
from ..retrieval.routing import QuestionClassifier
from ..state.complaints import request_in
from ..state.docsearch import DocsearchInput, DocsearchState
from ..state.document_ports import Collections, Domains
from ..state.errors import EmptyQuestion
from ..state.text import storable
from .clock import Clock, monotonic


@dataclass(frozen=True)
class Intake:
    """Borrows the collections, the domains, a classifier for each domain, and a clock."""

    collections: Collections
    domains: Domains
    classifiers: Callable[[str], QuestionClassifier]
    clock: Clock = monotonic

    def intake(self, state: DocsearchState) -> DocsearchState:
        """The checked request. The route is the offline classifier's: the cache is asked under it.

        Raises:
            CallerError: a field of the request is missing or out of bounds.
            EmptyQuestion: no word to search for.
            UnknownCollection, EmptyCollection, EmbeddingMismatch, UnknownDomain: from opening.
        """
        return self.taken(request_in(DocsearchInput, state))

    def taken(self, state: DocsearchInput) -> DocsearchState:
        """A valid request, checked against the world."""
        started = self.clock()
        question = storable(state.question).strip()
        if not any(True for _ in words(question)):
            raise EmptyQuestion('the question holds no word to search for; ask e.g. "how do I limit retries?"')
        collection = self.collections.open(state.collection)
        pins = self.domains.pins(collection.info.domain)
        domain = self.domains.of(collection.info.domain, pins)
        language = state.language or language_of_text(question)
        route = self.classifiers(collection.info.domain).route(question, language, domain.routing)
        slate: Any = {
            "question": question,
            "collection": state.collection,
            "tenant": storable(state.tenant),
            "language": language,
            "fresh": state.fresh,
            "log": state.log,
            "version": collection.info.version,
            "domain": collection.info.domain,
            "genomes": pins,
            "warnings": list(collection.warnings),
            "route": route,
            "asked_type": route.query_type,
            "max_cycles": state.max_cycles or 0,
            "started": started,
            "excludes": [],
            **_clean_slate(),
        }
        request: DocsearchState = slate
        return request


def _clean_slate() -> dict[str, Any]:
    """What an earlier question on the same thread may have left behind, emptied; Overwrite passes by the reducers."""
    return {
        "asked": Overwrite([]),
        "evaluations": Overwrite([]),
        "traces": Overwrite([]),
        "candidates": [],
        "scales": {},
        "gaps": [],
        "learned": [],
    }
