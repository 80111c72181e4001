"""Replaying the test session of a routing genome: what was asked, how it was routed, what failed."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..evolution.defaults import CODE, parse_genome
from ..evolution.seed_prompt import ToolCall, script_calls
from ..nodes.route import route_of
from ..retrieval.documents.language import language_of_text
from ..retrieval.task import read_task
from ..state.errors import CallerError
from ..state.evolution import GenomeRecord
from ..state.routing import RoutingGenome
from ..state.spending import Spent
from .evolution_services import EvolutionServices
from .trials import PipelineTrials

Way = Literal["agent", "server", "in-process"]
"""agent: a model chose the calls of a real MCP server. server: the script's calls went through a real MCP server.
in-process: the script's texts were routed here, without a server."""

CallVerdict = Literal["right", "wrong", "unsure", "unlabelled", "failed"]
"""unsure: the router fell back to the default profile. unlabelled: a text that the script does not hold."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SessionCall(_Value):
    """One call of a session. failure: why it gave no result, '' when it did."""

    tool: str
    text: str
    expected: str = ""
    query_type: str = ""
    profile: str = ""
    confidence: float = 0.0
    reason: str = ""
    failure: str = ""
    seconds: float = 0.0

    @property
    def verdict(self) -> CallVerdict:
        """Whether the route was the expected one."""
        if self.failure:
            return "failed"
        if not self.expected:
            return "unlabelled"
        if self.profile == "default":
            return "unsure"
        return "right" if self.query_type == self.expected else "wrong"


class SessionReport(_Value):
    """One session. note: why it went this way. stopped: why it ended. summary: the agent's own words."""

    genome: int
    way: Way
    note: str = ""
    stopped: str = "all calls were made"
    calls: list[SessionCall] = Field(default_factory=list)
    spent: Spent = Field(default_factory=Spent)
    seconds: float = 0.0
    summary: str = ""


def session_of(services: EvolutionServices, genome: int) -> tuple[GenomeRecord, list[ToolCall]]:
    """A genome and the calls of its test session.

    Raises:
        UnknownGenome: there is none.
        CallerError: it has no test session.
    """
    record = services.ledger.genome(genome)
    calls = script_calls(record.eval_seed_prompt) if record.eval_seed_prompt else []
    if record.layer != "routing" or not calls:
        raise CallerError(f"genome {genome} has no test session; candidates of layer routing have one")
    return record, calls


def replay_here(services: EvolutionServices, genome: int, note: str = "") -> SessionReport:
    """The texts of a genome's session in order, routed offline under the genome, in this process.

    Raises:
        UnknownGenome, CallerError: see ``session_of``.
    """
    record, calls = session_of(services, genome)
    routing = parse_genome("routing", record.genome)
    assert isinstance(routing, RoutingGenome) and isinstance(services.trials, PipelineTrials)
    rows = []
    for call in calls:
        if record.domain == CODE:
            route = route_of(read_task(call.text), routing)
        else:
            classifier = services.trials.docs.domains.classifier(record.domain)
            route = classifier.route(call.text, language_of_text(call.text), routing)
        rows.append(
            SessionCall(
                tool=call.tool,
                text=call.text,
                expected=call.expected,
                query_type=route.query_type,
                profile=route.profile,
                confidence=route.confidence,
                reason=route.reason,
            )
        )
    return SessionReport(genome=genome, way="in-process", note=note, calls=rows)
