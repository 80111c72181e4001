"""A finished context package and the events that lead to it, for the tests of the doors."""

from __future__ import annotations

from iterative_retrieval.state.candidate import Band, Gap, GapKind
from iterative_retrieval.state.package import ContextPackage, CycleTrace, FileContext, Span, StopReason
from iterative_retrieval.state.progress import (
    CycleDispatched,
    CycleEvaluated,
    CycleRefined,
    Finished,
    IndexProgress,
    LoopDecided,
    Progress,
    Routed,
)
from iterative_retrieval.state.query import Query, QueryType

TASK = "Fix the authentication token expiry bug"
NOT_UTF8 = b"caf\xe9.py".decode("utf-8", "surrogateescape")

FIRST_QUERY = Query(patterns=["src/**"], keywords=["token", "auth", "expiry"])
SECOND_QUERY = Query(patterns=["src/**"], keywords=["token", "auth", "refresh", "jwt"], excludes=["src/user.ts"])
MISSING_STORE = Gap(
    kind=GapKind.SYMBOL,
    target="TokenStore",
    detail="no definition of TokenStore, named in the task",
    critical=True,
)
USED_CLOCK = Gap(kind=GapKind.DEPENDENCY, target="Clock", detail="Clock is defined nowhere", wanted_by="src/auth.ts")

EVENTS: list[Progress] = [
    IndexProgress(done=10, total=40, phase="parsing"),
    Routed(query_type=QueryType.BUG_REPORT, profile="thorough", confidence=0.92, reason='says "bug"'),
    CycleDispatched(cycle=1, query=FIRST_QUERY, candidates=212),
    CycleEvaluated(cycle=1, top=[("src/auth.ts", 0.9), ("src/tokens.ts", 0.8), ("src/user.ts", 0.3)]),
    CycleRefined(cycle=1, learned=["refresh", "jwt"], excluded=1),
    LoopDecided(cycle=1, reason="two more words"),
    CycleDispatched(cycle=2, query=SECOND_QUERY, candidates=64),
    CycleEvaluated(cycle=2, top=[("src/session-manager.ts", 0.95), ("src/jwt-utils.ts", 0.85)]),
    LoopDecided(cycle=2, decision=StopReason.SUFFICIENT, reason="4 highly relevant files"),
    Finished(files=2, tokens=2410, seconds=0.8),
]


def file_context(path: str = "src/auth.ts", relevance: float = 0.9, **changes: object) -> FileContext:
    """One packed file."""
    values: dict[str, object] = {
        "path": path,
        "relevance": relevance,
        "probability": 0.71,
        "band": Band.HIGH,
        "reason": "defines checkExpiry, named in the task",
        "spans": [Span(first=10, last=42, symbol="checkExpiry"), Span(first=60, last=60)],
    }
    return FileContext.model_validate(values | changes)


def package(**changes: object) -> ContextPackage:
    """The package that EVENTS lead to, with ``changes``."""
    values: dict[str, object] = {
        "task": TASK,
        "root": "/repo",
        "query_type": QueryType.BUG_REPORT,
        "profile": "thorough",
        "files": [file_context(), file_context("tests/auth.test.ts", 0.6, band=Band.MEDIUM, role="test")],
        "ranked": ["src/auth.ts", "tests/auth.test.ts", "src/user.ts"],
        "functions": ["src/auth.ts:checkExpiry"],
        "gaps": [USED_CLOCK, MISSING_STORE],
        "cycles": [
            CycleTrace(cycle=1, query=FIRST_QUERY, candidates=212, new_files=212, ranking=["src/auth.ts"]),
            CycleTrace(cycle=2, query=SECOND_QUERY, candidates=64, new_files=2, found=[("src/auth.ts", 0.9)]),
        ],
        "stopped_by": StopReason.SUFFICIENT,
        "sufficient": True,
        "tokens": 2410,
        "budget": 8000,
        "left_out": {"too_large": 1, "ignored": 42, "binary": 0},
    }
    return ContextPackage.model_validate(values | changes)


def empty_package() -> ContextPackage:
    """What comes back when nothing matches."""
    gap = Gap(kind=GapKind.NO_MATCH, target="quux", detail="nothing matches quux", critical=True)
    return package(
        files=[], ranked=[], functions=[], gaps=[gap], tokens=0, stopped_by=StopReason.NOTHING_FOUND, sufficient=False
    )
