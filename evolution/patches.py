"""Typed patches: what somebody else proposes for a genome, applied within its genes or refused with the field's name.

| op | number, integer, flag, choice, knots | text | weight |
|---|---|---|---|
| replace | the new value | the new text | the new weight |
| add | refused | one sentence more, at the end | a weight for a signal that has none |
| remove | refused | the sentence in ``value`` goes | the signal counts nothing |
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..state.complaints import genome_part
from ..state.errors import InvalidGenome
from .defaults import parse_genome
from .genes import Gene, Genes, changed, gene_at, genes_of, value_of, with_value
from .prompt_guard import objection

__all__ = ["CONTRACT_FIELDS", "MOST_OPERATIONS", "PatchOperation", "apply_patch", "patch_between", "read_patch"]

_HUGE = 1e300

CONTRACT_FIELDS = ("answer", "key_points", "sources", "warnings")
"""Output fields of an answer. They are no genes."""

MOST_OPERATIONS = 12
"""Operations of one patch: what changes everything at once teaches nothing."""


class PatchOperation(BaseModel):
    """One operation. path: of a gene, joined by '.' (or '/', as in JSON Pointer)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    op: Literal["replace", "add", "remove"]
    path: str = Field(min_length=1, max_length=300)
    value: Any = None


def read_patch(data: object) -> list[PatchOperation]:
    """The operations of a patch that came as JSON.

    Raises:
        InvalidGenome: it is no patch; the message says what is wrong with which operation.
    """
    if not isinstance(data, list) or not data:
        raise InvalidGenome('patch: expected a list of {"op": ..., "path": ..., "value": ...} with at least one entry')
    if len(data) > MOST_OPERATIONS:
        raise InvalidGenome(f"patch: {len(data)} operations, at most {MOST_OPERATIONS}; propose a smaller change")
    return [_operation(place, item) for place, item in enumerate(data, 1)]


def apply_patch(
    layer: str,
    parent: Mapping[str, Any],
    operations: Sequence[PatchOperation],
    *,
    domain: str = "",
    quoted: frozenset[str] = frozenset(),
) -> Genes:
    """The parent with the patch applied.

    Args:
        layer: of the genome.
        parent: all genes; unchanged by this.
        operations: in order.
        domain: tells which signals may get a weight.
        quoted: ``shingles`` of the queries and answers that whoever proposes this saw.

    Raises:
        InvalidGenome: a path that is no gene, a value of another type or out of bounds, a text that the guard objects
            to, or a patch that changes nothing; the message names the field and the reason.
    """
    genes = genes_of(layer, parent, domain)
    child: Genes = dict(parent)
    for operation in operations:
        gene = _gene(layer, genes, operation.path)
        child = with_value(child, gene, _new_value(layer, gene, value_of(child, gene), operation))
    for gene in changed(parent, child, genes):
        if gene.kind == "text" and (reason := objection(value_of(parent, gene), value_of(child, gene), quoted)):
            raise _refused(layer, gene.path, reason)
    child = parse_genome(layer, child).model_dump(mode="json")
    if not changed(parent, child, genes):
        raise InvalidGenome(f"{layer} patch: it changes nothing")
    return child


def patch_between(layer: str, parent: Mapping[str, Any], genome: Mapping[str, Any]) -> list[PatchOperation]:
    """The patch that leads from the parent to a genome; a gene that the genome does not name stays.

    Raises:
        InvalidGenome: there are more differences than a patch may have operations.
    """
    operations = [
        PatchOperation(op="replace", path=path, value=value)
        for path, value, before in _leaves("", genome, parent)
        if value != before
    ]
    if len(operations) > MOST_OPERATIONS:
        raise InvalidGenome(f"{layer} genome: {len(operations)} genes differ, at most {MOST_OPERATIONS} in one step")
    return operations


def _operation(place: int, item: object) -> PatchOperation:
    return genome_part(f"patch, operation {place}", PatchOperation, item)


def _gene(layer: str, genes: Sequence[Gene], path: str) -> Gene:
    dotted = path.strip("/").replace("/", ".")
    if gene := gene_at(genes, dotted):
        return gene
    if any(part in CONTRACT_FIELDS or "contract" in part for part in dotted.split(".")):
        raise _refused(layer, dotted, f"the answer contract ({', '.join(CONTRACT_FIELDS)}) does not evolve")
    near = difflib.get_close_matches(dotted, [g.path for g in genes], n=1)
    raise _refused(layer, dotted, f"no such gene{f'; {near[0]!r} is near' if near else ''}")


def _new_value(layer: str, gene: Gene, before: Any, operation: PatchOperation) -> Any:
    match (operation.op, gene.kind):
        case ("replace", _) | ("add", "weight"):
            return _typed(layer, gene, operation.value)
        case ("remove", "weight"):
            return 0.0
        case ("add", "text"):
            sentence = str(_typed(layer, gene, operation.value)).strip()
            return f"{before}\n{sentence}" if before else sentence
        case ("remove", "text"):
            return _without(layer, gene, before, _typed(layer, gene, operation.value))
    raise _refused(layer, gene.path, f"'{operation.op}' does not fit {_NOUNS[gene.kind]}; use 'replace'")


def _without(layer: str, gene: Gene, before: str, text: str) -> str:
    wanted = text.strip()
    if not wanted or wanted not in before:
        raise _refused(layer, gene.path, "the text to remove does not stand in it; give its exact words")
    head, _, tail = before.partition(wanted)
    return f"{head.rstrip(' ')}{'' if not head or tail[:1] in ('', chr(10)) else ' '}{tail.lstrip(' ')}".strip("\n")


def _typed(layer: str, gene: Gene, value: Any) -> Any:
    """The value as the gene's type; never a silent conversion of text or truth values into numbers."""
    match gene.kind:
        case "flag" if isinstance(value, bool):
            return value
        case "text" if isinstance(value, str):
            return value
        case "choice" if value in gene.choices:
            return value
        case "knots" if isinstance(value, list) and all(isinstance(k, list) and all(map(_real, k)) for k in value):
            return value
        case "integer" if _real(value) and float(value).is_integer():
            return _bounded(layer, gene, int(value))
        case "number" | "weight" if _real(value):
            return _bounded(layer, gene, float(value))
    wanted = f"one of {', '.join(gene.choices)}" if gene.kind == "choice" else _NOUNS[gene.kind]
    raise _refused(layer, gene.path, f"expected {wanted}, got {value!r:.60}")


def _bounded(layer: str, gene: Gene, value: float) -> float:
    if gene.low <= value <= gene.high:
        return value
    raise _refused(layer, gene.path, f"{value:g} is out of bounds, {gene.low:g} to {gene.high:g}")


_NOUNS: Mapping[str, str] = {
    "number": "a number",
    "weight": "a number",
    "integer": "a whole number",
    "flag": "true or false",
    "choice": "a choice",
    "text": "a text",
    "knots": "a list of [x, y] pairs",
}


def _real(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _HUGE  # no NaN either


def _leaves(path: str, value: Any, before: Any) -> list[tuple[str, Any, Any]]:
    """Path, value and former value of everything that a partial genome names."""
    if isinstance(value, Mapping):
        inner = before if isinstance(before, Mapping) else {}
        return [
            leaf
            for key, entry in value.items()
            for leaf in _leaves(f"{path}.{key}" if path else str(key), entry, inner.get(key))
        ]
    return [(path, value, before)]


def _refused(layer: str, field: str, reason: str) -> InvalidGenome:
    return InvalidGenome(f"{layer} patch, field '{field[:120]}': {reason}")
