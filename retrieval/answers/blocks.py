"""Blocks of a text: paragraphs, list items, table rows, code, headings; each a slice with exact offsets.

Texts are read by their line shapes alone, so that a piece cut out of a document reads as well as a whole one; their
markup says which shapes there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from .definitions import begins_inside, indent_of, is_title, term_end
from .directives import Directive, directive, is_option
from .lines import Line, lines_of
from .markup import Markup
from .tables import HEAD_RULE, ROW, RULE


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
    part of, in text order; items of one list share it. indent: columns before the first character. term: end of the
    term that the rest explains, 0 for none. head: (start, end) of the row that names the columns of a row.
    """

    kind: BlockKind
    start: int
    end: int
    group: int
    indent: int = 0
    term: int = 0
    head: tuple[int, int] | None = None


ITEM = re.compile(r"[ \t>]*(?:[-*+\u2022\u00b7\u2013]|\(?\d{1,3}[.)\u3001]|\(?[a-z][.)]|[#]\.)[ \t]+(?=\S)")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+\S")
_RULE = re.compile(r"[ \t]*([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")
_INDENTED = re.compile(r"(?: {4}|\t)")
_PROMPT = re.compile(r"[ \t]*(?:>>> ?|\$ )\S")


def blocks(text: str, markup: Markup = Markup.MARKDOWN) -> list[Block]:
    """The blocks of ``text`` in order; blank lines, rules and directives belong to none."""
    reader = _Reader(lines_of(text, markup), markup)
    return list(reader.read())


