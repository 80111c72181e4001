"""The status machine: which status a genome may take next, by which move, and why not when it may not."""

from __future__ import annotations

from enum import StrEnum

from ..state.errors import NotAllowed
from ..state.evolution import DecisionKind, GenomeStatus


class Move(StrEnum):
    """What can happen to a genome. Those that bear the name of a ``DecisionKind`` are kept as decisions."""

    PROPOSE = "propose"
    EVALUATE = "evaluate"
    SUBMIT = "submit"  # put before a person; again, with a new report, while it waits
    REPLACE = "replace"  # another genome of its layer and domain became active
    ACTIVATE_DEFAULT = DecisionKind.ACTIVATE_DEFAULT.value
    APPROVE = DecisionKind.APPROVE.value
    REJECT = DecisionKind.REJECT.value
    EXPIRE = DecisionKind.EXPIRE.value
    ROLLBACK = DecisionKind.ROLLBACK.value


_S = GenomeStatus

_STEPS: dict[Move, dict[GenomeStatus | None, GenomeStatus]] = {
    Move.PROPOSE: {None: _S.CANDIDATE, _S.EXPIRED: _S.CANDIDATE},  # nobody said no to what expired
    Move.EVALUATE: {_S.CANDIDATE: _S.EVALUATED, _S.EVALUATED: _S.EVALUATED},
    Move.SUBMIT: {_S.EVALUATED: _S.PENDING_APPROVAL, _S.PENDING_APPROVAL: _S.PENDING_APPROVAL},
    Move.REPLACE: {_S.ACTIVE: _S.RETIRED},
    Move.ACTIVATE_DEFAULT: {None: _S.ACTIVE},
    Move.APPROVE: {_S.PENDING_APPROVAL: _S.ACTIVE},
    Move.REJECT: {_S.PENDING_APPROVAL: _S.REJECTED},
    Move.EXPIRE: {_S.PENDING_APPROVAL: _S.EXPIRED},
    Move.ROLLBACK: {_S.RETIRED: _S.ACTIVE},
}

_STANDING: dict[GenomeStatus | None, str] = {
    None: "it does not exist",
    _S.CANDIDATE: "it is not evaluated yet",
    _S.EVALUATED: "the gate did not put it before a person",
    _S.PENDING_APPROVAL: "it waits for a person's decision",
    _S.ACTIVE: "it is active",
    _S.REJECTED: "a person rejected it",
    _S.EXPIRED: "nobody decided in time; it may be proposed again",
    _S.RETIRED: "another genome took its place; a rollback can make it active again",
}


def after(status: GenomeStatus | None, move: Move) -> GenomeStatus:
    """The status that ``move`` leads to.

    Args:
        status: before the move; None for a genome that is not in the ledger.
        move: what happens.

    Raises:
        NotAllowed: the machine has no such step; the message says where the genome stands.
    """
    reason = refusal(status, move)
    if reason:
        raise NotAllowed(reason)
    return _STEPS[move][status]


def refusal(status: GenomeStatus | None, move: Move) -> str:
    """Why ``move`` is not possible from ``status``; '' when it is."""
    if status in _STEPS[move]:
        return ""
    possible = " or ".join(sorted(str(s) if s else "new" for s in _STEPS[move]))
    return f"cannot {_words(move)} this genome: {_STANDING[status]} ({status or 'new'}, not {possible})"


def may_follow(before: GenomeStatus | None, next_status: GenomeStatus) -> list[Move]:
    """The moves that lead from one status to the other; [] when none does."""
    return [move for move, steps in _STEPS.items() if steps.get(before) == next_status]


def deletion_refusal(status: GenomeStatus, submitted: bool) -> str:
    """Why a genome may not be deleted; '' when it may: only what no person was ever asked about goes."""
    if submitted:
        return "it was put before a person once; such a genome is kept for the record"
    if status not in (_S.CANDIDATE, _S.EVALUATED):
        return f"{_STANDING[status]}; only candidates and evaluated genomes can be deleted"
    return ""


def standing(status: GenomeStatus) -> str:
    """Where a genome of this status stands, in words."""
    return _STANDING[status]


def _words(move: Move) -> str:
    return "roll back to" if move == Move.ROLLBACK else move.replace("_", " ")
