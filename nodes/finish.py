"""finish: pack the best files and spans into the token budget, and write the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..retrieval.functions import ranked_functions
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
_MOST_RANKED = 100


@dataclass(frozen=True)
class Finisher:
    """Borrows the workspaces, the genomes and a clock."""

    workspaces: Workspaces
    genomes: Genomes
    clock: Clock = monotonic

    def finish(self, state: RetrievalState) -> RetrievalState:
        """The context package."""
        workspace = self.workspaces.opened(state["root"], state["ref"], state["fingerprint"])
        genome = self.genomes.retrieval(DOMAIN)
        profile = profile_of(self.genomes.routing(DOMAIN), state["route"])
        scene = scene_of(workspace, state["task"], genome)
        evaluations = state["evaluations"]
        chosen = [e for e in evaluations if e.relevance >= genome.packed][: profile.depth_budget.max_files]
        analyses = workspace.analyses(e.path for e in evaluations[: max(_FUNCTION_FILES, len(chosen))])
        shares = chunk_chances(scene, analyses, genome, profile.format)
        files, warnings = _pack_files(workspace, chosen, analyses, shares)
        packed = pack(files, state["budget"])
        verdict = state["verdict"]
        package = ContextPackage(
            task=state["task"],
            root=state["root"],
            ref=state["ref"],
            query_type=QueryType(state["route"].query_type),
            profile=state["route"].profile,
            files=[_context(e, packed.spans[e.path]) for e in chosen if e.path in packed.spans],
            ranked=[e.path for e in evaluations[:_MOST_RANKED]],
            functions=ranked_functions(evaluations[:_FUNCTION_FILES], analyses, shares)[:_MOST_FUNCTIONS],
            gaps=state["gaps"],
            cycles=state["traces"],
            stopped_by=verdict.stop or StopReason.MAX_CYCLES,
            sufficient=verdict.sufficient,
            tokens=packed.tokens,
            budget=state["budget"],
            left_out=workspace.left_out(),
            warnings=[*workspace.warnings, *warnings],
        )
        announce(Finished(files=len(package.files), tokens=package.tokens, seconds=self.clock() - state["started"]))
        return {"package": package, **_next_request()}


def _next_request() -> RetrievalState:
    """The optional fields of a request, emptied: the next request on the same thread must not inherit them."""
    empty: Any = {"ref": None, "patterns": [], "excludes": [], "max_cycles": None, "budget": None, "scope": Scope()}
    fields: RetrievalState = empty
    return fields


def _pack_files(
    workspace: Workspace,
    chosen: Sequence[Evaluation],
    analyses: Mapping[str, FileAnalysis],
    shares: Mapping[str, np.ndarray],
) -> tuple[list[PackFile], list[str]]:
    """The chosen files with their texts; a file that vanished meanwhile becomes a warning."""
    files, warnings = [], []
    for e in chosen:
        if e.path not in analyses:
            continue
        try:
            text = workspace.text(e.path)
        except FileVanished as gone:
            warnings.append(str(gone))
            continue
        chunks = analyses[e.path].structure.chunks
        costs = chunk_costs(text, chunks)
        files.append(PackFile(e.path, max(e.probability, 0.01), chunks, shares[e.path], costs))
    return files, warnings


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
