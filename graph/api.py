"""The public functions: one call, one context package."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, TypeAdapter

from ..state.complaints import request_of
from ..state.errors import BudgetTooSmall, CallerError, EmptyTask, FileVanished
from ..state.package import ContextPackage
from ..state.progress import Progress
from ..state.query import MIN_BUDGET, Scope
from ..state.retrieval import RetrievalInput
from ..state.routing import Route
from ..state.text import storable
from .compiled import CompiledGraphs
from .markdown import render
from .retrieval import RECURSION_LIMIT, RetrievalGraph, build_retrieval_graph

if TYPE_CHECKING:
    from .services import Services

ProgressCallback = Callable[[Progress], None]
KEYS = ["package", "evaluations", "genomes", "route", "fingerprint", "learned", "scales", "plan", "lifts"]
_EVENTS: TypeAdapter[Progress] = TypeAdapter(Progress)
GRAPHS: CompiledGraphs[Services, RetrievalGraph] = CompiledGraphs(build_retrieval_graph)


class RetrievalResult(ContextPackage):
    """A context package together with the texts of its spans."""

    _texts: dict[str, list[str]] = PrivateAttr(default_factory=dict)
    _instructions: str = PrivateAttr(default="")
    _final: dict[str, Any] = PrivateAttr(default_factory=dict)

    def texts(self, path: str) -> list[str]:
        """The text of each span of a packed file, in the order of its spans; [] for a file that is not packed."""
        return list(self._texts.get(path, []))

    def to_markdown(self) -> str:
        """The package as a prompt: how to use it, then files with reasons and code, then the gaps."""
        return render(self, self._texts, self._instructions)


class Explanation(BaseModel):
    """Why a file is where it is in a result, or nowhere."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    status: Literal["packed", "ranked", "unranked", "left_out", "absent"]
    rank: int | None = None
    relevance: float = 0.0
    probability: float = 0.0
    reason: str = ""
    signals: dict[str, float] = Field(default_factory=dict)
    sentence: str


def retrieve(
    task: str | None = None,
    root: str | Path | None = None,
    *,
    ref: str | None = None,
    patterns: Sequence[str] = (),
    excludes: Sequence[str] = (),
    max_cycles: int | None = None,
    budget: int | None = None,
    scope: Scope | None = None,
    previous: ContextPackage | Mapping[str, Any] | None = None,
    gap: str | None = None,
    llm: bool | None = None,
    max_llm_calls: int | None = None,
    progress: ProgressCallback | None = None,
    services: Services | None = None,
) -> RetrievalResult:
    """The context that a task needs, or what an earlier result lacks.

    With ``previous`` and ``gap`` the search goes on from an earlier result: its files are known (never lost, not paid
    again), the gap's words lead, what is found is added, and budget and cycles count anew.

    Args:
        task: what has to be done: an issue text, a question, a symbol; None: the earlier one.
        root: folder to search: a work tree, any folder, or a bare repository; None: the earlier one, else the current
            folder.
        ref: git ref to search instead of the working tree; nothing is checked out.
        patterns: only files that match one of these globs.
        excludes: no files that match one of these globs.
        max_cycles: 1 to 3; None lets the profile decide.
        budget: tokens of the package, at least 200; None lets the profile decide (8,000).
        scope: roles of files that may be returned; tests and docs are in by default, behind source files.
        previous: an earlier result, or its ``model_dump``, of the same root and ref; files may have changed since.
        gap: what the earlier result lacks, in words: "where is the refresh token stored?"
        llm: False asks no language model, True demands one; None: when one is configured (IR_MODEL).
        max_llm_calls: most model calls; None lets the settings decide (2). Whatever models do, the result is at least
            the offline one, and ``advice`` tells what they did.
        progress: called with each progress event.
        services: what the graph connects to; the process's own when None.

    Raises:
        CallerError: the request cannot be served (UnknownRoot, UnknownRef, EmptyTask, BudgetTooSmall,
            ForeignResult, ...).
        WorldError: git or the cache folder failed.
    """
    request = make_request(
        task, root, ref, patterns, excludes, max_cycles, budget, scope, previous, gap, llm, max_llm_calls
    )
    before = max((t.cycle for t in request.previous.cycles), default=0) if request.previous else 0
    services = services or _own_services()
    final: Any = {}
    stream = GRAPHS.of(services).stream(
        request, {"recursion_limit": RECURSION_LIMIT}, stream_mode=["custom", "values"], output_keys=KEYS
    )
    for mode, data in stream:
        if mode == "values":
            final = data
        elif progress is not None:
            progress(_EVENTS.validate_python(counted_on(data, before)))
    return result_of(final, services)


async def aretrieve(task: str | None = None, root: str | Path | None = None, **options: Any) -> RetrievalResult:
    """Like :func:`retrieve`, without blocking the event loop; takes the same arguments."""
    return await asyncio.to_thread(retrieve, task, root, **options)


def explain(
    task: str | None,
    root: str | Path | None,
    path: str,
    *,
    ref: str | None = None,
    services: Services | None = None,
    **options: Any,
) -> Explanation:
    """Why ``path`` is where it is in the result of ``task``, or nowhere; takes the options of :func:`retrieve`."""
    services = services or _own_services()
    result = retrieve(task, root, ref=ref, services=services, **options)
    return explain_in(result, path, services)


