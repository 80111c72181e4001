"""The evolution graph: parent, mutations, judging, the gate, a person's decision."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from ..state.evolution_run import EvolutionInput, EvolutionOutput, EvolutionState

if TYPE_CHECKING:
    from .evolution_services import EvolutionServices

RECURSION_LIMIT = 60
"""Two races, three looks and a few refused answers take some twenty steps."""

EvolutionGraph = CompiledStateGraph[EvolutionState, Any, EvolutionInput, EvolutionOutput]


def build_evolution_graph(services: EvolutionServices | None = None, checkpointer: Any = None) -> EvolutionGraph:
    """The compiled graph over the given services (the process's own when None).

    Args:
        services: what the steps borrow.
        checkpointer: keeps the cycles; without one the graph cannot wait for a person.
    """
    # Here, so that importing the package takes no longer than importing LangGraph; see benchmarks.imports.
    from ..nodes.evolution.approval import Approval
    from ..nodes.evolution.judge import GenomeEvaluator
    from ..nodes.evolution.promote import Promoter
    from ..nodes.evolution.propose import Generator
    from ..nodes.evolution.start import ParentSelector
    from .evolution_services import default_evolution_services

    s = services or default_evolution_services()
    approval, evaluator = Approval(s.ledger), GenomeEvaluator(s.ledger, s.queries)
    generator = Generator(s.ledger, s.queries, s.mutator, s.default, evaluator)
    builder = StateGraph(EvolutionState, input_schema=EvolutionInput, output_schema=EvolutionOutput)
    builder.add_node("select_parent", ParentSelector(s.ledger, s.default, s.queries, s.racing).select_parent)
    builder.add_node("generate_mutations", generator.generate_mutations)
    builder.add_node("eval_genome", evaluator.eval_genome)
    builder.add_node(
        "promote_best", Promoter(s.ledger, s.queries, s.racing, s.gate, s.now, s.patience_days).promote_best
    )
    builder.add_node("await_approval", approval.await_approval)
    builder.add_node("activate", approval.activate)
    builder.add_node("reject", approval.reject)
    builder.add_node("record", approval.record)
    builder.add_edge(START, "select_parent")
    builder.add_edge("select_parent", "generate_mutations")
    builder.add_conditional_edges("generate_mutations", after_generation, ["eval_genome", "record"])
    builder.add_edge("eval_genome", "promote_best")
    builder.add_conditional_edges("promote_best", after_promotion, ["eval_genome", "await_approval", "record"])
    builder.add_conditional_edges("await_approval", after_answer)
    builder.add_conditional_edges("activate", after_decision)
    builder.add_conditional_edges("reject", after_decision)
    builder.add_edge("record", END)
    return builder.compile(checkpointer=checkpointer, name="evolution")


def after_generation(state: EvolutionState) -> list[Send] | Literal["record"]:
    """One evaluation for every candidate, and one for the active genome."""
    return fan_out(state) if state["racing"] else "record"


def after_promotion(state: EvolutionState) -> list[Send] | Literal["await_approval", "record"]:
    """Judge on, ask a person, or end."""
    if state["stage"] != "done":
        return fan_out(state)
    return "await_approval" if state["submitted"] else "record"


def after_answer(state: EvolutionState) -> Literal["activate", "reject"]:
    """As the person decided."""
    return "activate" if state["review"]["decision"] == "approve" else "reject"


def after_decision(state: EvolutionState) -> Literal["await_approval", "__end__"]:
    """Ask again when the answer was refused and the genome still waits."""
    return "__end__" if state.get("outcome") else "await_approval"


def fan_out(state: EvolutionState) -> list[Send]:
    """The genomes to judge next, each in a task of its own, on the first ``upto`` queries of the stage's pool.

    In the A/A run it is the active genome alone, a second time.
    """
    shared = {name: state[name] for name in ("layer", "domain", "source", "seed", "repeats", "budget", "cycle")}
    if state["stage"] == "noise":
        again = {"genome": state["active"], "pool": "confirm", "upto": state["judged_twice"], "repeats": 2}
        return [Send("eval_genome", {**shared, **again})]
    return [
        Send("eval_genome", {**shared, "genome": genome, "pool": state["stage"], "upto": state["upto"]})
        for genome in [state["active"], *state["racing"]]
    ]


async def graph() -> EvolutionGraph:
    """The graph for LangGraph Studio and Server, which bring their own checkpointer.

    The server asks on its event loop, at every run; opening files must not block it.
    """
    return await asyncio.to_thread(_built)


@cache
def _built() -> EvolutionGraph:
    return build_evolution_graph()
