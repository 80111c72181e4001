"""The evolution door: a session of start, question and decision over the ledger's own rules."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...graph.evolve import cycle_result, decide
from ...nodes.evolution.payload import approval_payload
from ...state.errors import NotAllowed, UnknownGenome
from ...state.evolution import Review
from ...state.evolution_run import EvolutionInput
from ...state.feedback import FEEDBACK
from ...state.ledger_ports import CycleRecord, CycleState
from ..admin.people import Person, plain
from ..roots import AllowedRoots
from .cycles import Cycles, Running, ended
from .people import unknown_person

Status = Literal["running", "interrupted", "stopped", "done", "failed"]


class Decision(BaseModel):
    """What a person decides; who that is, their name and password tell."""

    model_config = ConfigDict(extra="forbid")

    decision: Literal["approve", "reject"] = Field(description="approve makes the genome active at once.")
    reason: str = Field(default="", max_length=4000, description="Why; required for a rejection.")
    version: int = Field(ge=1, description="The version of the genome that was seen.")
    genome_hash: str = Field(min_length=8, description="The hash of the genome that was seen.")


class EvolutionTurn(BaseModel):
    """One turn of a session: begin a cycle, ask how far one is, go on with one, or decide."""

    model_config = ConfigDict(extra="forbid")

    start: EvolutionInput | None = Field(default=None, description="Begin this cycle.")
    cycle: str | None = Field(default=None, min_length=1, max_length=300, description="Id of the cycle that is meant.")
    decision: Decision | None = Field(default=None, description="The answer to what an interrupted cycle asks.")
    go_on: bool = Field(default=False, description="Go on with a cycle that stopped half-way.")
    wait: float = Field(default=30.0, ge=0.0, le=3600.0, description="Seconds to wait before the answer says running.")

    @model_validator(mode="after")
    def _one_thing(self) -> EvolutionTurn:
        if (self.start is None) == (self.cycle is None):
            raise ValueError("give either start, to begin a cycle, or cycle, the id of one")
        if self.start is not None and (self.decision is not None or self.go_on):
            raise ValueError("decision and go_on belong to a cycle that is there; give its id instead of start")
        if self.decision is not None and self.go_on:
            raise ValueError("give decision or go_on, not both")
        return self


class EvolutionReply(BaseModel):
    """How far a cycle is.

    status: running; interrupted, a person is asked; stopped half-way, ``go_on`` takes it up; done; failed.
    """

    model_config = ConfigDict(extra="forbid")

    status: Status
    cycle: str
    outcome: str = Field(default="", description='When done: "activated", "rejected" or "recorded" (nobody passed).')
    reason: str = Field(default="", description="Why, in words.")
    genome: int | None = Field(default=None, description="Id of the best genome.")
    candidates: int = Field(default=0, description="How many genomes were tried.")
    question: dict[str, Any] | None = Field(
        default=None, description="When interrupted: what is asked, with version and genome_hash to send back."
    )


class Session:
    """Serves turns.

    Args:
        cycles: what is under way.
        roots: query files and repositories must lie there.
        named: whether the deployment knows people; then whoever changes something must be one of them.
        longest_wait: seconds.
    """

    def __init__(self, cycles: Cycles, roots: AllowedRoots, named: bool, longest_wait: float) -> None:
        self._cycles, self._roots = cycles, roots
        self._ledger = cycles.services.ledger
        self._named, self._longest_wait = named, longest_wait

    async def turn(self, turn: EvolutionTurn, person: Person | None) -> str:
        """Do what a turn asks for, without waiting for the cycle; its id."""
        if turn.start is not None:
            return self._cycles.start(await asyncio.to_thread(self._allowed, turn.start, person))
        assert turn.cycle is not None
        if turn.decision is not None:
            await asyncio.to_thread(self._decide, turn.cycle, turn.decision, person)
        elif turn.go_on:
            await asyncio.to_thread(self._go_on, turn.cycle, person)
        return turn.cycle

    async def wait(self, cycle: str, seconds: float) -> None:
        """Wait until a cycle of this process is over or asks, for so long at most.

        Raises:
            Whatever the cycle failed with.
        """
        running = self._cycles.find(cycle)
        if running is not None and await ended(running, min(seconds, self._longest_wait)) and running.error is not None:
            raise running.error

    def running(self, cycle: str) -> Running | None:
        """What is known of a cycle of this process."""
        return self._cycles.find(cycle)

    def reply(self, cycle: str) -> EvolutionReply:
        """How far a cycle is. Raises UnknownGenome."""
        running = self._cycles.find(cycle)
        under_way = running is not None and not running.over.is_set()
        try:
            held = self._ledger.cycle(cycle)
        except UnknownGenome:
            if under_way:
                return EvolutionReply(status="running", cycle=cycle)
            raise _no_cycle(cycle) from None
        result = cycle_result(cycle, self._cycles.services)
        status = _status(held, under_way)
        return EvolutionReply(
            status=status,
            cycle=cycle,
            outcome=result.outcome if status == "done" else "",
            reason=result.reason,
            genome=result.genome.id if result.genome else None,
            candidates=len(result.candidates),
            question=self._question(result.genome.id) if status == "interrupted" and result.genome else None,
        )

    def _question(self, genome: int) -> dict[str, Any]:
        submission = self._ledger.submission(genome)
        active = self._ledger.active(submission.genome.layer, submission.genome.domain)
        return approval_payload(submission, active.genome if active else {}, "")

    def _allowed(self, request: EvolutionInput, person: Person | None) -> EvolutionInput:
        """The request of whoever really asks, over files that may be read."""
        if "/" in request.domain or "\\" in request.domain:
            raise NotAllowed("name a domain; folders of domains are not read for clients")
        requester = self._requester(request.requester, person)
        source = request.source
        if source.queries and source.queries != FEEDBACK:
            source = source.model_copy(update={"queries": self._roots.file(source.queries)})
        return request.model_copy(update={"requester": requester, "source": source})

    def _requester(self, given: str, person: Person | None) -> str:
        if not self._named:
            return given
        who = self._decider(person)
        if plain(given) != plain(who.name):
            raise NotAllowed(f"{who.name} cannot start a cycle in the name of {given!r}; name yourself as requester")
        return who.name

    def _go_on(self, cycle: str, person: Person | None) -> None:
        if self._named:
            self._decider(person)
        try:
            held = self._ledger.cycle(cycle)
        except UnknownGenome:
            raise _no_cycle(cycle) from None
        request = EvolutionInput(layer=held.layer, domain=held.domain, requester=held.requester)
        self._cycles.start(request, cycle)

    def _decide(self, cycle: str, answer: Decision, person: Person | None) -> None:
        who = self._decider(person)
        genome = self.reply(cycle).genome
        if genome is None:
            raise UnknownGenome(f"cycle {cycle} has no genome to decide about")
        review = Review(reviewer=who.name, **answer.model_dump())
        services, checkpoints = self._cycles.services, self._cycles.checkpoints
        decide(genome, review, roles={who.role.value}, services=services, checkpoints=checkpoints)

    def _decider(self, person: Person | None) -> Person:
        """Whoever may start and decide.

        Raises:
            NotAllowed: the deployment names nobody, or the person only looks.
            Refused: nobody told who they are.
        """
        if not self._named:
            raise NotAllowed(
                "nobody may decide over HTTP: set IR_ADMIN_USERS for this server, or use `iterative-retrieval evolve`"
            )
        if person is None:
            raise unknown_person("only a known person may do this")
        if not person.role.decides:
            raise NotAllowed(f"{person.name} is a {person.role}; a reviewer or an admin may do this")
        return person


def _no_cycle(cycle: str) -> UnknownGenome:
    return UnknownGenome(f"there is no cycle {cycle!r}; begin one with start")


def _status(held: CycleRecord, under_way: bool) -> Status:
    match held.state:
        case CycleState.WAITING:
            return "interrupted"
        case CycleState.FINISHED:
            return "done"
        case CycleState.FAILED:
            return "failed"
    return "running" if under_way else "stopped"
