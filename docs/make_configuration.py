"""Writes the tables of docs/configuration.md and the file .env.example from the settings models.

Run it after a setting changed: ``python docs/make_configuration.py``. A test fails while they differ.
"""

from __future__ import annotations

import re
from pathlib import Path

from iterative_retrieval.graph.settings_rows import example_lines, markdown_table, rows_of
from iterative_retrieval.serving.settings_sections import SECTIONS

ROOT = Path(__file__).parents[1]
PAGE, EXAMPLE = ROOT / "docs" / "configuration.md", ROOT / ".env.example"
_PLACE = re.compile(r"(?<=<!-- settings -->\n).*(?=<!-- end of settings -->)", re.DOTALL)
_HEAD = """\
# Copy it to where `iterative-retrieval config path` says, or export what you need. Nothing here is required: the
# package works without a key and without a network. The environment counts more than the file. No .env of the searched
# folder is read: what stands in a repository must not configure its searcher. Each line shows the default.
"""


def page() -> str:
    """The page with fresh tables."""
    tables = "\n".join(f"### {title}\n\n{markdown_table(rows_of(model()))}\n" for title, model in SECTIONS)
    return _PLACE.sub(lambda _: tables, PAGE.read_text(encoding="utf-8"))


def example() -> str:
    """The example file."""
    parts = [_HEAD]
    for title, model in SECTIONS:
        parts += [f"\n# {title} {'-' * (116 - len(title))}\n", *(f"{row}\n" for row in example_lines(rows_of(model())))]
    return "".join(parts).rstrip("\n") + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    EXAMPLE.write_text(example(), encoding="utf-8")
