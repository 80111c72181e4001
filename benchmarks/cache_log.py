"""A labelled request log out of the documentation set: answers worth keeping, and answers that are not.

Every question is answered by the product. The answer as it came is *right* when each of its sentences is supported and
a gold chunk is among its sources, else *wrong*. From each right one come an *unsupported* twin (a changed number, or a
sentence of another page under its sources), a *warned* one and a *stale* one.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from iterative_retrieval.graph.ask import ask
from iterative_retrieval.retrieval.answers.citations import check_citations
from iterative_retrieval.retrieval.answers.support import support, support_share
from iterative_retrieval.state.answer import Answer
from iterative_retrieval.state.documents import StoredChunk

from .document_sets import DocQuestion, DocumentSet
from .document_store import Bench

_NUMBER = re.compile(r"\b\d+\b")
_CITED = re.compile(r"\[\d+\]")


def write_log(bench: Bench, documents: DocumentSet, path: Path, seed: int = 0) -> int:
    """Write the log; the number of rows."""
    rows = list(_rows(bench, documents, random.Random(seed)))
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return len(rows)


def _rows(bench: Bench, documents: DocumentSet, rng: random.Random) -> Iterator[dict[str, Any]]:
    collection = bench.collections.open(documents.name)
    answers = [
        (q, ask(q.text, documents.name, fresh=True, log=False, tenant="log", services=bench.services).answer)
        for q in documents.questions
    ]
    foreign = [s for _, a in answers for s in a.key_points]
    for question, answer in answers:
        chunks = list(collection.chunks(s.chunk for s in answer.sources).values())
        if not answer.answer:
            continue
        right = answer.support == 1.0 and any(s.chunk in question.gold for s in answer.sources)
        yield _row(question, answer, chunks, "right" if right else "wrong")
        if not right:
            continue
        spoiled = _spoiled(answer, chunks, question.text, foreign, rng)
        if spoiled is not None:
            yield _row(question, spoiled, chunks, "unsupported")
        warned = answer.model_copy(update={"warnings": ["no source speaks of a part of this"]})
        yield _row(question, warned, chunks, "warned")
        yield _row(question, answer, chunks, "stale", current=False)


def _spoiled(
    answer: Answer, chunks: Sequence[StoredChunk], question: str, foreign: Sequence[str], rng: random.Random
) -> Answer | None:
    """The answer with a changed number, or with a foreign sentence under its last source; None when neither shows."""
    marks = _CITED.findall(answer.answer)
    mixed = f"{answer.answer} {rng.choice(foreign)} {marks[-1] if marks else ''}".strip()
    for text in (_other_number(answer.answer, rng), mixed):
        share = support_share(support(answer.model_copy(update={"answer": text}), list(chunks), question))
        if share is not None and share < 1.0:
            return answer.model_copy(update={"answer": text, "support": round(share, 4)})
    return None


def _other_number(text: str, rng: random.Random) -> str:
    """The text with one number changed that is no citation."""
    places = [m for m in _NUMBER.finditer(text) if text[max(0, m.start() - 1)] != "["]
    if not places:
        return text
    chosen = rng.choice(places)
    return f"{text[: chosen.start()]}{int(chosen[0]) + rng.randint(1, 9)}{text[chosen.end() :]}"


def _row(
    question: DocQuestion, answer: Answer, chunks: Sequence[StoredChunk], label: str, current: bool = True
) -> dict[str, Any]:
    return {
        "question": question.text,
        "answer": answer.model_dump(mode="json"),
        "citations": [c.model_dump() for c in check_citations(answer, list(chunks))],
        "evidence_texts": [c.text for c in chunks],
        "current": current,
        "label": label,
    }
