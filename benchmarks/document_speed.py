"""How fast documents are taken in and questions answered, beside Chroma alone, in one run on one machine."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from iterative_retrieval.graph.ask import ask
from iterative_retrieval.state.document_ports import Embedder

from .document_sets import DocumentSet
from .document_store import Bench

_ASKED = 40
_BATCH = 2_000


def measure_speed(bench: Bench, sets: Sequence[DocumentSet], folder: Path) -> dict[str, Any]:
    """Chunks a second and milliseconds a question; ``ratio`` is the product's time over Chroma's."""
    documents = sets[0]
    questions = [q.text for q in documents.questions[:_ASKED]]
    with tempfile.TemporaryDirectory(prefix="cold-", dir=folder) as empty:
        cold = Bench(Path(empty))
        cold.index(replace(documents, documents=documents.documents[:1]))  # the model is converted and loaded
        indexing = _seconds(lambda: cold.index(documents))
        again = _seconds(lambda: cold.index(documents))
    warm = [_ask(bench, documents.name, q, fresh=True) for q in questions]
    for question in questions:
        _ask(bench, documents.name, question, fresh=False)
    cached = [_ask(bench, documents.name, q, fresh=False) for q in questions]
    found: dict[str, Any] = {
        "chunks": sum(len(d.pieces) for d in documents.documents),
        "chunks_per_second": round(sum(len(d.pieces) for d in documents.documents) / indexing, 1),
        "documents_per_second": round(len(documents.documents) / indexing, 1),
        "unchanged_seconds": round(again, 3),
        "question_ms": _median(warm),
        "asked_again_ms": _median(cached),
    }
    embedder = bench.collections.embedder(documents.name)
    return found | (_chroma_alone(documents, questions, embedder, found) if embedder else {})


def _chroma_alone(
    documents: DocumentSet, questions: Sequence[str], embedder: Embedder, ours: dict[str, Any]
) -> dict[str, Any]:
    """The same chunks and vectors in a bare Chroma collection in memory."""
    import chromadb
    from chromadb.config import Settings

    texts = [" ".join([*c.heading, c.text]) for d in documents.documents for c in d.pieces]
    client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
    collection = client.create_collection("alone", embedding_function=None)

    def fill() -> None:
        vectors = embedder.documents(texts)
        for start in range(0, len(texts), _BATCH):
            part = slice(start, start + _BATCH)
            ids = [str(i) for i in range(len(texts))][part]
            collection.add(ids=ids, embeddings=vectors[part], documents=texts[part])

    seconds = _seconds(fill)
    asked = [
        _seconds(lambda q=q: collection.query(query_embeddings=embedder.questions([q]), n_results=10)) * 1000
        for q in questions
    ]
    alone = _median(asked)
    return {
        "chroma_chunks_per_second": round(len(texts) / seconds, 1),
        "chroma_question_ms": alone,
        "question_ratio": round(ours["question_ms"] / alone, 1),
        "indexing_ratio": round(len(texts) / seconds / ours["chunks_per_second"], 2),
    }


def _ask(bench: Bench, name: str, question: str, fresh: bool) -> float:
    """Milliseconds of one question."""
    return 1000 * _seconds(lambda: ask(question, name, fresh=fresh, log=False, tenant="speed", services=bench.services))


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _median(values: Sequence[float]) -> float:
    return round(statistics.median(values), 1)
