"""postprocess: an answer under the contract out of the best chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..retrieval.text import unique
from ..state.answer import Answer
from ..state.candidate import Evaluation, GapKind
from ..state.docsearch import DocsearchState
from ..state.document_ports import Collection, Collections, Domains
from ..state.progress import AnswerComposed, AnswerToken
from ..state.spending import Spending, SpendingLimit, Spent
from .clock import announce
from .compose import Composer
from .route import profile_of


@dataclass(frozen=True)
class Postprocessor:
    """Borrows the collections, the domains and the composer.

    limit: the most that a request may spend on models. troubles: what failed while a collection was searched, in words.
    """

    collections: Collections
    domains: Domains
    composer: Composer
    limit: SpendingLimit = field(default_factory=SpendingLimit)
    troubles: Callable[[Collection], Sequence[str]] = lambda collection: ()

    def postprocess(self, state: DocsearchState) -> DocsearchState:
        """The answer; what degraded on the way and critical gaps become warnings."""
        collection = self.collections.opened(state["collection"], state["version"])
        domain = self.domains.of(state["domain"], state.get("genomes"))
        best = answering(state["evaluations"], domain.retrieval.packed, domain.postprocess.chunk_count)
        held = collection.chunks(e.path for e in best)
        spending = Spending(self.limit, state.get("spent", Spent()))
        answer = self.composer.within(spending).compose(
            state["question"],
            [held[e.path] for e in best if e.path in held],
            {e.path: e.relevance for e in best},
            domain.postprocess,
            profile_of(domain.routing, state["route"]),
            state["language"],
            on_token=lambda text: announce(AnswerToken(text=text)),
        )
        missing = [g.detail for g in state["gaps"] if g.critical and g.kind is not GapKind.NO_MATCH]
        degraded = [*state["warnings"], *collection.warnings, *self.troubles(collection)]
        answer = with_warnings(answer, [*degraded, *(missing if answer.answer else [])])
        announce(
            AnswerComposed(
                composed_by=answer.composed_by,
                sources=len(answer.sources),
                support=answer.support,
                warnings=len(answer.warnings),
            )
        )
        return {"answer": answer, "spent": spending.new}


def answering(evaluations: Sequence[Evaluation], relevance: float, limit: int) -> list[Evaluation]:
    """The chunks that an answer is composed from, best first."""
    return [e for e in evaluations if e.relevance >= relevance][:limit]


def with_warnings(answer: Answer, warnings: Sequence[str]) -> Answer:
    """The answer with further warnings, none twice."""
    return answer.model_copy(update={"warnings": unique([*answer.warnings, *warnings])})
