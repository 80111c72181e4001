"""The commands for documentation: ``index``, ``ask``, ``collections`` and ``cache``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from ..state.errors import CallerError, EmptyQuestion, EmptyTask, UnknownCollection
from .answer_report import answer_lines, answer_object, feedback_lines, log_lines, lookup_lines, stats_lines
from .as_json import dumps
from .exits import ExitCode
from .index_report import collection_lines, index_lines
from .lines import line, printable_block
from .output import standard_output
from .task_input import read_task
from .views import Shape, show, watching

if TYPE_CHECKING:
    from ..graph.docsearch_services import DocsearchServices

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the result alone, no progress.")]
CollectionOption = Annotated[
    str | None, typer.Option("--collection", "-c", help="Name of the collection.", metavar="NAME")
]

log_app = typer.Typer(help="Look into the request log, or erase it.", no_args_is_help=True)
cache_app = typer.Typer(help="Look into the answer cache, or empty it.", no_args_is_help=True)


def index_command(
    collection: Annotated[str, typer.Argument(help="Name of the collection; made when there is none.")],
    paths: Annotated[
        list[str] | None, typer.Argument(help="Files, folders and globs; needed unless the domain brings documents.")
    ] = None,
    domain: Annotated[
        str | None,
        typer.Option("--domain", help="A known domain (general, bsl, python), or a folder (default: as before)."),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep documents that are not among the paths.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Delete the collection instead.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Bring a collection of documents up to date."""
    shape = Shape.JSON if as_json else Shape.TEXT
    if remove:
        raise typer.Exit(_remove(collection, paths, shape))
    from ..graph.ask import index_documents

    with watching(shape, quiet=quiet) as watcher:
        report = index_documents(collection, paths or [], domain=domain, prune=not keep, progress=watcher)
    if shape is Shape.JSON:
        standard_output().write(dumps(report.model_dump(mode="json")))
    else:
        show(index_lines(report))
    raise typer.Exit(ExitCode.PARTLY if report.skipped else ExitCode.FOUND)


