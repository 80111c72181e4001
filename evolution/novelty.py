"""Whether a proposed genome is new: no genes that were seen before, none that are nearly those of another one."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .defaults import genome_hash, parse_genome
from .genes import Gene, changed, value_of

__all__ = ["Novelty", "nearly_equal"]

_NEAR = 0.01  # of the range or of the value, whichever is less
_NOTHING = 0.005  # weights that differ by less are nearly equal

_WORD = re.compile(r"\w+")


@dataclass
class Novelty:
    """Keeps what was proposed so far. seen: hashes of genomes that are taken. beside: genomes to keep apart from."""

    layer: str
    genes: Sequence[Gene]
    seen: set[str]
    beside: list[Mapping[str, Any]] = field(default_factory=list)

    @classmethod
    def of(
        cls, layer: str, genes: Sequence[Gene], seen: Collection[str], beside: Sequence[Mapping[str, Any]]
    ) -> Novelty:
        """Everything that a proposal must differ from; the genomes' own hashes count as seen."""
        hashes = {genome_hash(parse_genome(layer, genome)) for genome in beside}
        return cls(layer, genes, {*seen, *hashes}, list(beside))

    def objection(self, genome: Mapping[str, Any]) -> str:
        """Why the genome is not new; '' when it is.

        Raises:
            InvalidGenome: a gene is out of bounds.
        """
        name = genome_hash(parse_genome(self.layer, genome))
        if name in self.seen:
            return f"genome {name[:12]} was proposed before"
        near = next((other for other in self.beside if nearly_equal(genome, other, self.genes)), None)
        return f"hardly differs from genome {genome_hash(parse_genome(self.layer, near))[:12]}" if near else ""

    def keep(self, genome: Mapping[str, Any]) -> None:
        """Later proposals must differ from this one too."""
        self.seen.add(genome_hash(parse_genome(self.layer, genome)))
        self.beside.append(genome)


def nearly_equal(first: Mapping[str, Any], second: Mapping[str, Any], genes: Sequence[Gene]) -> bool:
    """Whether numbers differ by a hundredth at most and texts in case, spacing or punctuation only."""
    return all(_near(value_of(first, gene), value_of(second, gene), gene) for gene in changed(first, second, genes))


def _near(first: Any, second: Any, gene: Gene) -> bool:
    match gene.kind:
        case "number" | "integer" | "weight":
            return first is not None and second is not None and abs(first - second) <= _tolerance(first, second, gene)
        case "text":
            return _words(first) == _words(second)
        case "knots":
            return _near_knots(first, second)
    return False


def _tolerance(first: float, second: float, gene: Gene) -> float:
    if gene.kind == "weight":
        return max(_NOTHING, _NEAR * max(abs(first), abs(second)))
    return _NEAR * min(gene.high - gene.low, max(abs(first), abs(second)))


def _near_knots(first: Sequence[Sequence[float]], second: Sequence[Sequence[float]]) -> bool:
    if len(first) != len(second):
        return False
    width = first[-1][0] - first[0][0]
    return all(
        abs(a[0] - b[0]) <= _NEAR * width and abs(a[1] - b[1]) <= _NEAR for a, b in zip(first, second, strict=True)
    )


def _words(text: str | None) -> list[str]:
    return _WORD.findall((text or "").casefold())
