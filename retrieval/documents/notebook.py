"""Jupyter notebooks: their texts and code, in order, as one Markdown text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .layout import Layout
from .markdown import read_markdown


class NoNotebook(ValueError):
    """The text is no notebook."""


def read_notebook(text: str) -> Layout:
    """The layout of a notebook (format 4); its lines are the lines of the text drawn from its cells.

    Code stands between fences. Outputs are left out: they are results, often large, and not what the author wrote.

    Raises:
        NoNotebook: the text is no JSON, or holds no list of cells.
    """
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NoNotebook(f"no JSON: {error}") from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise NoNotebook("it holds no list of cells (formats before 4: open and save it once)")
    return read_markdown("\n\n".join(_texts(cells, _language(notebook))))


def _language(notebook: Mapping[str, Any]) -> str:
    """The language of the code cells, as their fences name it."""
    metadata = notebook.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language") if isinstance(kernel, dict) else None
    return language if isinstance(language, str) and language.isalnum() else "python"


def _texts(cells: list[Any], language: str) -> Iterator[str]:
    for cell in cells:
        if not isinstance(cell, dict) or not (source := _source(cell)).strip():
            continue
        if cell.get("cell_type") == "markdown":
            yield source
        else:
            fence = "~" * max(3, 1 + max(map(len, re.findall("~+", source)), default=0))
            yield f"{fence}{language if cell.get('cell_type') == 'code' else ''}\n{source.rstrip()}\n{fence}"


def _source(cell: Mapping[str, Any]) -> str:
    """The text of a cell: one string, or a list of lines."""
    source = cell.get("source", "")
    text = "".join(map(str, source)) if isinstance(source, list) else str(source)
    return text.replace("\r\n", "\n").replace("\r", "\n")
