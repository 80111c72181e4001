"""The docsearch graph: cache, route, the retrieval loop's own steps over chunks, postprocess, cache admission."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..nodes.dispatch import Dispatcher
from ..nodes.docs_route import DocsRouter
from ..nodes.evaluate import Evaluator
from ..nodes.loop import loop
from ..nodes.postprocess import Postprocessor
from ..nodes.record import Recorder
from ..nodes.refine import Refiner
from ..state.docsearch import DocsearchInput, DocsearchOutput, DocsearchState
from .docsearch_services import DocsearchServices, default_docsearch_services

RECURSION_LIMIT = 30
"""Three cycles take 17 steps; the graph's own counter ends it long before this limit."""

DocsearchGraph = CompiledStateGraph[DocsearchState, Any, DocsearchInput, DocsearchOutput]


def build_docsearch_graph(services: DocsearchServices | None = None, checkpointer: Any = None) -> DocsearchGraph:
    """The compiled graph over the given services (the process's own when None)."""
    s = services or default_docsearch_services()
    recorder = Recorder(s.log, s.domains)
    builder = StateGraph(DocsearchState, input_schema=DocsearchInput, output_schema=DocsearchOutput)
    steps: dict[str, Any] = {
        "intake": s.intake.intake,
        "lookup": s.reader.lookup,
        "route": DocsRouter(s.domains, s.model).route,
        "dispatch": Dispatcher(s.subjects).dispatch,
        "evaluate": Evaluator(s.subjects).evaluate,
        "refine": Refiner(s.subjects).refine,
        "loop": loop,
        "postprocess": Postprocessor(s.collections, s.domains, s.composer).postprocess,
        "admit": s.writer.admit,
        "record": recorder.record,
    }
    add: Any = builder.add_node  # what LangGraph types of a step are more than a wrapped one has
    for name, step in steps.items():
        add(name, step if name == "record" else recorder.watched(step))
    builder.add_edge(START, "intake")
    builder.add_edge("intake", "lookup")
    builder.add_conditional_edges("lookup", after_lookup)
    builder.add_edge("route", "dispatch")
    builder.add_edge("dispatch", "evaluate")
    builder.add_conditional_edges("evaluate", after_evaluation)
    builder.add_edge("refine", "loop")
    builder.add_conditional_edges("loop", after_count)
    builder.add_edge("postprocess", "admit")
    builder.add_edge("admit", "record")
    builder.add_edge("record", END)
    return builder.compile(checkpointer=checkpointer, name="docsearch")


def after_lookup(state: DocsearchState) -> Literal["record", "route"]:
    """A hit is served as it is; everything else is answered."""
    return "record" if state["lookup"].hit else "route"


def after_evaluation(state: DocsearchState) -> Literal["refine", "postprocess"]:
    """Answer when the verdict says stop; the last cycle does no useless refine."""
    return "refine" if state["verdict"].stop is None else "postprocess"


def after_count(state: DocsearchState) -> Literal["dispatch", "postprocess"]:
    """Go round again unless refine found nothing new to ask."""
    return "dispatch" if state["verdict"].stop is None else "postprocess"


def graph() -> DocsearchGraph:
    """The graph for LangGraph Studio and Server."""
    return build_docsearch_graph()
