"""Chunks of a text without a grammar: sections of Markdown and reStructuredText, windows of everything else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ...state.source import Chunk
from .windows import windows

__all__ = ["text_chunks"]

_LONGEST, _SIZE = 60, 50
_TINY = 5  # a section with fewer lines joins the next one: a title directly above its first subtitle


def text_chunks(lines: Sequence[str], language: str) -> list[Chunk]:
    """Chunks that cover the lines once, in order; their symbol is ''."""
    sections = _SECTIONS.get(language)
    starts = _starts(sections(lines)) if sections else [1]
    ends = [start - 1 for start in starts[1:]] + [len(lines)]
    return [
        Chunk(first, last, "")
        for start, end in zip(starts, ends, strict=True)
        if start <= end
        for first, last in windows(lines, start, end, _LONGEST, _SIZE)
    ]


def _starts(headings: Iterator[int]) -> list[int]:
    """First lines of the sections; the first section starts at line 1, tiny ones go with their successor."""
    starts = [1]
    for heading in headings:
        if heading - starts[-1] >= _TINY:
            starts.append(heading)
    return starts


def _markdown_headings(lines: Sequence[str]) -> Iterator[int]:
    """Lines of ``#`` headings outside code fences."""
    fence = ""
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif not fence and _MARKDOWN_HEADING.match(line):
            yield number


def _rst_headings(lines: Sequence[str]) -> Iterator[int]:
    """Lines of underlined titles, or of the line above when they are overlined too."""
    for number in range(2, len(lines) + 1):
        title, underline = lines[number - 2].rstrip(), lines[number - 1].rstrip()
        if not _RST_UNDERLINE.fullmatch(underline) or not title[:1].strip(" \t-*.") or len(underline) < len(title) - 2:
            continue
        overlined = number > 2 and lines[number - 3].rstrip() == underline
        yield number - 2 if overlined else number - 1


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARKDOWN_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_RST_UNDERLINE = re.compile(r"([=\-`:'\"~^_*+#<>.])\1{2,}")
_SECTIONS: dict[str, Callable[[Sequence[str]], Iterator[int]]] = {
    "markdown": _markdown_headings,
    "rst": _rst_headings,
}
