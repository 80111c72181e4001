"""Markdown: CommonMark with tables; headings of every form, fences, lists and front matter by their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from .layout import Block, Heading, Layout, heading

_BLOCKS = {
    *("paragraph_open", "heading_open", "blockquote_open", "bullet_list_open", "ordered_list_open", "list_item_open"),
    *("table_open", "tr_open", "html_block", "hr", "fence", "code_block"),
}
_CODE = {"fence", "code_block"}


def read_markdown(text: str) -> Layout:
    """The layout of a Markdown text; its lines are the lines of the file.

    Headings inside quotes and lists belong to the text around them; headings written in HTML count.
    """
    lines = text.split("\n")
    after = _front_matter(lines)
    tokens = _blocks.parse("\n".join([""] * after + lines[after:]))
    blocks = [Block(1, after)] if after else []
    return Layout(lines, list(_headings(tokens)), [*blocks, *_blocks_of(tokens)], _title(lines[:after]))


def _parser() -> MarkdownIt:
    """CommonMark with tables, without a limit on nesting that a document meets."""
    return MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")


_inline = _parser()
_blocks = _parser()
_blocks.core.ruler.disable("inline")  # only headings need it, and it is the slow part


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines the front matter takes (YAML between ``---``, TOML between ``+++``), 0 without one."""
    ends = _FENCES.get(lines[0].rstrip())
    if not ends or len(lines) < 2 or not _KEY.match(lines[1]):
        return 0
    return next((number for number, line in enumerate(lines[1:_LONGEST], 2) if line.rstrip() in ends), 0)


_FENCES = {"---": ("---", "..."), "+++": ("+++",)}
_LONGEST = 200
_KEY = re.compile(r"\s*(?:#|\[|[\w\"'][^\n]*?\s*[:=])")
_TITLE = re.compile(r"title\s*[:=]\s*(['\"]?)(.+?)\1\s*$")


def _title(front: Sequence[str]) -> str:
    """The title that the front matter gives, or ''."""
    return next((" ".join(found[2].split()) for line in front if (found := _TITLE.match(line))), "")


def _blocks_of(tokens: Sequence[Token]) -> Iterator[Block]:
    for token in tokens:
        if token.type in _BLOCKS and token.map:
            yield Block(token.map[0] + 1, token.map[1], token.level, token.type in _CODE)


def _headings(tokens: Sequence[Token]) -> Iterator[Heading]:
    for at, token in enumerate(tokens):
        if token.level or not token.map:
            continue
        if token.type == "heading_open":
            found = _heading(int(token.tag[1:]), tokens[at + 1].content, token.map[0] + 1, token.map[1])
            yield from [found] if found else []
        elif token.type == "html_block":
            yield from _html_headings(token.content, token.map[0] + 1)


def _heading(level: int, content: str, first: int, last: int) -> Heading | None:
    """A heading, its line kept in the text when it leads somewhere that the title does not say."""
    children = _inline.parseInline(content)[0].children or []
    title = _ATTRIBUTES.sub("", "".join(map(_words, children)))
    leads = any(child.type == "image" or not str(child.attrGet("href") or "#").startswith("#") for child in children)
    return heading(level, title, first, first - 1 if leads else last)


_ATTRIBUTES = re.compile(r"\s*\{:?\s*[#.][^{}]*\}\s*$")


def _words(token: Token) -> str:
    """The text of one inline token, without its marks."""
    if token.type in ("softbreak", "hardbreak"):
        return " "
    return token.content if token.type in ("text", "text_special", "code_inline", "image") else ""


def _html_headings(html: str, line: int) -> Iterator[Heading]:
    """Headings in a block of HTML, as many a README opens with; their lines stay in the text."""
    for found in _HTML_HEADING.finditer(html):
        first = line + html.count("\n", 0, found.start())
        title = heading(int(found[1]), _TAG.sub(" ", found[2]), first, first - 1)
        yield from [title] if title else []


_HTML_HEADING = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
