"""What differs between two genomes, gene by gene, as a person reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...evolution.diff import WordRun, field_diff
from ...evolution.genes import Gene, genes_of
from ...evolution.prompt_diff import prompt_diff
from ...state.evolution import GenomeRecord, Layer

_LONG = 60  # characters of a text that is shown as a prompt


@dataclass(frozen=True)
class GeneChange:
    """One gene.

    old, new: as text, '' when absent. change: of a number, None for others. bounds: "1 … 40", '' when there are none.
    runs: word differences of a prompt, empty for others.
    """

    path: str
    old: str
    new: str
    change: float | None = None
    bounds: str = ""
    description: str = ""
    runs: list[WordRun] = field(default_factory=list)

    @property
    def growth(self) -> int:
        """Characters more."""
        return len(self.new) - len(self.old)


def gene_changes(baseline: GenomeRecord, genome: GenomeRecord) -> list[GeneChange]:
    """Every gene that differs: numbers and choices first, prompts last."""
    genes = {gene.path: gene for gene in genes_of(genome.layer, genome.genome, genome.domain)}
    changes = [
        _change(path, old, new, genes.get(path))
        for path, (old, new) in field_diff(baseline.genome, genome.genome).items()
    ]
    return sorted(changes, key=lambda change: bool(change.runs))


def prompts_of(layer: Layer, genome: Mapping[str, Any]) -> dict[str, str]:
    """Path -> text of every gene that is free text."""
    texts = (gene for gene in genes_of(layer, genome) if gene.kind == "text")
    return {gene.path: str(_at(genome, gene)) for gene in texts}


def _change(path: str, old: Any, new: Any, gene: Gene | None) -> GeneChange:
    before, after = _as_text(old), _as_text(new)
    prompt = isinstance(old, str | None) and isinstance(new, str | None) and max(len(before), len(after)) > _LONG
    return GeneChange(
        path,
        before,
        after,
        change=new - old if _is_number(old) and _is_number(new) else None,
        bounds=f"{gene.low:g} … {gene.high:g}" if gene and gene.kind in ("number", "integer", "weight") else "",
        description=gene.description if gene else "",
        runs=prompt_diff(before, after) if prompt else [],
    )


def _at(genome: Mapping[str, Any], gene: Gene) -> Any:
    place: Any = genome
    for key in gene.keys:
        place = place[key]
    return place


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
