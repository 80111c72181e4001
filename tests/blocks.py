"""The blocks of a tutorial that are run: fenced as python, in order, in one namespace."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
_BLOCK = re.compile(r"^```python( continued)?\n(.*?)^```$", re.S | re.M)


def run_blocks(page: str, names: dict[str, Any], *, continued: bool = False) -> dict[str, Any]:
    """What the blocks of a page leave behind.

    Args:
        page: file name below docs/.
        names: what stands in the namespace before the first.
        continued: whether the blocks marked "continued" are run, which begin where a test has led, or the others.
    """
    text = (DOCS / page).read_text(encoding="utf-8")
    found = [(text[: m.start(2)].count("\n"), m[2]) for m in _BLOCK.finditer(text) if bool(m[1]) is continued]
    assert found, f"{page} has no block to run"
    space: dict[str, Any] = {"__name__": "tutorial", **names}
    for line, code in found:
        exec(compile("\n" * line + code, str(DOCS / page), "exec", dont_inherit=True), space)
    return space
