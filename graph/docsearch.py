"""The docsearch graph: cache, route, the retrieval loop's own steps over chunks, postprocess, cache admission."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..state.docsearch import DocsearchInput, DocsearchOutput, DocsearchState
from ..state.run_options import DocsearchOptions

if TYPE_CHECKING:
    from .docsearch_services import DocsearchServices

RECURSION_LIMIT = 30
"""Three cycles take 17 steps; the graph's own counter ends it long before this limit."""

DocsearchGraph = CompiledStateGraph[DocsearchState, DocsearchOptions, DocsearchInput, DocsearchOutput]


def build_docsearch_graph(services: DocsearchServices | None = None, checkpointer: Any = None) -> DocsearchGraph:
    """The compiled graph over the given services (the process's own when None)."""
    # Here, so that importing the package takes no longer than importing LangGraph; see benchmarks.imports.
    from ..nodes.dispatch import Dispatcher
    from ..nodes.docs_route import DocsRouter
    from ..nodes.evaluate import Evaluator
    from ..nodes.loop import loop
    from ..nodes.postprocess import Postprocessor
    from ..nodes.record import Recorder
    from ..nodes.refine import Refiner
    from .docsearch_services import default_docsearch_services
    from .prompts import classify_rules
    from .run_options import RunDomains, answers_apart

    s = services or default_docsearch_services()
    recorder = Recorder(s.log, s.domains)
    domains = RunDomains(s.domains)
    builder = StateGraph(
        DocsearchState, context_schema=DocsearchOptions, input_schema=DocsearchInput, output_schema=DocsearchOutput
    )

    def lookup(state: DocsearchState) -> DocsearchState:
        """What the cache holds; a run with options of its own does not ask it."""
        asked: Any = {**state, "fresh": True} if answers_apart() else state
        return s.reader.lookup(asked)

    def admit(state: DocsearchState) -> DocsearchState:
        """Offer the answer to the cache; one made with options of its own is refused."""
        return (replace(s.writer, candidate=True) if answers_apart() else s.writer).admit(state)

    steps: dict[str, Any] = {
        "intake": s.intake.intake,
        "lookup": lookup,
        "route": DocsRouter(domains, s.models.of("classifier"), classify_rules(), s.models.limit).route,
        "dispatch": Dispatcher(s.subjects).dispatch,
        "evaluate": Evaluator(s.subjects).evaluate,
        "refine": Refiner(s.subjects).refine,
        "loop": loop,
        "postprocess": Postprocessor(
            s.collections, domains, s.composer, s.models.limit, s.similarity.troubles
        ).postprocess,
        "admit": admit,
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


async def graph() -> DocsearchGraph:
    """The graph for LangGraph Studio and Server.

    The server asks on its event loop, at every run; opening files must not block it.
    """
    return await asyncio.to_thread(_built)


@cache
def _built() -> DocsearchGraph:
    return build_docsearch_graph()
