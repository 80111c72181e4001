"""Many lineages of layer retrieval on recorded signals: does evolution improve weights, and does luck get through?

usage: python -m benchmarks.evolution_recorded --signals FOLDER --unseen FOLDER [--start plain] [--lineages 10]
           [--cycles 8] [--n 5] [--rounds 16 48] [--json]

The folders hold what ``benchmarks.collect`` wrote. Proposals, races and the gate are the product's own; a genome is
scored by ranking the last cycle's recorded signals under its weights, which takes microseconds instead of tenths of a
second. So genes other than weights change nothing here, and the signals of the graph are those that the shipped
weights led to: ``benchmarks.evolution`` is the measurement, this one its many repetitions. What passes the gate is
activated. A promotion is wrong when it ranks the unseen repositories worse than the genome it replaced.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from iterative_retrieval.evolution.comparison import Arm
from iterative_retrieval.evolution.defaults import default_retrieval, genome_hash, parse_genome
from iterative_retrieval.evolution.gate import GateCase, GatePolicy, decide, until_next_look
from iterative_retrieval.evolution.learning import Tried
from iterative_retrieval.evolution.measures import ndcg, recall
from iterative_retrieval.evolution.mutate import propose
from iterative_retrieval.evolution.pools import draw, split_pools
from iterative_retrieval.evolution.racing import RacingPolicy, race
from iterative_retrieval.evolution.statistics import paired_difference
from iterative_retrieval.state.evolution import EvalQuery, GateReport, MutationKind

from .arguments import guarded
from .evolution import PLAIN, usable_salt
from .provenance import provenance

_DEPTH = 10
_KINDS = (MutationKind.STEP, MutationKind.RECOMBINATION)
_SECOND_PARENTS = 4

Genome = dict[str, Any]


class Signals(NamedTuple):
    """One instance. values: (n_files, n_signals), scaled, in the order of paths and names."""

    paths: list[str]
    names: list[str]
    values: NDArray[np.float32]
    gold: list[str]


@dataclass
class Recorded:
    """Instances by id, and the scores so far."""

    signals: dict[str, Signals]
    scores: dict[tuple[str, str], float] = field(default_factory=dict)

    def score(self, genome: Genome, query: EvalQuery) -> float:
        """Ten times the mean of nDCG@10 and recall@10."""
        key = (json.dumps(genome["weights"], sort_keys=True), query.id)
        if key not in self.scores:
            row = self.signals[query.id]
            weights = np.array([genome["weights"].get(name, 0.0) for name in row.names], dtype=np.float32)
            ranked = [row.paths[i] for i in np.argsort(-(row.values @ weights), kind="stable")[:_DEPTH]]
            self.scores[key] = 5 * (ndcg(ranked, row.gold, _DEPTH) + recall(ranked, row.gold, _DEPTH))
        return self.scores[key]

    def means(self, genome: Genome, queries: Sequence[EvalQuery]) -> list[float]:
        """The score of each query."""
        return [self.score(genome, query) for query in queries]


@dataclass
class Lineage:
    """One lineage. known: hash -> genome. selected: hash -> mean on *select*. tried: by hash, oldest first."""

    world: Recorded
    pools: Mapping[str, list[EvalQuery]]
    active: Genome
    n: int
    racing: RacingPolicy
    known: dict[str, Genome] = field(default_factory=dict)
    selected: dict[str, float] = field(default_factory=dict)
    tried: dict[str, Tried] = field(default_factory=dict)

    def cycle(self, seed: int) -> Genome | None:
        """What the gate lets pass in one cycle; None when nobody passes."""
        candidates = self._proposed(seed)
        finalists = self._raced(candidates, draw(self.pools["select"], len(self.pools["select"]), seed))
        if not finalists:
            return None
        confirm = draw(self.pools["confirm"], len(self.pools["confirm"]), seed)
        report = self._gate({name: candidates[name] for name in finalists}, confirm)
        return candidates[report.candidate_hash] if report.verdict == "promote" else None

    def _proposed(self, seed: int) -> dict[str, Genome]:
        own = _name(self.active)
        self.known.setdefault(own, self.active)
        best = sorted((name for name in self.selected if name != own), key=lambda name: (-self.selected[name], name))
        found = propose(
            self.active,
            [self.known[name] for name in best[:_SECOND_PARENTS]],
            "retrieval",
            self.n,
            Random(f"{seed} {own}"),
            set(self.known),
            domain="code",
            kinds=_KINDS,
            tried=list(self.tried.values()),
        )
        candidates = {_name(mutation.genome): mutation.genome for mutation in found}
        self.known |= candidates
        return candidates

    def _raced(self, candidates: Mapping[str, Genome], select: Sequence[EvalQuery]) -> list[str]:
        going, clusters = list(candidates), {query.id: query.cluster for query in select}
        for number, upto in enumerate(self.racing.rounds):
            asked = select[:upto]
            old = {query.id: self.world.score(self.active, query) for query in asked}
            new = {name: {q.id: self.world.score(candidates[name], q) for q in asked} for name in going}
            for name, scores in new.items():
                self.selected[name] = fmean(scores.values())
                gain = fmean(scores[query] - old[query] for query in scores)
                self.tried[name] = Tried(self.active, candidates[name], gain, len(scores))
            going = race(old, new, number, self.racing, clusters).go_on
            if not going:
                break
        return going

    def _gate(self, finalists: Mapping[str, Genome], confirm: Sequence[EvalQuery]) -> GateReport:
        policy, asked = GatePolicy(), 0
        while True:
            asked += until_next_look(asked, len(confirm), policy)
            queries = confirm[:asked]
            case = GateCase(
                layer="retrieval",
                domain="code",
                queries=queries,
                available=len(confirm),
                active=self._arm(self.active, queries),
                candidates=[self._arm(genome, queries) for genome in finalists.values()],
            )
            report = decide(case, policy)
            if report.verdict != "undecided" or not until_next_look(asked, len(confirm), policy):
                return report

    def _arm(self, genome: Genome, queries: Sequence[EvalQuery]) -> Arm:
        return Arm(_name(genome), {query.id: [self.world.score(genome, query)] for query in queries})


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """All lineages and what they came to."""
    pooled, unseen = _read(arguments.signals), _read(arguments.unseen)
    world = Recorded({**pooled[0], **unseen[0]})
    start = (PLAIN if arguments.start == "plain" else default_retrieval()).model_dump(mode="json")
    lineages = [_lineage(arguments, world, start, pooled[1], unseen[1], seed) for seed in range(arguments.lineages)]
    promotions = [gain for lineage in lineages for gain in lineage["promotions"]]
    return {
        "start": arguments.start,
        "cycles": arguments.cycles * arguments.lineages,
        "promotions": len(promotions),
        "wrong_promotions": sum(gain < 0.0 for gain in promotions),
        "mean_gain": {
            name: round(fmean(x[name]["difference"][0] for x in lineages), 4) for name in ("confirm", "unseen")
        },
        "reference": {"start": _mean(world, start, unseen[1]), "shipped": _mean(world, _shipped(), unseen[1])},
        "lineages": lineages,
        "provenance": provenance(),
    }


def _lineage(
    arguments: argparse.Namespace,
    world: Recorded,
    start: Genome,
    queries: Sequence[EvalQuery],
    unseen: Sequence[EvalQuery],
    seed: int,
) -> dict[str, Any]:
    salt = usable_salt(queries, seed % arguments.splits)
    pools = {str(pool): found for pool, found in split_pools(queries, salt=salt).pools.items()}
    lineage = Lineage(world, pools, start, arguments.n, RacingPolicy(rounds=arguments.rounds))
    promotions = []
    for number in range(arguments.cycles):
        if found := lineage.cycle(1_000 * seed + number):
            promotions.append(round(fmean(_differences(world, lineage.active, found, unseen)), 4))
            lineage.active = found
    return {
        "seed": seed,
        "salt": salt,
        "promotions": promotions,
        "confirm": _paired(world, start, lineage.active, pools["confirm"]),
        "unseen": _paired(world, start, lineage.active, unseen),
    }


def _paired(world: Recorded, before: Genome, after: Genome, queries: Sequence[EvalQuery]) -> dict[str, Any]:
    """Means and the difference with its 95 % interval; repositories are drawn whole."""
    d = paired_difference(
        _differences(world, before, after, queries), [query.cluster for query in queries], confidence=0.95
    )
    return {
        "before": _mean(world, before, queries),
        "after": _mean(world, after, queries),
        "difference": [round(value, 4) for value in (d.mean, d.low, d.high)],
        "p": d.p,
    }


def _differences(world: Recorded, before: Genome, after: Genome, queries: Sequence[EvalQuery]) -> list[float]:
    return [b - a for a, b in zip(world.means(before, queries), world.means(after, queries), strict=True)]


def _mean(world: Recorded, genome: Genome, queries: Sequence[EvalQuery]) -> float:
    return round(fmean(world.means(genome, queries)), 4)


def _shipped() -> Genome:
    return default_retrieval().model_dump(mode="json")


def _name(genome: Genome) -> str:
    return genome_hash(parse_genome("retrieval", genome))


def _read(folder: Path) -> tuple[dict[str, Signals], list[EvalQuery]]:
    """The instances of a folder of one's own pickles, and their queries."""
    signals, queries = {}, []
    for path in sorted(folder.glob("*.pickle")):
        row = pickle.loads(path.read_bytes())
        name = row["instance_id"]
        signals[name] = Signals(row["paths3"], row["names"], row["values3"], row["gold"])
        queries.append(EvalQuery(id=name, text=name, slice=row["repo"], cluster=row["repo"]))
    return signals, queries


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--signals", type=Path, required=True, help="instances that are dealt into pools")
    parser.add_argument("--unseen", type=Path, required=True, help="instances of other repositories")
    parser.add_argument("--start", choices=("shipped", "plain"), default="shipped")
    parser.add_argument("--lineages", type=int, default=10)
    parser.add_argument("--splits", type=int, default=10, help="so many splits are used in turn")
    parser.add_argument("--cycles", type=int, default=8)
    parser.add_argument("--n", type=int, default=5)
    parser.add_argument("--rounds", type=int, nargs="*", default=[16, 48])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    return guarded(lambda: _print(run(arguments), arguments.json))


def _print(found: Mapping[str, Any], one_line: bool) -> int:
    print(json.dumps(found, indent=None if one_line else 1))
    return 0


__all__ = ["Lineage", "Recorded", "Signals", "run"]

if __name__ == "__main__":
    sys.exit(main())
