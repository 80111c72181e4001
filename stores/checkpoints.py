"""Where cycles are kept between steps: a SQLite file, opened for one run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from ..state.errors import StoreUnavailable

_STATE_TYPES = [
    ("iterative_retrieval.state.evolution", "Budget"),
    ("iterative_retrieval.state.evolution_run", "EvolutionInput"),
    ("iterative_retrieval.state.evolution_run", "QuerySource"),
]
_PATIENCE = 60.0


@contextmanager
def open_checkpoints(path: Path) -> Iterator[SqliteSaver]:
    """The saver over a file, which is made when absent.

    Raises:
        StoreUnavailable: the file cannot be used.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=_PATIENCE, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise StoreUnavailable(f"cannot open the checkpoints {path}: {error}; check the folder") from error
    with closing(connection):
        yield SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=_STATE_TYPES))
