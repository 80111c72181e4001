"""DEFAULT_GENOMES: where each layer starts, and the canonical form by which genomes are compared."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from importlib.resources import files

from pydantic import BaseModel, ValidationError

from ..state.errors import InvalidGenome
from ..state.genome import RetrievalGenome
from ..state.routing import RoutingGenome

LAYERS: dict[str, type[BaseModel]] = {"retrieval": RetrievalGenome, "routing": RoutingGenome}
"""Layer -> the bounded model that is its search space, validation and documentation."""


def parse_genome(layer: str, data: object) -> BaseModel:
    """A validated genome of a layer.

    Raises:
        InvalidGenome: unknown layer, unknown gene, or a value out of bounds; the message names the field.
    """
    if layer not in LAYERS:
        raise InvalidGenome(f"no layer '{layer}'; layers are {', '.join(sorted(LAYERS))}")
    try:
        return LAYERS[layer].model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or layer
        raise InvalidGenome(f"{layer} genome, field '{field}': {first['msg']}") from error


def genome_hash(genome: BaseModel) -> str:
    """SHA-256 of the canonical JSON: same genes, same hash."""
    return hashlib.sha256(
        json.dumps(genome.model_dump(mode="json"), sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()


@lru_cache(maxsize=8)
def default_retrieval() -> RetrievalGenome:
    """The shipped ``retrieval`` genome for code, fitted by ``benchmarks/fit.py``."""
    genome = parse_genome("retrieval", _read("retrieval.code.json"))
    assert isinstance(genome, RetrievalGenome)
    return genome


@lru_cache(maxsize=8)
def default_routing() -> RoutingGenome:
    """The shipped ``routing`` genome for code tasks."""
    genome = parse_genome("routing", _read("routing.code.json"))
    assert isinstance(genome, RoutingGenome)
    return genome


def _read(name: str) -> object:
    return json.loads((files("iterative_retrieval.evolution") / "genomes" / name).read_text(encoding="utf-8"))
