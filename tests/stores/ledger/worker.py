"""A process that does whatever it may, and may not, with a ledger, and writes down what it was told succeeded.

python -m tests.stores.ledger.worker PLACE NAME SEED OPERATIONS JOURNAL
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from iterative_retrieval.state.errors import EvolutionRefused
from iterative_retrieval.state.evolution import (
    Budget,
    Cost,
    Decision,
    GenomeRecord,
    GenomeStatus,
    Mutation,
    MutationKind,
)
from iterative_retrieval.stores.ledger import LedgerService
from iterative_retrieval.stores.sql import SqlStore
from tests.stores.ledger.desk import DOMAIN, LAYER, ROLES, approval, cycle_record, mutation, rejection, report, result

PEOPLE = ["ada", "bob", "carol"]
PURSES = [f"purse-{number}" for number in range(4)]
BUDGET = Budget(calls=60, tokens=2500, seconds=3.0)
PATIENCE = 2.0


class Worker:
    def __init__(self, place: str, name: str, seed: int, journal: str) -> None:
        self.ledger = LedgerService(SqlStore(place))
        self.name = name
        self.chance = random.Random(seed)
        self.journal = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.own = f"{name}-first"

    def run(self, operations: int) -> Counter[str]:
        """Random operations; how often each ended in which way."""
        self.ledger.ensure_default(LAYER, DOMAIN, {})
        acts = [self.propose] * 4 + [self.judge] * 3 + [self.evaluate] * 4 + [self.submit] * 3 + [self.take_up] * 3
        acts += [self.decide] * 5 + [self.spend] * 3
        acts += [self.roll_back, self.expire, self.delete, self.end, self.reconcile]
        ends: Counter[str] = Counter()
        for _ in range(operations):
            act: Callable[[], None] = self.chance.choice(acts)
            try:
                act()
                ends[f"{act.__name__}: done"] += 1
            except EvolutionRefused as refusal:
                ends[f"{act.__name__}: {type(refusal).__name__}"] += 1
        return ends

    def propose(self) -> None:
        self.ledger.propose(self.cycle(), mutation(self.chance.randrange(300)))

    def take_up(self) -> None:
        """Submit an evaluated genome, mostly of a cycle that is over, from another cycle."""
        genome = self.any(GenomeStatus.EVALUATED)
        cycle = self.cycle()
        again = Mutation(genome=genome.genome, kind=MutationKind.MANUAL)
        self.put_before_a_person(self.ledger.propose(cycle, again), cycle)

    def judge(self) -> None:
        genome = self.any(None)
        reservation = self.reserve(self.purse())
        row = result(genome, f"q-{self.chance.randrange(5)}", cost=self.some_cost())
        if self.ledger.record_result(row, reservation):
            self.write("result", genome=genome.id, query=row.query_id)
        self.write("settled", reservation=reservation)

    def evaluate(self) -> None:
        genome = self.any(GenomeStatus.CANDIDATE)
        self.ledger.mark_evaluated(genome.id, self.chance.random() * 10)

    def submit(self) -> None:
        status = self.chance.choice([GenomeStatus.EVALUATED] * 4 + [GenomeStatus.PENDING_APPROVAL])
        self.put_before_a_person(self.any(status), self.chance.choice([None, None, None, self.cycle()]))

    def put_before_a_person(self, genome: GenomeRecord, cycle: str | None) -> None:
        active = self.ledger.active(LAYER, DOMAIN)
        assert active is not None
        expires = time.time() + self.chance.choice([0.1, 60.0, 60.0, 60.0])
        self.ledger.submit(genome.id, report(genome, active.genome_hash), expires, cycle)

    def decide(self) -> None:
        genome = self.any(GenomeStatus.PENDING_APPROVAL)
        act, review = self.chance.choice(
            [(self.ledger.approve, approval), (self.ledger.approve, approval), (self.ledger.reject, rejection)]
        )
        self.decided(act(genome.id, review(genome, self.chance.choice(PEOPLE)), ROLES))

    def roll_back(self) -> None:
        to = self.chance.choice([None, self.any(GenomeStatus.RETIRED).id])
        self.decided(self.ledger.rollback(LAYER, DOMAIN, "carol", "worse", roles=ROLES, to=to))

    def expire(self) -> None:
        for decision in self.ledger.expire_due():
            self.decided(decision)

    def spend(self) -> None:
        reservation = self.reserve(self.purse())
        if self.chance.random() < 0.9:
            self.ledger.settle(reservation, self.some_cost())
            self.write("settled", reservation=reservation)

    def delete(self) -> None:
        genome = self.any(None)
        self.ledger.delete(genome.id)
        self.write("deleted", genome=genome.id)

    def end(self) -> None:
        self.ledger.finish_cycle(self.own, "done")

    def reconcile(self) -> None:
        self.ledger.reconcile(patience=PATIENCE)

    def cycle(self) -> str:
        """A cycle to work in: an own one, or one that all processes work in for half a second."""
        if self.chance.random() < 0.3:
            cycle = f"shared-{int(time.time() * 2)}"
            return self.ledger.open_cycle(cycle_record(cycle, PEOPLE[int(time.time() * 2) % 2])).id
        if self.chance.random() < 0.2:
            self.own = f"{self.name}-{self.chance.randrange(10**9)}"
        return self.ledger.open_cycle(cycle_record(self.own, PEOPLE[sum(map(ord, self.own)) % 2])).id

    def purse(self) -> str:
        """A cycle that all processes spend from, and nothing else."""
        return self.ledger.open_cycle(cycle_record(self.chance.choice(PURSES), budget=BUDGET)).id

    def reserve(self, cycle: str) -> int:
        most = Cost(calls=1, tokens=100, seconds=0.1)
        reservation = self.ledger.reserve(cycle, most, self.name)
        self.write("reserved", reservation=reservation, cycle=cycle)
        return reservation

    def some_cost(self) -> Cost:
        return Cost(calls=1, tokens=self.chance.randrange(101), seconds=self.chance.random() / 10)

    def any(self, status: GenomeStatus | None) -> GenomeRecord:
        """A genome of a status, or of any when there is none of it."""
        found = self.ledger.genomes(LAYER, DOMAIN, status) or self.ledger.genomes(LAYER, DOMAIN)
        return self.chance.choice(found)

    def decided(self, decision: Decision) -> None:
        self.write("decision", decision=decision.model_dump(mode="json"))

    def write(self, kind: str, **values: Any) -> None:
        """One line, in one system call: what is killed leaves whole lines."""
        os.write(self.journal, (json.dumps({"kind": kind, **values}) + "\n").encode())


def main() -> None:
    place, name, seed, operations, journal = sys.argv[1:]
    ends = Worker(place, name, int(seed), journal).run(int(operations))
    print(json.dumps(ends))


if __name__ == "__main__":
    main()
