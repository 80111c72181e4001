from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import iterative_retrieval


@pytest.mark.parametrize("name", iterative_retrieval.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(iterative_retrieval, name) is not None


def test_the_public_names_are_listed() -> None:
    assert set(iterative_retrieval.__all__) <= set(dir(iterative_retrieval))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'retreive'"):
        iterative_retrieval.__getattr__("retreive")


def test_importing_the_package_loads_nothing_else(tmp_path: Path) -> None:
    script = "import sys; before = set(sys.modules); import iterative_retrieval; print(*set(sys.modules) - before)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert not {"langgraph", "pydantic", "chromadb", "typer"} & set(loaded.stdout.split())


def test_the_public_names_load_neither_stores_nor_arrays(tmp_path: Path) -> None:
    names = "import iterative_retrieval as package; [getattr(package, name) for name in package.__all__]"
    script = f"import sys; {names}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    heavy = {"chromadb", "sqlalchemy", "numpy", "tantivy", "tree_sitter", "onnxruntime", "openai", "fastapi", "typer"}
    assert not heavy & set(loaded.stdout.split())
    assert not [name for name in loaded.stdout.split() if name.startswith("iterative_retrieval.stores")]
