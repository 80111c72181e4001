"""A child of two genomes of the same layer: fields or genes of either, numbers of either or between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Literal

from .families import family_of
from .genes import Gene, Genes, rounded, value_of, with_value
from .prompt_rules import lost_fixed_rules

__all__ = ["recombined"]

_Way = Literal["fields", "families", "genes", "between"]
_WAYS: tuple[_Way, ...] = ("fields", "families", "genes", "between")


def recombined(first: Mapping[str, Any], second: Mapping[str, Any], genes: Sequence[Gene], rng: Random) -> Genes:
    """A child that takes some of what differs from the second genome.

    Genes that were fitted together may need each other, so a quarter of the children take whole fields; a quarter takes
    families of weights; a quarter takes gene by gene; in a quarter the numbers lie between. Query types are those of
    the first genome; a prompt that lacks a sentence which guards the answer contract is not taken.

    Args:
        first: keeps what both have, and whatever the second does not have.
        second: another genome of the same layer.
        genes: of the layer, as ``genes_of`` gives them for the first genome.
        rng: the chance.
    """
    differing = [gene for gene in _joined(genes, second) if _differs(first, second, gene)]
    way = rng.choice(_WAYS)
    child: Genes = dict(first)
    for gene in _taken(differing, way, rng):
        one, other = value_of(first, gene), value_of(second, gene)
        child = with_value(child, gene, _between(one, other, gene, rng) if way == "between" else other)
    return child


def _joined(genes: Sequence[Gene], second: Mapping[str, Any]) -> list[Gene]:
    """The genes, and the weights that only the second genome has."""
    known = {gene.keys for gene in genes}
    tables = {gene.field: gene for gene in genes if gene.kind == "weight" and len(gene.keys) == 2}
    extra = [
        Gene((table, name), "weight", like.low, like.high)
        for table, like in tables.items()
        for name in sorted(second.get(table, {}))
        if (table, name) not in known
    ]
    return [*genes, *extra]


def _differs(first: Mapping[str, Any], second: Mapping[str, Any], gene: Gene) -> bool:
    """Whether there is something to take from the second genome."""
    one, other = value_of(first, gene), value_of(second, gene)
    if other is None or other == one:
        return False
    if gene.kind == "choice":
        return other in gene.choices  # no format of the other family
    return gene.kind != "text" or bool(other.strip() and not lost_fixed_rules(one, other))


def _taken(genes: Sequence[Gene], way: _Way, rng: Random) -> list[Gene]:
    """About half of them, at least one; of several never all, which would be the second genome again."""
    if way == "between":
        return list(genes)
    names = sorted({_block(gene, way) for gene in genes})
    if len(names) < 2:
        return list(genes)
    chosen = set(rng.sample(names, rng.randint(1, len(names) - 1)))
    return [gene for gene in genes if _block(gene, way) in chosen]


def _block(gene: Gene, way: _Way) -> str:
    """What is taken together with the gene."""
    match way:
        case "fields":
            return gene.field
        case "families":
            return family_of(gene) or gene.field
        case _:
            return gene.path


def _between(first: Any, second: Any, gene: Gene, rng: Random) -> Any:
    match gene.kind:
        case "number" | "weight":
            return min(gene.high, max(gene.low, rounded(first + rng.uniform(0.2, 0.8) * (second - first))))
        case "integer":
            return round(first + rng.uniform(0.2, 0.8) * (second - first))
        case _:
            return rng.choice((first, second))
