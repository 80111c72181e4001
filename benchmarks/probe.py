"""One measurement in a process of its own: reads a job (JSON) from standard input, prints what it measured (JSON).

A fresh process is the only honest "first query": nothing is imported, opened or remembered, and peak memory is its own.
Started by benchmarks.speed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .memory import TreePeak, own_peak_mb
from .scratch import edit

if TYPE_CHECKING:
    from iterative_retrieval import Progress
    from iterative_retrieval.graph.services import Services

clock = time.perf_counter
_PHASES = {
    "index_progress": "bring the index up to date",
    "routed": "route, list, open",
    "cycle_evaluated": "evaluate",
    "loop_decided": "evaluate",
    "cycle_refined": "refine",
    "finished": "finish",
}
"""Kind of event -> the phase that it ends."""


@dataclass(frozen=True)
class Job:
    """What a probe does.

    mode: "first", "warm", "phases" or "bm25". root: the checkout. cache: folder of indexes. tasks: asked in turn.
    edits: files to edit. rounds: how often to edit them and ask again.
    """

    mode: str
    root: str
    cache: str
    tasks: list[str]
    edits: list[str] = field(default_factory=list)
    rounds: int = 0


def in_new_process(job: Job) -> dict[str, Any]:
    """What a new process measures; ``wall``: its whole life in seconds, start and imports included; ``tree_mb``."""
    command = [sys.executable, "-m", "benchmarks.probe"]
    home, pipe = Path(__file__).parent.parent, subprocess.PIPE
    started = clock()
    with subprocess.Popen(command, cwd=home, stdin=pipe, stdout=pipe, text=True) as process:
        with TreePeak(process.pid) as peak:
            output, _ = process.communicate(json.dumps(asdict(job)))
        wall = clock() - started
    if process.returncode:
        raise RuntimeError(f"the probe {job.mode!r} failed with exit code {process.returncode}; see above")
    measured: dict[str, Any] = json.loads(output)
    return measured | {"wall": wall, "tree_mb": max(peak.mb, measured["peak_mb"])}


def first(job: Job) -> dict[str, Any]:
    """Seconds of the imports and of the first query of a process."""
    started = clock()
    ask = _asker(job)
    imported = clock()
    ask(job.tasks[0])
    return {"import": imported - started, "query": clock() - imported}


def warm(job: Job) -> dict[str, Any]:
    """Seconds of each task after a first query that is not counted, by phase too; then of one query after each edit."""
    ask = _asker(job)
    ask("a first query that opens everything")
    queries, phases = [], []
    for task in job.tasks:
        watch = _Watch()
        queries.append(_seconds(lambda t=task, w=watch: ask(t, w)))  # type: ignore[misc]
        phases.append(watch.ended())
    edited = []
    for round_ in range(job.rounds):
        edit(Path(job.root), job.edits, 1000 + round_)
        edited.append(_seconds(lambda r=round_: ask(job.tasks[r % len(job.tasks)])))  # type: ignore[misc]
    return {"queries": queries, "phases": phases, "edited": edited}


def phases(job: Job) -> dict[str, Any]:
    """Seconds of the parts of indexing alone, and of all of it as it runs: side by side, with helper processes."""
    from iterative_retrieval.retrieval.analysis import analyse_file
    from iterative_retrieval.stores.blobs import BlobStore
    from iterative_retrieval.stores.corpus import open_corpus
    from iterative_retrieval.stores.history import read_history
    from iterative_retrieval.stores.indexing import index_corpus
    from iterative_retrieval.stores.slots import LexicalStore

    cache, spent = Path(job.cache), _Stopwatch()
    corpus = open_corpus(job.root)
    spent("listing")
    contents = list(corpus.read_many(corpus.files))
    spent("reading")
    for entry, data in contents:
        analyse_file(entry.path, data)
    spent("analysing, one process")
    blobs = BlobStore(cache / "analyses.sqlite")
    index_corpus(corpus, LexicalStore(cache / "first"), blobs)
    spent("indexing as it runs: reading, analysing, storing")
    index_corpus(corpus, LexicalStore(cache / "second"), blobs)
    spent("indexing again from stored analyses")
    if corpus.git_dir and corpus.commit:
        read_history(blobs, corpus.git_dir, corpus.commit, corpus.prefix)
        spent("reading the history")
    blobs.close()
    return {"seconds": spent.laps, "files": len(contents), "bytes": sum(len(data) for _, data in contents)}


def bm25(job: Job) -> dict[str, Any]:
    """Seconds of plain BM25 (bm25s): from nothing to the first answer, then of each task."""
    started = clock()
    import bm25s  # type: ignore[import-untyped]

    from iterative_retrieval.retrieval.contents import sniff
    from iterative_retrieval.retrieval.text import content_terms, stream
    from iterative_retrieval.stores.corpus import open_corpus

    imported = clock()
    corpus = open_corpus(job.root)
    texts = {e.path: f"{e.path}\n{sniff(data).text or ''}" for e, data in corpus.read_many(corpus.files)}
    engine = bm25s.BM25(k1=1.2, b=0.75)
    engine.index([stream(text).text.split() for text in texts.values()], show_progress=False)
    paths = list(texts)

    def ask(task: str) -> list[str]:
        found = content_terms(task)
        known = [t for t in (*found.parts, *found.wholes) if t in engine.vocab_dict]
        scores = engine.get_scores(known) if known else []
        return [paths[i] for i in sorted(range(len(scores)), key=lambda i: -scores[i])[:10]]

    ask(job.tasks[0])
    cold = clock() - imported
    queries = [_seconds(lambda t=task: ask(t)) for task in job.tasks]  # type: ignore[misc]
    return {"import": imported - started, "query": cold, "queries": queries}


class _Stopwatch:
    """laps: what was called -> seconds since the call before."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = clock()

    def __call__(self, name: str) -> None:
        now = clock()
        self.laps[name] = self.laps.get(name, 0.0) + now - self._last
        self._last = now


class _Watch:
    """Gives the time since the last event of a request to the phase that the event ends."""

    def __init__(self) -> None:
        self._watch = _Stopwatch()

    def __call__(self, event: Progress) -> None:
        if event.kind == "cycle_dispatched":
            self._watch("dispatch" if event.cycle == 1 else "dispatch again")
        else:
            self._watch(_PHASES[event.kind])

    def ended(self) -> dict[str, float]:
        """Phase -> seconds."""
        self._watch("hand over")
        return self._watch.laps


def _asker(job: Job) -> Callable[..., None]:
    """Asks the product: a task, and whoever watches its progress."""
    from iterative_retrieval import retrieve

    services = _services(Path(job.cache))

    def ask(task: str, watch: Callable[[Progress], None] | None = None) -> None:
        retrieve(task, job.root, services=services, progress=watch)

    return ask


def _services(cache: Path) -> Services:
    from iterative_retrieval.graph.services import open_services
    from iterative_retrieval.graph.settings import Settings

    return open_services(Settings(cache_dir=cache, retrieval_genome=None, routing_genome=None))


def _seconds(work: Callable[[], object]) -> float:
    started = clock()
    work()
    return clock() - started


def main() -> None:
    """Do the job on standard input."""
    job = Job(**json.load(sys.stdin))
    modes: dict[str, Callable[[Job], dict[str, Any]]] = {"first": first, "warm": warm, "phases": phases, "bm25": bm25}
    measured = modes[job.mode](job)
    json.dump(measured | {"peak_mb": own_peak_mb()}, sys.stdout)


if __name__ == "__main__":
    main()
