"""Genomes, cycles and decisions as lines a person reads."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ..evolution.diff import field_diff
from ..evolution.prompt_diff import prompt_diff
from ..state.evolution import Decision, GateReport, GenomeRecord, GenomeStatus
from .lines import Line, line, printable

if TYPE_CHECKING:
    from ..graph.evolve import CycleResult
    from ..state.ledger_ports import Submission

_SHOWN = 8
_LONG = 60


def cycle_lines(result: CycleResult) -> list[Line]:
    """How a cycle ended, and what to do next."""
    rows = [line(), line(f"Cycle {printable(result.cycle)}: {result.outcome}", style="bold")]
    rows.append(line(printable(result.reason), indent=2))
    if result.outcome == "recorded":
        rows.append(line("Nothing to decide: the active genome stays. What was tried: evolve list", indent=2))
    if result.report:
        rows += [line(row, indent=2) for row in report_rows(result.report)]
    if result.outcome == "waiting" and result.genome:
        number = result.genome.id
        rows += [
            line(),
            line(f"Genome {number} waits for a person who did not ask for this cycle:"),
            line(f"iterative-retrieval evolve show {number}", indent=2),
            line(f"iterative-retrieval evolve approve {number} --as NAME", indent=2),
            line(f'iterative-retrieval evolve reject {number} --as NAME --reason "..."', indent=2),
        ]
    return rows


def report_rows(report: GateReport) -> list[str]:
    """The gate's numbers, one a line."""
    d = report.difference
    rows = [
        f"difference on confirm {d.mean:+.3f} [{d.low:+.3f}, {d.high:+.3f}], p {report.p_adjusted:.4f}, "
        f"{d.n} queries, {report.repeats} judgement{'s' * (report.repeats > 1)} each",
        f"won {len(report.won)}, lost {len(report.lost)}; {report.variants} met the gate",
    ]
    rows += _noise_rows(report)
    if report.optimism is not None:
        rows.append(f"optimism of the selection score {report.optimism:+.3f}")
    if report.missing_queries:
        rows.append(f"{report.missing_queries} more queries would tell")
    rows += [f"worse: {c.kind} {printable(c.name)} ({c.difference.mean:+.3f})" for c in report.checks if c.worse]
    cost = report.cost
    return [*rows, f"cost {cost.calls:,} calls, {cost.tokens:,} tokens, {cost.seconds:,.0f} s", *report.warnings]


def _noise_rows(report: GateReport) -> list[str]:
    """What the judge's own noise is; when nobody knows, a warning of the report says so."""
    if report.noise_floor is None:
        return []
    if report.noise_floor == 0.0 and report.judged_twice:
        return [f"deterministic judge: noise floor 0, checked by judging {report.judged_twice} answers twice"]
    checked = f" ({report.judged_twice} answers judged twice)" if report.judged_twice else ""
    return [f"noise floor {report.noise_floor:.3f}{checked}"]


def genome_lines(found: Sequence[GenomeRecord], chosen: bool = False) -> list[Line]:
    """One genome a line. chosen: whether only some were asked for."""
    if not found and chosen:
        return [line("No such genome; iterative-retrieval evolve list shows all there are")]
    if not found:
        return [line("No genome yet; iterative-retrieval evolve run makes some")]
    return [line(_one(record)) for record in found]


def show_lines(
    record: GenomeRecord, base: GenomeRecord | None, submission: Submission | None, decisions: Sequence[Decision]
) -> list[Line]:
    """A genome in full."""
    rows = [line(_one(record), style="bold"), line(f"hash {record.genome_hash}", indent=2)]
    rows.append(line(f"notes: {printable(record.notes)}", indent=2))
    if base and base.id != record.id:
        rows += [line(), line(f"Differs from genome {base.id} ({base.status.value}):", style="bold")]
        rows += [row for path, pair in field_diff(base.genome, record.genome).items() for row in _changed(path, *pair)]
    if submission:
        rows += [line(), line(f"The gate: {printable(submission.report.reason)}", style="bold")]
        rows += [line(row, indent=2) for row in report_rows(submission.report)]
        rows += _query_lines(submission.report)
        if submission.stale:
            rows.append(line(f"cannot be approved: {printable(submission.stale)}", indent=2, style="red"))
        if record.status is GenomeStatus.PENDING_APPROVAL:
            rows += _asked_lines(submission)
    return [*rows, *(row for d in decisions for row in decision_lines(d))]


def _query_lines(report: GateReport) -> list[Line]:
    """The queries that lost and those that won, the largest difference first."""
    worst_first = [(q.candidate_score - q.active_score, q.query) for q in report.queries]
    lost = [row for row in worst_first if row[0] < 0]
    won = [row for row in reversed(worst_first) if row[0] > 0]
    return [*_some("lost", lost), *_some("won", won)]


def _some(name: str, rows: Sequence[tuple[float, str]]) -> list[Line]:
    shown = [line(f"{name} {by:+.2f}  {printable(query[:_LONG])}", indent=4) for by, query in rows[:_SHOWN]]
    return [*shown, line(f"{len(rows) - _SHOWN} more {name}", indent=4)] if len(rows) > _SHOWN else shown


def _asked_lines(submission: Submission) -> list[Line]:
    """Who asked, until when it may be decided, and how."""
    who, number = ", ".join(map(printable, submission.requesters)), submission.genome.id
    until = time.strftime("%Y-%m-%d %H:%M", time.localtime(submission.expires))
    return [
        line(),
        line(f"Asked for by {who}; waits until {until} for another person:"),
        line(f"iterative-retrieval evolve approve {number} --as NAME", indent=2),
        line(f'iterative-retrieval evolve reject {number} --as NAME --reason "..."', indent=2),
    ]


def show_object(
    record: GenomeRecord, base: GenomeRecord | None, submission: Submission | None, decisions: Sequence[Decision]
) -> dict[str, Any]:
    """A genome in full as plain values."""
    return {
        "genome": record.model_dump(mode="json"),
        "against": base.id if base else None,
        "diff": field_diff(base.genome, record.genome) if base else {},
        "report": submission.report.model_dump(mode="json") if submission else None,
        "stale": submission.stale if submission else "",
        "decisions": [d.model_dump(mode="json", exclude={"report"}) for d in decisions],
    }


def decision_lines(decision: Decision) -> list[Line]:
    """One decision."""
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(decision.time))
    words = (
        f"{when} {printable(decision.reviewer)}: {decision.kind.value.replace('_', ' ')} genome {decision.genome_id}"
    )
    replaced = f", in place of {decision.replaced}" if decision.replaced else ""
    return [line(f"{words}{replaced}{f': {printable(decision.reason)}' if decision.reason else ''}")]


def _one(record: GenomeRecord) -> str:
    score = "" if record.score is None else f", score {record.score:.2f}"
    status = record.status.value.replace("_", " ")
    return f"{record.id:>5}  {record.layer} of {printable(record.domain)}: {status}{score}, {record.mutation.value}"


def _changed(path: str, old: Any, new: Any) -> Iterator[Line]:
    """A changed gene; long texts word by word."""
    if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) > _LONG:
        text = Text(f"{printable(path)}: ")
        for run in prompt_diff(old, new):
            style = {"same": "", "removed": "red strike", "added": "green"}[run.kind]
            mark = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}[run.kind]
            text.append(mark.format(printable(run.text)), style)
        yield line(text, indent=2)
        return
    yield line(f"{printable(path)}: {printable(str(old))} -> {printable(str(new))}", indent=2)
