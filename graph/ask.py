"""The public functions for documentation: index a collection, ask it, look after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..state.answer import Answer
from ..state.caching import AdmissionVerdict, CacheKey, CacheLookup
from ..state.complaints import request_of
from ..state.docsearch import DocsearchInput
from ..state.documents import LANGUAGES, CollectionInfo, CollectionName, IndexReport
from ..state.errors import CallerError, EmptyQuestion, NoDocuments
from ..state.package import CycleTrace
from ..state.progress import Progress, ProgressSink
from ..state.routing import Route
from ..state.spending import Spent
from ..state.text import storable
from .answer_markdown import render_answer
from .compiled import CompiledGraphs
from .docsearch import RECURSION_LIMIT, DocsearchGraph, build_docsearch_graph

if TYPE_CHECKING:
    from .docsearch_services import DocsearchServices

ProgressCallback = Callable[[Progress], None]
_EVENTS: TypeAdapter[Progress] = TypeAdapter(Progress)
GRAPHS: CompiledGraphs[DocsearchServices, DocsearchGraph] = CompiledGraphs(build_docsearch_graph)
_NAMES: TypeAdapter[str] = TypeAdapter(CollectionName)


class AskResult(BaseModel):
    """An answer and how it came about.

    lookup: what the cache said. admission: whether the answer was stored. cycles: the loop's trace, [] when the cache
    served. ranked: keys of the chunks, best first. spent: what language models took.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str
    collection: str
    answer: Answer
    lookup: CacheLookup
    admission: AdmissionVerdict
    route: Route
    cycles: list[CycleTrace] = Field(default_factory=list)
    ranked: list[str] = Field(default_factory=list)
    spent: Spent = Field(default_factory=Spent)

    def to_markdown(self) -> str:
        """The answer with its numbered sources as Markdown."""
        return render_answer(self.question, self.answer)


def ask(
    question: str,
    collection: str,
    *,
    tenant: str = "default",
    language: str = "",
    max_cycles: int | None = None,
    fresh: bool = False,
    log: bool = True,
    progress: ProgressCallback | None = None,
    services: DocsearchServices | None = None,
) -> AskResult:
    """The answer to a question out of a collection's documents.

    Args:
        question: in any language; cues and messages exist in English, German, Russian and Chinese.
        collection: name of an indexed collection.
        tenant: whose question it is; cached answers are never shared between tenants.
        language: en, de, ru or zh; detected when ''.
        max_cycles: 1 to 3; None lets the profile decide.
        fresh: answer anew, without asking the cache.
        log: whether the question may enter the request log.
        progress: called with each progress event.
        services: what the graph connects to; the process's own when None.

    Raises:
        CallerError: EmptyQuestion, UnknownCollection, EmptyCollection, EmbeddingMismatch, UnknownDomain.
        WorldError: a store failed.
    """
    request = make_question(question, collection, tenant, language, max_cycles, fresh, log)
    services = services or _own_services()
    final: Any = {}
    graph = GRAPHS.of(services)
    stream = graph.stream(request, {"recursion_limit": RECURSION_LIMIT}, stream_mode=["custom", "values"])
    for mode, data in stream:
        if mode == "values":
            final = data
        elif progress is not None:
            progress(_EVENTS.validate_python(data))
    return ask_result(request, final)


async def aask(question: str, collection: str, **options: Any) -> AskResult:
    """Like :func:`ask`, without blocking the event loop; takes the same arguments."""
    return await asyncio.to_thread(ask, question, collection, **options)


