"""Notebooks: texts and code in order."""

from __future__ import annotations

import json

import pytest

from iterative_retrieval.state.documents import SkipReason
from iterative_retrieval.state.errors import DocumentSkipped

from .papers import headings, prose, read


def notebook(*cells: tuple[str, str]) -> str:
    return json.dumps(
        {
            "cells": [
                {"cell_type": kind, "source": source.splitlines(keepends=True), "outputs": [{"text": "OUTPUT"}]}
                for kind, source in cells
            ],
            "metadata": {"kernelspec": {"language": "python"}},
            "nbformat": 4,
        }
    )


def test_markdown_cells_give_headings_and_code_stays_code() -> None:
    text = notebook(
        ("markdown", f"# Guide\n\n{prose(400)}"), ("markdown", "## Run"), ("code", "# not a heading\nrun()\n" * 10)
    )
    chunks = read("a.ipynb", text)
    assert headings(chunks) == [("Guide",), ("Guide", "Run")]
    assert chunks[1].text.startswith("~~~python\n# not a heading")
    assert chunks[1].kind == "code"
    assert not any("OUTPUT" in chunk.text for chunk in chunks)


def test_a_cell_that_holds_a_fence_is_kept_whole() -> None:
    (chunk,) = read("a.ipynb", notebook(("code", "x = '''\n~~~~\n# no\n~~~~\n'''"), ("raw", "raw text")))
    assert chunk.heading == ()
    assert chunk.text.startswith("~~~~~python")


@pytest.mark.parametrize("text", ["{", "[]", '{"cells": 3}', "[" * 100_000])
def test_a_damaged_notebook_is_named(text: str) -> None:
    with pytest.raises(DocumentSkipped, match="damaged notebook") as caught:
        read("a.ipynb", text)
    assert caught.value.reason == SkipReason.UNREADABLE
