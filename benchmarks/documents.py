"""Documentation questions, measured: retrieval beside its baselines, answers, other languages, throughput.

usage: python -m benchmarks.documents --data DIR [--cache DIR] [--only PART ...] [--json]

DIR holds anthropic_docs.json and code_chunks.json. Parts: retrieval, held_out, answers, languages, cache, throughput.
``anthropic_docs`` and ``code_chunks`` are the shipped pipeline: the docsearch graph, offline, all its cycles. The
shipped weights were fitted on these two sets (benchmarks/fit_documents.py), so ``held_out`` gives the same measures
under weights that never saw a question's documents, and ``crossed`` under weights fitted on the other set alone.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from iterative_retrieval.graph.ask import AskResult, ask
from iterative_retrieval.retrieval.passages.gather import clauses
from iterative_retrieval.retrieval.passages.words import question_words
from iterative_retrieval.state.document_ports import Collection

from . import caching
from .arguments import guarded
from .document_answers import measure_answers
from .document_languages import measure_languages
from .document_measures import DEPTH, intervals, measures
from .document_sets import DocQuestion, DocumentSet, read_sets
from .document_speed import measure_speed
from .document_store import Bench
from .fit_documents import collect, crossed, held_out
from .provenance import provenance

PARTS = ("retrieval", "held_out", "answers", "languages", "cache", "throughput")
_EXAMPLES = 5
_L2 = 0.005  # the shipped genome's
_THRESHOLD = 0.8  # least similarity of a semantic hit, as the shipped policy has it


def measure(data: Path, folder: Path, parts: Sequence[str]) -> dict[str, Any]:
    """Every number of the wanted parts."""
    sets, bench = read_sets(data), Bench(folder)
    for documents in sets:
        bench.index(documents)
    result: dict[str, Any] = {}
    answered: dict[str, AskResult] = {}
    if {"retrieval", "answers"} & set(parts):
        for documents in sets:
            answered = _answers(bench, documents)
            rankings = {i: r.ranked for i, r in answered.items()}
            result[documents.name] = measures(documents.questions, rankings, documents.name)
            result.setdefault("intervals", {})[documents.name] = intervals(
                documents.questions, rankings, documents.name
            )
            if documents.name == "anthropic_docs" and "answers" in parts:
                result["answers"] = measure_answers(documents, answered, bench)
        result["baselines"] = {s.name: _baselines(bench, s) for s in sets}
    if "held_out" in parts:
        rows = collect(bench, sets)
        result |= {"held_out": held_out(rows, sets, _L2), "crossed": crossed(rows, sets, _L2)}
    if "languages" in parts:
        result["languages"] = measure_languages(bench, sets[0], folder)
    if "cache" in parts:
        result["cache"] = _short(caching.run(None, 1, _THRESHOLD, bench.collections.embedder(sets[0].name)))
    if "throughput" in parts:
        result["throughput"] = measure_speed(bench, sets, folder)
    return result | {"embedder": bench.collections.open(sets[0].name).info.embedder, "provenance": provenance()}


def _short(value: Any) -> Any:
    """The value with long lists of examples cut; ``benchmarks.caching`` has them all."""
    if isinstance(value, Mapping):
        return {name: _short(item) for name, item in value.items()}
    return value[:_EXAMPLES] if isinstance(value, list) else value


def _answers(bench: Bench, documents: DocumentSet) -> dict[str, AskResult]:
    """Question id -> what the shipped pipeline gives."""
    answered = {}
    for place, question in enumerate(documents.questions, start=1):
        answered[question.id] = ask(
            question.text, documents.name, fresh=True, log=False, tenant="benchmark", services=bench.services
        )
        if place % 50 == 0:
            print(f"  {documents.name}: {place}/{len(documents.questions)}", file=sys.stderr, flush=True)
    return answered


def _baselines(bench: Bench, documents: DocumentSet) -> dict[str, Any]:
    """BM25 alone, headings and texts as one; vectors alone; both, fused by reciprocal ranks."""
    collection = bench.collections.open(documents.name)
    found: dict[str, Callable[[DocQuestion], list[str]]] = {
        "bm25": lambda q: _bm25(collection, q.text),
        "vectors": lambda q: _vectors(bench, collection, q.text),
        "fused": lambda q: _fused(_bm25(collection, q.text), _vectors(bench, collection, q.text)),
    }
    if not collection.info.embedder:
        found = {"bm25": found["bm25"]}
    return {
        name: measures(documents.questions, {q.id: rank(q) for q in documents.questions}, documents.name)
        for name, rank in found.items()
    }


def _bm25(collection: Collection, question: str) -> list[str]:
    weights = dict.fromkeys(question_words(question, "en"), 1.0)
    return [h.path for h in collection.search(clauses(weights, {"body": 1.0}), DEPTH * 5)]


def _vectors(bench: Bench, collection: Collection, question: str) -> list[str]:
    vector = bench.services.similarity.question(collection, question)
    return [h.path for h in collection.nearest(vector, DEPTH * 5)] if vector is not None else []


def _fused(*rankings: list[str]) -> list[str]:
    from iterative_retrieval.retrieval.fusion import reciprocal_rank_fusion

    return [key for key, _ in reciprocal_rank_fusion({str(i): r for i, r in enumerate(rankings)})]


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the two sets")
    parser.add_argument("--cache", type=Path, help="keep indexes here (default: a temporary folder)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="parts (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="documents-") as scratch:
        result = measure(arguments.data, arguments.cache or Path(scratch), arguments.only)
    result["seconds"] = round(time.perf_counter() - started, 1)
    print(json.dumps(result, indent=1)) if arguments.json else _show(result)
    return 0


def _show(result: Mapping[str, Any]) -> None:
    """The result as tables."""
    console = Console()
    for part, value in result.items():
        if isinstance(value, Mapping) and part not in ("provenance", "intervals"):
            table = Table(title=part, show_header=False)
            for name, number in _flat(value):
                table.add_row(name, str(number))
            console.print(table)
    console.print(f"embedder {result['embedder'] or 'none'}, {result['seconds']} s")


def _flat(value: Mapping[str, Any], before: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for name, item in value.items():
        rows += _flat(item, f"{before}{name} ") if isinstance(item, Mapping) else [(f"{before}{name}", item)]
    return rows


if __name__ == "__main__":
    sys.exit(main())
