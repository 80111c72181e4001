"""The retrieval graph: route, dispatch, evaluate, refine, loop, at most three times, then finish."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..nodes.code_subject import CodeSubjects
from ..nodes.dispatch import Dispatcher
from ..nodes.evaluate import Evaluator
from ..nodes.finish import Finisher
from ..nodes.loop import loop
from ..nodes.refine import Refiner
from ..nodes.route import Router
from ..state.retrieval import RetrievalInput, RetrievalOutput, RetrievalState
from .services import Services, default_services

RECURSION_LIMIT = 25
"""Three cycles take 14 steps; the graph's own counter ends it long before this limit."""

RetrievalGraph = CompiledStateGraph[RetrievalState, Any, RetrievalInput, RetrievalOutput]


def build_retrieval_graph(services: Services | None = None, checkpointer: Any = None) -> RetrievalGraph:
    """The compiled graph over the given services (the process's own when None)."""
    s = services or default_services()
    subjects = CodeSubjects(s.workspaces, s.genomes)
    builder = StateGraph(RetrievalState, input_schema=RetrievalInput, output_schema=RetrievalOutput)
    builder.add_node("route", Router(s.genomes, s.workspaces).route)
    builder.add_node("dispatch", Dispatcher(subjects).dispatch)
    builder.add_node("evaluate", Evaluator(subjects).evaluate)
    builder.add_node("refine", Refiner(subjects).refine)
    builder.add_node("loop", loop)
    builder.add_node("finish", Finisher(s.workspaces, s.genomes).finish)
    builder.add_edge(START, "route")
    builder.add_edge("route", "dispatch")
    builder.add_edge("dispatch", "evaluate")
    builder.add_conditional_edges("evaluate", after_evaluate)
    builder.add_edge("refine", "loop")
    builder.add_conditional_edges("loop", after_loop)
    builder.add_edge("finish", END)
    return builder.compile(checkpointer=checkpointer, name="retrieval")


def after_evaluate(state: RetrievalState) -> Literal["refine", "finish"]:
    """Finish when the verdict says stop; the last cycle does no useless refine."""
    return "refine" if state["verdict"].stop is None else "finish"


def after_loop(state: RetrievalState) -> Literal["dispatch", "finish"]:
    """Go round again unless refine found nothing new to ask."""
    return "dispatch" if state["verdict"].stop is None else "finish"


def graph() -> RetrievalGraph:
    """The graph for LangGraph Studio and Server."""
    return build_retrieval_graph()
