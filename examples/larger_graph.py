"""The retrieval graph as a node of a larger graph: plan, retrieve, hand over.

usage: python examples/larger_graph.py "Fix the authentication token expiry bug" path/to/project
"""

from __future__ import annotations

import sys

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from iterative_retrieval import ContextPackage, build_retrieval_graph


class Work(TypedDict, total=False):
    """The parent's own state. It shares ``task``, ``root`` and ``package`` with the retrieval graph."""

    goal: str
    task: str
    root: str
    package: ContextPackage
    briefing: str


def plan(state: Work) -> Work:
    """The task for the subagent; a real planner would split the goal."""
    return {"task": state["goal"]}


def brief(state: Work) -> Work:
    """What the coding subagent gets to read first."""
    files = [f"{f.path}:{s.first}-{s.last}" for f in state["package"].files for s in f.spans]
    return {"briefing": f"{state['task']}\nRead first: {', '.join(files)}"}


def build() -> StateGraph[Work]:
    """The graph plan -> retrieve -> brief."""
    builder = StateGraph(Work)
    builder.add_node("plan", plan)
    builder.add_node("retrieve", build_retrieval_graph())
    builder.add_node("brief", brief)
    builder.add_edge(START, "plan")
    builder.add_edge("plan", "retrieve")
    builder.add_edge("retrieve", "brief")
    builder.add_edge("brief", END)
    return builder


if __name__ == "__main__":
    print(build().compile().invoke({"goal": sys.argv[1], "root": sys.argv[2]})["briefing"])
