"""What kill -9 costs an evolution cycle: decisions lost or doubled, evaluations paid twice, cycles that never end.

usage: python -m benchmarks.evolution_faults [--points 30] [--seed 0] [--database URL] [--json]

Each point is a whole cycle of real processes: one runs it and is killed at a random point, two go on with it at once
(in half of the points both are killed again first), then two people decide about the genome at once, one of them
approving, the other approving or rejecting; one of them or both are killed at a random point too, and whoever was
killed asks again. At the end two servers start at once. Half of the kills come at a statement to the database, drawn
from the steps of a peaceful run (each step alike, however short), half from outside after a time drawn from that run's.

lost_decisions: somebody was told that a decision was made and the ledger holds another or none, or the genome still
waits although both got an answer. doubled_decisions: further decisions about one genome, further people who were told
that theirs counts, or further active genomes. double_paid: evaluations that were paid and kept more than once. A call
that was in flight when its process was killed has to be made again; those are counted apart (in_flight). different:
cycles whose results, by genome, are not those of the peaceful run. unfinished: cycles or threads that do not end.

--database: URL of a PostgreSQL database in which schemas may be made: each cycle has one of its own, gone at the end. A
SQLite file for each cycle when absent.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection as Pipe
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from weakref import WeakSet

from langgraph.types import StateSnapshot
from sqlalchemy import Connection, Engine, create_engine, event, func, make_url, select, text

from iterative_retrieval.graph.cycle_threads import thread_of
from iterative_retrieval.graph.start_up import checkpoints_of
from iterative_retrieval.state.evolution import DecisionKind, GenomeRecord, GenomeStatus
from iterative_retrieval.state.ledger_ports import CycleState
from iterative_retrieval.stores.ledger_tables import SpendingRow
from iterative_retrieval.stores.sql import SqlStore

from .arguments import guarded
from .fault_processes import CYCLE, DOMAIN, LAYER, Scene, decide_cycle, run_cycle, start_server
from .labelled_answers import labelled_answers
from .predictions import BenchmarkError
from .provenance import provenance

_KINDS = 2
"""Different cycles (seeds of mutations) that the points take turns with."""
_PATIENCE = 300.0
_SEEDS = 12
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(["benchmarks.fault_processes"])


@dataclass(frozen=True)
class Peace:
    """A cycle that nobody disturbed.

    results: genome hash -> results. steps: first and last statement of each. Seconds and statements of its two parts.
    """

    seed: int
    results: dict[str, int]
    steps: list[list[int]]
    seconds: float
    deciding_statements: int
    deciding_seconds: float


@dataclass
class Tally:
    """What happened at all points. killed: step of the cycle -> processes killed there."""

    points: int = 0
    kills: int = 0
    killed: Counter[str] = field(default_factory=Counter)
    evaluations: int = 0
    in_flight: int = 0
    lost_decisions: int = 0
    doubled_decisions: int = 0
    double_paid: int = 0
    different: int = 0
    unfinished: int = 0

    @property
    def sound(self) -> bool:
        """Whether nothing was lost, doubled, paid twice, different or left unfinished."""
        return not any((self.lost_decisions, self.doubled_decisions, self.double_paid, self.different, self.unfinished))


class Child:
    """A process that waits for the word to go, and is killed or comes to its end."""

    def __init__(self, work: Callable[..., None], scene: Scene, kill_at: int | None, *more: Any) -> None:
        self._word, theirs = _CONTEXT.Pipe()
        self.process: BaseProcess = _CONTEXT.Process(target=work, args=(scene, theirs, kill_at, *more))
        self.process.start()
        theirs.close()

    def ready(self) -> Child:
        """Itself, once it may be told to go."""
        _received(self._word)
        return self

    def go(self) -> None:
        """Tell it to go."""
        self._word.send("go")

    def kill(self) -> None:
        """End it with kill -9."""
        self.process.kill()

    @property
    def was_killed(self) -> bool:
        """Whether it was; waits for its end.

        Raises:
            BenchmarkError: it failed, or does not end.
        """
        self.process.join(_PATIENCE)
        if self.process.exitcode not in (0, -9):
            self.process.kill()
            raise BenchmarkError(f"a process ended with {self.process.exitcode}; its traceback is above")
        return self.process.exitcode == -9


class Faults:
    """The points of one run: their chances, their peaceful twins, their tally."""

    def __init__(self, folder: Path, database: str | None, seed: int) -> None:
        self._folder = folder
        self._database = database
        self._chance = random.Random(seed)
        self._queries = labelled_answers(folder / "answers.jsonl")
        self._engines: WeakSet[Engine] = WeakSet()
        event.listen(Engine, "engine_connect", lambda connection: self._engines.add(connection.engine))
        self.tally = Tally()

    def peace(self, most: int = _KINDS) -> list[Peace]:
        """Cycles that wait for a person in the end, run and decided in peace."""
        found: list[Peace] = []
        for seed in range(_SEEDS):
            scene = self._scene(seed)
            began = time.perf_counter()
            [run] = self._together([Child(run_cycle, scene, None)], scene, "ran")
            ran = time.perf_counter() - began
            if run["outcome"] != "waiting":
                continue
            genome = look_at(scene)
            results = results_of(scene)
            began = time.perf_counter()
            [made] = self._together([Child(decide_cycle, scene, None, genome.id, "bob", "approve")], scene, "decision")
            deciding = time.perf_counter() - began
            found.append(Peace(seed, results, run["steps"], ran, made["statements"], deciding))
            if len(found) == most:
                return found
        raise BenchmarkError(f"of {_SEEDS} cycles only {len(found)} found a better genome")

    def point(self, number: int, peace: Peace) -> None:
        """One cycle with its kills."""
        scene = self._scene(peace.seed)
        while not self._killed_running(scene, peace, 1):  # it was done before it was to be killed: another one
            scene = self._scene(peace.seed)
        if number % 2:
            self._killed_running(scene, peace, 2)
        self._finish(scene)
        genome = look_at(scene)
        results = results_of(scene)
        self._decide(scene, peace, genome)
        self._join([Child(start_server, scene, None), Child(start_server, scene, None)])
        self._count(scene, genome, results, peace)
        for engine in self._engines:  # a server has only so many connections
            engine.dispose()

    def _killed_running(self, scene: Scene, peace: Peace, processes: int) -> int:
        """Run the cycle in so many processes at once, kill all of them; how many were killed."""
        at = self._moment(peace)
        children = [Child(run_cycle, scene, at) for _ in range(processes)]
        killed = self._join(children, None if at else self._chance.uniform(0.0, peace.seconds))
        self.tally.killed[f"running, before {step_of(scene)}"] += killed
        return killed

    def _finish(self, scene: Scene) -> None:
        """Two processes go on with the cycle at once, until it waits."""
        self._join([Child(run_cycle, scene, None), Child(run_cycle, scene, None)])
        if not asks(scene):  # one of them may have come while the other one was about to begin
            self._join([Child(run_cycle, scene, None)])
        if not asks(scene):
            self._note_unfinished(scene)

    def _decide(self, scene: Scene, peace: Peace, genome: GenomeRecord) -> None:
        """Two people decide at once; whoever was killed asks again."""
        people = {"bob": "approve", "eve": self._chance.choice(["approve", "reject"])}
        victims = self._chance.choice([{"bob"}, {"eve"}, {"bob", "eve"}])
        outside = self._chance.random() < 0.5
        children = {}
        for name, verdict in people.items():
            at = None if outside or name not in victims else self._chance.randint(1, peace.deciding_statements)
            children[name] = Child(decide_cycle, scene, at, genome.id, name, verdict)
        after = self._chance.uniform(0.0, peace.deciding_seconds) if outside else None
        killed = self._join(list(children.values()), after, [children[name] for name in victims])
        self.tally.killed["deciding"] += killed
        for name, child in children.items():
            if child.was_killed:
                self._join([Child(decide_cycle, scene, None, genome.id, name, people[name])])

    def _moment(self, peace: Peace) -> int | None:
        """At which statement a process dies, of any step alike; None for a death from outside."""
        first, last = self._chance.choice(peace.steps)
        return self._chance.randint(first + 1, last) if self._chance.random() < 0.5 else None

    def _join(self, children: list[Child], kill_after: float | None = None, victims: list[Child] | None = None) -> int:
        """Let them go at once, kill some (all of them) after so many seconds; how many died by kill -9."""
        for child in children:
            child.ready()
        for child in children:
            child.go()
        if kill_after is not None:
            time.sleep(kill_after)
            for child in children if victims is None else victims:
                child.kill()
        killed = sum(child.was_killed for child in children)
        self.tally.kills += killed
        return killed

    def _together(self, children: list[Child], scene: Scene, told: str) -> list[dict[str, Any]]:
        self._join(children)
        return scene.told(told)

    def _scene(self, seed: int) -> Scene:
        folder = Path(tempfile.mkdtemp(prefix="cycle-", dir=self._folder))
        return Scene(folder, self._database and with_schema(self._database, folder.name), seed, self._queries)

    def _count(self, scene: Scene, genome: GenomeRecord, results: dict[str, int], peace: Peace) -> None:
        t, payments = self.tally, payments_of(scene)
        t.points += 1
        t.evaluations += len(payments)
        t.double_paid += sum(settled - 1 for settled, _ in payments.values() if settled > 1)
        t.double_paid += max(0, calls_of(scene) - sum(settled + lost for settled, lost in payments.values()))
        t.in_flight += sum(lost for _, lost in payments.values())
        t.different += results != peace.results
        lost, doubled = decisions_of(scene, genome)
        t.lost_decisions += lost
        t.doubled_decisions += doubled
        if not finished(scene):
            self._note_unfinished(scene)

    def _note_unfinished(self, scene: Scene) -> None:
        state = scene.services.ledger.cycle(CYCLE).state
        self.tally.unfinished += 1
        print(f"unfinished: the cycle is {state}, its thread stands before {step_of(scene)}", file=sys.stderr)


def with_schema(database: str, name: str) -> str:
    """The URL of a database, its tables in a new schema."""
    with _administered(database) as connection:
        connection.execute(text(f'CREATE SCHEMA "{name}"'))
    return make_url(database).update_query_dict({"options": f"-csearch_path={name}"}).render_as_string(False)


def drop_schemas(database: str, names: Sequence[str]) -> None:
    """Delete schemas with all that is in them."""
    for name in names:  # one at a time: a transaction holds only so many locks
        with _administered(database) as connection:
            connection.execute(text(f'DROP SCHEMA IF EXISTS "{name}" CASCADE'))


@contextmanager
def _administered(database: str) -> Iterator[Connection]:
    engine = create_engine(make_url(database).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def look_at(scene: Scene) -> GenomeRecord:
    """The genome of the cycle that waits, as both people see it before they decide."""
    [genome] = scene.services.ledger.genomes(LAYER, DOMAIN, GenomeStatus.PENDING_APPROVAL)
    scene.write("seen", version=genome.version, hash=genome.genome_hash)
    return genome


def results_of(scene: Scene) -> dict[str, int]:
    """Genome hash -> results."""
    ledger = scene.services.ledger
    return {g.genome_hash: len(ledger.results(g.id)) for g in ledger.genomes(LAYER, DOMAIN)}


def payments_of(scene: Scene) -> dict[str, tuple[int, int]]:
    """Evaluation -> reservations that were settled, and those whose process was killed."""
    store = SqlStore(scene.settings.database)
    query = (
        select(SpendingRow.purpose, SpendingRow.state, func.count())
        .where(SpendingRow.cycle_id == CYCLE)
        .group_by(SpendingRow.purpose, SpendingRow.state)
    )
    found: dict[str, tuple[int, int]] = {}
    with store.reading() as tx:
        for purpose, state, count in tx.execute(query):
            settled, lost = found.get(purpose, (0, 0))
            found[purpose] = (settled + count, lost) if state == "settled" else (settled, lost + count)
    store.close()
    return found


def calls_of(scene: Scene) -> int:
    """Calls that were made, as their processes wrote down."""
    return len(scene.told("call"))


def decisions_of(scene: Scene, genome: GenomeRecord) -> tuple[int, int]:
    """Decisions about a genome that are lost, and those that are too many."""
    ledger = scene.services.ledger
    held = [d for d in ledger.decisions(genome.id) if d.kind in (DecisionKind.APPROVE, DecisionKind.REJECT)]
    promised = [line["decision"] for line in scene.told("decision")]
    lost = sum(all(d.model_dump(mode="json") != told for d in held) for told in promised) + (not held)
    active = ledger.genomes(LAYER, DOMAIN, GenomeStatus.ACTIVE)
    approved = bool(held) and held[0].kind is DecisionKind.APPROVE
    wrong = [g.id for g in active] != [genome.id] if approved else genome.id in [g.id for g in active]
    doubled = max(0, len(held) - 1) + max(0, len(promised) - 1) + max(0, len(active) - 1)
    return lost + wrong, doubled


def finished(scene: Scene) -> bool:
    """Whether the cycle is over in the ledger and on its thread."""
    over = scene.services.ledger.cycle(CYCLE).state is CycleState.FINISHED
    return over and step_of(scene) == "the end"


def step_of(scene: Scene) -> str:
    """The step that the thread of the cycle stands before."""
    found = _thread_state(scene)
    return found.tasks[0].name if found.tasks else "the end" if found.values.get("outcome") else "the beginning"


def asks(scene: Scene) -> bool:
    """Whether the thread asks a person."""
    return bool(_thread_state(scene).interrupts)


def _thread_state(scene: Scene) -> StateSnapshot:
    with thread_of(CYCLE, scene.services, checkpoints_of(scene.settings), _PATIENCE) as thread:
        assert thread is not None
        return thread.graph.get_state({"configurable": {"thread_id": CYCLE}})


def _received(word: Pipe) -> None:
    if not word.poll(_PATIENCE):
        raise BenchmarkError("a process did not become ready")
    try:
        word.recv()
    except EOFError:
        raise BenchmarkError("a process failed before it was ready; its traceback is above") from None


def run(points: int, seed: int, database: str | None, folder: Path, kinds: int = _KINDS) -> Tally:
    """The tally of so many points.

    Raises:
        BenchmarkError: a process failed.
    """
    faults = Faults(folder, database, seed)
    try:
        peace = faults.peace(kinds)
        for number in range(points):
            faults.point(number, peace[number % len(peace)])
            t = faults.tally
            print(f"[{number + 1}/{points}] {t.kills} kills, {'sound' if t.sound else t}", file=sys.stderr)
    finally:
        if database:
            drop_schemas(database, [entry.name for entry in folder.glob("cycle-*")])
    return faults.tally


def main(given: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0, help="of the moments at which processes die")
    parser.add_argument("--database", help="URL of a PostgreSQL database of its own")
    parser.add_argument("--json", action="store_true", help="one line")
    arguments = parser.parse_args(given)
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        tally = run(arguments.points, arguments.seed, arguments.database, Path(folder))
    told = {
        "database": "postgresql" if arguments.database else "sqlite",
        "seed": arguments.seed,
        **vars(tally),
        "killed": dict(sorted(tally.killed.items())),
        "seconds": round(time.perf_counter() - began, 1),
        "provenance": provenance(),
    }
    print(json.dumps(told, indent=None if arguments.json else 1))
    return 0 if tally.sound else 1


if __name__ == "__main__":
    sys.exit(main())
