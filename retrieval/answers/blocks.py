"""Blocks of a text: paragraphs, list items, table rows, code, headings; each a slice with exact offsets.

Markdown and reStructuredText are read by their line shapes alone, so that a piece cut out of a document reads as well
as a whole one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Block:
    """A run of lines that belong together.

    start, end: offsets into the text, end exclusive. group: number of the paragraph, list, table or code block it is
    part of, in text order; items of one list share it. indent: columns before the first character.
    """

    kind: BlockKind
    start: int
    end: int
    group: int
    indent: int = 0


ITEM = re.compile(r"[ \t>]*(?:[-*+\u2022\u00b7\u2013]|\(?\d{1,3}[.)\u3001]|\(?[a-z][.)]|[#]\.)[ \t]+(?=\S)")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+\S")
_RULE = re.compile(r"[ \t]*([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_ROW_RULE = re.compile(r"[ \t]*[|+][ \t|+:=-]+[|+][ \t]*$")
_INDENTED = re.compile(r"(?: {4}|\t)")
_PROMPT = re.compile(r"[ \t]*(?:>>> ?|\$ )\S")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int  # without the line break
    text: str

    @property
    def blank(self) -> bool:
        return not self.text.strip(" \t>\r")

    @property
    def indent(self) -> int:
        return len(self.text.expandtabs(4)) - len(self.text.expandtabs(4).lstrip())


def blocks(text: str) -> list[Block]:
    """The blocks of ``text`` in order; blank lines and rules belong to none."""
    reader = _Reader(_lines(text))
    return list(reader.read())


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    start = 0
    for line in text.split("\n"):
        found.append(_Line(start, start + len(line), line))
        start += len(line) + 1
    return found


class _Reader:
    """Walks the lines once; ``_at`` is the next line to read."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._at = 0
        self._group = 0
        self._list_open = False
        self._literal = False  # the last paragraph ended with "::"

    def read(self) -> Iterator[Block]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.blank or _ROW_RULE.match(line.text):
                self._at += 1
            elif block := self._block(line):
                yield block

    def _block(self, line: _Line) -> Block | None:
        if fence := _FENCE.match(line.text):
            return self._fenced(fence[1])
        if self._is_indented_code(line):
            return self._indented()
        if _PROMPT.match(line.text):
            return self._session()
        if _ROW.match(line.text):
            return self._one(BlockKind.ROW, new_group=not self._follows(_ROW))
        if _HEADING.match(line.text):
            return self._one(BlockKind.HEADING)
        if ITEM.match(line.text):
            return self._item(line)
        if _RULE.match(line.text):
            self._at += 1
            return None
        return self._paragraph()

    def _one(self, kind: BlockKind, new_group: bool = True) -> Block:
        first = self._at
        self._at += 1
        return self._made(kind, first, new_group)

    def _fenced(self, fence: str) -> Block:
        """A fenced block to its closing fence, or to the end of a text cut before it."""
        first = self._at
        self._at += 1
        while self._at < len(self._lines):
            close = _FENCE.match(self._lines[self._at].text)
            self._at += 1
            if close and close[1].startswith(fence) and not self._lines[self._at - 1].text.strip(" \t>`~"):
                break
        return self._made(BlockKind.CODE, first)

    def _indented(self) -> Block:
        first, indent = self._at, self._lines[self._at].indent
        while self._at < len(self._lines) and (self._lines[self._at].blank or self._lines[self._at].indent >= indent):
            self._at += 1
        self._literal = False
        return self._made(BlockKind.CODE, first)

    def _session(self) -> Block:
        """A console session, to the next blank line."""
        first = self._at
        while self._at < len(self._lines) and not self._lines[self._at].blank:
            self._at += 1
        return self._made(BlockKind.CODE, first)

    def _is_indented_code(self, line: _Line) -> bool:
        after_blank = self._at == 0 or self._lines[self._at - 1].blank
        if not after_blank or not line.indent:
            return False
        return self._literal or (bool(_INDENTED.match(line.text)) and not self._list_open and not ITEM.match(line.text))

    def _item(self, line: _Line) -> Block:
        """An item with the lines that continue it: indented ones, and lazy ones up to a blank line."""
        first, new_group = self._at, not self._list_open
        self._at += 1
        while self._at < len(self._lines) and not self._begins_block(self._lines[self._at]):
            self._at += 1
        block = self._made(BlockKind.ITEM, first, new_group, line.indent)
        self._list_open = True
        return block

    def _paragraph(self) -> Block | None:
        first = self._at
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if _RULE.match(line.text) and line.text.strip()[0] in "=-~^\"'#*+":
                heading = self._at == first + 1
                if heading:
                    self._at += 1
                    return self._made(BlockKind.HEADING, first, last=first)
                break
            if self._begins_block(line):
                break
            self._at += 1
        indented = self._lines[first].indent >= 2
        block = self._made(BlockKind.PARAGRAPH, first, keep_list=indented)
        self._literal = self._lines[self._at - 1].text.rstrip().endswith("::")
        return block

    def _begins_block(self, line: _Line) -> bool:
        return line.blank or any(p.match(line.text) for p in (_FENCE, _HEADING, ITEM, _ROW, _ROW_RULE, _PROMPT))

    def _follows(self, pattern: re.Pattern[str]) -> bool:
        return self._at > 0 and bool(
            pattern.match(self._lines[self._at - 1].text) or _ROW_RULE.match(self._lines[self._at - 1].text)
        )

    def _made(
        self,
        kind: BlockKind,
        first: int,
        new_group: bool = True,
        indent: int = 0,
        *,
        last: int | None = None,
        keep_list: bool = False,
    ) -> Block:
        end = self._at - 1 if last is None else last
        while end > first and self._lines[end].blank:
            end -= 1
        self._group += new_group
        self._list_open = self._list_open and (keep_list or kind is BlockKind.CODE)
        return Block(kind, self._lines[first].start, self._lines[end].end, self._group, indent)
