"""The tasks that a repository's own past gives, dealt by time, and where a tuning keeps them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from ..evolution.fitting import TaskTable, TimeParts
from ..evolution.pools import query_id
from ..nodes.training import training_cycles
from ..retrieval.fixes import PastTask, task_of
from ..retrieval.languages import language_of
from ..state.errors import CallerError
from ..state.ports import Genomes, Workspaces
from ..state.progress import PastRead, Progress
from ..stores.fix_commits import past_commits

ProgressCallback = Callable[[Progress], None]
_NAME = re.compile(r"[\w.-]{1,120}")
_LOOKED_AT = 30
"""Commits looked at for each task wanted, at most: of a history of upkeep not every commit is read."""


class MinedTask(BaseModel):
    """A past task: the words of a commit, where it is asked, and the files that it changed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    commit: str
    ref: str
    time: int
    task: str
    gold: list[str]


class PastTasks(BaseModel):
    """What was mined. tasks: oldest first. refused: why commits are no tasks -> how many. looked_at: commits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    root: str
    tip: str
    tasks: list[MinedTask]
    refused: dict[str, int] = Field(default_factory=dict)
    looked_at: int = 0


def mine(root: str | Path, wanted: int, ref: str = "HEAD", progress: ProgressCallback | None = None) -> PastTasks:
    """The latest tasks of a repository's past, at most ``wanted``; of equal words, the latest counts.

    Raises:
        CallerError: there is no repository, or no such ref.
        GitUnavailable: git failed.
    """
    past = past_commits(str(root), ref)
    found: dict[str, PastTask] = {}
    refused: Counter[str] = Counter()
    looked_at = 0
    for commit in past.commits:
        if len(found) >= wanted or looked_at >= wanted * _LOOKED_AT:
            break
        looked_at += 1
        task = task_of(commit)
        if isinstance(task, PastTask) and query_id(task.task) not in found:
            found[query_id(task.task)] = task
        else:
            refused["same words as a later one" if isinstance(task, PastTask) else task] += 1
        if progress is not None and looked_at % 100 == 0:
            progress(PastRead(stage="mining", done=len(found), total=wanted))
    tasks = [MinedTask(commit=t.commit, ref=t.ref, time=t.time, task=t.task, gold=t.gold) for t in found.values()]
    return PastTasks(
        root=past.root, tip=past.tip, tasks=tasks[::-1], refused=dict(refused.most_common()), looked_at=looked_at
    )


@dataclass(frozen=True)
class TuningFolder:
    """Where a tuning keeps what it found, so that it can go on; the queries stay for the cycle's own resumption."""

    place: Path

    @classmethod
    def of(cls, data_dir: Path, cycle: str) -> TuningFolder:
        """The folder of a cycle. Raises CallerError when its id is no file name."""
        if not _NAME.fullmatch(cycle) or cycle.startswith("."):
            raise CallerError(f"'{cycle}' cannot name a tuning; use letters, digits, dots and hyphens")
        return cls(data_dir / "tune" / cycle)

    @property
    def queries(self) -> Path:
        """The file of queries, all pools."""
        return self.place / "queries.jsonl"

    def mined(self, make: Callable[[], PastTasks]) -> PastTasks:
        """What was mined before, else what ``make`` gives."""
        file = self.place / "mined.json"
        if file.exists():
            return PastTasks.model_validate_json(file.read_bytes())
        found = make()
        _write_whole(file, found.model_dump_json(indent=1).encode())
        return found

    def keep_queries(self, past: PastTasks, parts: TimeParts) -> list[str]:
        """Write the queries, each in its pool; their ids, oldest first."""
        pools = parts.pools
        rows = [_query(past.root, task, pool) for task, pool in zip(past.tasks, pools, strict=True)]
        if not self.queries.exists():
            _write_whole(self.queries, "".join(json.dumps(row) + "\n" for row in rows).encode())
        return [row["id"] for row in rows]

    def table(
        self, past: PastTasks, task: MinedTask, genome_hash: str, workspaces: Workspaces, genomes: Genomes
    ) -> tuple[list[str], TaskTable]:
        """Names of the signals, and the signals of a task: those kept under this genome, else asked now."""
        file = self.place / "signals" / f"{task.commit}.{genome_hash[:12]}.npz"
        if not file.exists():
            *_, last = training_cycles(task.task, past.root, task.ref, workspaces, genomes)
            file.parent.mkdir(parents=True, exist_ok=True)
            partial = file.with_suffix(".part")
            with partial.open("wb") as out:
                np.savez_compressed(out, values=last.values, paths=_text(last.paths), names=_text(last.names))
            os.replace(partial, file)
        with np.load(file) as kept:
            names, paths = (json.loads(kept[name].tobytes()) for name in ("names", "paths"))
            return names, TaskTable(task.commit, paths, kept["values"], task.gold)

    def forget_signals(self) -> None:
        """Delete the signals; they are large, and fitted."""
        for file in (self.place / "signals").glob("*.npz"):
            file.unlink()


def tables_of(
    folder: TuningFolder,
    past: PastTasks,
    tasks: Sequence[MinedTask],
    genome_hash: str,
    workspaces: Workspaces,
    genomes: Genomes,
    until: float | None,
    progress: ProgressCallback | None,
) -> tuple[list[str], list[TaskTable]]:
    """Names of the signals, and the tables of the tasks, oldest first; when time is over, only the latest have one.

    Args:
        folder: keeps the tables.
        past: where the tasks come from.
        tasks: oldest first.
        genome_hash: of the weights under which they are asked.
        workspaces: open the root.
        genomes: weigh the signals.
        until: by ``time.monotonic``; None for all.
        progress: called with each progress event.
    """
    names: list[str] = []
    tables: list[TaskTable] = []
    for done, task in enumerate(reversed(tasks), start=1):
        if until is not None and time.monotonic() >= until:
            break
        names, table = folder.table(past, task, genome_hash, workspaces, genomes)
        tables.append(table)
        if progress is not None:
            progress(PastRead(stage="asking", done=done, total=len(tasks)))
    return names, tables[::-1]


def _query(root: str, task: MinedTask, pool: str) -> dict[str, Any]:
    """A row of layer ``retrieval``. Its id holds the pool: what is asked in another pool later is another query."""
    name = hashlib.sha256(f"{task.commit} {pool}".encode()).hexdigest()[:16]
    return {
        "id": name,
        "task": task.task,
        "root": root,
        "ref": task.ref,
        "gold_files": task.gold,
        "slice": language_of(task.gold[0]),
        "cluster": ", ".join(task.gold),  # changes of the same files are won and lost together
        "pool": pool,
        "commit": task.commit,
    }


def _text(words: Sequence[str]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.frombuffer(json.dumps(words).encode(), dtype=np.uint8)


def _write_whole(file: Path, content: bytes) -> None:
    """A reader sees the file whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".part")
    partial.write_bytes(content)
    os.replace(partial, file)
