"""Text without the decorations of its own markup; inline code keeps its ticks, other texts every character."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .markup import Markup

_Rules = Sequence[tuple[re.Pattern[str], str]]
_CODE = re.compile(
    r"(`{1,20})(.{1,2000}?)\1", re.DOTALL
)  # here and below every run is bounded: a model may write anything
_LETTER = r"0-9A-Za-z_\u00c0-\u04ff"
_NAME = r"(?:[a-z0-9]\w*[a-z0-9]|[A-Z0-9][A-Z0-9_]*[A-Z0-9])__(?!\w)"  # the rest of __init__, __ALL__
_STARS = re.compile(rf"(?<![{_LETTER}*])(\*{{1,3}})(?=[^\s*])(.{{1,600}}?)(?<=\S)\1(?![{_LETTER}*])", re.DOTALL)
_MARKDOWN: _Rules = (
    (re.compile(r"!\[([^\[\]]{0,300})\]\([^)\n]{0,600}\)"), r"\1"),  # images
    (
        re.compile(r"\[([^\[\]]{1,300})\]\((?:[^()\s]|\([^()]{0,100}\)){0,600}(?:\s+\"[^\"]{0,200}\")?\)"),
        r"\1",
    ),  # links
    (re.compile(r"\[([^\[\]]{1,300})\]\[[^\[\]]{0,200}\]"), r"\1"),
    (re.compile(r"<(https?://[^<>\s]{1,600})>"), r"\1"),
    (re.compile(r"</?(?:br|b|i|em|strong|p|span|div|a|kbd|sub|sup)(?:\s[^<>]{0,300})?/?>", re.IGNORECASE), " "),
    (_STARS, r"\2"),
    (re.compile(rf"(?<!\w)(?!__{_NAME})(_{{1,2}})(?=[^\s_])(.{{1,600}}?)(?<=[^\s_])\1(?!\w)", re.DOTALL), r"\2"),
    (re.compile(r"^[ \t]*#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE), r"\1"),
    (re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE), ""),
    (re.compile(r":[a-z:]+:(?=\x00)"), ""),  # roles before inline code
)
_RST: _Rules = (
    (re.compile(r"^(version\w+|deprecated(?:-removed)?)::"), r"\1"),
    (re.compile(r":[A-Za-z][\w:+.-]*:(?=\x00)"), ""),  # roles before inline code
    (re.compile(r"(?<!\w)\|(?=\S)([^|\n]+?)(?<=\S)\|(?!\w)"), r"\1"),  # substitutions
    (re.compile(r" ?\[(?:\d+|#\w*|\*)\]_(?!\w)"), ""),  # footnotes
    (_STARS, r"\2"),
)
_LINK = re.compile(r"(?<![:`\w])`([^`<]*[^`<\s])(?:\s*<[^`>]*>)?`__?(?!\w)")
_TARGET = re.compile(r"`([^`<]*[^`<\s])\s*<[^`>]*>`")
_ROW_EDGE = re.compile(r"^\s*\|\s*|\s*\|\s*$")


def plain(text: str, markup: Markup = Markup.MARKDOWN) -> str:
    """``text`` on one line without emphasis, link targets, quotation and heading marks, table edges.

    Of plain texts and extracted pages only runs of white space change.
    """
    if markup in (Markup.TEXT, Markup.PAGE):
        return " ".join(text.split())
    text = _LINK.sub(r"\1", text) if markup is Markup.RST else text
    codes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        code = _TARGET.sub(r"`\1`", found[0]) if markup is Markup.RST else found[0]
        codes.append(f"`{code.strip('`').strip()}`")
        return f"\x00{len(codes) - 1}\x01"

    held = _CODE.sub(keep, text.replace("\x00", "").replace("\x01", ""))
    if held.lstrip().startswith("|") and held.rstrip().endswith("|"):
        held = _ROW_EDGE.sub("", held)
    for pattern, replacement in _RST if markup is Markup.RST else _MARKDOWN:
        held = pattern.sub(replacement, held)
    opened = re.sub(r"\x00(\d+)\x01", lambda found: codes[int(found[1])], held)
    return " ".join(opened.split())
