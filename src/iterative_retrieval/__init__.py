"""Finds the files and lines a task needs, in at most three cycles of searching, judging and learning.

    >>> from iterative_retrieval import retrieve
    >>> result = retrieve("Fix the authentication token expiry bug", root=".")  # doctest: +SKIP
    >>> print(result.to_markdown())  # doctest: +SKIP

Every public name is loaded on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .graph.api import Explanation, RetrievalResult, aretrieve, explain, retrieve, with_texts
    from .graph.ask import AskResult, aask, ask, index_documents
    from .graph.docsearch import build_docsearch_graph
    from .graph.embedding import SubAgent, as_node, as_subagent, ask_as_node
    from .graph.evolution import build_evolution_graph
    from .graph.evolve import CycleResult, decide, evolve, rollback
    from .graph.retrieval import build_retrieval_graph
    from .graph.serializer import checkpoint_serializer
    from .graph.tools import as_tool, ask_as_tool, last_package
    from .state.answer import Answer, AnswerSource
    from .state.candidate import Band, Gap, GapKind
    from .state.errors import CallerError, EvolutionRefused, IterativeRetrievalError, WorldError
    from .state.evolution import Review
    from .state.package import ContextPackage, CycleTrace, FileContext, Span, StopReason
    from .state.progress import Progress
    from .state.query import Query, QueryType, Scope

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AnswerSource",
    "AskResult",
    "Band",
    "CallerError",
    "ContextPackage",
    "CycleResult",
    "CycleTrace",
    "EvolutionRefused",
    "Explanation",
    "FileContext",
    "Gap",
    "GapKind",
    "IterativeRetrievalError",
    "Progress",
    "Query",
    "QueryType",
    "RetrievalResult",
    "Review",
    "Scope",
    "Span",
    "StopReason",
    "SubAgent",
    "WorldError",
    "__version__",
    "aask",
    "aretrieve",
    "as_node",
    "as_subagent",
    "as_tool",
    "ask",
    "ask_as_node",
    "ask_as_tool",
    "build_docsearch_graph",
    "build_evolution_graph",
    "build_retrieval_graph",
    "checkpoint_serializer",
    "decide",
    "evolve",
    "explain",
    "index_documents",
    "last_package",
    "retrieve",
    "rollback",
    "with_texts",
]

_HOME = {
    "Answer": ".state.answer",
    "AnswerSource": ".state.answer",
    "AskResult": ".graph.ask",
    "Band": ".state.candidate",
    "CallerError": ".state.errors",
    "ContextPackage": ".state.package",
    "CycleResult": ".graph.evolve",
    "CycleTrace": ".state.package",
    "EvolutionRefused": ".state.errors",
    "Explanation": ".graph.api",
    "FileContext": ".state.package",
    "Gap": ".state.candidate",
    "GapKind": ".state.candidate",
    "IterativeRetrievalError": ".state.errors",
    "Progress": ".state.progress",
    "Query": ".state.query",
    "QueryType": ".state.query",
    "RetrievalResult": ".graph.api",
    "Review": ".state.evolution",
    "Scope": ".state.query",
    "Span": ".state.package",
    "StopReason": ".state.package",
    "SubAgent": ".graph.embedding",
    "WorldError": ".state.errors",
    "aask": ".graph.ask",
    "aretrieve": ".graph.api",
    "as_node": ".graph.embedding",
    "as_subagent": ".graph.embedding",
    "as_tool": ".graph.tools",
    "ask": ".graph.ask",
    "ask_as_node": ".graph.embedding",
    "ask_as_tool": ".graph.tools",
    "build_docsearch_graph": ".graph.docsearch",
    "build_evolution_graph": ".graph.evolution",
    "build_retrieval_graph": ".graph.retrieval",
    "checkpoint_serializer": ".graph.serializer",
    "decide": ".graph.evolve",
    "evolve": ".graph.evolve",
    "explain": ".graph.api",
    "index_documents": ".graph.ask",
    "last_package": ".graph.tools",
    "retrieve": ".graph.api",
    "rollback": ".graph.evolve",
    "with_texts": ".graph.api",
}


def __getattr__(name: str) -> object:
    """The public ``name``, imported from its home on first use and kept."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(home, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted(set(globals()) | set(__all__))
