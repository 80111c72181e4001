"""Projects to index, and everything a workspace says about one, so that two workspaces can be compared."""

from __future__ import annotations

import hashlib
import random
import sys
from pathlib import Path
from typing import Any

from iterative_retrieval.state.analysis import FileAnalysis
from iterative_retrieval.state.ports import Clause, Workspace
from iterative_retrieval.stores.workspace import CachedWorkspaces

PROJECT = Path(__file__).parents[2]
_WORDS = """
account archive balance batch border bucket cache cipher cluster column courier cursor daemon delta digest driver engine
expiry filter folder gateway header invoice kernel ledger matrix mirror packet parcel quota refund router schema session
shard signal socket stream table ticket token upload vector voucher window worker
"""
WORDS = _WORDS.split()
FIELDS = {"path": 2.0, "definitions": 1.5, "body": 1.0, "symbols": 1.0, "imports": 1.0}


def module(seed: int) -> str:
    """The text of a small Python module; the same for the same seed."""
    chance = random.Random(seed)
    names = chance.sample(WORDS, 6)
    lines = [f"from .{names[0]} import {names[1].title()}", "", ""]
    for name in names[2:]:
        lines += [f"def {name}_{chance.choice(WORDS)}({names[0]}: str) -> str:"]
        lines += [f'    """{" ".join(chance.choices(WORDS, k=chance.randint(3, 12)))}."""']
        lines += [f"    return {names[0]} + {chance.choice(WORDS)!r}", "", ""]
    return "\n".join(lines)


def project(count: int, seed: int = 0) -> dict[str, str | bytes | None]:
    """Path -> text of ``count`` modules in a few folders."""
    return {
        f"{WORDS[n % 7]}/{WORDS[n % len(WORDS)]}_{n // len(WORDS)}.py": module(seed * 100_000 + n) for n in range(count)
    }


def answers(workspace: Workspace) -> dict[str, Any]:
    """Everything that a workspace says, in a form that can be compared; scores to the last bit."""
    return {
        "search": searches(workspace),
        "frequency": {(f, w): workspace.document_frequency(w, f) for f in FIELDS for w in WORDS},
        "prefix": {w: workspace.words_with_prefix(w[:2], 10) for w in WORDS},
        "size": workspace.size,
        "mean_length": workspace.mean_length,
        "languages": workspace.languages,
        "left_out": workspace.left_out(),
        "paths": sorted(workspace.paths),
        "analyses": {path: as_values(found) for path, found in workspace.analyses(workspace.paths).items()},
        "history": list(zip(workspace.history.ids, workspace.history.files, workspace.history.subjects, strict=True)),
    }


def searches(workspace: Workspace, queries: int = 40) -> list[list[tuple[str, float]]]:
    """The hits of many queries, with their scores."""
    chance = random.Random(7)
    found = []
    for number in range(queries):
        words = chance.sample(WORDS, 1 + number % 9)
        clauses = [Clause(f, w, weight) for w in words for f, weight in FIELDS.items() if chance.random() < 0.8]
        found.append([(hit.path, hit.score) for hit in workspace.search(clauses, chance.choice((3, 10, 50)))])
    return found


def as_values(analysis: FileAnalysis) -> tuple[Any, ...]:
    """An analysis as values that compare by content."""
    arrays = (analysis.parts, analysis.wholes, analysis.chunk_ends, analysis.names)
    structure = analysis.structure
    return (
        *(analysis.reason, analysis.generated, analysis.lines, structure.language, structure.parsed),
        *(structure.symbols, structure.imports, structure.chunks, dict(structure.bases)),
        *((a.dtype.str, a.shape, a.tobytes()) for a in arrays),
    )


def fresh_answers(folder: Path, root: Path, ref: str | None = None) -> dict[str, Any]:
    """What a workspace says that was indexed from nothing into a cache of its own."""
    workspaces = CachedWorkspaces(folder)
    try:
        return answers(workspaces.open(root, ref))
    finally:
        workspaces.close()


def opened_answers(cache: Path, root: Path, ref: str | None = None) -> tuple[dict[str, Any], list[str]]:
    """What a new process would hear from this cache, and its warnings."""
    workspaces = CachedWorkspaces(cache)
    try:
        workspace = workspaces.open(root, ref)
        return answers(workspace), list(workspace.warnings)
    finally:
        workspaces.close()


def child(cache: Path, root: Path, ref: str | None) -> list[str]:
    """A command that opens a workspace in a process of its own and prints the digest of its answers."""
    code = f"from tests.stores.snapshots import main; main({str(cache)!r}, {str(root)!r}, {ref!r})"
    return [sys.executable, "-c", code]


def digest(found: dict[str, Any]) -> str:
    """Names answers: equal answers, equal digest."""
    return hashlib.sha256(repr(sorted(found.items(), key=lambda item: item[0])).encode()).hexdigest()


def main(cache: str, root: str, ref: str | None) -> None:
    """What a child process does."""
    print(digest(opened_answers(Path(cache), Path(root), ref)[0]))
