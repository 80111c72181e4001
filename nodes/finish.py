"""finish: pack the best files and spans into the token budget, and write the result."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from ..retrieval.continuing import MOST_RANKED, continued, unseen
from ..retrieval.functions import file_shares, ranked_functions
from ..retrieval.packing import PackFile, chunk_costs, pack
from ..retrieval.roles import role_of
from ..retrieval.spans import chunk_chances
from ..state.analysis import FileAnalysis
from ..state.candidate import Evaluation
from ..state.errors import FileVanished
from ..state.package import ContextPackage, FileContext, Span, StopReason
from ..state.ports import Genomes, Workspace, Workspaces
from ..state.progress import Finished
from ..state.query import QueryType, Scope
from ..state.retrieval import RetrievalState
from .clock import Clock, announce, monotonic
from .route import DOMAIN, profile_of
from .scene import scene_of

_FUNCTION_FILES = 12
_MOST_FUNCTIONS = 40


@dataclass(frozen=True)
class Finisher:
    """Borrows the workspaces, the genomes and a clock."""

    workspaces: Workspaces
    genomes: Genomes
    clock: Clock = monotonic

    def finish(self, state: RetrievalState) -> RetrievalState:
        """The context package."""
        workspace = self.workspaces.opened(state["root"], state["ref"], state["fingerprint"])
        pins = state.get("genomes")
        genome = self.genomes.retrieval(DOMAIN, pins)
        profile = profile_of(self.genomes.routing(DOMAIN, pins), state["route"])
        gap, previous = state.get("gap") or "", state.get("previous")
        known = {f.path: f.spans for f in previous.files} if previous else {}
        scene = scene_of(workspace, gap or state["task"], genome)
        evaluations = state["evaluations"]
        relevant = (e for e in evaluations if e.relevance >= genome.packed and _has_more(workspace, e.path, known))
        chosen = list(islice(relevant, profile.depth_budget.max_files))
        analyses = workspace.analyses(e.path for e in evaluations[: max(_FUNCTION_FILES, len(chosen))])
        likely = file_shares(evaluations[: max(_FUNCTION_FILES, len(chosen))])
        shares = chunk_chances(scene, analyses, genome, profile.format, likely)
        files, warnings = _pack_files(workspace, chosen, analyses, shares, known)
        packed = pack(files, state["budget"])
        verdict = state["verdict"]
        package = ContextPackage(
            task=state["task"],
            root=state["root"],
            ref=state["ref"],
            query_type=QueryType(state["route"].query_type),
            profile=state["route"].profile,
            files=[_context(e, packed.spans[e.path]) for e in chosen if e.path in packed.spans],
            ranked=[e.path for e in evaluations[:MOST_RANKED]],
            functions=ranked_functions(likely, analyses, shares)[:_MOST_FUNCTIONS],
            gaps=state["gaps"],
            cycles=state["traces"],
            stopped_by=verdict.stop or StopReason.MAX_CYCLES,
            sufficient=verdict.sufficient,
            tokens=packed.tokens,
            budget=state["budget"],
            left_out=workspace.left_out(),
            warnings=[*workspace.warnings, *warnings],
            gap=gap,
            fingerprint=workspace.fingerprint,
            advice=state.get("advice", []),
        )
        if previous is not None:
            package = continued(previous, package, partial(_length, workspace), partial(_names, workspace))
        announce(Finished(files=len(package.files), tokens=package.tokens, seconds=self.clock() - state["started"]))
        return {"package": package, **_next_request()}


def _next_request() -> RetrievalState:
    """The optional fields of a request, emptied: the next request on the same thread must not inherit them."""
    empty: Any = {"ref": None, "patterns": [], "excludes": [], "max_cycles": None, "budget": None, "scope": Scope()}
    empty |= {"previous": None, "gap": None, "llm": None, "max_llm_calls": None}
    fields: RetrievalState = empty
    return fields


def _pack_files(
    workspace: Workspace,
    chosen: Sequence[Evaluation],
    analyses: Mapping[str, FileAnalysis],
    shares: Mapping[str, np.ndarray],
    known: Mapping[str, Sequence[Span]],
) -> tuple[list[PackFile], list[str]]:
    """The chosen files with their texts, without the chunks that are known; one that vanished becomes a warning."""
    files, warnings = [], []
    for e in chosen:
        if e.path not in analyses:
            continue
        try:
            text = workspace.text(e.path)
        except FileVanished as gone:
            warnings.append(str(gone))
            continue
        fresh = unseen(analyses[e.path].structure.chunks, known.get(e.path, ()))
        chunks = [analyses[e.path].structure.chunks[i] for i in fresh]
        costs = chunk_costs(text, chunks)
        files.append(PackFile(e.path, max(e.probability, 0.01), chunks, shares[e.path][fresh], costs))
    return files, warnings


def _has_more(workspace: Workspace, path: str, known: Mapping[str, Sequence[Span]]) -> bool:
    """Whether a file has a chunk that is not known."""
    if path not in known:
        return True
    held = workspace.analyses([path]).get(path)
    return held is not None and bool(unseen(held.structure.chunks, known[path]))


def _length(workspace: Workspace, path: str) -> int | None:
    """Lines of a file; None when it is not there (any more)."""
    held = workspace.analyses([path]).get(path)
    return held.lines if held else None


def _names(workspace: Workspace, paths: Collection[str]) -> set[str]:
    """The names that files define."""
    return {s.name for a in workspace.analyses(paths).values() for s in a.structure.symbols}


def _context(e: Evaluation, spans: list[Span]) -> FileContext:
    return FileContext(
        path=e.path,
        relevance=e.relevance,
        probability=e.probability,
        band=e.band,
        reason=e.reason,
        missing_context=e.missing_context,
        spans=spans,
        role=role_of(e.path).value,
        cycle=e.cycle,
    )
