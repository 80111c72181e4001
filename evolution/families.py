"""Families of weights that belong together, moved as one: all of ``graph_*`` switched on, all of ``path_*`` halved.

One weight of sixty changes little, and what changes little no gate can tell from luck. Signals of one name are
different readings of the same thing, so a step that moves them together is as bold as the thing itself.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from .genes import Gene, Genes, rounded, value_of, with_value
from .steps import can_step

__all__ = ["families_moved", "families_of", "family_of"]

_EITHER = ("role", "prior")
"""Families that describe a file whatever the task is: they speak for it or against it, with even odds."""
_POSITIVE = 0.8  # of the others: most signals speak for a file
_ON = (0.2, 1.2)  # size of a family switched on by a small step; a bold one goes up to three times as far
_SCALE = 0.5  # of the logarithm
_LEAST = 0.1
_OFF = 0.12  # chance that a family is switched off
_FAINT = 0.02  # a weight below this counts as switched off


def family_of(gene: Gene) -> str:
    """The table and the first word of a signal's name, a count at its end left out; '' for what is no weight."""
    if gene.kind != "weight":
        return ""
    table, name = gene.keys[0], gene.keys[-1]
    word = name.partition("_")[0].rstrip("0123456789")
    return f"{table}.{word.removesuffix('s')}"


def families_of(genes: Sequence[Gene]) -> dict[str, list[Gene]]:
    """Name -> its weights that a step may move, by name; a weight that stands alone is a family of one."""
    found: dict[str, list[Gene]] = defaultdict(list)
    for gene in genes:
        if can_step(gene) and (name := family_of(gene)):
            found[name].append(gene)
    return dict(sorted(found.items()))


def families_moved(genome: Mapping[str, Any], genes: Sequence[Gene], rng: Random, reach: float) -> Genes:
    """The genome with some families moved.

    Args:
        genome: all genes.
        genes: of the layer; without weights the genome comes back unchanged.
        rng: the chance.
        reach: 0 to 1; at 1 up to half of the families move, and far.
    """
    families = families_of(genes)
    if not families:
        return dict(genome)
    most = max(1, round(reach * len(families) / 2))
    result: Genes = dict(genome)
    for name in rng.sample(sorted(families), rng.randint(1, most)):
        result = _moved(result, name, families[name], rng, reach)
    return result


def _moved(genome: Genes, name: str, members: Sequence[Gene], rng: Random, reach: float) -> Genes:
    values = [float(value_of(genome, gene)) for gene in members]
    for gene, value in zip(members, _values(values, name, rng, reach), strict=True):
        genome = with_value(genome, gene, min(gene.high, max(gene.low, rounded(value))))
    return genome


def _values(values: Sequence[float], name: str, rng: Random, reach: float) -> list[float]:
    """The family switched on, switched off, filled up, or scaled."""
    on = [value for value in values if abs(value) >= _FAINT]
    if not on:
        return [_switched_on(name, rng, reach)] * len(values)
    if rng.random() < _OFF:
        return [0.0] * len(values)
    if len(on) < len(values) and rng.random() < 0.5:
        level = math.fsum(on) / len(on) or rng.choice(on)
        return [value if abs(value) >= _FAINT else level for value in values]
    size = rng.choice((-1.0, 1.0)) * max(_LEAST, abs(rng.gauss(0.0, _SCALE * (0.5 + reach))))
    return [value * math.exp(size) for value in values]


def _switched_on(name: str, rng: Random, reach: float) -> float:
    far = (1 + 2 * reach) * _ON[1]
    size = math.exp(rng.uniform(math.log(_ON[0]), math.log(far)))
    positive = 0.5 if name.rpartition(".")[2] in _EITHER else _POSITIVE
    return size if rng.random() < positive else -size
