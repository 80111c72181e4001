"""What the processes of the fault test do, until they are killed; each writes down what it was told.

A line of the journal is one system call, so that what is killed leaves whole lines.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel
from sqlalchemy import Engine, event

from iterative_retrieval.graph.evolution_services import EvolutionServices, open_evolution_services
from iterative_retrieval.graph.evolve import decide, evolve
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.graph.start_up import checkpoints_of, reconcile_at_start
from iterative_retrieval.state.caching import CachePolicyGenome
from iterative_retrieval.state.errors import EvolutionRefused
from iterative_retrieval.state.evolution import Cost, EvalQuery, Layer, Review
from iterative_retrieval.state.evolution_run import QuerySource
from iterative_retrieval.state.trial_ports import Judgement, Trial, Trials

LAYER: Layer = "cache_policy"
DOMAIN, CYCLE = "general", "the-cycle"
START = CachePolicyGenome(min_sources_count=4)
"""A start that refuses most right answers, so that nearly any step is better."""


@dataclass(frozen=True)
class Scene:
    """One cycle: the folder and the database that are its own, and what it is begun with.

    database: URL of a server; None for a SQLite file in the folder.
    """

    folder: Path
    database: str | None
    seed: int
    queries: Path

    @property
    def journal(self) -> Path:
        """What the processes were told, one JSON object a line."""
        return self.folder / "journal.jsonl"

    @property
    def settings(self) -> Settings:
        """Nothing of the environment that could lead to other people's ledgers or models."""
        return Settings(
            data_dir=self.folder,
            cache_dir=self.folder / "cache",
            embedder="none",
            model=None,
            database_url=self.database or f"sqlite:///{self.folder / 'ledger.sqlite'}",
        )

    @property
    def services(self) -> EvolutionServices:
        """What a cycle connects to, its calls written down; opened once in a process."""
        return _services(self)

    def write(self, kind: str, **values: Any) -> None:
        """One line of the journal."""
        line = json.dumps({"kind": kind, "process": os.getpid(), **values}) + "\n"
        journal = os.open(self.journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(journal, line.encode())
        os.close(journal)

    def told(self, *kinds: str) -> list[dict[str, Any]]:
        """The lines of some kinds."""
        lines = self.journal.read_text(encoding="utf-8").splitlines() if self.journal.exists() else []
        return [row for row in map(json.loads, lines) if row["kind"] in kinds]


@dataclass(frozen=True)
class WatchedTrials:
    """Trials that write down every call before it is made: a call is paid for when it is made."""

    inner: Trials
    scene: Scene

    def of(self, layer: Layer, domain: str, source: QuerySource) -> Trial:
        """The trial of a layer, watched."""
        return WatchedTrial(self.inner.of(layer, domain, source), self.scene)


@dataclass(frozen=True)
class WatchedTrial:
    """A trial that writes down every call."""

    inner: Trial
    scene: Scene

    @property
    def judge(self) -> str:
        """Names the judge."""
        return self.inner.judge

    @property
    def judge_version(self) -> str:
        """The inner one's."""
        return self.inner.judge_version

    @property
    def most(self) -> Cost:
        """The inner one's."""
        return self.inner.most

    def queries(self) -> Sequence[EvalQuery]:
        """The inner one's."""
        return self.inner.queries()

    def run(self, genome: BaseModel, query: EvalQuery, repeat: int) -> Judgement:
        """Run and judge."""
        self.scene.write("call", genome=genome.model_dump_json(), query=query.id, repeat=repeat)
        return self.inner.run(genome, query, repeat)


@lru_cache(maxsize=2)
def _services(scene: Scene) -> EvolutionServices:
    opened = open_evolution_services(scene.settings)
    return replace(opened, trials=WatchedTrials(opened.trials, scene), defaults=lambda layer, domain: START)


def run_cycle(scene: Scene, parent: Connection, kill_at: int | None) -> None:
    """Run the cycle, or go on with it, until it waits for a person."""
    begin(parent, kill_at)
    statements, marks = Statements(), [("begin", 0)]
    source = QuerySource(queries=str(scene.queries), limit=10_000)
    try:
        result = evolve(
            LAYER,
            DOMAIN,
            "ada",
            seed=scene.seed,
            source=source,
            cycle=CYCLE,
            progress=lambda event: marks.append((event.kind, statements.seen)),
            services=scene.services,
            checkpoints=checkpoints_of(scene.settings),
        )
    except EvolutionRefused as refusal:  # another process goes on with it, or it waits already
        scene.write("refused", what="run", why=type(refusal).__name__)
        return
    marks.append(("end", statements.seen))
    turns = [b for a, b in pairwise(marks) if a[0] != b[0]]
    scene.write(
        "ran", outcome=result.outcome, steps=[[a, b] for a, b in pairwise([0, *(n for _, n in turns)]) if a < b]
    )


def decide_cycle(
    scene: Scene,
    parent: Connection,
    kill_at: int | None,
    genome: int,
    reviewer: str,
    verdict: Literal["approve", "reject"],
) -> None:
    """Decide about the genome that waits, as a person who looked at it before."""
    services = scene.services
    record = services.ledger.genome(genome)
    begin(parent, kill_at)
    statements = Statements()
    seen = scene.told("seen")[0]
    review = Review(
        decision=verdict, reviewer=reviewer, reason="as it should be", version=seen["version"], genome_hash=seen["hash"]
    )
    try:
        decision = decide(record.id, review, services=services, checkpoints=checkpoints_of(scene.settings))
    except EvolutionRefused as refusal:
        scene.write("refused", what="decide", reviewer=reviewer, why=type(refusal).__name__)
        return
    scene.write("decision", decision=decision.model_dump(mode="json"), reviewer=reviewer, statements=statements.seen)


def start_server(scene: Scene, parent: Connection, kill_at: int | None) -> None:
    """What every door does when it starts."""
    begin(parent, kill_at)
    scene.write("reconciled", done=reconcile_at_start(scene.settings))


def begin(parent: Connection, kill_at: int | None) -> None:
    """Say that the process is ready, wait for the word to go, and die at the statement that it is told to die at."""
    parent.send("ready")
    parent.recv()
    event.listen(Engine, "connect", _without_waiting)
    if kill_at is not None:
        Statements(kill_at, _die)


class Statements:
    """Counts the statements and commits that go to the database from now on."""

    def __init__(self, at: int | None = None, then: Callable[[], None] | None = None) -> None:
        self.seen = 0
        self._at = at
        self._then = then
        event.listen(Engine, "before_cursor_execute", self._heard)
        event.listen(Engine, "commit", self._heard)

    def _heard(self, *_: Any) -> None:
        self.seen += 1
        if self._then is not None and self.seen == self._at:
            self._then()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _without_waiting(connection: Any, _: Any) -> None:
    """No power fails here: what a killed process wrote is safe with the system, and need not be waited for."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous = OFF")


__all__ = ["CYCLE", "DOMAIN", "LAYER", "Scene", "decide_cycle", "run_cycle", "start_server"]
