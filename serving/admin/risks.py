"""What a reviewer should look at twice; each risk names a text and what goes into it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...evolution.prompt_guard import instructs, objection, shingles
from ...state.evolution import EvalResult, GateReport, GenomeRecord, MutationKind
from .gene_changes import gene_changes, prompts_of
from .shown import visible

Level = Literal["danger", "warning"]

_GROWTH = 0.5  # of the baseline's length
_LISTED = 3

_CONTRACT = {"citation_policy", "require_sources", "block_if_warnings", "min_supportedness", "min_sources_count"}
"""Genes that say what an answer owes its reader."""


@dataclass(frozen=True)
class Risk:
    """One thing. key: of the text ``risk.<key>``. values: what goes into it."""

    level: Level
    key: str
    values: dict[str, Any] = field(default_factory=dict)


def risks_of(
    genome: GenomeRecord, baseline: GenomeRecord | None, report: GateReport | None, seen: Sequence[EvalResult]
) -> list[Risk]:
    """Everything worth a second look, the gravest first; nothing of defaults, which come with the package.

    Args:
        genome: that is looked at.
        baseline: what it would replace, or did; None when there is none.
        report: of the gate; None when it never reached it.
        seen: results that the generator may have seen.
    """
    if genome.mutation is MutationKind.DEFAULT:
        return []
    quoted = shingles(text for text in _quotable(seen, report))
    found = [
        *_of_prompts(genome, baseline, quoted),
        *_of_genes(genome, baseline),
        *_of_notes(genome),
        *_of_report(report),
    ]
    return sorted(found, key=lambda risk: risk.level != "danger")


def _of_prompts(genome: GenomeRecord, baseline: GenomeRecord | None, quoted: frozenset[str]) -> Iterator[Risk]:
    before = prompts_of(genome.layer, baseline.genome) if baseline else {}
    for path, text in prompts_of(genome.layer, genome.genome).items():
        old = before.get(path, "")
        if text == old:
            continue
        if reason := objection(old, text):
            yield Risk("danger", "guard", {"path": path, "reason": reason})
        if order := instructs(text):
            yield Risk("danger", "order", {"path": path, "text": order})
        if copied := sorted((shingles([text]) & quoted) - shingles([old]))[:_LISTED]:
            yield Risk("danger", "copied", {"path": path, "text": "; ".join(copied)})
        if visible(text) != text:
            yield Risk("danger", "hidden", {"path": path})
        if old and len(text) > len(old) * (1 + _GROWTH):
            yield Risk("warning", "growth", {"path": path, "before": len(old), "after": len(text)})


def _of_genes(genome: GenomeRecord, baseline: GenomeRecord | None) -> Iterator[Risk]:
    for change in gene_changes(baseline, genome) if baseline else ():
        if change.path.rpartition(".")[2] in _CONTRACT:
            yield Risk("warning", "contract", {"path": change.path, "old": change.old, "new": change.new})


def _of_notes(genome: GenomeRecord) -> Iterator[Risk]:
    for path, text in (("notes", genome.notes), ("eval_seed_prompt", genome.eval_seed_prompt)):
        if order := instructs(text):
            yield Risk("danger", "order", {"path": path, "text": order})
        if visible(text) != text:
            yield Risk("danger", "hidden", {"path": path})


def _of_report(report: GateReport | None) -> Iterator[Risk]:
    if report is None:
        return
    if report.verdict != "promote":
        yield Risk("danger", "verdict")
    for check in report.checks:
        if check.worse:
            yield Risk("danger", "worse", {"name": check.name})
    if report.noise_floor is None:
        yield Risk("warning", "no_noise_floor")
    elif report.difference.mean <= report.noise_floor:
        yield Risk("warning", "noise")
    if flagged := sum(bool(outcome.flags) for outcome in report.queries):
        yield Risk("warning", "flags", {"count": flagged})
    for warning in report.warnings:
        yield Risk("warning", "told", {"text": warning})


def _quotable(seen: Iterable[EvalResult], report: GateReport | None) -> Iterator[str]:
    for result in seen:
        yield result.query
        yield result.response
    for outcome in report.queries if report else ():
        yield outcome.query
        yield outcome.active_response
