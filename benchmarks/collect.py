"""Collect the signals of labelled instances: what the weights are fitted on.

usage: python -m benchmarks.collect --instances FILE --mirrors '/some/where/{owner}+{name}/repo' --out FOLDER [--jobs 2]

Runs the product's own nodes, so what is fitted is what will be served. For each instance one pickle holds the scaled
signal table of the last cycle (and of the first), the gold files, and the chunk signals of the gold files.
"""

from __future__ import annotations

import argparse
import pickle
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from iterative_retrieval.graph.services import Services, open_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.nodes.code_subject import CodeSubjects, table_of
from iterative_retrieval.nodes.dispatch import Dispatcher
from iterative_retrieval.nodes.evaluate import Evaluator
from iterative_retrieval.nodes.refine import Refiner
from iterative_retrieval.nodes.route import DOMAIN, Router
from iterative_retrieval.nodes.scene import scene_of
from iterative_retrieval.retrieval.packing import chunk_costs
from iterative_retrieval.retrieval.relevance import scaled, scales_of
from iterative_retrieval.retrieval.spans import chunk_signals
from iterative_retrieval.state.loop import by_cycle, keep_best
from iterative_retrieval.state.retrieval import RetrievalInput

from .instances import Instance, chosen, mirror_of, read_instances

CYCLES = 3
PACKED = 16
"""Files whose chunks are collected, to try out packing without running again."""


def collect(instance: Instance, root: str, services: Services) -> dict[str, Any]:
    """The training row of one instance."""
    started = time.perf_counter()
    request = RetrievalInput(task=instance["problem_statement"], root=root, ref=instance["base_commit"])
    subjects = CodeSubjects(services.workspaces, services.genomes)
    router = Router(services.genomes, services.workspaces)
    dispatcher, evaluator, refiner = Dispatcher(subjects), Evaluator(subjects), Refiner(subjects)
    state: dict[str, Any] = {"asked": [], "traces": [], "evaluations": []}
    state |= router.route(request) | {
        "asked": [],
        "traces": [],
        "evaluations": [],
    }  # emptied for reducers, which are not here
    workspace = services.workspaces.opened(state["root"], state["ref"], state["fingerprint"])
    genome = services.genomes.retrieval(DOMAIN)
    scene = scene_of(workspace, state["task"], genome)
    seen: list[set[str]] = []
    row: dict[str, Any] = {
        "instance_id": instance["instance_id"],
        "repo": instance["repo"],
        "gold": instance["gold_files"],
    }
    for cycle in range(1, CYCLES + 1):
        state |= dispatcher.dispatch(state)  # type: ignore[arg-type]
        known = state["evaluations"]
        paths = {c.path for c in state["candidates"]} | {e.path for e in known}
        seen.append(paths)
        if cycle in (1, CYCLES):
            table = table_of(workspace, scene, workspace.analyses(paths), known, state["learned"])
            scales = scales_of(table, state.get("scales", {}))
            row[f"paths{cycle}"], row["names"] = table.paths, table.names
            row[f"values{cycle}"] = scaled(table, scales).astype(np.float32)
        update = evaluator.evaluate(state)  # type: ignore[arg-type]
        state |= update | {
            "evaluations": keep_best(known, update["evaluations"]),
            "traces": by_cycle(state["traces"], update["traces"]),
        }
        if cycle < CYCLES:
            refined = refiner.refine(state)  # type: ignore[arg-type]
            state |= refined | {"traces": by_cycle(state["traces"], refined["traces"])}
            state["cycle"] += 1
    row["found"] = [sorted(s & set(instance["gold_files"])) for s in seen]
    row["learned"] = state["learned"]
    row["known"] = scene.query.known
    near = workspace.analyses([*instance["gold_files"], *(e.path for e in state["evaluations"][:PACKED])])
    row["chunks"] = {
        p: (v, [(c.first, c.last, c.symbol) for c in near[p].structure.chunks])
        for p, v in chunk_signals(scene, near).items()
    }
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
