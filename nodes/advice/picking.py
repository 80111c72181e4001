"""Picks: a model chooses among shuffled candidates, and its agreement with itself says what that is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...retrieval.advice.agreement import agreement, concordance, follows_order, pooled, trust
from ...retrieval.advice.listing import Row, listing_of
from ...state.advice import Advice, Schedule
from ...state.document_ports import ChatModel
from ...state.spending import Spending
from .asking import Asked, ask
from .memory import NotedMemory
from .questions import rank_question
from .telling import told, took

__all__ = ["Picks", "picked"]

_TELLING = 10  # candidates: fewer say too little of a model to be remembered


@dataclass(frozen=True)
class Picks:
    """Best-first paths for each order that was answered, what they weigh (0 to 1), and the line of the trace."""

    orders: list[list[str]]
    weight: float
    advice: Advice


def picked(
    rows: Sequence[Row],
    task: str,
    system: str,
    schedule: Schedule,
    model: ChatModel,
    memory: NotedMemory,
    spending: Spending,
) -> Picks:
    """The model's picks among ``rows`` in as many orders as the schedule says, with the weight they earned.

    A model that follows the order it is shown weighs nothing, however well two orders agree; nor does one that picks
    from anywhere in the offline ranking. rows: in the order of that ranking.
    """
    listings = [listing_of(task, rows, order) for order in range(schedule.orders)]
    questions = [rank_question(system, task, listing) for listing in listings]
    asked = [ask(model, question, memory, spending) for question in questions]
    answers = [(listing, a.reply) for listing, a in zip(listings, asked, strict=True) if a.reply is not None]
    places = [listing.picked(reply) for listing, reply in answers]
    orders = [[listing.rows[i].path for i in p] for (listing, _), p in zip(answers, places, strict=True)]
    if not orders:
        return Picks([], 0.0, _line(model, asked, asked[0].failure, memory, spending, None, 0.0))
    found = _measured(rows, orders, places)
    if found.earned is not None and len(rows) >= _TELLING:
        memory.agreed(model.name, questions[0].key(model.name), round(found.earned, 4))
    weight = 0.0 if found.echo else round(trust(pooled(found.earned, schedule.known, schedule.mean)), 3)
    detail = _words(orders, len(rows), found, schedule, weight, [a.failure for a in asked if a.failure])
    return Picks(orders, weight, _line(model, asked, detail, memory, spending, found.agreed, weight))


@dataclass(frozen=True, slots=True)
class _Measured:
    """What picks say of the model. agreed, earned: None for one order, of which neither is known.

    echo: it follows the order it is shown. agreed: with itself. earned: likewise, as far as the offline ranking bears
    it out.
    """

    echo: bool
    agreed: float | None
    earned: float | None


def _measured(rows: Sequence[Row], orders: Sequence[Sequence[str]], places: Sequence[Sequence[int]]) -> _Measured:
    n, rank = len(rows), {row.path: i for i, row in enumerate(rows)}
    if any(follows_order(p, n) for p in places):
        return _Measured(True, None, 0.0)
    if len(orders) < 2:
        return _Measured(False, None, None)
    agreed = agreement(orders[0], orders[1], n)
    borne_out = concordance([rank[path] for path in {path for picks in orders for path in picks}], n)
    return _Measured(False, agreed, agreed * borne_out if agreed > 0 else agreed)


def _line(
    model: ChatModel,
    asked: Sequence[Asked],
    detail: str,
    memory: NotedMemory,
    spending: Spending,
    now: float | None,
    weight: float,
) -> Advice:
    answered = any(a.reply is not None for a in asked)
    return Advice(
        role="evaluator",
        model=model.name,
        outcome="failed" if not answered else "used" if weight else "weightless",
        detail=told(detail, memory),
        remembered=all(a.remembered for a in asked),
        agreement=None if now is None else round(now, 3),
        weight=weight,
        **took(spending.new),
    )


def _words(
    orders: Sequence[Sequence[str]],
    n: int,
    found: _Measured,
    schedule: Schedule,
    weight: float,
    failures: Sequence[str],
) -> str:
    """What came of the picks, in words."""
    how = "two orders" if len(orders) == 2 else "one order"
    said = [f"picked {len(orders[0])} of {n} in {how}, first {orders[0][0]}"]
    if found.echo:
        said.append("it follows the order it is shown, so its picks weigh nothing")
    else:
        said += [f"agreement {found.agreed:.2f}"] if found.agreed is not None else []
        said += [f"{found.earned:.2f} as far as the evidence bears it out"] if found.earned != found.agreed else []
        said += [f"{schedule.mean:.2f} over {schedule.known} earlier requests"] if schedule.known else []
        said.append(f"weight {weight:.2f}" if weight else "too little agreement, so its picks weigh nothing")
    return "; ".join([*said, *(f"one order failed: {failure}" for failure in failures)])