class _Reader:
    """Walks the lines once; ``_at`` is the next line to read."""

    def __init__(self, lines: list[Line], markup: Markup) -> None:
        self._lines = lines
        self._markup = markup
        self._defines = markup in (Markup.RST, Markup.TEXT)
        self._at = 0
        self._group = 0
        self._list = 0  # group of the open list, 0 without one
        self._literal = False  # the last paragraph ended with "::"
        self._head: tuple[int, int] | None = None  # of the open table

    def read(self) -> Iterator[Block]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.blank or RULE.match(line.text):
                self._head = None if line.blank else self._head
                self._at += 1
            elif block := self._block(line):
                yield block

    def _block(self, line: Line) -> Block | None:
        if self._is_row(line):
            return self._row(line)
        self._head = None
        if fence := _FENCE.match(line.text):
            return self._fenced(fence[1])
        if self._is_indented_code(line):
            return self._indented()
        if _PROMPT.match(line.text):
            return self._session()
        if self._markup is Markup.RST and (found := directive(line.text)):
            return self._directive(*found)
        if _HEADING.match(line.text) or (self._defines and is_title(self._texts(self._at))):
            return self._one(BlockKind.HEADING)
        if ITEM.match(line.text):
            return self._item(line)
        if _RULE.match(line.text):
            self._at += 1
            return None
        if self._defines and (end := term_end(self._texts(self._at))) and not self._underlined(self._at):
            return self._definition(line, end)
        return self._paragraph()

    def _texts(self, at: int) -> list[str]:
        """The line at an index and the one below it."""
        return [line.text for line in self._lines[at : at + 2]]

    def _is_row(self, line: Line) -> bool:
        if ROW.match(line.text):
            return True
        below = self._lines[self._at + 1].text if self._at + 1 < len(self._lines) else ""
        return "|" in line.text and (self._head is not None or ("|" in below and bool(RULE.match(below))))

    def _row(self, line: Line) -> Block:
        """A row; the first of a table is its head when a rule stands below it."""
        first = not self._follows_row()
        below = self._lines[self._at + 1].text if self._at + 1 < len(self._lines) else ""
        block = self._one(BlockKind.ROW, new_group=first)
        if first:
            self._head = (line.start, line.end) if RULE.match(below) and HEAD_RULE.match(below) else None
        return replace(block, head=self._head)

    def _follows_row(self) -> bool:
        """Whether the line before is part of the same table."""
        if self._at == 0:
            return False
        before = [line.text for line in self._lines[max(0, self._at - 2) : self._at]]
        ruled = RULE.match(before[-1]) and len(before) > 1 and ROW.match(before[0])
        return self._head is not None or bool(ROW.match(before[-1]) or ruled)

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

    def _is_indented_code(self, line: Line) -> bool:
        after_blank = self._at == 0 or self._lines[self._at - 1].blank
        if not after_blank or not line.indent:
            return False
        if self._literal and self._markup is not Markup.TEXT:
            return True
        indented = self._markup.indents_code and bool(_INDENTED.match(line.text))
        return indented and not self._list and not ITEM.match(line.text)

    def _directive(self, kind: Directive, argument: int) -> Block | None:
        """What a directive says: its argument with the lines below, or its code; the rest of its lines go."""
        first, line = self._at, self._lines[self._at]
        self._at += 1
        while self._at < len(self._lines) and is_option(self._lines[self._at].text):
            self._at += 1
        if kind in (Directive.SILENT, Directive.CODE):
            return self._body(line, kind is Directive.CODE)
        if not line.text[argument:].strip():
            return None
        if kind is Directive.TERM:
            while self._at < len(self._lines) and self._lines[self._at].blank:
                self._at += 1
        self._to_dedent(line)
        block = self._made(BlockKind.PARAGRAPH, first)
        end = line.start + len(line.text.rstrip())
        term = end if kind is not Directive.NOTE and block.end > end else 0
        return replace(block, start=line.start + argument, term=term)

    def _body(self, line: Line, code: bool) -> Block | None:
        """The indented lines below a directive: its code, or None, as nothing of them is said."""
        while self._at < len(self._lines) and self._lines[self._at].blank:
            self._at += 1
        first = self._at
        while self._at < len(self._lines) and self._belongs(line):
            self._at += 1
        return self._made(BlockKind.CODE, first) if code and self._at > first else None

    def _belongs(self, line: Line) -> bool:
        """Whether the next line is blank or deeper than ``line``."""
        here = self._lines[self._at]
        return here.blank or indent_of(here.text) > indent_of(line.text)

    def _to_dedent(self, line: Line) -> None:
        """Go on to the next blank line, or to one that is not deeper than ``line``."""
        while self._at < len(self._lines) and not self._lines[self._at].blank and self._belongs(line):
            self._at += 1

    def _definition(self, line: Line, term: int) -> Block:
        """A term with its explanation, to the next blank line."""
        first, new_group = self._at, not self._list
        self._at += 1
        self._to_dedent(line)
        block = self._made(BlockKind.ITEM, first, new_group, line.indent)
        return replace(self._listed(block), start=line.start + line.margin, term=line.start + term)

    def _item(self, line: Line) -> Block:
        """An item with the lines that continue it: indented ones, and lazy ones up to a blank line."""
        first, new_group = self._at, not self._list
        self._at += 1
        while self._at < len(self._lines) and not self._begins_block(self._lines[self._at]):
            if self._underlined(self._at) and not self._lines[self._at].indent:
                break
            self._at += 1
        return self._listed(self._made(BlockKind.ITEM, first, new_group, line.indent))

    def _listed(self, block: Block) -> Block:
        """The block in the group of the open list, or as the first of a list."""
        self._list = self._list or block.group
        return replace(block, group=self._list)

    def _paragraph(self) -> Block | None:
        first = self._at
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if _RULE.match(line.text) and line.text.strip()[0] in "=-~^\"'#*+":
                if self._at == first + 1:
                    self._at += 1
                    return self._made(BlockKind.HEADING, first, last=first)
                break
            if self._begins_block(line) or self._underlined(self._at):
                break
            if self._defines and begins_inside(self._texts(self._at)):
                break
            self._at += 1
        indented = self._lines[first].indent >= 2
        block = self._made(BlockKind.PARAGRAPH, first, keep_list=indented)
        self._literal = self._lines[self._at - 1].text.rstrip().endswith("::")
        return block

    def _underlined(self, at: int) -> bool:
        """Whether the line at an index is a title: a rule as long as it stands below it."""
        if at + 1 >= len(self._lines):
            return False
        title, rule = self._lines[at].text.strip(), self._lines[at + 1].text.strip()
        return bool(title) and bool(_RULE.match(rule)) and rule[0] in "=-~^" and len(title) - 2 <= len(rule)

    def _begins_block(self, line: Line) -> bool:
        return line.blank or any(p.match(line.text) for p in (_FENCE, _HEADING, ITEM, ROW, RULE, _PROMPT))

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
        if not (keep_list or kind in (BlockKind.CODE, BlockKind.ITEM)):
            self._list = 0
        return Block(kind, self._lines[first].start, self._lines[end].end, self._group, indent)
