"""One cycle in a process of its own, which the test kills; begun again it goes on under the same id."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from iterative_retrieval.graph.evolution_services import open_evolution_services
from iterative_retrieval.graph.evolve import evolve
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.caching import CachePolicyGenome
from iterative_retrieval.state.errors import NotAllowed
from iterative_retrieval.state.evolution_run import QuerySource

CYCLE = "the-cycle"


def main() -> None:
    """Run the cycle in the folder given, and write what it came to."""
    folder, log = Path(sys.argv[1]), sys.argv[2]
    settings = Settings(data_dir=folder / "data", cache_dir=folder / "cache", embedder="none")
    services = replace(
        open_evolution_services(settings), defaults=lambda layer, domain: CachePolicyGenome(min_sources_count=4)
    )
    with suppress(NotAllowed):  # it was over, or waits, before this process began
        evolve(
            "cache_policy",
            "general",
            "ada",
            seed=3,
            source=QuerySource(queries=log, limit=10_000),
            cycle=CYCLE,
            services=services,
            checkpoints=folder / "cycles.sqlite",
        )
    ledger = services.ledger
    genomes = sorted(ledger.genomes("cache_policy", "general"), key=lambda g: g.id)
    results = {g.genome_hash: len(ledger.results(g.id)) for g in genomes}
    totals = {"results": results, "calls": ledger.spending(CYCLE).settled.calls, "state": ledger.cycle(CYCLE).state}
    (folder / "totals.json").write_text(json.dumps(totals))
