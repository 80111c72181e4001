"""Speed of the product on one repository, beside ripgrep over the same words and plain BM25, in one run.

usage: python -m benchmarks.speed --mirror GIT_DIR --ref REF --task FILE [FILE ...] [--repo OWNER/NAME]
           [--repeats 3] [--warm 20] [--json]

A scratch checkout is made in a temporary folder and removed again; the mirror is only read. A task file is a text, or
an instances file (.jsonl) whose problem statements (of one --repo) are the tasks. Warm queries need --warm different
tasks: where there are fewer, texts are asked again under subjects of past commits as titles. "New process" is the whole
life of a process, start and imports included; the page cache is warm. All times are medians in seconds,
only the steps of a warm query are means, so that they add up.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .arguments import guarded
from .instances import read_instances
from .predictions import BenchmarkError
from .probe import Job, in_new_process
from .provenance import provenance
from .rankers import query_words
from .scratch import edit, make_checkout, sources, subjects

EDITED = 10
_WORDS = 20
_COUNTS = 11  # runs of the word counter: it is fast and noisy
_ROWS = {
    "product, nothing indexed, new process": "bm25s, nothing indexed, new process",
    "product, nothing indexed, the query alone": "bm25s, nothing indexed, the query alone",
    "product, ten files edited, new process": "bm25s, nothing indexed, new process",
    "product, ten files edited, open process": "bm25s, nothing indexed, the query alone",
    "product, warm, open process": "bm25s, warm, open process",
}
"""What the product is compared with in each state; plain BM25 knows no update, so after edits it begins anew."""


@dataclass(frozen=True)
class Bench:
    """What is measured and how often. scratch: folder of indexes. repeats: of whatever starts a process."""

    root: Path
    scratch: Path
    tasks: list[str]
    repeats: int

    def probe(self, mode: str, cache: str, edits: Sequence[str] = (), rounds: int = 0) -> dict[str, Any]:
        """What a new process measures."""
        return in_new_process(Job(mode, str(self.root), str(self.scratch / cache), self.tasks, list(edits), rounds))


def measure(bench: Bench) -> dict[str, Any]:
    """Every number, with what it was measured on."""
    edits = sources(bench.root, EDITED)
    cold = [bench.probe("first", f"cold-{i}") for i in range(bench.repeats)]
    after = []
    for i in range(bench.repeats):
        edit(bench.root, edits, i)
        after.append(bench.probe("first", "cold-0"))
    warm = bench.probe("warm", "cold-0", edits, max(5, bench.repeats))
    indexing = bench.probe("phases", "phases")
    plain = [bench.probe("bm25", "none") for _ in range(bench.repeats)]
    counter, counted = count_words(bench.root, query_words(bench.tasks[0])[:_WORDS])
    times = [
        _median(cold, "wall"),
        _median(cold, "query"),
        _median(after, "wall"),
        statistics.median(warm["edited"]),
        statistics.median(warm["queries"]),
    ]
    seconds = dict(zip(_ROWS, times, strict=True))
    seconds |= {
        "bm25s, nothing indexed, new process": _median(plain, "wall"),
        "bm25s, nothing indexed, the query alone": _median(plain, "query"),
        "bm25s, warm, open process": statistics.median(plain[0]["queries"]),
        counter: counted,
    }
    return {
        "files": indexing["files"],
        "megabytes": round(indexing["bytes"] / 1e6, 1),
        "tasks": len(bench.tasks),
        "repeats": bench.repeats,
        "seconds": seconds,
        "ratios": ratios(seconds, counter),
        "warm, 95th percentile": _percentile(warm["queries"], 0.95),
        "edits over warm": statistics.median(warm["edited"]) - statistics.median(warm["queries"]),
        "peak MB": {
            "product, cold": _peak(cold, "peak_mb"),
            "product, cold, with helper processes": _peak(cold, "tree_mb"),
            "product, warm": _peak([warm], "peak_mb"),
            "bm25s": _peak(plain, "peak_mb"),
        },
        "phases": {"indexing": indexing["seconds"], "warm query, mean": _means(warm["phases"])},
    }


def ratios(seconds: dict[str, float], counter: str) -> dict[str, dict[str, float]]:
    """Row -> how many times the word counter's, and how many times plain BM25's time in the same state."""
    return {
        row: {counter: round(seconds[row] / seconds[counter], 2), "bm25s": round(seconds[row] / seconds[other], 2)}
        for row, other in _ROWS.items()
    }


def count_words(root: Path, words: Sequence[str]) -> tuple[str, float]:
    """The name and the median seconds of a program that counts the words in the tree: rg, or git grep without it."""
    asked = [part for word in words for part in ("-e", word)]
    if shutil.which("rg"):
        name, command = "rg -c -F", ["rg", "--no-config", "-c", "-F", "-i", *asked, "./"]
    else:
        name, command = "git grep -c -F", ["git", "grep", "-c", "-I", "-F", "-i", *asked]
    times = []
    for _ in range(_COUNTS):
        started = time.perf_counter()
        done = subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, check=False)
        times.append(time.perf_counter() - started)
        if done.returncode > 1:
            raise BenchmarkError(f"{command[0]} failed with exit code {done.returncode}")
    return f"{name}, {len(words)} words", statistics.median(times)


def tasks_of(files: Sequence[Path], repo: str | None, root: Path, wanted: int) -> list[str]:
    """At least ``wanted`` different tasks, if the repository's past is long enough.

    Raises:
        BenchmarkError: a file cannot be read, or holds no task.
    """
    try:
        texts = [text for file in files for text in _texts(file, repo)]
    except (OSError, ValueError, KeyError) as error:
        raise BenchmarkError(f"cannot read the tasks: {error}") from error
    given = [t for t in dict.fromkeys(texts) if t.strip()][: max(wanted, 1)]
    if not given:
        raise BenchmarkError("no task; see --task and --repo")
    titles = subjects(root, wanted - len(given)) if len(given) < wanted else []
    renamed = [f"{title}\n{given[i % len(given)].partition(chr(10))[2]}" for i, title in enumerate(titles)]
    return given + renamed


def as_text(numbers: dict[str, Any]) -> str:
    """The numbers as Markdown tables."""
    counter = list(numbers["seconds"])[-1]
    lines = [
        f"{numbers['files']} files, {numbers['megabytes']} MB, {numbers['tasks']} tasks, {numbers['repeats']} repeats"
    ]
    lines += ["", f"| | seconds | times {counter} | times bm25s |", "|---|---|---|---|"]
    for name, value in numbers["seconds"].items():
        times = numbers["ratios"].get(name, {})
        lines.append(f"| {name} | {value:.4f} | {times.get(counter, '')} | {times.get('bm25s', '')} |")
    lines += ["", f"warm, 95th percentile: {numbers['warm, 95th percentile']:.3f} s"]
    lines += [f"first query after {EDITED} edits, over warm: {numbers['edits over warm']:.3f} s"]
    lines += ["peak memory: " + ", ".join(f"{name} {mb:.0f} MB" for name, mb in numbers["peak MB"].items())]
    for title, phases in numbers["phases"].items():
        lines += ["", f"| {title} | seconds |", "|---|---|"]
        lines += [f"| {name} | {value:.4f} |" for name, value in phases.items()]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; the answer is the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, required=True, help="git directory of the repository")
    parser.add_argument("--ref", required=True, help="commit to check out")
    parser.add_argument("--task", type=Path, nargs="+", required=True, help="texts, or instances files (.jsonl)")
    parser.add_argument("--repo", help="only instances of this repository")
    parser.add_argument("--repeats", type=int, default=3, help="of whatever starts a process")
    parser.add_argument("--warm", type=int, default=20, help="different tasks asked of an open process")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="speed-") as folder:
        root = Path(folder) / "checkout"
        make_checkout(arguments.mirror, arguments.ref, root)
        tasks = tasks_of(arguments.task, arguments.repo, root, arguments.warm)
        numbers = measure(Bench(root, Path(folder), tasks, arguments.repeats))
    if arguments.json:
        print(json.dumps({"ref": arguments.ref, **numbers, **provenance()}, indent=1))
    else:
        print(as_text(numbers))
    return 0


def _texts(file: Path, repo: str | None) -> list[str]:
    if file.suffix == ".jsonl":
        return [str(i["problem_statement"]) for i in read_instances(file) if repo in (None, i["repo"])]
    return [file.read_text(encoding="utf-8")]


def _median(measured: Sequence[dict[str, Any]], name: str) -> float:
    return float(statistics.median(m[name] for m in measured))


def _peak(measured: Sequence[dict[str, Any]], name: str) -> float:
    return float(max(m[name] for m in measured))


def _percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def _means(phases: Sequence[dict[str, float]]) -> dict[str, float]:
    """Phase -> mean seconds over the queries, which may be without some; so the phases sum to the mean query."""
    names = dict.fromkeys(name for phase in phases for name in phase)
    return {name: statistics.mean(phase.get(name, 0.0) for phase in phases) for name in names}


if __name__ == "__main__":
    sys.exit(main())
