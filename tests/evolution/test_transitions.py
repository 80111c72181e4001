from itertools import product

import pytest

from iterative_retrieval.evolution.transitions import (
    Move,
    after,
    deletion_refusal,
    may_follow,
    refusal,
    standing,
)
from iterative_retrieval.state.errors import NotAllowed
from iterative_retrieval.state.evolution import DecisionKind, GenomeStatus

S = GenomeStatus
STEPS = {
    (None, Move.PROPOSE): S.CANDIDATE,
    (S.EXPIRED, Move.PROPOSE): S.CANDIDATE,
    (S.CANDIDATE, Move.EVALUATE): S.EVALUATED,
    (S.EVALUATED, Move.EVALUATE): S.EVALUATED,
    (S.EVALUATED, Move.SUBMIT): S.PENDING_APPROVAL,
    (S.PENDING_APPROVAL, Move.SUBMIT): S.PENDING_APPROVAL,
    (S.PENDING_APPROVAL, Move.APPROVE): S.ACTIVE,
    (S.PENDING_APPROVAL, Move.REJECT): S.REJECTED,
    (S.PENDING_APPROVAL, Move.EXPIRE): S.EXPIRED,
    (None, Move.ACTIVATE_DEFAULT): S.ACTIVE,
    (S.ACTIVE, Move.REPLACE): S.RETIRED,
    (S.RETIRED, Move.ROLLBACK): S.ACTIVE,
}
PLACES = [None, *GenomeStatus]
IMPOSSIBLE = [pair for pair in product(PLACES, Move) if pair not in STEPS]


@pytest.mark.parametrize(("before", "move"), list(STEPS))
def test_a_genome_takes_the_steps_of_the_machine(before: GenomeStatus | None, move: Move) -> None:
    assert after(before, move) == STEPS[before, move]
    assert refusal(before, move) == ""


@pytest.mark.parametrize(("before", "move"), IMPOSSIBLE)
def test_every_other_step_is_refused_with_where_the_genome_stands(before: GenomeStatus | None, move: Move) -> None:
    with pytest.raises(NotAllowed, match=r"cannot .* this genome: (it|the gate|a person|nobody|another) .*, not "):
        after(before, move)


def test_a_refusal_says_what_would_have_to_be_true() -> None:
    assert refusal(S.CANDIDATE, Move.APPROVE) == (
        "cannot approve this genome: it is not evaluated yet (candidate, not pending_approval)"
    )
    assert refusal(S.REJECTED, Move.PROPOSE) == (
        "cannot propose this genome: a person rejected it (rejected, not expired or new)"
    )
    assert refusal(None, Move.ROLLBACK) == "cannot roll back to this genome: it does not exist (new, not retired)"


def test_only_a_decision_makes_a_genome_active() -> None:
    leading = {move for before in PLACES for move in may_follow(before, S.ACTIVE)}
    assert leading == {Move.ACTIVATE_DEFAULT, Move.APPROVE, Move.ROLLBACK}
    assert {move.value for move in leading} <= {kind.value for kind in DecisionKind}


def test_every_decision_is_a_move() -> None:
    assert {kind.value for kind in DecisionKind} <= {move.value for move in Move}


def test_a_rejected_genome_goes_nowhere() -> None:
    assert all(refusal(S.REJECTED, move) for move in Move)


def test_every_status_can_be_reached_from_nothing() -> None:
    reached: set[GenomeStatus | None] = {None}
    for _ in PLACES:
        reached |= {after(place, move) for place, move in product(reached, Move) if not refusal(place, move)}
    assert reached == set(PLACES)


def test_what_may_follow_agrees_with_the_steps() -> None:
    for before, next_status in product(PLACES, GenomeStatus):
        expected = [move for (start, move), end in STEPS.items() if (start, end) == (before, next_status)]
        assert sorted(may_follow(before, next_status)) == sorted(expected)


@pytest.mark.parametrize("status", list(GenomeStatus))
def test_only_what_no_person_was_asked_about_can_be_deleted(status: GenomeStatus) -> None:
    assert "kept for the record" in deletion_refusal(status, submitted=True)
    free = status in (S.CANDIDATE, S.EVALUATED)
    assert (deletion_refusal(status, submitted=False) == "") == free
    assert free or standing(status) in deletion_refusal(status, submitted=False)
