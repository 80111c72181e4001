"""The retrieval graph: route, dispatch, evaluate, refine, loop, at most three times, then finish.

With a language model, plan comes before the first dispatch and rerank before finish.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..state.retrieval import RetrievalInput, RetrievalOutput, RetrievalState
from ..state.run_options import RetrievalOptions

if TYPE_CHECKING:
    from .services import Services

RECURSION_LIMIT = 25
"""Three cycles take 14 steps, 16 with a language model; the graph's own counter ends it long before this limit."""

RetrievalGraph = CompiledStateGraph[RetrievalState, RetrievalOptions, RetrievalInput, RetrievalOutput]


def build_retrieval_graph(services: Services | None = None, checkpointer: Any = None) -> RetrievalGraph:
    """The compiled graph over the given services (the process's own when None)."""
    # Here, so that importing the package takes no longer than importing LangGraph; see benchmarks.imports.
    from ..nodes.advice.plan import Planner
    from ..nodes.advice.rerank import Reranker
    from ..nodes.code_subject import CodeSubjects
    from ..nodes.dispatch import Dispatcher
    from ..nodes.evaluate import Evaluator
    from ..nodes.finish import Finisher
    from ..nodes.loop import loop
    from ..nodes.refine import Refiner
    from ..nodes.route import Router
    from .run_options import RunGenomes
    from .services import default_services

    s = services or default_services()
    genomes = RunGenomes(s.genomes)
    subjects = CodeSubjects(s.workspaces, genomes)
    builder = StateGraph(
        RetrievalState, context_schema=RetrievalOptions, input_schema=RetrievalInput, output_schema=RetrievalOutput
    )
    llm_calls = s.advisers.max_calls if s.advisers.configured else None
    builder.add_node("route", Router(genomes, s.workspaces, llm_calls=llm_calls).route)
    builder.add_node("plan", Planner(subjects, s.advisers).plan)
    builder.add_node("dispatch", Dispatcher(subjects).dispatch)
    builder.add_node("evaluate", Evaluator(subjects).evaluate)
    builder.add_node("refine", Refiner(subjects).refine)
    builder.add_node("loop", loop)
    builder.add_node("rerank", Reranker(subjects, s.advisers).rerank)
    builder.add_node("finish", Finisher(s.workspaces, genomes).finish)
    builder.add_edge(START, "route")
    builder.add_conditional_edges("route", after_route)
    builder.add_edge("plan", "dispatch")
    builder.add_edge("dispatch", "evaluate")
    builder.add_conditional_edges("evaluate", after_evaluate)
    builder.add_edge("refine", "loop")
    builder.add_conditional_edges("loop", after_loop)
    builder.add_edge("rerank", "finish")
    builder.add_edge("finish", END)
    return builder.compile(checkpointer=checkpointer, name="retrieval")


def after_route(state: RetrievalState) -> Literal["plan", "dispatch"]:
    """Plan when a language model may be asked."""
    return "plan" if state["llm_calls"] > 0 else "dispatch"


def after_evaluate(state: RetrievalState) -> Literal["refine", "rerank", "finish"]:
    """End when the verdict says stop; the last cycle does no useless refine."""
    return "refine" if state["verdict"].stop is None else _end(state)


def after_loop(state: RetrievalState) -> Literal["dispatch", "rerank", "finish"]:
    """Go round again unless refine found nothing new to ask."""
    return "dispatch" if state["verdict"].stop is None else _end(state)


def _end(state: RetrievalState) -> Literal["rerank", "finish"]:
    """Finish, after a language model judged the candidates when the schedule says so."""
    schedule = state.get("schedule")
    return "rerank" if schedule and schedule.orders else "finish"


async def graph() -> RetrievalGraph:
    """The graph for LangGraph Studio and Server.

    The server asks on its event loop, at every run; opening files must not block it.
    """
    return await asyncio.to_thread(_built)


@cache
def _built() -> RetrievalGraph:
    return build_retrieval_graph()
