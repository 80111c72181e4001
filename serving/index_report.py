"""What an indexing run did, and the collections there are, as lines."""

from __future__ import annotations

from collections.abc import Sequence

from ..state.documents import CollectionInfo, IndexReport
from .lines import Line, line, printable

SHOWN_SKIPPED = 20


def index_lines(report: IndexReport) -> list[Line]:
    """Counts first, then every document that was left out, and why."""
    counts = [
        f"{number:,} {word}"
        for number, word in (
            (report.added, "added"),
            (report.changed, "changed"),
            (report.removed, "removed"),
            (report.unchanged, "unchanged"),
        )
        if number
    ]
    search = f"words and meaning ({report.embedder})" if report.embedder else "words only"
    rows = [
        line(
            f"Collection {report.collection} (domain {printable(report.domain)}): {', '.join(counts) or 'no document'}"
        ),
        line(f"{report.chunks:,} chunks, searched by {search}, {report.seconds:.1f} s", indent=2),
    ]
    if report.stale_answers:
        rows.append(line(f"{report.stale_answers:,} cached answers became stale", indent=2))
    rows += [
        line(
            f"skipped {printable(s.document)} ({s.reason.value.replace('_', ' ')}): {printable(s.detail)}",
            style="yellow",
        )
        for s in report.skipped[:SHOWN_SKIPPED]
    ]
    if len(report.skipped) > SHOWN_SKIPPED:
        rows.append(
            line(f"and {len(report.skipped) - SHOWN_SKIPPED:,} more were skipped (--json lists all)", style="yellow")
        )
    return [*rows, *(line(f"Warning: {printable(w)}", style="yellow") for w in report.warnings)]


def collection_lines(found: Sequence[CollectionInfo]) -> list[Line]:
    """One collection a line."""
    if not found:
        return [line("No collection yet; make one: iterative-retrieval index NAME PATH")]
    return [
        line(
            f"{c.name}: {c.documents:,} documents, {c.chunks:,} chunks, domain {printable(c.domain)}, "
            f"{f'embedder {c.embedder}' if c.embedder else 'words only'}, version {c.version}"
        )
        for c in found
    ]
