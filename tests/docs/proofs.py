"""Ids of tests that pages name: whether they exist."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache

from tests.docs.pages import REPOSITORY


def missing(ids: Iterable[str]) -> list[str]:
    """Those of the ids, each ``file::function``, that name no test that pytest would run."""
    return sorted({name for name in ids if name.partition("::")[2] not in _tests(name.partition("::")[0])})


@cache
def _tests(file: str) -> frozenset[str]:
    """The test functions of a file; none when there is no file. Files of opt-in tests do not count."""
    path = REPOSITORY / file
    if not path.is_file() or not path.name.startswith("test_") or file.startswith("tests/llm/"):
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    )