def ask_command(
    question: Annotated[
        str | None, typer.Argument(help='The question. "-" or nothing: read standard input.', metavar="QUESTION")
    ] = None,
    collection: CollectionOption = None,
    tenant: Annotated[
        str, typer.Option("--tenant", help="Whose question it is; cached answers are not shared.")
    ] = "default",
    language: Annotated[
        str, typer.Option("--language", help="en, de, ru or zh (default: detected).", metavar="CODE")
    ] = "",
    max_cycles: Annotated[
        int | None, typer.Option("--max-cycles", min=1, max=3, help="Cycles at most (default: the profile's).")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Answer anew, without asking the cache.")] = False,
    no_log: Annotated[bool, typer.Option("--no-log", help="Keep the question out of the request log.")] = False,
    as_json: Json = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the answer as Markdown.")] = False,
    quiet: Quiet = False,
) -> None:
    """Answer a question out of a collection's documents, with numbered sources."""
    if as_json and markdown:
        raise typer.BadParameter("--markdown does not go with --json; choose one")
    shape = Shape.JSON if as_json else Shape.MARKDOWN if markdown else Shape.TEXT
    text = _question(question)
    name = collection or _only_collection()
    from ..graph.ask import ask

    start = time.perf_counter()
    with watching(shape, quiet=quiet) as watcher:
        result = ask(
            text,
            name,
            tenant=tenant,
            language=language,
            max_cycles=max_cycles,
            fresh=fresh,
            log=not no_log,
            progress=watcher,
        )
    seconds = time.perf_counter() - start
    if shape is Shape.JSON:
        standard_output().write(dumps(answer_object(result, seconds)))
    elif shape is Shape.MARKDOWN:
        standard_output().write(printable_block(result.to_markdown()).rstrip("\n"))
    else:
        show([*([] if quiet else [line()]), *answer_lines(result, seconds)])
    raise typer.Exit(ExitCode.FOUND if result.answer.answer else ExitCode.NOTHING_FOUND)


def collections_command(as_json: Json = False) -> None:
    """List the collections."""
    from ..graph.ask import collections

    found = collections()
    if as_json:
        standard_output().write(dumps({"collections": [c.model_dump(mode="json") for c in found]}))
    else:
        show(collection_lines(found))


@cache_app.command("stats")
def cache_stats(collection: CollectionOption = None, as_json: Json = False) -> None:
    """Count entries, hits, look-ups and admissions by reason."""
    stats = _services().cache.stats(_known(collection))
    if as_json:
        standard_output().write(dumps(stats))
    else:
        show(stats_lines(stats))


@cache_app.command("explain")
def cache_explain(
    question: Annotated[str, typer.Argument(help="The question.", metavar="QUESTION")],
    collection: CollectionOption = None,
    tenant: Annotated[str, typer.Option("--tenant", help="Whose question it is.")] = "default",
    as_json: Json = False,
) -> None:
    """Tell whether a question would be served from the cache, and why."""
    from ..graph.ask import explain_cache

    explained = explain_cache(question, collection or _only_collection(), tenant=tenant)
    if as_json:
        standard_output().write(dumps(explained.model_dump(mode="json")))
    else:
        show(lookup_lines(explained))
    raise typer.Exit(ExitCode.FOUND if explained.lookup.hit else ExitCode.NOTHING_FOUND)


@cache_app.command("purge")
def cache_purge(
    collection: CollectionOption = None,
    stale: Annotated[bool, typer.Option("--stale", help="Delete only entries that may not be served.")] = False,
    as_json: Json = False,
) -> None:
    """Delete cached answers."""
    deleted = _services().cache.purge(_known(collection), stale_only=stale)
    if as_json:
        standard_output().write(dumps({"deleted": deleted}))
    else:
        show([line(f"{deleted} cached answers deleted")])


@log_app.command("show")
def log_show(
    limit: Annotated[int, typer.Option("--limit", min=1, help="Most rows.")] = 20, as_json: Json = False
) -> None:
    """Show the latest questions and how they ended."""
    rows = _services().log.rows(limit=limit)
    if as_json:
        standard_output().write(dumps({"requests": [r.model_dump(mode="json") for r in rows]}))
    else:
        show(log_lines(rows))


@log_app.command("erase")
def log_erase(
    collection: CollectionOption = None,
    tenant: Annotated[str | None, typer.Option("--tenant", help="Only this tenant's questions.")] = None,
    as_json: Json = False,
) -> None:
    """Erase logged questions and feedback: all, or those about one collection, or one tenant's questions."""
    erased = _services().log.erase(tenant, collection)
    rated = _services().feedback.erase(collection) if tenant in (None, "default") else 0  # given by the default one
    if as_json:
        standard_output().write(dumps({"erased": erased, "feedback_erased": rated}))
    else:
        show([line(f"{erased} logged questions erased, and {rated} lines of feedback")])


@log_app.command("feedback")
def log_feedback(
    limit: Annotated[int, typer.Option("--limit", min=1, help="Most rows.")] = 20, as_json: Json = False
) -> None:
    """Show the latest feedback on packages and answers."""
    rows = _services().feedback.rows(limit=limit)
    if as_json:
        standard_output().write(dumps({"feedback": [r.model_dump(mode="json") for r in rows]}))
    else:
        show(feedback_lines(rows))


def _remove(collection: str, paths: list[str] | None, shape: Shape) -> ExitCode:
    if paths:
        raise typer.BadParameter("--remove takes no paths: it deletes the whole collection")
    _services().collections.remove(collection)
    if shape is Shape.JSON:
        standard_output().write(dumps({"removed": collection}))
    else:
        show([line(f"Collection {collection} is deleted, with its index, vectors and cached answers.")])
    return ExitCode.FOUND


def _question(text: str | None) -> str:
    """The question, from the argument or from standard input."""
    try:
        return read_task(text, None)
    except EmptyTask:
        raise EmptyQuestion('the question is empty; ask e.g. "how do I limit retries?"') from None


def _known(collection: str | None) -> str | None:
    """The name as given.

    Raises:
        UnknownCollection: there is none of that name.
    """
    names = [c.name for c in _services().collections.names()]
    if collection is not None and collection not in names:
        raise UnknownCollection(f"no collection '{collection}'; there are {', '.join(names) or 'none yet'}")
    return collection


def _only_collection() -> str:
    """The collection, where there is but one.

    Raises:
        CallerError: there is none, or more than one.
    """
    from ..graph.ask import collections

    names = [c.name for c in collections()]
    if len(names) == 1:
        return names[0]
    if not names:
        raise CallerError("there is no collection yet; make one: iterative-retrieval index NAME PATH")
    raise CallerError(f"--collection: say which one: {', '.join(names)}")


def _services() -> DocsearchServices:
    from ..graph.docsearch_services import default_docsearch_services

    return default_docsearch_services()
