"""DEFAULT_GENOMES: where each layer starts, and the canonical form by which genomes are compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel

from ..state.caching import CachePolicyGenome
from ..state.complaints import genome_part
from ..state.errors import InvalidGenome
from ..state.genome import RetrievalGenome
from ..state.postprocess import PostprocessGenome
from ..state.routing import RoutingGenome

CODE = "code"
"""The domain of code tasks; every other domain is a folder of documentation settings."""

LAYERS: dict[str, type[BaseModel]] = {
    "retrieval": RetrievalGenome,
    "routing": RoutingGenome,
    "postprocess": PostprocessGenome,
    "cache_policy": CachePolicyGenome,
}
"""Layer -> the bounded model that is its search space, validation and documentation."""

_GENOMES = files("iterative_retrieval.evolution") / "genomes"


def parse_genome(layer: str, data: object) -> BaseModel:
    """A validated genome of a layer.

    Raises:
        InvalidGenome: unknown layer, unknown gene, or a value out of bounds; the message names the field.
    """
    if layer not in LAYERS:
        raise _unknown_layer(layer)
    return genome_part(f"{layer} genome", LAYERS[layer], data, whole=layer)


def genome_hash(genome: BaseModel) -> str:
    """SHA-256 of the canonical JSON: same genes, same hash; also for a genome stored before a gene existed."""
    genes = genome.model_dump(mode="json")
    for name in getattr(genome, "LATER", ()):
        if genes[name] == type(genome).model_fields[name].default:
            del genes[name]
    return hashlib.sha256(json.dumps(genes, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def default_genome(layer: str, domain: str, extra_folders: Sequence[Path] = ()) -> BaseModel:
    """Where a layer of a domain starts: what its folder brings, else what it inherits.

    Args:
        layer: one of ``LAYERS``.
        domain: "code", a known domain, or the path of a domain folder.
        extra_folders: folders that hold domain folders, besides those of the package.

    Raises:
        InvalidGenome: unknown layer, a layer that code tasks do not have, or a damaged genome.
        UnknownDomain: no such domain.
    """
    if layer not in LAYERS:
        raise _unknown_layer(layer)
    if domain == CODE:
        return _code_genome(layer)
    from .domain_files import load_domain  # reads genomes with parse_genome of this module

    genome = getattr(load_domain(domain, extra_folders), layer)
    assert isinstance(genome, LAYERS[layer])
    return genome


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


@lru_cache(maxsize=8)
def default_docs_retrieval() -> RetrievalGenome:
    """The shipped ``retrieval`` genome for documentation; the one for code where the package brings none."""
    if not (_GENOMES / "retrieval.docs.json").is_file():
        return default_retrieval()
    genome = parse_genome("retrieval", _read("retrieval.docs.json"))
    assert isinstance(genome, RetrievalGenome)
    return genome


def _code_genome(layer: str) -> BaseModel:
    match layer:
        case "retrieval":
            return default_retrieval()
        case "routing":
            return default_routing()
    raise InvalidGenome(
        f"domain '{CODE}' has no layer '{layer}': a code task ends with a context package, not an answer"
    )


def _unknown_layer(layer: str) -> InvalidGenome:
    return InvalidGenome(f"no layer '{layer}'; layers are {', '.join(LAYERS)}")


def _read(name: str) -> object:
    return json.loads((_GENOMES / name).read_text(encoding="utf-8"))
