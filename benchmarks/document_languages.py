"""Questions in German, Russian and Chinese to English documents: recall within ten, beside the same in English."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from iterative_retrieval.graph.ask import ask
from iterative_retrieval.stores.embedders import installed

from .document_measures import recall_at
from .document_sets import DocQuestion, DocumentSet
from .document_store import Bench
from .predictions import BenchmarkError

TRANSLATED = Path(__file__).parent / "data" / "questions_translated.jsonl"
LANGUAGES = ("en", "de", "ru", "zh")


def measure_languages(bench: Bench, documents: DocumentSet, folder: Path) -> dict[str, Any]:
    """Embedder -> language -> recall at 10, over the translated questions only.

    Args:
        bench: the store under the default embedder.
        documents: the set whose questions are translated.
        folder: where the collections of other embedders go.
    """
    found: dict[str, Any] = {_name(bench, documents): _by_language(bench, documents)}
    for info in installed():
        if info.ready and info.name not in found:
            other = Bench(folder / info.short, info.short)
            other.index(documents)
            found[info.name] = _by_language(other, documents)
    if "words only" not in found:
        plain = Bench(folder / "words", "none")
        plain.index(documents)
        found["words only"] = _by_language(plain, documents)
    return found


def translated(documents: DocumentSet) -> dict[str, list[DocQuestion]]:
    """Language -> the translated questions in it.

    Raises:
        BenchmarkError: a translation has no question.
    """
    by_id = {q.id: q for q in documents.questions}
    rows = [json.loads(line) for line in TRANSLATED.read_text(encoding="utf-8").splitlines()]
    unknown = [r["id"] for r in rows if r["id"] not in by_id]
    if unknown:
        raise BenchmarkError(f"{TRANSLATED.name} translates questions that the set does not have: {unknown}")
    return {
        language: [by_id[r["id"]] if language == "en" else replace(by_id[r["id"]], text=r[language]) for r in rows]
        for language in LANGUAGES
    }


def _by_language(bench: Bench, documents: DocumentSet) -> dict[str, float]:
    return {
        language: round(recall_at(questions, _rankings(bench, documents, questions), 10), 4)
        for language, questions in translated(documents).items()
    }


def _rankings(bench: Bench, documents: DocumentSet, questions: Sequence[DocQuestion]) -> dict[str, list[str]]:
    return {
        q.id: ask(q.text, documents.name, fresh=True, log=False, tenant="benchmark", services=bench.services).ranked
        for q in questions
    }


def _name(bench: Bench, documents: DocumentSet) -> str:
    return bench.collections.open(documents.name).info.embedder or "words only"
