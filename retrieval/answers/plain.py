"""Text without the decorations of Markdown and reStructuredText; inline code keeps its ticks."""

from __future__ import annotations

import re

_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"!\[([^\]]*)\]\([^)]*\)"), r"\1"),  # images
    (re.compile(r"\[([^\]]+)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)"), r"\1"),  # links
    (re.compile(r"\[([^\]]+)\]\[[^\]]*\]"), r"\1"),
    (re.compile(r"<(https?://[^>\s]+)>"), r"\1"),
    (re.compile(r"</?(?:br|b|i|em|strong|p|span|div|a|kbd|sub|sup)(?:\s[^>]*)?/?>", re.IGNORECASE), " "),
    (re.compile(r"(\*{1,3})(?=\S)(.+?)(?<=\S)\1(?!\*)", re.DOTALL), r"\2"),
    (re.compile(r"(?<!\w)(_{1,2})(?=[^\s_])(.+?)(?<=[^\s_])\1(?!\w)", re.DOTALL), r"\2"),
    (re.compile(r"^[ \t]*#{1,6}[ \t]+|[ \t]+#+[ \t]*$", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE), ""),
    (re.compile(r":[a-z:]+:(?=\x00)"), ""),  # roles before inline code
)
_ROW_EDGE = re.compile(r"^\s*\|\s*|\s*\|\s*$")


def plain(text: str) -> str:
    """``text`` on one line without emphasis, link targets, quotation and heading marks, table edges."""
    codes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        codes.append(f"`{found[2].strip()}`")
        return f"\x00{len(codes) - 1}\x01"

    held = _CODE.sub(keep, text.replace("\x00", "").replace("\x01", ""))
    if held.lstrip().startswith("|"):
        held = _ROW_EDGE.sub("", held)
    for pattern, replacement in _RULES:
        held = pattern.sub(replacement, held)
    opened = re.sub(r"\x00(\d+)\x01", lambda found: codes[int(found[1])], held)
    return " ".join(opened.split())
