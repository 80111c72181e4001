from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from iterative_retrieval.stores.sql import SqlStore
from tests.serving.admin.scene import BETTER, Scene


@pytest.fixture(scope="session")
def empty_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy."""
    file = tmp_path_factory.mktemp("admin") / "ledger.sqlite"
    SqlStore(file).close()
    return file


@pytest.fixture
def scene(tmp_path: Path, empty_ledger: Path) -> Iterator[Scene]:
    shutil.copy(empty_ledger, tmp_path / "ledger.sqlite")
    made = Scene(tmp_path)
    yield made
    made.close()


@pytest.fixture
def full(scene: Scene) -> Scene:
    """With a genome that waits (2), one that is a candidate (3), and a default (1)."""
    scene.pending({"system_prompt": BETTER, "chunk_count": 10})
    scene.candidate({"system_prompt": PROMPT_OF_A_CANDIDATE}, cycle="c-2")
    scene.ledger.finish_cycle("c-2", "nobody passed")
    return scene


PROMPT_OF_A_CANDIDATE = "You answer questions out of numbered sources, in short sentences."
