"""A parent agent plans, sends each subtask to a subagent with its context, and a subagent asks again for what it lacks.

A subagent learns while working what it needs. It reports a gap, the search goes on from the context it has, and it
gets what is new. The chat model is scripted, so that the example runs anywhere; `build` takes any other.

usage: python examples/ask_again.py "Fix the authentication token expiry bug" path/to/project
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from iterative_retrieval import ContextPackage, as_node, with_texts

MOST_GAPS = 2


class Work(TypedDict, total=False):
    """What a subagent knows: its task, its context, what it lacks, and what it says in the end."""

    task: str
    root: str
    previous: ContextPackage | None
    gap: str | None
    context: ContextPackage
    gaps: int
    reports: Annotated[list[str], operator.add]


class Report(TypedDict):
    """What a subagent hands over; side by side they must write nothing else that the parent holds."""

    reports: Annotated[list[str], operator.add]


class Goal(TypedDict, total=False):
    """What the parent knows."""

    goal: str
    root: str
    subtasks: list[str]
    reports: Annotated[list[str], operator.add]


def subagent(model: BaseChatModel) -> Any:
    """The graph retrieve -> work -> END, and back to retrieve while the model names a gap."""

    def work(state: Work) -> Work:
        package = state["context"]
        answer = model.invoke(f"WORK on: {state['task']}\n\n{with_texts(package).to_markdown()}").text
        if answer.startswith("GAP:") and state.get("gaps", 0) < MOST_GAPS:
            return {"previous": package, "gap": answer.removeprefix("GAP:"), "gaps": state.get("gaps", 0) + 1}
        new = [f.path for f in package.files if f.added and f.known == []] if package.gap else []
        told = f"{state['task']}\n  read {', '.join(f.path for f in package.files)}"
        asked = f"\n  asked again: {package.gap.strip()} -> {', '.join(new) or 'nothing new'}" if package.gap else ""
        return {"gap": None, "reports": [f"{told}{asked}\n  {answer}"]}

    def after_work(state: Work) -> Literal["retrieve", "__end__"]:
        return "retrieve" if state.get("gap") else "__end__"

    builder = StateGraph(Work, output_schema=Report)
    builder.add_node("retrieve", as_node(writes="context"))
    builder.add_node("work", work)
    builder.add_edge(START, "retrieve")
    builder.add_edge("retrieve", "work")
    builder.add_conditional_edges("work", after_work)
    return builder.compile(name="subagent")


def build(model: BaseChatModel) -> Any:
    """The graph plan -> one subagent for each subtask, side by side -> END."""

    def plan(state: Goal) -> Goal:
        lines = model.invoke(f"PLAN: {state['goal']}").text.splitlines()
        return {"subtasks": [line for line in lines if line.strip()]}

    def after_plan(state: Goal) -> list[Send]:
        return [Send("subagent", {"task": task, "root": state["root"]}) for task in state["subtasks"]]

    builder = StateGraph(Goal)
    builder.add_node("plan", plan)
    builder.add_node("subagent", subagent(model))
    builder.add_edge(START, "plan")
    builder.add_conditional_edges("plan", after_plan, ["subagent"])
    builder.add_edge("subagent", END)
    return builder.compile(name="parent")


class Scripted(BaseChatModel):
    """A chat model that splits any goal in two, and misses something when it first sees a context."""

    gap: str = "How does findUser look a user up?"

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: Sequence[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        said = messages[-1].text
        if said.startswith("PLAN:"):
            goal = said.removeprefix("PLAN:").strip()
            reply = f"{goal}\nTest this change: {goal}"
        else:
            reply = "DONE: now I know enough." if "## Known already" in said else f"GAP:{self.gap}"
        return ChatResult(generations=[ChatGeneration(message=AIMessage(reply))])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit('usage: python examples/ask_again.py "TASK" FOLDER')
    done = build(Scripted()).invoke({"goal": sys.argv[1], "root": sys.argv[2]})
    print("\n\n".join(done["reports"]))
