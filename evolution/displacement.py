"""How far apart two genomes are, gene by gene, and a genome moved by such a distance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .genes import Gene, Genes, rounded, value_of, with_value
from .steps import can_step

__all__ = ["Shift", "displaced", "displacement", "length", "measurable"]

Shift = dict[str, float]
"""Path of a gene -> how far it moved, in units: half a point of a weight, a tenth of the range of another number."""

_WEIGHT_UNIT = 0.5
_SHARE_OF_RANGE = 0.1
_FAINT = 0.02  # a weight below this counts as switched off


def measurable(gene: Gene) -> bool:
    """Whether values of the gene lie on a line, and a step along it may be made."""
    return gene.kind in ("number", "integer", "weight") and can_step(gene)


def displacement(before: Mapping[str, Any], after: Mapping[str, Any], genes: Sequence[Gene]) -> Shift:
    """The numbers that differ, and by how much; prompts, choices and knots are passed over."""
    moved = {}
    for gene in filter(measurable, genes):
        old, new = value_of(before, gene), value_of(after, gene)
        if old is not None and new is not None and old != new:
            moved[gene.path] = (new - old) / _unit(gene)
    return moved


def displaced(genome: Mapping[str, Any], shift: Shift, genes: Sequence[Gene], factor: float = 1.0) -> Genes:
    """The genome moved by ``factor`` times the shift; what would leave its bounds stops there."""
    result: Genes = dict(genome)
    for gene in filter(measurable, genes):
        if shift.get(gene.path):
            value = value_of(result, gene) + factor * shift[gene.path] * _unit(gene)
            result = with_value(result, gene, _fitted(value, gene))
    return result


def length(shift: Shift) -> float:
    """Euclidean, in units."""
    return math.sqrt(math.fsum(distance**2 for distance in shift.values()))


def _unit(gene: Gene) -> float:
    return _WEIGHT_UNIT if gene.kind == "weight" else _SHARE_OF_RANGE * (gene.high - gene.low)


def _fitted(value: float, gene: Gene) -> float:
    """The nearest allowed value."""
    inside = min(gene.high, max(gene.low, value))
    if gene.kind == "integer":
        return round(inside)
    if gene.kind == "weight" and abs(inside) < _FAINT and gene.low <= 0.0 <= gene.high:
        return 0.0
    return min(gene.high, max(gene.low, rounded(inside)))
