"""docs/thinking.md: its traces and pictures are those of real runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.make_thinking import IMAGES, PAGE, RUNS, made, page, picture, timeless
from iterative_retrieval import ContextPackage
from tests.docs.pages import REPOSITORY, blocks


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, ContextPackage]]:
    """What each run prints, and its package."""
    return {name: made(name, tmp_path_factory.mktemp(name)) for name in RUNS}


def test_the_traces_of_the_page_are_those_of_the_runs(runs: dict[str, tuple[str, ContextPackage]]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, (printed, _) in runs.items():
        assert timeless(page(text, name, printed)) == timeless(text), "run: python docs/make_thinking.py"


def test_the_pictures_are_drawn_from_the_runs(runs: dict[str, tuple[str, ContextPackage]]) -> None:
    for name, (_, package) in runs.items():
        drawn = (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
        assert drawn == picture(package), "run: python docs/make_thinking.py"
        assert all(file.path in drawn for file in package.files)


def test_the_trace_of_the_readme_is_that_of_the_run(runs: dict[str, tuple[str, ContextPackage]]) -> None:
    printed, _ = runs["rate-limiting"]
    [block] = [b for b in blocks("README.md", "console") if "Cycle 1" in b.code]
    trace = block.code[block.code.index("Cycle 1:") :]
    assert timeless(trace).strip() in timeless(printed)


def test_a_trace_is_put_in_its_own_place_only() -> None:
    text = "a\n<!-- token-expiry -->\n<!-- end -->\nb\n<!-- rate-limiting -->\nold\n<!-- end -->\n"
    assert page(text, "token-expiry", "new\n").endswith(
        "new\n```\n<!-- end -->\nb\n<!-- rate-limiting -->\nold\n<!-- end -->\n"
    )
    assert Path(REPOSITORY / "docs" / "thinking.md") == PAGE
