"""The context package as lines a person reads: files with spans and reasons, gaps, and a summary."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from ..state.candidate import Gap
from ..state.package import ContextPackage, FileContext, Span
from .lines import BAND_STYLES, Line, line, listing, printable
from .trace import STOP_WORDS

SHOWN_SPANS = 6
SHOWN_RANKED = 5


def report_lines(package: ContextPackage, seconds: float) -> list[Line]:
    """The whole report. seconds: how long the request took."""
    return [
        *_files(package),
        *_also_ranked(package),
        *_gaps(package.gaps),
        *(line(f"Warning: {printable(warning)}", style="yellow") for warning in package.warnings),
        line(),
        line(summary(package, seconds), style="bold"),
    ]


def summary(package: ContextPackage, seconds: float) -> str:
    """One line: how much was found at what price, why it ended, and what was left out."""
    parts = [
        _count(len(package.files), "file"),
        f"{package.tokens:,} of {package.budget:,} tokens",
        _count(len(package.cycles), "cycle"),
        f"{seconds:.1f} s",
        STOP_WORDS[package.stopped_by].lower(),
    ]
    return f"{', '.join(parts)}{_left_out(package.left_out)}"


def span_words(spans: list[Span]) -> str:
    """The lines to read: ``lines 10-42 (Token.check), 60-80``; the whole file when there are no spans."""
    if not spans:
        return "whole file"
    return f"lines {listing([_one_span(span) for span in spans], SHOWN_SPANS)}"


def _files(package: ContextPackage) -> Iterator[Line]:
    if not package.files:
        yield line("Result: nothing relevant found", style="bold red")
        return
    yield line("Result:", style="bold")
    for rank, file in enumerate(package.files, start=1):
        yield from _file(rank, file)


def _file(rank: int, file: FileContext) -> Iterator[Line]:
    head = Text(f"{rank:>2}. ")
    head.append(printable(file.path), "bold")
    head.append(f"  {file.relevance:.2f} {file.band.value}", BAND_STYLES[file.band])
    head.append(f", probability {file.probability:.2f}{'' if file.role == 'source' else f', {file.role}'}", "dim")
    if file.known:
        head.append(", more lines of a known file" if file.added else ", known", "dim")
    yield line(head, indent=2)
    yield line(span_words(file.spans), indent=6, style="cyan")
    if file.reason:
        yield line(printable(file.reason), indent=6)
    if file.missing_context:
        yield line(f"missing: {listing(file.missing_context, SHOWN_SPANS)}", indent=6, style="yellow")


def _one_span(span: Span) -> str:
    lines = f"{span.first}-{span.last}" if span.last > span.first else str(span.first)
    return f"{lines} ({span.symbol})" if span.symbol else lines


def _also_ranked(package: ContextPackage) -> Iterator[Line]:
    packed = {file.path for file in package.files}
    rest = [path for path in package.ranked if path not in packed]
    if rest:
        yield line(f"Also ranked: {listing(rest, SHOWN_RANKED)}", style="dim")


def _gaps(gaps: list[Gap]) -> Iterator[Line]:
    yield line(Text("Gaps:" if gaps else "Gaps: none", "bold"))
    for gap in sorted(gaps, key=lambda gap: not gap.critical):
        mark = "critical: " if gap.critical else ""
        wanted = f" (wanted by {printable(gap.wanted_by)})" if gap.wanted_by else ""
        words = printable(gap.detail or gap.target)
        yield line(f"- {mark}{words}{wanted}", indent=2, style="red" if gap.critical else "")


def _left_out(left_out: dict[str, int]) -> str:
    counts = [f"{count:,} {reason.replace('_', ' ')}" for reason, count in sorted(left_out.items()) if count]
    return f"; left out: {', '.join(counts)}" if counts else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