def explain_in(result: RetrievalResult, path: str, services: Services) -> Explanation:
    """Why ``path`` is where it is in ``result``."""
    from ..nodes.code_subject import evidence_of
    from ..nodes.route import DOMAIN

    workspace = services.workspaces.open(result.root, result.ref)
    clean = posixpath.normpath(path)
    if clean.startswith(result.root.rstrip("/") + "/"):
        clean = clean[len(result.root.rstrip("/")) + 1 :]
    absence = workspace.explain_absence(clean)
    if absence is not None:
        known = clean in workspace.paths or "does not exist" not in absence
        return Explanation(path=clean, status="left_out" if known else "absent", sentence=absence)
    rank = result.ranked.index(clean) + 1 if clean in result.ranked else None
    packed = {f.path: f for f in result.files}
    if rank is None:
        return Explanation(
            path=clean,
            status="unranked",
            sentence=f"{clean} is searched, but no list of this task brought it among the candidates",
        )
    held = {e.path: e for e in result._final["evaluations"]}.get(clean)
    if held is None:
        return Explanation(
            path=clean, status="ranked", rank=rank, sentence=f"{clean} was ranked by the earlier search alone"
        )
    genome = services.genomes.retrieval(DOMAIN, result._final.get("genomes"))
    signals = evidence_of(workspace, genome, result._final, clean)
    status: Literal["packed", "ranked"] = "packed" if clean in packed else "ranked"
    return Explanation(
        path=clean,
        status=status,
        rank=rank,
        relevance=held.relevance,
        probability=held.probability,
        reason=held.reason,
        signals=signals,
        sentence=f"{clean} is number {rank} of {len(result.ranked)} ({status}): {held.reason}",
    )


def make_request(
    task: str | None,
    root: str | Path | None,
    ref: str | None,
    patterns: Sequence[str],
    excludes: Sequence[str],
    max_cycles: int | None,
    budget: int | None,
    scope: Scope | None,
    previous: ContextPackage | Mapping[str, Any] | None = None,
    gap: str | None = None,
    llm: bool | None = None,
    max_llm_calls: int | None = None,
) -> RetrievalInput:
    """The validated request; what pydantic refuses becomes an error of ours."""
    for name, globs in (("patterns", patterns), ("excludes", excludes)):
        if isinstance(globs, str):
            raise CallerError(f"{name}: give a list of globs, not one string, e.g. [{globs!r}]")
    for name, text in (("task", task), ("gap", gap)):
        if not isinstance(text, str) and (text is not None or (name == "task" and previous is None)):
            raise CallerError(f"{name}: give a text, not {type(text).__name__}")
    if previous is None and not str(task).strip():
        raise EmptyTask('the task is empty; say what should be found, e.g. "fix the token expiry bug"')
    if isinstance(budget, int) and budget < MIN_BUDGET:
        raise BudgetTooSmall(f"a budget of {budget} tokens holds no span; give at least {MIN_BUDGET}")
    return request_of(
        RetrievalInput,
        {
            "task": None if task is None else storable(task),
            "root": str(root or ("" if previous else ".")),
            "ref": ref,
            "patterns": list(patterns),
            "excludes": list(excludes),
            "max_cycles": max_cycles,
            "budget": budget,
            "scope": scope or Scope(),
            "previous": None if previous is None else _earlier(previous),
            "gap": None if gap is None else storable(gap),
            "llm": llm,
            "max_llm_calls": max_llm_calls,
        },
    )


def _earlier(previous: ContextPackage | Mapping[str, Any]) -> ContextPackage:
    """The earlier package alone, without texts.

    Raises:
        CallerError: it is no context package; the message names the first field that is wrong.
    """
    fields = previous.model_dump() if isinstance(previous, ContextPackage) else previous
    try:
        return request_of(ContextPackage, fields)
    except CallerError as error:
        raise CallerError(f"give a result of retrieve, or its model_dump; {error}") from error


def _own_services() -> Services:
    """The services of this process."""
    from .services import default_services  # stores are loaded by the first search

    return default_services()


def counted_on(event: Any, before: int) -> Any:
    """An event whose cycles count on after those of the earlier search."""
    return {**event, "cycle": event["cycle"] + before} if "cycle" in event else event


def result_of(final: dict[str, Any], services: Services) -> RetrievalResult:
    """The package of a finished run, with its texts."""
    result = with_texts(final["package"], services=services)
    result._final = final
    return result


def with_texts(package: ContextPackage | Mapping[str, Any], *, services: Services | None = None) -> RetrievalResult:
    """A package that travelled without texts (in a state, a checkpoint, a JSON file) with those its files have now.

    A file that is gone meanwhile has none; its spans stay valid for the snapshot they were made of.

    Raises:
        CallerError: it is no package, or its root is gone.
    """
    from ..nodes.route import DOMAIN, profile_of
    from ..retrieval.packing import text_of

    services = services or _own_services()
    plain = _earlier(package)
    workspace = services.workspaces.opened(plain.root, plain.ref, plain.fingerprint)
    texts: dict[str, str] = {}
    for file in plain.files:
        try:
            texts[file.path] = workspace.text(file.path)
        except FileVanished:
            continue
    result = RetrievalResult.model_validate(plain.model_dump())
    route = Route(query_type=plain.query_type.value, profile=plain.profile, confidence=1.0, reason="")
    result._texts = text_of({f.path: f.spans for f in plain.files if f.path in texts}, texts)
    result._instructions = profile_of(services.genomes.routing(DOMAIN), route).system_prompt
    return result