def index_documents(
    collection: str,
    paths: Sequence[str | Path],
    *,
    domain: str | None = None,
    prune: bool = True,
    progress: ProgressCallback | None = None,
    services: DocsearchServices | None = None,
) -> IndexReport:
    """Bring a collection up to date with files, folders and globs.

    Args:
        collection: its name; made when there is none.
        paths: files, folders (searched through) and globs; [] for the documents that the domain brings.
        domain: a known domain, or the path of a domain folder; None keeps the collection's own ("general" at first).
        prune: whether documents that are no longer among ``paths`` are removed.
        progress: called with each progress event.
        services: what is connected to; the process's own when None.

    Raises:
        CallerError: NoDocuments, UnknownDomain, or a name that cannot be.
        WorldError: a store failed; the collection stays at its last whole version.
    """
    from ..stores.document_files import document_sources

    services = services or _own_services()
    name = _collection_name(collection)
    if isinstance(paths, str | Path):
        raise CallerError(f"paths: give a list of paths, not one, e.g. [{str(paths)!r}]")
    place = services.place_of(domain) if domain else _domain_of(name, services)
    own = services.domains.of(place).documents
    if not paths and own is None:
        raise NoDocuments(f"say which documents: domain '{place}' brings none of its own")
    sources, skipped = document_sources([str(p) for p in paths] or [str(own)])
    report = services.collections.index(name, place, sources, prune=prune, report=progress or _unwatched)
    return report.model_copy(update={"skipped": [*skipped, *report.skipped]})


class CacheExplanation(BaseModel):
    """What the cache would do with a question, and the key it would look under."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lookup: CacheLookup
    key: CacheKey


def explain_cache(
    question: str, collection: str, *, tenant: str = "default", services: DocsearchServices | None = None
) -> CacheExplanation:
    """Whether a question would be served from the cache, and why; nothing is counted or logged."""
    services = services or _own_services()
    request = make_question(question, collection, tenant, "", None, False, False)
    state = services.intake.taken(request)
    return CacheExplanation(lookup=services.reader.look(state)[0], key=services.reader.key(state))


def collections(services: DocsearchServices | None = None) -> list[CollectionInfo]:
    """Every collection, by name."""
    return (services or _own_services()).collections.names()


def make_question(
    question: str,
    collection: str,
    tenant: str,
    language: str,
    max_cycles: int | None,
    fresh: bool,
    log: bool,
) -> DocsearchInput:
    """The validated request; what pydantic refuses becomes an error of ours."""
    if not isinstance(question, str) or not question.strip():
        raise EmptyQuestion('the question is empty; ask e.g. "how do I limit retries?"')
    if language not in ("", *LANGUAGES):
        raise CallerError(f"language: '{language}' is none of {', '.join(LANGUAGES)}; leave it out to have it detected")
    return request_of(
        DocsearchInput,
        {
            "question": storable(question),
            "collection": collection,
            "tenant": storable(tenant),
            "language": language,
            "max_cycles": max_cycles,
            "fresh": fresh,
            "log": log,
        },
    )


def ask_result(request: DocsearchInput, final: Mapping[str, Any]) -> AskResult:
    """The answer of a finished run."""
    traces = final.get("traces", [])
    return AskResult(
        question=request.question,
        collection=request.collection,
        answer=final["answer"],
        lookup=final["lookup"],
        admission=final["admission"],
        route=final["route"],
        cycles=traces,
        ranked=traces[-1].ranking if traces else [],
        spent=final.get("spent", Spent()),
    )


def _own_services() -> DocsearchServices:
    """The services of this process."""
    from .docsearch_services import default_docsearch_services  # stores are loaded by the first question

    return default_docsearch_services()


def _domain_of(name: str, services: DocsearchServices) -> str:
    """The domain that a collection has already, else the general one."""
    from ..evolution.domain_files import GENERAL

    return next((c.domain for c in services.collections.names() if c.name == name), GENERAL)


def _collection_name(name: str) -> str:
    try:
        return _NAMES.validate_python(name)
    except ValidationError as error:
        raise CallerError(
            f"collection '{name}': a name has letters, digits, '.', '_' and '-', at most 63, and begins with one of "
            "the first two"
        ) from error


_unwatched: ProgressSink = lambda event: None  # noqa: E731


__all__ = ["AskResult", "aask", "ask", "collections", "index_documents"]
