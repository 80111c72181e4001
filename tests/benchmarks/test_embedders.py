from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.embedder_quality import (
    code_numbers,
    docs_numbers,
    lexical_quality,
    ranked,
    read_code,
    read_translations,
)
from benchmarks.embedders import main, probe

TOPICS = ["Bread is baked in a hot oven", "Trains leave the station hourly", "Volcanoes erupt with ash and lava"]
QUESTIONS = ["How is bread baked?", "When do trains leave?", "What do volcanoes erupt?"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The two sets, small; translated questions are about bread."""
    translations = Path(__file__).parents[2] / "benchmarks" / "data" / "questions_translated.jsonl"
    ids = [json.loads(line)["id"] for line in translations.read_text(encoding="utf-8").splitlines()]
    filler = [f"Chunk {i} of the appendix" for i in range(20)]
    docs = {
        "chunks": [{"id": f"c{i}", "heading": "", "text": text} for i, text in enumerate(TOPICS + filler)],
        "questions": [{"id": f"q{i}", "question": q, "gold_chunks": [f"c{i}"]} for i, q in enumerate(QUESTIONS)]
        + [{"id": i, "question": QUESTIONS[0], "gold_chunks": ["c0"]} for i in ids],
    }
    chunks = [{"index": i, "text": text} for i, text in enumerate(TOPICS + filler)]
    code = {
        "documents": [{"id": "d", "chunks": chunks}],
        "questions": [{"query": q, "gold_chunks": [["d", i]]} for i, q in enumerate(QUESTIONS)],
    }
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "anthropic_docs.json").write_text(json.dumps(docs))
    (folder / "code_chunks.json").write_text(json.dumps(code))
    return folder


def test_ties_are_ranked_by_position() -> None:
    assert ranked(np.array([[0.5, 0.9, 0.5, 0.9]]), 3) == [[1, 3, 0]]


def test_the_first_three_count_for_precision_and_ten_for_recall() -> None:
    scores = np.array([np.arange(20, 0, -1.0)])
    found = docs_numbers(scores, [[1, 5]])
    assert [found[k].value for k in ("precision@3", "recall@3", "mrr@3", "recall@10")] == [1 / 3, 0.5, 0.5, 1.0]


def test_a_gold_chunk_after_the_third_gives_no_reciprocal_rank() -> None:
    assert docs_numbers(np.array([np.arange(20, 0, -1.0)]), [[3]])["mrr@3"].value == 0.0


def test_pass_at_k_is_the_mean_share_of_gold_chunks() -> None:
    found = code_numbers(np.array([np.arange(30, 0, -1.0)] * 2), [[0, 7], [25]])
    assert [found[f"pass@{k}"].value for k in (5, 10, 20)] == [0.25, 0.5, 0.5]


def test_gold_chunks_are_found_by_document_and_index(data: Path) -> None:
    assert read_code(data).gold == [[0], [1], [2]]


def test_translated_questions_keep_their_gold_chunks(data: Path) -> None:
    sets = read_translations(data)
    assert list(sets) == ["en", "de", "ru", "zh"]
    assert len({len(s.questions) for s in sets.values()}) == 1
    assert all(gold == [0] for s in sets.values() for gold in s.gold)


def test_plain_bm25_finds_the_words(data: Path) -> None:
    assert lexical_quality(data)["code_chunks"]["pass@5"].value == 1.0


def test_a_probe_measures_the_real_model(data: Path, tmp_path: Path) -> None:
    found = probe("minilm", data, tmp_path / "cache", 1, with_quality=True)
    assert found["name"] == "minilm-l6-v2-int8/1"
    assert found["quality"]["anthropic_docs"]["mrr@3"]["value"] == 1.0
    assert found["texts/s"] > 0


def test_a_wrong_folder_is_told_before_anything_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path)]) == 2
    assert "anthropic_docs.json" in capsys.readouterr().err
