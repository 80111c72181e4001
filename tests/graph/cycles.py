"""What tests of evolution cycles share: services whose start is plain, a cycle that waits, a person's review."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from iterative_retrieval.graph.evolution_services import EvolutionServices, open_evolution_services
from iterative_retrieval.graph.evolve import CycleResult, evolve
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.caching import CachePolicyGenome
from iterative_retrieval.state.evolution import GenomeRecord, Review
from iterative_retrieval.state.evolution_run import QuerySource

STRICT = CachePolicyGenome(min_sources_count=4)
"""A start that refuses most right answers, so that nearly any step is better."""


def settings_in(folder: Path) -> Settings:
    return Settings(data_dir=folder / "data", cache_dir=folder / "cache", embedder="none")


def checkpoints_in(folder: Path) -> Path:
    return folder / "data" / "cycles.sqlite"


def services_in(folder: Path) -> EvolutionServices:
    opened = open_evolution_services(settings_in(folder))
    return replace(
        opened, defaults=lambda layer, domain: STRICT if layer == "cache_policy" else opened.default(layer, domain)
    )


def run(services: EvolutionServices, source: QuerySource, folder: Path, **more: Any) -> CycleResult:
    options = {"n": 5, "seed": 0} | more
    return evolve(
        "cache_policy",
        "general",
        "ada",
        source=source,
        services=services,
        checkpoints=checkpoints_in(folder),
        **options,
    )


def review(record: GenomeRecord, decision: str = "approve", reviewer: str = "bob", **changes: Any) -> Review:
    fields = {
        "decision": decision,
        "reviewer": reviewer,
        "reason": "as it should be",
        "version": record.version,
        "genome_hash": record.genome_hash,
    }
    return Review.model_validate(fields | changes)
