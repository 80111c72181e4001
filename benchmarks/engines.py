"""Which lexical engine? Quality and speed of three on the same analysed texts of the same commits.

usage: python -m benchmarks.engines --instances FILE --mirrors '/some/where/{owner}+{name}/repo'
           [--every N] [--limit N] [--ids ID ...] [--out FILE.md]

For each instance the source files of its base commit are analysed by the product and indexed by each engine from
nothing, ten files are edited and brought in, and the engine is asked with the title and with the whole issue. Prints a
Markdown table for docs/decisions/. One process, so that the times mean something.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import chosen_instances, guarded, parser_of
from .instances import Instance, mirror_of, pieces
from .lexical_engines import ENGINES, Document, Documents, Engine, megabytes
from .measures import drawings, estimate, mean, strict_at
from .predictions import write_whole
from .provenance import machine, versions

if TYPE_CHECKING:
    from iterative_retrieval.stores.corpus import Corpus

KS = (1, 5, 10)
EDITED = 10
_LIMIT = 200
_PARTS = ("title", "issue")


@dataclass(frozen=True)
class Trial:
    """One engine on one instance.

    build, update: seconds. query: seconds of the title and of the issue. disk: MB. ranked: part -> paths, best first.
    """

    engine: str
    gold: list[str]
    files: int
    build: float
    update: float
    query: dict[str, float]
    disk: float
    ranked: dict[str, list[str]]


def trials(instances: Sequence[Instance], mirrors: str) -> Iterator[Trial]:
    """Every engine on every instance; analyses are shared between commits of one repository."""
    from iterative_retrieval.stores.corpus import open_corpus

    for piece in pieces(instances, len(instances)):
        analysed: dict[str, Document] = {}
        for instance in piece:
            corpus = open_corpus(mirror_of(instance, mirrors), instance["base_commit"])
            documents = source_documents(corpus, analysed)
            queries = query_terms(instance["problem_statement"])
            for make in ENGINES:
                with tempfile.TemporaryDirectory(prefix="engine-") as folder:
                    engine = make(Path(folder) / "index", corpus)
                    yield trial(engine, Path(folder) / "index", documents, queries, instance["gold_files"])
            print(f"{instance['instance_id']}: {len(documents)} files", file=sys.stderr, flush=True)


def source_documents(corpus: Corpus, analysed: dict[str, Document]) -> Documents:
    """The readable source files of a corpus; ``analysed`` (path and blob -> document) is used and filled."""
    from iterative_retrieval.retrieval.analysis import analyse_file
    from iterative_retrieval.retrieval.roles import role_of
    from iterative_retrieval.state.source import FileRole

    keys = {f"{e.path}\0{e.blob}": e for e in corpus.files if role_of(e.path) is FileRole.SOURCE}
    for entry, data in corpus.read_many([e for key, e in keys.items() if key not in analysed]):
        analysed[f"{entry.path}\0{entry.blob}"] = Document(entry, *analyse_file(entry.path, data))
    found = (analysed[key] for key in keys if key in analysed)
    return {d.entry.path: d for d in found if d.analysis.reason is None}


def query_terms(text: str) -> dict[str, list[str]]:
    """Part of the issue -> its terms, each once."""
    from iterative_retrieval.retrieval.task import read_task
    from iterative_retrieval.retrieval.text import content_terms, unique

    found = {"title": content_terms(read_task(text).title), "issue": content_terms(text)}
    return {part: unique([*terms.parts, *terms.wholes]) for part, terms in found.items()}


def edited(documents: Documents) -> Documents:
    """Ten of the documents, spread evenly, each with the content of the next: an edit that needs no new content."""
    step = max(1, len(documents) // EDITED)
    chosen = [documents[path] for path in sorted(documents)[::step][:EDITED]]
    return {d.entry.path: _with_content(d, other) for d, other in pairwise([*chosen, *chosen[:1]])}


def trial(engine: Engine, folder: Path, documents: Documents, queries: dict[str, list[str]], gold: list[str]) -> Trial:
    """One engine on one commit."""
    engine.know(documents)
    build = _seconds(lambda: engine.build(documents))
    disk = megabytes(folder)
    ranked, times = {}, {}
    for part, terms in queries.items():
        ranked[part] = engine.search(terms, _LIMIT)
        times[part] = min(_seconds(lambda t=terms: engine.search(t, _LIMIT)) for _ in range(3))  # type: ignore[misc]
    changed = edited(documents)
    engine.know(changed)
    update = _seconds(lambda: engine.update({**documents, **changed}, changed))
    engine.close()
    return Trial(engine.name, gold, len(documents), build, update, times, disk, ranked)


def table(done: Sequence[Trial]) -> str:
    """A Markdown table, a line an engine."""
    n = len(done) // len(ENGINES)
    files = statistics.median(t.files for t in done)
    versions_ = ", ".join(f"{k} {v}" for k, v in versions().items() if k in ("python", "tantivy", "bm25s"))
    host = machine()
    lines = [
        f"{n} instances, source files only (median {files:.0f} of a commit), {EDITED} files edited; strict, per cent "
        f"with 95 % intervals; times and sizes are medians. {versions_}; {host['processors']} x {host['processor']}.",
        "",
        "| engine | query | @1 | @5 | @10 | query ms | build s | update s | disk MB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for make in ENGINES:
        own = [t for t in done if t.engine == make.name]
        lines += [_line(make.name, part, own) for part in _PARTS]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; the answer is the exit code."""
    parser = parser_of(__doc__)
    parser.add_argument("--out", type=Path, help="write the table here too")
    arguments = parser.parse_args(argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    text = table(list(trials(chosen_instances(arguments), arguments.mirrors)))
    if arguments.out:
        write_whole(arguments.out, text + "\n")
    print(text)
    return 0


def _line(name: str, part: str, own: Sequence[Trial]) -> str:
    shares = [_share([float(strict_at(t.gold, t.ranked[part], k)) for t in own]) for k in KS]
    numbers = [
        f"{1000 * statistics.median(t.query[part] for t in own):.1f}",
        f"{statistics.median(t.build for t in own):.2f}",
        f"{statistics.median(t.update for t in own):.2f}",
        f"{statistics.median(t.disk for t in own):.1f}",
    ]
    return f"| {name} | {part} | {' | '.join([*shares, *numbers])} |"


def _share(hits: Sequence[float]) -> str:
    e = estimate(mean(list(hits)), drawings(len(hits)), len(hits))
    return (
        "-"
        if e.value is None or e.low is None or e.high is None
        else f"{100 * e.value:.0f} ({100 * e.low:.0f} to {100 * e.high:.0f})"
    )


def _with_content(document: Document, other: Document) -> Document:
    return replace(other, entry=replace(other.entry, path=document.entry.path))


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
