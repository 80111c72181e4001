"""Bounded steps and flips of single genes. Chance is an argument; a step always leads to another value."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, assert_never

from .genes import Gene, Genes, rounded, value_of, with_value

__all__ = ["can_step", "moved", "stepped"]

_WIDE = 5.0  # bounds that reach this many times the value: a step is a share of the value, else of the range
_WIDEST = 1000.0  # below this share of the bound, shares of the value lead nowhere
_SHARE_OF_RANGE, _LEAST_OF_RANGE = 0.1, 0.02
_SHARE_OF_VALUE, _LEAST_OF_VALUE = 0.35, 0.05  # of the logarithm
_WEIGHT, _LEAST_WEIGHT = 0.5, 0.1  # of the logarithm
_OFF = 0.12  # chance that a weight is switched off
_UNTRIED = ("llm_", "chunk_weights", "packed")
"""Genes that no trial judges, so that luck alone would: those of the LLM mode (trials of retrieval run offline), and
those that only shape what is packed of the ranked files."""
_FAINT = 0.02  # a weight below this counts as switched off
_POSITIVE = 0.8  # chance that a weight is switched on with a plus: most signals speak for a file
_ON = (0.2, 1.2)  # size of a weight switched on


def can_step(gene: Gene) -> bool:
    """Whether ``moved`` knows another value for the gene, and a trial can tell the two apart."""
    if gene.field.startswith(_UNTRIED):
        return False
    match gene.kind:
        case "text":
            return False
        case "choice":
            return len(gene.choices) > 1
        case "flag" | "knots":
            return True
        case "integer":
            return math.isfinite(gene.high - gene.low) and gene.high - gene.low >= 1
        case "number" | "weight":
            return math.isfinite(gene.high - gene.low) and gene.high > gene.low
    assert_never(gene.kind)


def stepped(genome: Mapping[str, Any], genes: Sequence[Gene], rng: Random, count: int = 1) -> Genes:
    """The genome with so many genes moved, or as many as can be.

    Fields are drawn in proportion to the root of their number of genes, so a large table of weights does not hide the
    few thresholds beside it.
    """
    result: Genes = dict(genome)
    for gene in _drawn([gene for gene in genes if can_step(gene)], rng, count):
        result = with_value(result, gene, moved(value_of(result, gene), gene, rng))
    return result


def moved(value: Any, gene: Gene, rng: Random) -> Any:
    """Another value of a gene within its bounds.

    Raises:
        ValueError: the gene is a text, or nothing else is within its bounds.
    """
    if not can_step(gene):
        raise ValueError(f"gene '{gene.path}' cannot be stepped")
    match gene.kind:
        case "number":
            return _clipped(rounded(_number(value, gene, rng)), gene)
        case "integer":
            return _integer(value, gene, rng)
        case "weight":
            return _clipped(rounded(_weight(value, gene, rng)), gene)
        case "flag":
            return not value
        case "choice":
            return rng.choice([choice for choice in gene.choices if choice != value])
        case "knots":
            return _knots(value, rng)
        case "text":
            raise AssertionError("can_step refuses texts")
    assert_never(gene.kind)


def _drawn(genes: Sequence[Gene], rng: Random, count: int) -> list[Gene]:
    fields: dict[str, list[Gene]] = defaultdict(list)
    for gene in genes:
        fields[gene.field].append(gene)
    drawn: list[Gene] = []
    while fields and len(drawn) < count:
        names = sorted(fields)
        name = rng.choices(names, [math.sqrt(len(fields[n])) for n in names])[0]
        drawn.append(fields[name].pop(rng.randrange(len(fields[name]))))
        if not fields[name]:
            del fields[name]
    return drawn


def _number(value: float, gene: Gene, rng: Random) -> float:
    sign = rng.choice((-1.0, 1.0))
    if gene.low >= 0.0 and gene.high / _WIDEST <= value <= gene.high / _WIDE:
        size = max(_LEAST_OF_VALUE, abs(rng.gauss(0.0, _SHARE_OF_VALUE)))
        return _within(value * math.exp(sign * size), value * math.exp(-sign * size), gene)
    size = max(_LEAST_OF_RANGE, abs(rng.gauss(0.0, _SHARE_OF_RANGE))) * (gene.high - gene.low)
    return _within(value + sign * size, value - sign * size, gene)


def _within(first: float, second: float, gene: Gene) -> float:
    """The first target, the second where the first is out of bounds, or else the farther bound."""
    for target in (first, second):
        if gene.low <= target <= gene.high:
            return target
    middle = (first + second) / 2
    return gene.low if middle - gene.low > gene.high - middle else gene.high


def _integer(value: int, gene: Gene, rng: Random) -> int:
    target = round(_number(value, gene, rng))
    if target == value:
        target += rng.choice((-1, 1))
    if not gene.low <= target <= gene.high:
        target = value + 1 if value + 1 <= gene.high else value - 1
    return target


def _weight(value: float, gene: Gene, rng: Random) -> float:
    if abs(value) < _FAINT:
        size = math.exp(rng.uniform(math.log(_ON[0]), math.log(_ON[1])))
        target = size if rng.random() < _POSITIVE else -size
        return _within(target, -target, gene)
    if rng.random() < _OFF and gene.low <= 0.0 <= gene.high:
        return 0.0
    size = rng.choice((-1.0, 1.0)) * max(_LEAST_WEIGHT, abs(rng.gauss(0.0, _WEIGHT)))
    return _within(value * math.exp(size), value * math.exp(-size), gene)


def _clipped(value: float, gene: Gene) -> float:
    return min(gene.high, max(gene.low, value))


def _knots(knots: Sequence[Sequence[float]], rng: Random) -> list[list[float]]:
    """One coordinate of one knot moved towards a neighbour's; the ends keep their x, which mark the range."""
    inner = range(1, len(knots) - 1)
    moves = [(i, 0, side) for i in inner for side in (-1, 1)]
    moves += [(i, 1, side) for i in range(len(knots)) for side in (-1, 1) if _room(knots, i, side) > 0.0]
    index, axis, side = rng.choice(moves)
    room = _room(knots, index, side) if axis else abs(knots[index + side][0] - knots[index][0])
    exact = knots[index][axis] + side * room * rng.uniform(0.15, 0.6)
    result = [list(knot) for knot in knots]
    result[index][axis] = rounded(exact)
    if not _rises(result) or result[index][axis] == knots[index][axis]:
        result[index][axis] = exact  # knots so close that four digits do not tell them apart
    return result


def _room(knots: Sequence[Sequence[float]], index: int, side: int) -> float:
    """How far the y of a knot may go to one side; y are probabilities or relevances, from 0 to 1."""
    beside = index + side
    limit = knots[beside][1] if 0 <= beside < len(knots) else (0.0 if side < 0 else 1.0)
    return abs(limit - knots[index][1])


def _rises(knots: Sequence[Sequence[float]]) -> bool:
    return all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(knots)) and all(0.0 <= y <= 1.0 for _, y in knots)
