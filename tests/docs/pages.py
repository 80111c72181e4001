"""The pages of the documentation and their fenced blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for pattern in ("README.md", "docs/*.md", "docs/decisions/*.md", "benchmarks/*.md", "benchmarks/results/*.md")
    for path in REPOSITORY.glob(pattern)
)
"""What people read; CHANGELOG.md is checked with the rest of the site."""

_FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=indent)```$", re.S | re.M)


@dataclass(frozen=True)
class Block:
    """A fenced block. language: the first word after the fence, '' for none."""

    page: str
    line: int
    language: str
    code: str


def blocks(page: str, language: str | None = None) -> list[Block]:
    """The blocks of a page, of one language or of all."""
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    found = [
        Block(page, text[: m.start()].count("\n") + 1, m["info"].split(" ")[0], m["code"])
        for m in _FENCE.finditer(text)
    ]
    return [block for block in found if language in (None, block.language)]
