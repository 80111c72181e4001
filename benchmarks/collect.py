"""Collect the signals of labelled instances: what the weights are fitted on.

usage: python -m benchmarks.collect --instances FILE --mirrors '/some/where/{owner}+{name}/repo' --out FOLDER [--jobs 2]

Runs the product's own nodes, so what is fitted is what will be served. For each instance one pickle holds the scaled
signal table of the last cycle (and of the first), the gold files, and the chunks of the best files and of the gold ones
with their signals and their graph.
"""

from __future__ import annotations

import argparse
import pickle
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any

from iterative_retrieval.graph.services import Services, open_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.nodes.training import CYCLES, training_cycles
from iterative_retrieval.retrieval.chunk_graph import chunk_graph
from iterative_retrieval.retrieval.packing import chunk_costs
from iterative_retrieval.retrieval.spans import chunk_signals

from .instances import Instance, chosen, mirror_of, read_instances

PACKED = 16
"""Files whose chunks are collected, to try out packing without running again."""


def collect(instance: Instance, root: str, services: Services) -> dict[str, Any]:
    """The training row of one instance."""
    started = time.perf_counter()
    gold = instance["gold_files"]
    row: dict[str, Any] = {"instance_id": instance["instance_id"], "repo": instance["repo"], "gold": gold}
    asked = (instance["problem_statement"], root, instance["base_commit"])
    seen: list[set[str]] = []
    for cycle in training_cycles(*asked, services.workspaces, services.genomes, tabled=(1, CYCLES)):
        seen.append(set(cycle.paths))
        if cycle.names:
            row[f"paths{cycle.number}"], row["names"] = cycle.paths, cycle.names
            row[f"values{cycle.number}"] = cycle.values
    workspace, scene, state = cycle.workspace, cycle.scene, cycle.state
    row["found"] = [sorted(s & set(gold)) for s in seen]
    row["learned"] = state["learned"]
    row["known"] = scene.query.known
    near = workspace.analyses([*instance["gold_files"], *(e.path for e in state["evaluations"][:PACKED])])
    row["chunks"] = {
        p: (v, [(c.first, c.last, c.symbol) for c in near[p].structure.chunks])
        for p, v in chunk_signals(scene, near).items()
    }
    row["graph"] = chunk_graph({p: near[p] for p in row["chunks"]})
    row["costs"] = {p: chunk_costs(workspace.text(p), near[p].structure.chunks) for p in near}
    row["kinds"] = {p: {s.qualified: s.kind.value for s in near[p].structure.symbols} for p in near}
    row["gold_lines"] = instance.get("gold_lines", [])
    row["functions"] = instance.get("edit_functions") or instance.get("gold_functions") or []
    row["in_274"] = bool(instance.get("in_274"))
    row["seconds"] = time.perf_counter() - started
    return row


def _run_group(arguments: tuple[list[Instance], str, str, str]) -> int:
    """Collect the instances of one repository, sharing its index."""
    instances, template, out, cache = arguments
    services = open_services(Settings(cache_dir=Path(cache)))
    for instance in instances:
        target = Path(out) / f"{instance['instance_id']}.pickle"
        if not target.exists():
            row = collect(instance, mirror_of(instance, template), services)
            partial = target.with_suffix(".part")
            partial.write_bytes(pickle.dumps(row))
            partial.rename(target)
            found = [len(f) for f in row["found"]]
            print(f"{row['instance_id']} {row['seconds']:.1f}s found {found} of {len(row['gold'])}", flush=True)
    return len(instances)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=Path, required=True)
    parser.add_argument("--mirrors", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cache", default=str(Settings().cache_dir))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--ids", nargs="*", default=[])
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = sorted(
        chosen(read_instances(arguments.instances), arguments.ids, arguments.limit),
        key=lambda i: (i["mirror"], i["instance_id"]),
    )
    groups = [list(g) for _, g in groupby(rows, key=lambda i: i["mirror"])]
    jobs = [(g, arguments.mirrors, str(arguments.out), arguments.cache) for g in sorted(groups, key=len, reverse=True)]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for _ in pool.map(_run_group, jobs):
            pass


if __name__ == "__main__":
    main()
