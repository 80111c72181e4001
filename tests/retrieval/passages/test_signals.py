from __future__ import annotations

import numpy as np
import pytest

from iterative_retrieval.retrieval.passages.signals import (
    SIGNALS,
    PassageTable,
    Surroundings,
    beside_likely,
    passage_table,
)
from iterative_retrieval.state.genome import RetrievalGenome
from tests.retrieval.passages.chunks import ask, stored, views

RETRIES = stored(
    "http.md",
    ("Overview", "The client sends requests and reads answers."),
    ("Limiting retries", "Set max_retries to bound how often a failed request is sent again."),
    ("Time-outs", "A time-out ends a request that takes too long."),
)
COLORS = stored("ui.md", ("Colors", "Themes bring colors for buttons."), ("Fonts", "Fonts are loaded lazily."))
CODE = stored(
    "client.py",
    ("", "class Client:\n    def send(self):\n        pass\n"),
    ("", "    def retry(self): ...\n"),
    kind="code",
)
DOCUMENTS = views(RETRIES, COLORS, CODE)
KEYS = [v.chunk.key for d in DOCUMENTS.values() for v in d.chunks]


def table(question: str, cosines: dict[str, float] | None = None, **later: dict[str, float]) -> PassageTable:
    around = Surroundings(8.0, 24.0, cosines or {})
    asked = ask(question, DOCUMENTS)
    return passage_table(asked, KEYS, DOCUMENTS, around, RetrievalGenome(), later.get("learned", {}))


def best(found: PassageTable, signal: str) -> str:
    return found.paths[int(np.argmax(found.column(signal)))]


def test_every_signal_is_in_the_table() -> None:
    found = table("How are retries limited?")
    assert found.names == list(SIGNALS)
    assert found.values.shape == (len(KEYS), len(SIGNALS))
    assert np.isfinite(found.values).all()


def test_words_and_heading_point_at_the_answer() -> None:
    found = table("How are retries limited?")
    assert best(found, "bm25_heading") == best(found, "bm25_names") == "http.md#1"


def test_a_chunk_shares_in_its_document_and_its_neighbours() -> None:
    found = table("How often is a failed request sent again?")
    row = found.values[found.paths.index("http.md#2")]
    told = dict(zip(found.names, row.tolist(), strict=True))
    assert told["document_best"] > told["bm25_body"]
    assert told["neighbours_best"] == found.column("bm25_body")[found.paths.index("http.md#1")]


def test_coverage_is_the_share_of_the_information() -> None:
    found = table("colors of buttons")
    assert found.column("coverage_question")[found.paths.index("ui.md#0")] == 1.0
    assert found.column("coverage_question")[found.paths.index("http.md#0")] == 0.0


def test_a_name_in_the_question_points_at_its_definition() -> None:
    found = table("What does Client.retry do?")
    assert best(found, "defines_question") in ("client.py#0", "client.py#1")
    assert found.column("defines_question").sum() == 2


def test_phrases_count() -> None:
    found = table("which failed request is sent again")
    assert best(found, "pairs_question") == "http.md#1"


def test_cosines_reach_the_chunk_and_its_document() -> None:
    found = table("Farben", {"ui.md#0": 0.8})
    assert found.column("vector_chunk").max() == np.float32(0.8)
    assert found.column("vector_document")[found.paths.index("ui.md#1")] == np.float32(0.8)


def test_later_cycles_add_learned_words() -> None:
    assert best(table("How are retries limited?", learned={"theme": 1.0}), "learned") == "ui.md#0"


def test_who_stands_beside_a_likely_chunk_gains() -> None:
    found = beside_likely(table("How are retries limited?"), DOCUMENTS, {"http.md#1": 0.9})
    gains = dict(zip(found.paths, found.column("graph_beside").tolist(), strict=True))
    assert gains["http.md#0"] == gains["http.md#2"] == pytest.approx(0.9)
    assert gains["http.md#1"] == gains["ui.md#0"] == 0.0


def test_nothing_to_judge_gives_an_empty_table() -> None:
    empty = passage_table(ask("anything", DOCUMENTS), [], {}, Surroundings(1.0, 1.0, {}), RetrievalGenome(), {})
    assert empty.values.shape == (0, len(SIGNALS))
