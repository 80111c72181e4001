"""Sections: what stands below each heading, with its heading path; tiny ones joined to their neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .layout import Heading, Layout

TINY = 120
"""A section with less text than this (characters) does not stand alone if a neighbour can take it.

One with a heading of its own and a full sentence does: joined, it would lose the heading that tells what it is about.
"""
JOINED = 400
"""Sections join only up to this length: joined ones share a shorter heading path, which a long text would miss more."""

HeadingPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Lines below one heading path. first, last: 1-based, inclusive; nothing blank at either end."""

    heading: HeadingPath
    first: int
    last: int


def sections_of(layout: Layout) -> list[Section]:
    """The sections of a document in order.

    Their lines hold everything that is not blank, but for heading lines whose titles stand in the heading path.
    Joined sections have the heading path that they share, and their own heading lines within the text.
    """
    groups = _backward(_forward([_Group((raw,), raw.path, raw.size, raw.whole) for raw in _raw_sections(layout)]))
    return [section for group in groups if (section := _section(group, layout.lines))]


@dataclass(frozen=True, slots=True)
class _Raw:
    """One heading and what follows it. first: its own first line. body, last: the lines below.

    size: characters below the heading. whole: characters with the heading. alone: whether it can do without neighbours.
    """

    path: HeadingPath
    first: int
    body: int
    last: int
    size: int
    whole: int
    alone: bool = False


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbours in one chunk, the heading path they share, and their characters without and with headings."""

    members: tuple[_Raw, ...]
    path: HeadingPath
    size: int
    whole: int

    @property
    def alone(self) -> bool:
        """Whether a section in it can do without neighbours."""
        return any(member.alone for member in self.members)

    @property
    def tiny(self) -> bool:
        """Whether it should not stand alone."""
        return self.size < TINY and not self.alone


def _raw_sections(layout: Layout) -> Iterator[_Raw]:
    """What stands before the first heading, then one for every heading."""
    ends = [heading.first - 1 for heading in layout.headings] + [len(layout.lines)]
    title = (_document_title(layout),) if _document_title(layout) else ()
    if size := _size(layout.lines[: ends[0]]):
        yield _Raw(title, 1, 1, ends[0], size, size)
    stack: list[Heading] = []
    for heading, end in zip(layout.headings, ends[1:], strict=True):
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        stack.append(heading)
        path = _titled(title, tuple(outer.title for outer in stack))
        size = _size(layout.lines[heading.last : end])
        if size or heading.last >= heading.first:
            alone = size <= JOINED and _speaks(layout.lines[heading.last : end])
            yield _Raw(path, heading.first, heading.last + 1, end, size, size + len(heading.title), alone)


def _document_title(layout: Layout) -> str:
    """The reader's title, or the one heading that stands above all others, or ''."""
    if layout.title or not layout.headings:
        return layout.title
    top, *others = layout.headings
    return top.title if all(other.level > top.level for other in others) else ""


def _titled(title: HeadingPath, path: HeadingPath) -> HeadingPath:
    """The path with the document's title first, once."""
    return path if [name.casefold() for name in title] == [path[0].casefold()] else title + path


_SENTENCE = re.compile(
    r"(?<!\S)\S+(?:\s+[^\s.!?]+){2,80}\s+[^\s.!?]+[.!?\u2026](?:\s|$)|[\u3400-\u9fff，、]{6,200}[。！？]"
)


def _speaks(lines: Sequence[str]) -> bool:
    """Whether some lines hold a full sentence, of at least four words."""
    return _SENTENCE.search("\n".join(lines)) is not None


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.strip()) for line in lines)


def _forward(groups: Sequence[_Group]) -> list[_Group]:
    """Headings without text join their first child; tiny sections join their parent's text or what follows them."""
    joined: list[_Group] = []
    for group in groups:
        before = joined[-1] if joined else None
        if before and (_introduces(before, group) or (_takes(before, group) and _fit(before, group))):
            joined[-1] = _merged(before, group)
        else:
            joined.append(group)
    return joined


def _takes(before: _Group, group: _Group) -> bool:
    """Whether the earlier group is tiny, or is the text of the parent that a tiny one belongs to."""
    if group.alone:
        return False
    if before.tiny:
        return _kin(before.path, group.path)
    return group.tiny and group.path[: len(before.path)] == before.path


def _backward(groups: Sequence[_Group]) -> list[_Group]:
    """Tiny sections that nothing after them took join the one before."""
    joined: list[_Group] = []
    for group in groups:
        before = joined[-1] if joined else None
        if before and group.tiny and not before.alone and _kin(before.path, group.path) and _fit(before, group):
            joined[-1] = _merged(before, group)
        else:
            joined.append(group)
    return joined


def _introduces(before: _Group, group: _Group) -> bool:
    """Whether a group is a bare heading above its own first child."""
    if before.size or before.members[-1].path != before.path:
        return False
    return len(before.path) < len(group.path) and group.path[: len(before.path)] == before.path


def _kin(a: HeadingPath, b: HeadingPath) -> bool:
    """Whether two paths are those of siblings, or one leads to the other."""
    shared = len(_shared(a, b))
    return shared == min(len(a), len(b)) or shared == len(a) - 1 == len(b) - 1


def _fit(before: _Group, group: _Group) -> bool:
    return before.whole + group.whole <= JOINED


def _merged(before: _Group, group: _Group) -> _Group:
    path = group.path if _introduces(before, group) else _shared(before.path, group.path)
    return _Group(before.members + group.members, path, before.size + group.size, before.whole + group.whole)


def _shared(a: HeadingPath, b: HeadingPath) -> HeadingPath:
    """The longest common beginning of two heading paths."""
    count = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        count += 1
    return a[:count]


def _section(group: _Group, lines: Sequence[str]) -> Section | None:
    """The lines of a group without the heading lines that its path already holds; None when nothing is left."""
    first, last = _opening(group), group.members[-1].last
    while first <= last and not lines[first - 1].strip():
        first += 1
    while first <= last and not lines[last - 1].strip():
        last -= 1
    return Section(group.path, first, last) if first <= last else None


def _opening(group: _Group) -> int:
    """The first line that the heading path does not say."""
    for member in group.members:
        if member.path != group.path[: len(member.path)]:
            return member.first
        if member.size:
            return member.body
    return group.members[-1].first  # a heading with nothing below it
