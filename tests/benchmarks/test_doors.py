"""The benchmarks of doors and imports count what they should."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.door_clients import open_door
from benchmarks.doors import as_text, make_project, measure, tasks, timed
from benchmarks.imports import charged, commands_in, started
from benchmarks.predictions import BenchmarkError


async def test_every_request_is_asked_and_failures_are_counted() -> None:
    asked: list[str] = []

    async def ask(task: str) -> bool:
        asked.append(task)
        return "token" not in task

    seconds, errors = await timed(ask, tasks(40), 8)
    assert sorted(asked) == sorted(tasks(40)) and len(set(asked)) == 40
    assert errors == 5 and seconds >= 0


async def test_the_function_is_the_measure_of_the_graph(tmp_path: Path) -> None:
    root = make_project(tmp_path / "project")
    rows = await measure(root, tmp_path, 4, [1, 2], ["function", "graph"])
    assert [(row["door"], row["concurrency"], row["errors"]) for row in rows] == [
        ("function", 1, 0),
        ("graph", 1, 0),
        ("function", 2, 0),
        ("graph", 2, 0),
    ]
    assert [row["ratio"] for row in rows if row["door"] == "function"] == [1.0, 1.0]
    assert "| graph |" in as_text(rows)


@pytest.mark.skipif(find_spec("langgraph_cli") is None, reason="langgraph dev is not installed; see the extra studio")
async def test_a_langgraph_server_is_a_door(tmp_path: Path) -> None:
    root = make_project(tmp_path / "project")
    async with open_door("langgraph server", root, tmp_path) as ask:
        assert await timed(ask, tasks(2), 2) > (0.0, 0)
        assert not await ask("")


def test_a_process_that_fails_fails_the_benchmark(tmp_path: Path) -> None:
    commands = commands_in(tmp_path)
    assert started(commands["nothing"], str(tmp_path)).wall > 0
    with pytest.raises(BenchmarkError, match="no_such_module"):
        started([commands["nothing"][0], "-c", "import no_such_module"], str(tmp_path))


def test_modules_are_charged_largest_first() -> None:
    rows = charged(50)
    assert len(rows) == 50 and [own for _, own in rows] == sorted((own for _, own in rows), reverse=True)
    assert any(name.startswith("iterative_retrieval.") for name, _ in rows)
