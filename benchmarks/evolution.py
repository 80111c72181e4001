"""Does evolution improve a genome without a model, and does the gate keep luck out? Layers retrieval and cache_policy.

usage: python -m benchmarks.evolution retrieval --queries FILE.jsonl --mirrors '/dir/{owner}+{name}/repo'
           [--start plain] [--unseen FILE.jsonl] [--holdout OWNER/NAME ...]
       python -m benchmarks.evolution cache_policy --data DIR
       [--cycles 6] [--n 5] [--seeds 1] [--first-seed 0] [--rounds 16 48] [--cache DIR] [--json]

Each cycle is the product's own: mutations, racing on *select*, the gate on *confirm*; a simulated reviewer approves
what waits. Pools are split by repository (retrieval) or by question (cache_policy). ``confirm`` compares the first and
the last active genome on the queries of *confirm*, with the interval of the paired difference. The gate has looked at
those, so ``unseen`` gives the same on queries of no pool: repositories of --holdout, and those of the file --unseen.

Of few repositories most splits leave *confirm* with too few to tell anything, or with nearly all queries. A lineage of
retrieval takes the split of the first unused salt whose *confirm* holds six repositories or more and 30 to 80 queries,
and whose *select* holds 48 or more; scores play no part in that.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from iterative_retrieval.evolution.defaults import parse_genome
from iterative_retrieval.evolution.pools import split_pools
from iterative_retrieval.evolution.racing import RacingPolicy
from iterative_retrieval.evolution.statistics import paired_difference
from iterative_retrieval.graph.evolution_services import EvolutionServices, open_evolution_services
from iterative_retrieval.graph.evolve import CycleResult, cycle_result, decide, evolve
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.evolution import EvalQuery, Layer, Review
from iterative_retrieval.state.evolution_run import QuerySource
from iterative_retrieval.state.genome import RetrievalGenome
from iterative_retrieval.state.trial_ports import Judgement, Trial

from .arguments import guarded
from .cache_log import write_log
from .document_sets import read_sets
from .document_store import Bench
from .provenance import provenance

DOMAINS: dict[str, str] = {"retrieval": "code", "cache_policy": "general"}
PLAIN = RetrievalGenome(weights={"bm25f_all": 1.0, "prior_length": -0.1})
"""A deliberately plain start: one BM25F over the whole issue."""


def run(arguments: argparse.Namespace, folder: Path, seed: int) -> dict[str, Any]:
    """One lineage: cycles from the start to the last active genome."""
    layer: Layer = arguments.layer
    domain = DOMAINS[layer]
    services = _services(arguments, folder / f"seed-{seed}")
    source, unseen = _source(arguments, folder)
    if layer == "retrieval":
        source = source.model_copy(
            update={"salt": usable_salt(services.trials.of(layer, domain, source).queries(), seed)}
        )
    started = services.default(layer, domain)
    results = [cycle_result(c.id, services) for c in reversed(services.ledger.cycles(layer, domain)) if c.finished]
    for number in range(len(results), arguments.cycles):
        result = evolve(
            layer,
            domain,
            "benchmark",
            n=arguments.n,
            seed=1_000 * seed + number,
            source=source,
            services=services,
            checkpoints=folder / f"seed-{seed}" / "cycles.sqlite",
        )
        _approve(result, services, folder / f"seed-{seed}" / "cycles.sqlite")
        results.append(result)
        print(
            f"  seed {seed}, cycle {number + 1}: {result.outcome}: {result.reason[:160]}", file=sys.stderr, flush=True
        )
    active = services.ledger.active(layer, domain)
    assert active is not None
    last = parse_genome(layer, active.genome)
    trial = services.trials.of(layer, domain, source)
    split = services.queries.split(_state(layer, domain, source, seed))
    confirm = services.queries.pool(_state(layer, domain, source, seed), "confirm")
    found: dict[str, Any] = {
        "seed": seed,
        "salt": source.salt,
        "pools": {row.pool: [row.queries, row.clusters] for row in split.report()},
        "cycles": [_told(result) for result in results],
        "promotions": sum(result.outcome in ("waiting", "activated") for result in results),
        "confirm": compared(trial, started, last, confirm),
        "genome": active.genome if arguments.genomes else None,
    }
    for name, kept_out in unseen.items():
        other = services.trials.of(layer, domain, kept_out)
        found[name] = compared(other, started, last, list(other.queries()))
    return found


def compared(trial: Trial, before: BaseModel, after: BaseModel, queries: Sequence[EvalQuery]) -> dict[str, Any]:
    """Means of two genomes on the same queries, and their paired difference with its 95 % interval.

    Only "n" and "unchanged" where they are the same genome.
    """
    if before == after:
        return {"n": len(queries), "unchanged": True}
    first, second = ([trial.run(genome, q, 0) for q in queries] for genome in (before, after))
    clusters = [q.cluster for q in queries]
    names = sorted(first[0].metrics) if first else []
    return {
        "n": len(queries),
        "clusters": len({q.cluster or q.id for q in queries}),
        "score": _paired([j.score or 0.0 for j in first], [j.score or 0.0 for j in second], clusters),
        **{name: _paired(_metric(first, name), _metric(second, name), clusters) for name in names},
    }


def _metric(judgements: Sequence[Judgement], name: str) -> list[float]:
    return [float(j.metrics[name] or 0.0) for j in judgements]


def _paired(before: Sequence[float], after: Sequence[float], clusters: Sequence[str]) -> dict[str, Any]:
    """Means, difference with its 95 % interval and one-sided p; whole clusters are drawn, and single queries."""
    d = [b - a for a, b in zip(before, after, strict=True)]
    by_cluster, by_query = paired_difference(d, clusters, confidence=0.95), paired_difference(d, confidence=0.95)
    return {
        "before": round(sum(before) / len(before), 4),
        "after": round(sum(after) / len(after), 4),
        "difference": [round(x, 4) for x in (by_cluster.mean, by_cluster.low, by_cluster.high)],
        "p": by_cluster.p,
        "difference_by_query": [round(x, 4) for x in (by_query.mean, by_query.low, by_query.high)],
        "p_by_query": by_query.p,
    }


def _services(arguments: argparse.Namespace, folder: Path) -> EvolutionServices:
    settings = Settings(data_dir=folder / "data", cache_dir=arguments.cache or folder / "cache", embedder="none")
    services = open_evolution_services(settings)
    if arguments.layer == "retrieval" and arguments.start == "plain":
        services = replace(services, defaults=lambda layer, domain: PLAIN)
    rounds = arguments.rounds or ([16, 48] if arguments.layer == "retrieval" else [8, 16])
    return replace(services, racing=RacingPolicy(rounds=rounds))


def _told(result: CycleResult) -> dict[str, str]:
    notes = result.genome.notes if result.genome else ""
    return {"outcome": result.outcome, "reason": result.reason[:300], "best": notes[:300]}


def _source(arguments: argparse.Namespace, folder: Path) -> tuple[QuerySource, dict[str, QuerySource]]:
    """The queries of the cycles, and by name those kept out of all pools."""
    if arguments.layer == "cache_policy":
        path = (arguments.cache or folder) / "log.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            [documents, *_] = read_sets(arguments.data)
            bench = Bench(folder / "bench")
            bench.index(documents)
            print(f"  {write_log(bench, documents, path)} labelled answers", file=sys.stderr)
        return QuerySource(queries=str(path), limit=10_000), {}
    rows = _rows(arguments.queries)[:: arguments.every]
    kept = [r for r in rows if r["repo"] not in arguments.holdout]
    others = {
        "holdout": [r for r in rows if r["repo"] in arguments.holdout],
        "unseen": _rows(arguments.unseen)[:: arguments.every_unseen] if arguments.unseen else [],
    }
    unseen = {k: _written(folder / f"{k}.jsonl", found, arguments.mirrors) for k, found in others.items() if found}
    return _written(folder / "queries.jsonl", kept, arguments.mirrors), unseen


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def usable_salt(queries: Sequence[EvalQuery], number: int) -> str:
    """The salt of the ``number``-th usable split, from 0; '' where there is none."""
    usable = (salt for salt in map(str, range(1_000)) if _is_usable(queries, salt))
    return next(islice(usable, number, None), "")


def _is_usable(queries: Sequence[EvalQuery], salt: str) -> bool:
    pools = split_pools(queries, salt=salt).pools
    confirm = pools["confirm"]
    return 30 <= len(confirm) <= 80 and len({q.cluster for q in confirm}) >= 6 and len(pools["select"]) >= 48


def _written(path: Path, rows: Sequence[dict[str, Any]], mirrors: str) -> QuerySource:
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return QuerySource(queries=str(path), mirrors=mirrors, limit=10_000)


def _approve(result: CycleResult, services: EvolutionServices, checkpoints: Path) -> None:
    """The simulated reviewer approves whatever the gate lets pass."""
    if result.outcome == "waiting" and result.genome:
        g = result.genome
        review = Review(decision="approve", reviewer="reviewer", version=g.version, genome_hash=g.genome_hash)
        decide(g.id, review, services=services, checkpoints=checkpoints)


def _state(layer: Layer, domain: str, source: QuerySource, seed: int) -> dict[str, Any]:
    return {"layer": layer, "domain": domain, "source": source, "seed": 1_000 * seed, "cycle": "measure"}


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layer", choices=sorted(DOMAINS))
    parser.add_argument("--queries", type=Path, help="localization instances (retrieval)")
    parser.add_argument("--mirrors", default="", help="where repositories lie (retrieval)")
    parser.add_argument("--every", type=int, default=1, help="every n-th instance only")
    parser.add_argument("--holdout", nargs="*", default=[], help="repositories kept out of all pools")
    parser.add_argument("--start", choices=("shipped", "plain"), default="shipped")
    parser.add_argument("--data", type=Path, help="folder of the documentation sets (cache_policy)")
    parser.add_argument("--unseen", type=Path, help="instances of repositories that no pool holds (retrieval)")
    parser.add_argument("--every-unseen", type=int, default=1, help="every n-th of those only")
    parser.add_argument("--rounds", type=int, nargs="*", help="queries of *select* answered by the end of each race")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--cycles", type=int, default=6)
    parser.add_argument("--n", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--cache", type=Path, help="keep indexes and the labelled log here")
    parser.add_argument("--keep", type=Path, help="ledgers live here, and a run goes on after its finished cycles")
    parser.add_argument("--genomes", action="store_true", help="add the last genome to the result")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    with tempfile.TemporaryDirectory(prefix="evolution-") as scratch:
        found = [run(arguments, arguments.keep or Path(scratch), seed) for seed in seeds]
    result = {"layer": arguments.layer, "start": arguments.start, "lineages": found, "provenance": provenance()}
    print(json.dumps(result, indent=None if arguments.json else 1))
    return 0


__all__ = ["PLAIN", "compared", "run", "usable_salt"]

if __name__ == "__main__":
    sys.exit(main())
