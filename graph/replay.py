"""Replaying the test session of a routing genome: the script's calls, one after the other."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..evolution.defaults import parse_genome
from ..evolution.seed_prompt import script_calls
from ..retrieval.documents.language import language_of_text
from ..state.errors import CallerError
from ..state.routing import RoutingGenome
from .evolution_services import EvolutionServices
from .trials import PipelineTrials


class ReplayedCall(BaseModel):
    """One call of the session: the tool, its text, and how it was routed under the genome."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    text: str
    outcome: str


def replay(services: EvolutionServices, genome: int) -> list[ReplayedCall]:
    """The calls of a genome's ``eval_seed_prompt`` in order, routed offline under the genome.

    Raises:
        UnknownGenome: there is none.
        CallerError: it has no test session.
    """
    record = services.ledger.genome(genome)
    calls = script_calls(record.eval_seed_prompt) if record.eval_seed_prompt else []
    if record.layer != "routing" or not calls:
        raise CallerError(f"genome {genome} has no test session; candidates of layer routing have one")
    routing = parse_genome("routing", record.genome)
    assert isinstance(routing, RoutingGenome) and isinstance(services.trials, PipelineTrials)
    classifier = services.trials.docs.domains.classifier(record.domain)
    rows = []
    for call in calls:
        text = str(call.arguments.get("question") or call.arguments.get("task") or "")
        route = classifier.route(text, language_of_text(text), routing)
        outcome = f"{route.query_type} ({route.confidence:.2f}), profile {route.profile}: {route.reason}"
        rows.append(ReplayedCall(tool=call.tool, text=text, outcome=outcome))
    return rows
