from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import Any

from benchmarks.predictions import Row
from benchmarks.runner import run


@dataclass(frozen=True)
class Moody:
    """A tool that answers, refuses or dies, as its instance says."""

    name: str = "moody"

    @property
    def nothing(self) -> Row:
        return {"files": []}

    def settings(self) -> dict[str, Any]:
        return {}

    def predict(self, instance: dict[str, Any], root: str) -> Row:
        match instance["mood"]:
            case "dies":
                os.kill(os.getpid(), signal.SIGKILL)
            case "refuses":
                raise ValueError("not today")
        return {"instance_id": instance["instance_id"], "files": [root], "worker": os.getpid()}


def rows(*moods: str, repo: str = "o/n", jobs: int = 1) -> list[Row]:
    made: list[Row] = []
    instances = [{"instance_id": f"{repo}-{i}", "repo": repo, "mood": mood} for i, mood in enumerate(moods)]
    run(instances, Moody(), "/{owner}/{name}", jobs, made.append)
    return made


def test_one_process_serves_a_repository() -> None:
    made = rows("answers", "answers")
    assert [row["files"] for row in made] == [["/o/n"], ["/o/n"]]
    assert made[0]["worker"] == made[1]["worker"] != os.getpid()


def test_a_process_that_dies_costs_its_instance_only() -> None:
    made = rows("answers", "dies", "answers")
    assert [row["files"] for row in made] == [["/o/n"], [], ["/o/n"]]
    assert "the worker process died" in made[1]["error"]


def test_an_instance_that_fails_does_not_end_the_process() -> None:
    made = rows("refuses", "answers")
    assert made[0] == {"instance_id": "o/n-0", "files": [], "error": "ValueError: not today"}
    assert made[1]["files"] == ["/o/n"]


def test_a_large_repository_is_shared_between_jobs() -> None:
    made = rows(*["answers"] * 20, jobs=2)
    assert len(made) == 20
    assert len({row["worker"] for row in made}) > 1
