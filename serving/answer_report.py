"""An answer as lines a person reads and as the object that ``--json`` prints."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ..state.answer import AnswerSource
from ..state.caching import RequestRecord
from ..state.feedback import FeedbackRecord
from .lines import Line, line, printable, printable_block
from .spent import spent_object, spent_words

if TYPE_CHECKING:
    from ..graph.ask import AskResult, CacheExplanation


def answer_lines(result: AskResult, seconds: float) -> list[Line]:
    """The answer, its numbered sources, its warnings, and how it came about."""
    answer = result.answer
    rows = [line("Answer:" if answer.answer else "No answer was found.", style="bold" if answer.answer else "bold red")]
    rows += [line(row, indent=2) for row in printable_block(answer.answer).split("\n")] if answer.answer else []
    if len(answer.key_points) > 1:
        rows += [line(), line("Key points:", style="bold")]
        rows += [line(f"- {printable(point)}", indent=2) for point in answer.key_points]
    if answer.sources:
        rows += [line(), line("Sources:", style="bold"), *(row for s in answer.sources for row in _source(s))]
    rows += [line(f"Warning: {printable(w)}", style="yellow") for w in answer.warnings]
    return [*rows, line(), line(_summary(result, seconds), style="bold")]


def answer_object(result: AskResult, seconds: float) -> dict[str, object]:
    """The result as plain values; its keys are a promise, docs/cli.md lists them."""
    return {
        "question": result.question,
        "collection": result.collection,
        **result.answer.model_dump(mode="json"),
        "query_type": result.route.query_type,
        "profile": result.route.profile,
        "lookup": result.lookup.model_dump(mode="json"),
        "admission": result.admission.model_dump(mode="json"),
        "cycles": [c.model_dump(mode="json", exclude={"ranking"}) for c in result.cycles],
        "ranked": result.ranked,
        "spent": spent_object(result.spent),
        "seconds": round(seconds, 3),
    }


def lookup_lines(explained: CacheExplanation) -> list[Line]:
    """What the cache would do with a question, and why."""
    lookup = explained.lookup
    words = "would be served" if lookup.hit else "would not be served"
    rows = [line(f"The question {words} from the cache: {lookup.reason.value.replace('_', ' ')}", style="bold")]
    if lookup.detail:
        rows.append(line(printable(lookup.detail), indent=2))
    if lookup.similarity:
        rows.append(line(f"similarity of the nearest entry {lookup.similarity:.3f}", indent=2))
    rows += [line(f"{name}: {printable(str(value))}", indent=2) for name, value in explained.key.model_dump().items()]
    return rows


def log_lines(rows: Sequence[RequestRecord]) -> list[Line]:
    """One logged question a line, the latest first."""
    if not rows:
        return [line("No question is logged.")]
    return [
        line(
            f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(r.time))}  {r.outcome:8} {printable(r.collection)}: "
            f"{printable(r.question[:100])}"
        )
        for r in rows
    ]


def feedback_lines(rows: Sequence[FeedbackRecord]) -> list[Line]:
    """One feedback a line, the latest first."""
    if not rows:
        return [line("No feedback is kept.")]
    return [
        line(
            f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(r.time))}  {r.verdict.value:8} "
            f"{printable(r.collection or r.root)}: {printable(r.text[:100])}"
        )
        for r in rows
    ]


def stats_lines(stats: Mapping[str, Any]) -> list[Line]:
    """Counts, one a line; counts by reason indented under their name."""
    rows: list[Line] = []
    for name, value in stats.items():
        if isinstance(value, Mapping):
            rows.append(line(f"{name.replace('_', ' ')}:{'' if value else ' none'}"))
            rows += [line(f"{printable(str(key))}: {count}", indent=2) for key, count in value.items()]
        else:
            rows.append(line(f"{name.replace('_', ' ')}: {value}"))
    return rows


def _source(source: AnswerSource) -> Iterator[Line]:
    head = Text(f"[{source.number}] ")
    head.append(printable(source.document), "bold")
    if source.heading:
        head.append(f", {printable(' > '.join(source.heading))}")
    head.append(f", lines {source.first}-{source.last}", "cyan")
    yield line(head, indent=2)
    yield line(f'"{printable(source.quote)}"', indent=6, style="dim")


def _summary(result: AskResult, seconds: float) -> str:
    answer = result.answer
    parts = [
        f"{len(answer.sources)} source{'' if len(answer.sources) == 1 else 's'}",
        f"{answer.support:.0%} of the sentences stand in a source" if answer.support is not None else "no statement",
        f"{seconds:.1f} s",
        f"from the cache ({result.lookup.reason.value})"
        if result.lookup.hit
        else f"{len(result.cycles)} cycle{'' if len(result.cycles) == 1 else 's'}, {answer.composed_by}",
    ]
    if not result.lookup.hit:
        parts.append(f"cached: {'yes' if result.admission.admitted else 'no'} ({result.admission.reason.value})")
    if spent := spent_words(result.spent):
        parts.append(spent)
    return ", ".join(parts)
