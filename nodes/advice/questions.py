"""The three questions: everything that others wrote stands between marks, and the replies are what a schema allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...retrieval.advice.listing import Listing, one_line
from ...retrieval.advice.proposals import PLAN_SCHEMA
from ...retrieval.advice.rubric import Excerpt, rubric_schema
from ...retrieval.answers.fences import Fence
from ...state.ports import Workspace
from .asking import Question

__all__ = ["folders_of", "plan_question", "rank_question", "rubric_question", "shown_task"]

_LONGEST_TASK = 8_000  # characters
_FOLDERS = 40


def shown_task(text: str) -> str:
    """As much of a task as a model is shown."""
    return text[:_LONGEST_TASK]


def plan_question(system: str, task: str, workspace: Workspace) -> Question:
    """What a planner is asked: the task, and the largest folders of the code base."""
    folders = "\n".join(folders_of(workspace))
    fence = Fence.around([task, folders])
    blocks = [fence.block("folders of the code base", folders), fence.block("task", task)]
    return Question(_with_rule(system, fence), "\n\n".join(blocks), PLAN_SCHEMA)


def rank_question(system: str, task: str, listing: Listing) -> Question:
    """What an evaluator is asked: the task and the shuffled candidates."""
    text = listing.text
    fence = Fence.around([task, text])
    blocks = [fence.block("task", task), fence.block("candidates", text)]
    return Question(_with_rule(system, fence), "\n\n".join(blocks), listing.schema)


def rubric_question(system: str, task: str, listing: Listing, excerpts: Sequence[Excerpt]) -> Question:
    """What is asked about code: the task, and an excerpt for each code."""
    texts = {e.path: e.text for e in excerpts}
    fence = Fence.around([task, *texts.values(), *texts])
    rows = zip(listing.codes, listing.rows, strict=True)
    blocks = [fence.block(f"file {code}", texts[row.path], one_line(row.path, 160)) for code, row in rows]
    return Question(
        _with_rule(system, fence), "\n\n".join([fence.block("task", task), *blocks]), rubric_schema(listing)
    )


def folders_of(workspace: Workspace) -> list[str]:
    """The largest folders, two levels deep, with their numbers of files, by name."""
    counts = Counter("/".join(p.split("/")[:-1][:2]) or "." for p in workspace.paths)
    largest = sorted(counts, key=lambda f: (-counts[f], f))[:_FOLDERS]
    return [f"{one_line(folder, 80)}/ {counts[folder]} files" for folder in sorted(largest)]


def _with_rule(system: str, fence: Fence) -> str:
    return f"{system}\n\n{fence.rule}"
