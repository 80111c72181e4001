"""How well vectors, or plain BM25, find the chunks that answer the questions of two documentation sets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from iterative_retrieval.state.document_ports import Embedder

from . import measures as m
from .predictions import BenchmarkError

Scores = NDArray[np.floating]
"""(questions, chunks)."""
Quality = dict[str, dict[str, m.Estimate]]
"""Set -> measure -> estimate."""
_TRANSLATIONS = Path(__file__).parent / "data" / "questions_translated.jsonl"


@dataclass(frozen=True)
class Set:
    """Chunks and questions; gold: positions of the chunks that answer each question."""

    texts: list[str]
    questions: list[str]
    gold: list[list[int]]


def read_docs(folder: Path) -> Set:
    """The set anthropic_docs.json."""
    content = _read(folder / "anthropic_docs.json")
    at = {chunk["id"]: i for i, chunk in enumerate(content["chunks"])}
    return Set(
        [chunk["text"] for chunk in content["chunks"]],
        [q["question"] for q in content["questions"]],
        [[at[g] for g in q["gold_chunks"]] for q in content["questions"]],
    )


def read_code(folder: Path) -> Set:
    """The set code_chunks.json."""
    content = _read(folder / "code_chunks.json")
    chunks = [(d["id"], chunk["index"], chunk["text"]) for d in content["documents"] for chunk in d["chunks"]]
    at = {(document, index): i for i, (document, index, _) in enumerate(chunks)}
    return Set(
        [text for _, _, text in chunks],
        [q["query"] for q in content["questions"]],
        [[at[document, index] for document, index in q["gold_chunks"]] for q in content["questions"]],
    )


def read_translations(folder: Path) -> dict[str, Set]:
    """Language -> some questions of anthropic_docs.json in it, over the same English chunks; "en" are the originals."""
    docs, ids = read_docs(folder), [q["id"] for q in _read(folder / "anthropic_docs.json")["questions"]]
    rows = [json.loads(line) for line in _TRANSLATIONS.read_text(encoding="utf-8").splitlines()]
    places = [ids.index(row["id"]) for row in rows]
    questions = {language: [row[language] for row in rows] for language in ("de", "ru", "zh")}
    questions = {"en": [docs.questions[p] for p in places], **questions}
    return {language: Set(docs.texts, asked, [docs.gold[p] for p in places]) for language, asked in questions.items()}


def ranked(scores: Scores, most: int) -> list[list[int]]:
    """The best chunks of each question, best first, ties by position. scores: (questions, chunks)."""
    return [[int(i) for i in np.argsort(-row, kind="stable")[:most]] for row in scores]


def docs_numbers(scores: Scores, gold: Sequence[Sequence[int]]) -> dict[str, m.Estimate]:
    """Precision, recall and MRR of the first three, and recall of the first ten."""
    ranks = ranked(scores, 10)
    hits = [[i in g for i in r[:3]] for r, g in zip(ranks, gold, strict=True)]
    return {
        "precision@3": _mean([sum(h) / 3 for h in hits]),
        "recall@3": _mean([sum(h) / len(g) for h, g in zip(hits, gold, strict=True)]),
        "mrr@3": _mean(
            [m.reciprocal_rank([str(i) for i in g], [str(i) for i in r[:3]]) for r, g in _pairs(ranks, gold)]
        ),
        "recall@10": _mean(_found(ranks, gold, 10)),
    }


def code_numbers(scores: Scores, gold: Sequence[Sequence[int]]) -> dict[str, m.Estimate]:
    """Pass@k: the mean share of gold chunks among the first k."""
    ranks = ranked(scores, 20)
    return {f"pass@{k}": _mean(_found(ranks, gold, k)) for k in (5, 10, 20)}


def quality(embedder: Embedder, folder: Path) -> Quality:
    """All quality numbers of an embedder, alone and fused with plain BM25."""
    docs, code, languages = read_docs(folder), read_code(folder), read_translations(folder)
    chunks = embedder.documents(docs.texts)
    of_docs = embedder.questions(docs.questions) @ chunks.T
    of_code = embedder.questions(code.questions) @ embedder.documents(code.texts).T
    fused_docs = fused(of_docs, bm25(docs.texts, docs.questions))
    fused_code = fused(of_code, bm25(code.texts, code.questions))
    return {
        "anthropic_docs": docs_numbers(of_docs, docs.gold),
        "code_chunks": code_numbers(of_code, code.gold),
        "anthropic_docs, fused": docs_numbers(fused_docs, docs.gold),
        "code_chunks, fused": code_numbers(fused_code, code.gold),
        "recall@10 by language": {
            language: _mean(_found(ranked(embedder.questions(asked.questions) @ chunks.T, 10), asked.gold, 10))
            for language, asked in languages.items()
        },
    }


def lexical_quality(folder: Path) -> Quality:
    """The same of plain BM25 (k1 1.2, b 0.75) with the product's analysis; it has nothing to be fused with."""
    docs, code, languages = read_docs(folder), read_code(folder), read_translations(folder)
    return {
        "anthropic_docs": docs_numbers(bm25(docs.texts, docs.questions), docs.gold),
        "code_chunks": code_numbers(bm25(code.texts, code.questions), code.gold),
        "recall@10 by language": {
            language: _mean(_found(ranked(bm25(asked.texts, asked.questions), 10), asked.gold, 10))
            for language, asked in languages.items()
        },
    }


def fused(first: Scores, second: Scores) -> Scores:
    """Reciprocal rank fusion with equal weights; Cormack et al. 2009, k = 60."""
    return sum((1.0 / (60 + _ranks(scores)) for scores in (first, second)), start=np.zeros(first.shape))


def bm25(texts: Sequence[str], questions: Sequence[str]) -> Scores:
    """(questions, chunks)."""
    import bm25s  # type: ignore[import-untyped]

    from iterative_retrieval.retrieval.text import content_terms, stream

    index = bm25s.BM25(k1=1.2, b=0.75)
    index.index([stream(text).text.split() for text in texts], show_progress=False)
    terms = [content_terms(question) for question in questions]
    known = index.vocab_dict
    rows = [[w for w in dict.fromkeys([*t.parts, *t.wholes]) if w in known] for t in terms]
    return np.array([index.get_scores(row) if row else np.zeros(len(texts)) for row in rows])


def _read(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchmarkError(f"cannot read {path}: {error}") from error
    return content


def _ranks(scores: Scores) -> Scores:
    """The rank of every chunk for each question, from 1."""
    return np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1, kind="stable") + 1.0


def _found(ranks: Sequence[Sequence[int]], gold: Sequence[Sequence[int]], k: int) -> list[float]:
    """The share of each question's gold chunks among its first ``k``."""
    return [sum(i in r[:k] for i in g) / len(g) for r, g in _pairs(ranks, gold)]


def _pairs(ranks: Sequence[Sequence[int]], gold: Sequence[Sequence[int]]) -> list[tuple[Sequence[int], Sequence[int]]]:
    return list(zip(ranks, gold, strict=True))


def _mean(values: Sequence[float]) -> m.Estimate:
    return m.estimate(m.mean(values), m.drawings(len(values)), len(values))
