"""Does evolution improve a genome without a model, and does the gate keep luck out? Layers retrieval and cache_policy.

usage: python -m benchmarks.evolution retrieval --queries FILE.jsonl --mirrors '/dir/{owner}+{name}/repo'
           [--start plain] [--holdout OWNER/NAME ...]
       python -m benchmarks.evolution cache_policy --data DIR
       [--cycles 6] [--n 5] [--seeds 1] [--cache DIR] [--json]

Each cycle is the product's own: mutations, racing on *select*, the gate on *confirm*; a simulated reviewer approves
what waits. Pools are split by repository (retrieval) or by question (cache_policy). ``confirm`` compares the first and
the last active genome on the queries of *confirm*, with the interval of the paired difference. The gate has looked at
those, so ``unseen`` gives the same on queries of no pool, where --holdout keeps some (by repository).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from iterative_retrieval.evolution.defaults import parse_genome
from iterative_retrieval.evolution.racing import RacingPolicy
from iterative_retrieval.evolution.statistics import paired_difference
from iterative_retrieval.graph.evolution_services import EvolutionServices, open_evolution_services
from iterative_retrieval.graph.evolve import CycleResult, decide, evolve
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.evolution import EvalQuery, Layer, Review
from iterative_retrieval.state.evolution_run import QuerySource
from iterative_retrieval.state.genome import RetrievalGenome
from iterative_retrieval.state.trial_ports import Trial

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
    source, held = _source(arguments, folder, seed)
    started = _started(services, layer, domain)
    cycles = []
    for number in range(arguments.cycles):
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
        cycles.append({"outcome": result.outcome, "reason": result.reason[:300]})
        print(
            f"  seed {seed}, cycle {number + 1}: {result.outcome}: {result.reason[:160]}", file=sys.stderr, flush=True
        )
    active = services.ledger.active(layer, domain)
    assert active is not None
    last = parse_genome(layer, active.genome)
    trial = services.trials.of(layer, domain, source)
    confirm = services.queries.pool(_state(layer, domain, source, seed), "confirm")
    found: dict[str, Any] = {
        "cycles": cycles,
        "promotions": sum(c["outcome"] == "waiting" for c in cycles),
        "confirm": compared(trial, started, last, confirm),
        "genome": active.genome if arguments.genomes else None,
    }
    if held:
        unseen = services.trials.of(layer, domain, held)
        found["unseen"] = compared(unseen, started, last, list(unseen.queries()))
    return found


def compared(trial: Trial, before: BaseModel, after: BaseModel, queries: Sequence[EvalQuery]) -> dict[str, Any]:
    """Means of two genomes on the same queries, and their paired difference with its 95 % interval."""
    first = [trial.run(before, q, 0) for q in queries]
    second = first if before == after else [trial.run(after, q, 0) for q in queries]
    differences = [(b.score or 0.0) - (a.score or 0.0) for a, b in zip(first, second, strict=True)]
    d = paired_difference(differences, [q.cluster for q in queries], confidence=0.95)
    names = sorted(first[0].metrics) if first else []
    return {
        "n": len(queries),
        "before": round(sum(j.score or 0.0 for j in first) / len(first), 4),
        "after": round(sum(j.score or 0.0 for j in second) / len(second), 4),
        "difference": [round(d.mean, 4), round(d.low, 4), round(d.high, 4)],
        "p": d.p,
        "metrics": {
            name: [round(sum(float(j.metrics[name] or 0.0) for j in js) / len(js), 4) for js in (first, second)]
            for name in names
        },
    }


def _services(arguments: argparse.Namespace, folder: Path) -> EvolutionServices:
    settings = Settings(data_dir=folder / "data", cache_dir=arguments.cache or folder / "cache", embedder="none")
    services = open_evolution_services(settings)
    if arguments.layer == "retrieval" and arguments.start == "plain":
        services = replace(services, defaults=lambda layer, domain: PLAIN)
    return replace(services, racing=RacingPolicy(rounds=[8, 16]))


def _started(services: EvolutionServices, layer: Layer, domain: str) -> BaseModel:
    record = services.ledger.ensure_default(layer, domain, services.default(layer, domain))
    return parse_genome(layer, record.genome)


def _source(arguments: argparse.Namespace, folder: Path, seed: int) -> tuple[QuerySource, QuerySource | None]:
    """The queries of the cycles, and those kept out of all pools."""
    if arguments.layer == "cache_policy":
        path = (arguments.cache or folder) / "log.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            [documents, *_] = read_sets(arguments.data)
            bench = Bench(folder / "bench")
            bench.index(documents)
            print(f"  {write_log(bench, documents, path)} labelled answers", file=sys.stderr)
        return QuerySource(queries=str(path), limit=10_000), None
    rows = [json.loads(line) for line in arguments.queries.read_text(encoding="utf-8").splitlines()]
    rows = rows[:: arguments.every]
    kept = [r for r in rows if r["repo"] not in arguments.holdout]
    held = [r for r in rows if r["repo"] in arguments.holdout]
    return _written(folder / "queries.jsonl", kept, arguments.mirrors), (
        _written(folder / "held.jsonl", held, arguments.mirrors) if held else None
    )


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
    parser.add_argument("--cycles", type=int, default=6)
    parser.add_argument("--n", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--cache", type=Path, help="keep indexes and the labelled log here")
    parser.add_argument("--genomes", action="store_true", help="add the last genome to the result")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="evolution-") as scratch:
        found = [run(arguments, Path(scratch), seed) for seed in range(arguments.seeds)]
    result = {"layer": arguments.layer, "start": arguments.start, "lineages": found, "provenance": provenance()}
    print(json.dumps(result, indent=None if arguments.json else 1))
    return 0


__all__ = ["PLAIN", "compared", "run"]

if __name__ == "__main__":
    sys.exit(main())
