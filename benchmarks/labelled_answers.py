"""A small labelled log of answers, made up: what the layer cache_policy can be tried with anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TOPICS = 40


def labelled_answers(path: Path) -> Path:
    """The file with its rows: right answers of two or three sources, unsupported ones, warned ones."""
    path.write_text("".join(json.dumps(row) + "\n" for row in _rows()), encoding="utf-8")
    return path


def _rows() -> Iterator[dict[str, Any]]:
    for topic in range(TOPICS):
        question = f"How is item number{'abcdefghij'[topic % 10]}{topic} configured?"
        yield _row(question, "right", sources=2 + topic % 2)
        yield _row(question, "unsupported", sources=2, support=0.4)
        yield _row(question, "warned", sources=2, warnings=["a part has no source"])


def _row(question: str, label: str, sources: int, support: float = 1.0, warnings: list[str] | None = None) -> Any:
    text = " ".join(f"Set option {n} first. [{n}]" for n in range(1, sources + 1))
    answer = {
        "answer": text,
        "key_points": ["Set option 1 first.", "Set option 2 first."],
        "sources": [
            {
                "number": n,
                "chunk": f"d.md#{n}",
                "document": "d.md",
                "heading": ["Options"],
                "first": n,
                "last": n,
                "quote": f"Set option {n} first.",
                "sha256": "0" * 64,
            }
            for n in range(1, sources + 1)
        ],
        "warnings": warnings or [],
        "language": "en",
        "support": support,
    }
    citations = [{"number": n, "verdict": "supported"} for n in range(1, sources + 1)]
    return {"question": question, "answer": answer, "citations": citations, "label": label}
