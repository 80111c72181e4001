"""The product as it is measured: one public call an instance, written down as a row of predictions."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .instances import Instance
from .predictions import Row

if TYPE_CHECKING:
    from iterative_retrieval import Progress, RetrievalResult
    from iterative_retrieval.graph.services import Services

SHIPPED = "shipped"
_CYCLES = {1: "one cycle", 2: "two cycles", 3: "three cycles"}


@dataclass(frozen=True)
class Product:
    """This package through its public API, at each instance's base commit.

    cache: folder of its indexes. max_cycles: 1 to 3; None lets the profile decide. genomes: folder of genomes fitted
    without one repository each, ``<owner>__<name>.json``; None means the shipped genome for all.
    """

    cache: Path
    max_cycles: int | None = None
    genomes: Path | None = None

    @property
    def name(self) -> str:
        """What tables call it."""
        return "product" if self.max_cycles is None else f"product, {_CYCLES[self.max_cycles]}"

    @property
    def nothing(self) -> Row:
        """What a failed instance gets: a miss in every measure."""
        return {"files": [], "functions": [], "context": [], "cycles": [], "sufficient": False, "tokens": 0}

    def settings(self) -> dict[str, Any]:
        """What makes two runs comparable: the same settings give the same rows."""
        genomes = SHIPPED if self.genomes is None else genomes_digest(self.genomes)
        return {"max_cycles": self.max_cycles, "genomes": genomes}

    def genome_of(self, repo: str) -> Path | None:
        """The genome that never saw ``repo``; None when there is none, and the shipped one serves."""
        path = self.genomes / f"{repo.replace('/', '__')}.json" if self.genomes else None
        return path if path and path.is_file() else None

    def without_genome(self, instances: Iterable[Instance]) -> list[str]:
        """Repositories that a folder of genomes was given for, but that have none in it."""
        repos = sorted({str(i["repo"]) for i in instances})
        return [r for r in repos if self.genomes and self.genome_of(r) is None]

    def predict(self, instance: Instance, root: str) -> Row:
        """The row of one instance."""
        from iterative_retrieval import retrieve

        genome = self.genome_of(instance["repo"])
        services = services_of(self.cache, genome)
        watch = _IndexWatch()
        started = time.perf_counter()
        result = retrieve(
            instance["problem_statement"],
            root,
            ref=instance["base_commit"],
            max_cycles=self.max_cycles,
            services=services,
            llm=False,
            progress=watch,
        )
        ended = time.perf_counter()
        return {
            "instance_id": instance["instance_id"],
            **row_of(result),
            "seconds": round(ended - started, 3),
            "indexing_seconds": round(max(0.0, watch.last - started), 3),
            "genome": "held out" if genome else SHIPPED,
        }


def row_of(result: RetrievalResult) -> Row:
    """What a result says, in the words of a predictions file."""
    return {
        "files": result.ranked,
        "functions": result.functions,
        "context": [{"path": f.path, "spans": [[s.first, s.last] for s in f.spans]} for f in result.files],
        "cycles": [c.ranking for c in result.cycles],
        "sufficient": result.sufficient,
        "tokens": result.tokens,
        "stopped_by": result.stopped_by.value,
        "probabilities": {f.path: f.probability for f in result.files},
        "profile": result.profile,
        "warnings": result.warnings,
    }


def genomes_digest(folder: Path) -> str:
    """16 hex digits over the genomes of a folder."""
    hashed = hashlib.sha256()
    for path in sorted(folder.glob("*.json")):
        hashed.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return hashed.hexdigest()[:16]


class _IndexWatch:
    """Remembers when the last file was indexed; 0.0 when nothing had to be."""

    def __init__(self) -> None:
        self.last = 0.0

    def __call__(self, event: Progress) -> None:
        if event.kind == "index_progress":
            self.last = time.perf_counter()


@lru_cache(maxsize=1)
def services_of(cache: Path, genome: Path | None) -> Services:
    """The services of this process; it works on one repository, so one set is enough."""
    from iterative_retrieval.graph.services import open_services
    from iterative_retrieval.graph.settings import Settings

    # Everything is said here, so that a variable of the environment cannot change what is measured.
    return open_services(Settings(cache_dir=cache, retrieval_genome=genome, routing_genome=None, workspaces_kept=1))
