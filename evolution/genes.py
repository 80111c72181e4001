"""The genes of a layer, read from its Pydantic model: what may vary, within which bounds, under which path."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from ..state.errors import InvalidGenome
from .defaults import CODE, LAYERS, default_docs_retrieval, default_retrieval

__all__ = ["Gene", "GeneKind", "Genes", "changed", "gene_at", "genes_of", "rounded", "value_of", "with_value"]

Genes = dict[str, Any]
"""A whole genome as JSON values."""

GeneKind = Literal["number", "integer", "flag", "choice", "text", "weight", "knots"]
"""weight: a number of a table of weights; without one a signal counts 0. knots: pairs (x, y) that rise."""

_FORMATS = (("spans", "definitions"), ("prose", "list", "steps"))
"""Formats of context packages and of answers: a profile stays within its family."""

_SIGNAL_TABLES = ("weights", "chunk_weights")


@dataclass(frozen=True, slots=True)
class Gene:
    """One thing that may vary.

    keys: where it stands, outermost first. low, high: inclusive bounds of a number. choices: of a choice.
    max_length: of a text, in characters; None for no bound.
    """

    keys: tuple[str, ...]
    kind: GeneKind
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    max_length: int | None = None
    description: str = ""

    @property
    def path(self) -> str:
        """The keys in one word: ``profiles.how_to.depth_budget.max_cycles``."""
        return ".".join(self.keys)

    @property
    def field(self) -> str:
        """The field of the layer that it belongs to."""
        return self.keys[0]


def genes_of(layer: str, genome: Mapping[str, Any], domain: str = "") -> list[Gene]:
    """Every gene of a genome, in the order of the model; signals that the genome gives no weight come last.

    Args:
        layer: one of ``LAYERS``.
        genome: all genes, as ``model_dump(mode="json")`` gives them.
        domain: tells which signals exist ("code", or documentation); '' for both.

    Raises:
        InvalidGenome: unknown layer.
    """
    if layer not in LAYERS:
        raise InvalidGenome(f"no layer '{layer}'; layers are {', '.join(LAYERS)}")
    schema = _schema(layer)
    genes = [_narrowed(gene, genome) for gene in _walk((), schema, genome, schema.get("$defs", {}))]
    return [*genes, *_absent_weights(genes, domain)] if layer == "retrieval" else genes


def gene_at(genes: Sequence[Gene], path: str) -> Gene | None:
    """The gene of a path; None when there is none."""
    return next((gene for gene in genes if gene.path == path), None)


def value_of(genome: Mapping[str, Any], gene: Gene) -> Any:
    """The value of a gene; 0 for a signal without a weight, None where the genome has no such place."""
    place: Any = genome
    for key in gene.keys:
        if not isinstance(place, Mapping) or key not in place:
            return 0.0 if gene.kind == "weight" else None
        place = place[key]
    return place


def with_value(genome: Mapping[str, Any], gene: Gene, value: Any) -> Genes:
    """A copy of the genome with another value of one gene."""
    result = copy.deepcopy(dict(genome))
    place = result
    for key in gene.keys[:-1]:
        place = place[key]
    place[gene.keys[-1]] = value
    return result


def changed(before: Mapping[str, Any], after: Mapping[str, Any], genes: Sequence[Gene]) -> list[Gene]:
    """The genes that differ between two genomes."""
    return [gene for gene in genes if value_of(before, gene) != value_of(after, gene)]


def rounded(value: float, digits: int = 4) -> float:
    """A number with so many significant digits, so that genomes stay readable and equal ones have equal hashes."""
    return float(f"{value:.{digits}g}")


@lru_cache(maxsize=8)
def _schema(layer: str) -> dict[str, Any]:
    return LAYERS[layer].model_json_schema()


def _walk(
    keys: tuple[str, ...], schema: Mapping[str, Any], value: Any, definitions: Mapping[str, Any]
) -> Iterator[Gene]:
    schema = _resolved(schema, definitions)
    if "properties" in schema:
        for name, inner in schema["properties"].items():
            yield from _walk((*keys, name), inner, value.get(name), definitions)
    elif schema.get("type") == "object":
        inner = _entries(schema)
        for name in sorted(value or {}):
            for gene in _walk((*keys, name), inner, value[name], definitions):
                yield _as_weight(gene) if gene.keys == (*keys, name) else gene
    else:
        yield _leaf(keys, schema)


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in schema:
        return schema
    target = definitions[schema["$ref"].removeprefix("#/$defs/")]
    return {**target, **{key: value for key, value in schema.items() if key != "$ref"}}


def _entries(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a table's values; Pydantic names it by pattern when the keys have one."""
    patterns: Mapping[str, Mapping[str, Any]] = schema.get("patternProperties", {})
    found: Mapping[str, Any] = next(iter(patterns.values())) if patterns else schema["additionalProperties"]
    return found


def _leaf(keys: tuple[str, ...], schema: Mapping[str, Any]) -> Gene:
    low, high = float(schema.get("minimum", -math.inf)), float(schema.get("maximum", math.inf))
    about = str(schema.get("description", ""))
    if "enum" in schema or "const" in schema:
        choices = tuple(schema.get("enum", [schema.get("const")]))
        return Gene(keys, "choice", choices=choices, description=about)
    match schema.get("type"):
        case "boolean":
            return Gene(keys, "flag", description=about)
        case "integer":
            return Gene(keys, "integer", low, high, description=about)
        case "number":
            return Gene(keys, "number", low, high, description=about)
        case "string":
            return Gene(keys, "text", max_length=schema.get("maxLength"), description=about)
        case "array" if _resolved(schema["items"], {}).get("type") == "array":
            return Gene(keys, "knots", description=about)
    raise TypeError(f"field '{'.'.join(keys)}' has a type that evolution cannot vary: {dict(schema)}")


def _as_weight(gene: Gene) -> Gene:
    return Gene(gene.keys, "weight", gene.low, gene.high) if gene.kind == "number" else gene


def _narrowed(gene: Gene, genome: Mapping[str, Any]) -> Gene:
    """A format keeps to the family of its present value."""
    if gene.keys[-1] != "format":
        return gene
    family = next((family for family in _FORMATS if value_of(genome, gene) in family), gene.choices)
    choices = tuple(choice for choice in gene.choices if choice in family)
    return Gene(gene.keys, gene.kind, choices=choices, description=gene.description)


def _absent_weights(genes: Sequence[Gene], domain: str) -> Iterator[Gene]:
    present = {gene.keys for gene in genes}
    for table in _SIGNAL_TABLES:
        schema = _resolved(_schema("retrieval")["properties"][table], {})
        for name in _signals(table, domain):
            if (table, name) not in present:
                yield _as_weight(_leaf((table, name), _entries(schema)))


@lru_cache(maxsize=32)
def _signals(table: str, domain: str) -> list[str]:
    """Names that the shipped genomes weigh."""
    genomes = [default_retrieval()] if domain in ("", CODE) else []
    genomes += [default_docs_retrieval()] if domain != CODE else []
    return sorted({name for genome in genomes for name in getattr(genome, table)})
