"""The lists: what waits, genomes, cycles, decisions; each filtered by its address, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from ...state.errors import UnknownGenome
from ...state.evolution import LAYERS, Decision, GenomeRecord, GenomeStatus, Layer
from ...state.ledger_ports import CycleState, Ledger
from .pages import PanelView, page

PAGE = 25
"""Rows of a page."""

_MOST_PAGES = 400
_RECENT = 5

Row = TypeVar("Row")
Choice = TypeVar("Choice", bound=StrEnum)


class Listed(NamedTuple, Generic[Row]):
    """One page of a list. newer, older: addresses of the pages beside it, '' for none."""

    rows: list[Row]
    number: int
    newer: str
    older: str


class Slot(NamedTuple):
    """A layer of a domain with its active genome."""

    layer: Layer
    domain: str
    active: GenomeRecord


class QueueView(PanelView):
    """The first page: what waits for a person, what is active, what was decided last."""

    path = "/"

    @page("", "index")
    def index(self, request: Request, form: FormData) -> Response:
        """What waits for a person."""
        ledger = self.desk.ledger
        waiting = ledger.genomes(status=GenomeStatus.PENDING_APPROVAL, limit=PAGE)
        return self.page(
            request,
            "queue.html",
            waiting=[ledger.submission(genome.id) for genome in waiting],
            slots=slots(ledger),
            decisions=every_decision(ledger)[:_RECENT],
            now=self.desk.clock(),
        )


class GenomesView(PanelView):
    """All genomes."""

    path = "/genomes"

    @page("", "genomes")
    def index(self, request: Request, form: FormData) -> Response:
        """Genomes, the newest first."""
        asked = request.query_params
        found = self.desk.ledger.genomes(
            layer_of(asked.get("layer", "")),
            asked.get("domain") or None,
            choice_of(GenomeStatus, asked.get("status", "")),
            asked.get("cycle") or None,
            limit=_needed(request),
        )
        return self.page(
            request,
            "genomes.html",
            listed=listed(request, found),
            asked=dict(asked),
            layers=LAYERS,
            statuses=list(GenomeStatus),
            domains=domains(self.desk.ledger),
        )


class CyclesView(PanelView):
    """All cycles, and one with its candidates."""

    path = "/cycles"

    @page("", "cycles")
    def index(self, request: Request, form: FormData) -> Response:
        """Cycles, the newest first."""
        asked = request.query_params
        found = self.desk.ledger.cycles(
            layer_of(asked.get("layer", "")),
            asked.get("domain") or None,
            choice_of(CycleState, asked.get("state", "")),
            limit=_needed(request),
        )
        return self.page(
            request,
            "cycles.html",
            listed=listed(request, found),
            asked=dict(asked),
            layers=LAYERS,
            states=list(CycleState),
            domains=domains(self.desk.ledger),
        )

    @page("/{cycle_id:path}", "cycle")
    def cycle(self, request: Request, form: FormData) -> Response:
        """One cycle: who asked, what it spent, what it proposed."""
        ledger, cycle_id = self.desk.ledger, request.path_params["cycle_id"]
        return self.page(
            request,
            "cycle.html",
            cycle=ledger.cycle(cycle_id),
            spending=ledger.spending(cycle_id),
            report=ledger.report(cycle_id),
            genomes=ledger.genomes(cycle_id=cycle_id, limit=PAGE * 4),
        )


class DecisionsView(PanelView):
    """What was ever decided."""

    path = "/decisions"

    @page("", "decisions")
    def index(self, request: Request, form: FormData) -> Response:
        """Decisions, the newest first."""
        asked = request.query_params
        layer, domain, reviewer = layer_of(asked.get("layer", "")), asked.get("domain"), asked.get("reviewer")
        found = [
            decision
            for decision in every_decision(self.desk.ledger)
            if layer in (None, decision.layer)
            and domain in (None, "", decision.domain)
            and reviewer in (None, "", decision.reviewer)
        ]
        return self.page(
            request,
            "decisions.html",
            listed=listed(request, found),
            asked=dict(asked),
            layers=LAYERS,
            domains=domains(self.desk.ledger),
        )


def slots(ledger: Ledger) -> list[Slot]:
    """Every layer of every domain; each has an active genome since its first."""
    active = ledger.genomes(status=GenomeStatus.ACTIVE, limit=1000)
    return sorted((Slot(g.layer, g.domain, g) for g in active), key=lambda slot: (slot.domain, slot.layer))


def domains(ledger: Ledger) -> list[str]:
    """Names of all domains."""
    return sorted({slot.domain for slot in slots(ledger)})


def every_decision(ledger: Ledger) -> list[Decision]:
    """All decisions without their reports, the newest first."""
    found = [decision for slot in slots(ledger) for decision in ledger.history(slot.layer, slot.domain, reports=False)]
    return sorted(found, key=lambda decision: -decision.id)


def listed(request: Request, found: Sequence[Row]) -> Listed[Row]:
    """The page that the address asks for, out of everything up to it and one more."""
    number = page_number(request)
    rows = list(found[(number - 1) * PAGE : number * PAGE])
    more = len(found) > number * PAGE and number < _MOST_PAGES
    return Listed(
        rows,
        number,
        newer=_address(request, page=number - 1) if number > 1 else "",
        older=_address(request, page=number + 1) if more else "",
    )


def page_number(request: Request) -> int:
    """The page that the address asks for; the first when it asks for none that there is."""
    asked = request.query_params.get("page", "1")
    return min(max(int(asked), 1), _MOST_PAGES) if asked.isascii() and asked.isdecimal() and len(asked) < 6 else 1


def layer_of(value: str) -> Layer | None:
    """The layer of that name; None for ''.

    Raises:
        UnknownGenome: there is no such layer.
    """
    found = next((layer for layer in LAYERS if layer == value), None)
    if value and found is None:
        raise UnknownGenome(f"no layer {value!r}; layers are {', '.join(LAYERS)}")
    return found


def choice_of(kind: type[Choice], value: str) -> Choice | None:
    """The member of that value; None for ''.

    Raises:
        UnknownGenome: there is none.
    """
    if value and value not in list(kind):
        raise UnknownGenome(f"{value!r} is none of {', '.join(kind)}")
    return kind(value) if value else None


def _needed(request: Request) -> int:
    return page_number(request) * PAGE + 1


def _address(request: Request, **changed: Any) -> str:
    return "?" + urlencode({**request.query_params, **changed})
