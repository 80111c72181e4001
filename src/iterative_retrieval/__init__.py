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
    from .graph.api import Explanation, RetrievalResult, aretrieve, explain, retrieve
    from .graph.retrieval import build_retrieval_graph
    from .state.candidate import Band, Gap, GapKind
    from .state.errors import CallerError, IterativeRetrievalError, WorldError
    from .state.package import ContextPackage, CycleTrace, FileContext, Span, StopReason
    from .state.progress import Progress
    from .state.query import Query, QueryType, Scope

__version__ = "0.1.0"

__all__ = [
    "Band",
    "CallerError",
    "ContextPackage",
    "CycleTrace",
    "Explanation",
    "FileContext",
    "Gap",
    "GapKind",
    "IterativeRetrievalError",
    "Progress",
    "Query",
    "QueryType",
    "RetrievalResult",
    "Scope",
    "Span",
    "StopReason",
    "WorldError",
    "__version__",
    "aretrieve",
    "build_retrieval_graph",
    "explain",
    "retrieve",
]

_HOME = {
    "Band": ".state.candidate",
    "CallerError": ".state.errors",
    "ContextPackage": ".state.package",
    "CycleTrace": ".state.package",
    "Explanation": ".graph.api",
    "FileContext": ".state.package",
    "Gap": ".state.candidate",
    "GapKind": ".state.candidate",
    "IterativeRetrievalError": ".state.errors",
    "Progress": ".state.progress",
    "Query": ".state.query",
    "QueryType": ".state.query",
    "RetrievalResult": ".graph.api",
    "Scope": ".state.query",
    "Span": ".state.package",
    "StopReason": ".state.package",
    "WorldError": ".state.errors",
    "aretrieve": ".graph.api",
    "build_retrieval_graph": ".graph.retrieval",
    "explain": ".graph.api",
    "retrieve": ".graph.api",
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
