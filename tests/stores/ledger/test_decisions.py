"""Approve, reject, expire, roll back; what is read afterwards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from iterative_retrieval.state.errors import AlreadyDecided, NotAllowed, StaleReview, UnknownGenome
from iterative_retrieval.state.evolution import DecisionKind, GenomeStatus
from iterative_retrieval.state.ledger_ports import CycleState, Ledger
from iterative_retrieval.stores.ledger import LedgerService
from iterative_retrieval.stores.ledger_rows import swap
from iterative_retrieval.stores.sql import SqlStore
from tests.stores.ledger.desk import DAY, DOMAIN, LAYER, ROLES, Desk, approval, mutation, rejection, result

S = GenomeStatus


def test_the_service_is_a_ledger(desk: Desk) -> None:
    ledger: Ledger = desk.ledger  # checked by mypy too
    assert all(callable(getattr(ledger, name)) for name in dir(Ledger) if not name.startswith("_"))


# Approval


def test_an_approved_genome_is_active_and_the_previous_one_retired(desk: Desk) -> None:
    genome = desk.pending(1)
    desk.now += 60
    decision = desk.ledger.approve(genome.id, approval(genome), ROLES)
    assert desk.active().id == genome.id
    assert desk.ledger.genome(desk.default.id).status == S.RETIRED
    assert desk.ledger.history(LAYER, DOMAIN)[-1] == decision
    assert (decision.kind, decision.reviewer, decision.time) == (DecisionKind.APPROVE, "bob", desk.now)
    assert (decision.seen_version, decision.seen_hash) == (genome.version, genome.genome_hash)
    assert decision.replaced == desk.default.id
    assert decision.report == desk.ledger.submission(genome.id).report.model_dump(mode="json")


def test_the_second_decision_learns_who_decided_what_and_when(desk: Desk) -> None:
    genome = desk.pending(1)
    desk.ledger.approve(genome.id, approval(genome, reason="it is faster"), ROLES)
    told = rf"genome {genome.id} was approved by bob on 1970-01-12 13:46 UTC: it is faster; the decision stands"
    with pytest.raises(AlreadyDecided, match=told):
        desk.ledger.approve(genome.id, approval(genome, "carol"), ROLES)
    with pytest.raises(AlreadyDecided, match=told):
        desk.ledger.reject(genome.id, rejection(genome, "carol"), ROLES)
    assert len(desk.ledger.decisions(genome.id)) == 1


def test_a_decision_on_a_genome_that_was_replaced_since_is_still_the_second_one(desk: Desk) -> None:
    genome = desk.pending(1)
    desk.ledger.approve(genome.id, approval(genome), ROLES)
    desk.approved(2, "c-2")
    with pytest.raises(AlreadyDecided, match="was approved by bob"):
        desk.ledger.approve(genome.id, approval(genome, "carol"), ROLES)


@pytest.mark.parametrize("name", ["ada", "Ada", " ADA ", "ａｄａ"])
def test_the_requester_cannot_approve(desk: Desk, name: str) -> None:
    genome = desk.pending(1)
    with pytest.raises(NotAllowed, match=r"ada asked for genome .* another person must"):
        desk.ledger.approve(genome.id, approval(genome, name), {"admin"})
    assert desk.ledger.genome(genome.id).status == S.PENDING_APPROVAL


def test_whoever_asked_for_the_same_genes_before_cannot_approve_either(desk: Desk) -> None:
    desk.evaluated(1, "c-1", "ada")
    desk.ledger.finish_cycle("c-1", "nobody passed")
    genome = desk.pending(1, "c-2", "bob")
    assert genome.requester == "ada"
    for name in ("ada", "bob"):
        with pytest.raises(NotAllowed, match=f"{name} asked for genome"):
            desk.ledger.approve(genome.id, approval(genome, name), ROLES)
    assert desk.ledger.submission(genome.id).requesters == ["ada", "bob"]
    assert desk.ledger.approve(genome.id, approval(genome, "carol"), ROLES).reviewer == "carol"


@pytest.mark.parametrize("roles", [set(), {"viewer"}, ["viewer", "editor"]])
def test_a_decision_needs_a_role(desk: Desk, roles: Any) -> None:
    genome = desk.pending(1)
    for act, review in ((desk.ledger.approve, approval(genome)), (desk.ledger.reject, rejection(genome))):
        with pytest.raises(NotAllowed, match="only a reviewer or admin may decide"):
            act(genome.id, review, roles)
    with pytest.raises(NotAllowed, match="only a reviewer or admin may decide"):
        desk.ledger.rollback(LAYER, DOMAIN, "bob", "why", roles=roles)


@pytest.mark.parametrize("changed", [{"version": 2}, {"version": 9}, {"genome_hash": "0" * 64}])
def test_a_review_of_another_version_or_hash_is_stale(desk: Desk, changed: dict[str, Any]) -> None:
    genome = desk.pending(1)
    for act, review in (
        (desk.ledger.approve, approval(genome, **changed)),
        (desk.ledger.reject, rejection(genome, **changed)),
    ):
        with pytest.raises(StaleReview, match=f"genome {genome.id} is at version 3 .*; look at it again"):
            act(genome.id, review, ROLES)


def test_a_genome_that_was_compared_with_another_active_one_is_not_approved(desk: Desk) -> None:
    genome = desk.pending(1, "c-1")
    active = desk.approved(2, "c-2").genome_id
    with pytest.raises(StaleReview, match=rf"and genome {active} .* compare it anew and submit the new report"):
        desk.ledger.approve(genome.id, approval(genome), ROLES)
    assert f"genome {active}" in desk.ledger.submission(genome.id).stale
    again = desk.ledger.submit(genome.id, desk.report(genome), desk.now + DAY)
    assert desk.ledger.approve(again.id, approval(again), ROLES).replaced == active


def test_a_rollback_makes_what_waits_stale(desk: Desk) -> None:
    desk.approved(1, "c-1")
    genome = desk.pending(2, "c-2")
    desk.ledger.rollback(LAYER, DOMAIN, "bob", "slower", roles=ROLES)
    with pytest.raises(StaleReview, match="compare it anew"):
        desk.ledger.approve(genome.id, approval(genome), ROLES)


def test_what_was_never_submitted_cannot_be_decided(desk: Desk) -> None:
    genome = desk.evaluated(1)
    with pytest.raises(NotAllowed, match="the gate did not put it before a person"):
        desk.ledger.approve(genome.id, approval(genome), ROLES)
    with pytest.raises(AlreadyDecided, match="was made the default by iterative-retrieval"):
        desk.ledger.approve(desk.default.id, approval(desk.default), ROLES)
    with pytest.raises(UnknownGenome, match="no genome 999"):
        desk.ledger.approve(999, approval(genome), ROLES)


def test_a_rejection_is_not_taken_for_an_approval(desk: Desk) -> None:
    genome = desk.pending(1)
    with pytest.raises(NotAllowed, match="the review says reject, not approve"):
        desk.ledger.approve(genome.id, rejection(genome), ROLES)
    assert desk.ledger.decide(genome.id, rejection(genome), ROLES).kind == DecisionKind.REJECT


def test_a_decision_needs_a_name(desk: Desk) -> None:
    genome = desk.pending(1)
    with pytest.raises(NotAllowed, match="a decision needs the name of who decides"):
        desk.ledger.approve(genome.id, approval(genome, "  "), ROLES)


# Rejection


def test_a_rejected_genome_leaves_the_active_one_where_it_is(desk: Desk) -> None:
    genome = desk.pending(1)
    decision = desk.ledger.decide(genome.id, rejection(genome, reason="too long"), ROLES)
    assert desk.ledger.genome(genome.id).status == S.REJECTED
    assert desk.active() == desk.default
    assert (decision.kind, decision.reason, decision.replaced) == (DecisionKind.REJECT, "too long", None)
    assert decision.report["candidate_hash"] == genome.genome_hash


@pytest.mark.parametrize("reason", ["", " \n"])
def test_a_rejection_needs_a_reason(desk: Desk, reason: str) -> None:
    genome = desk.pending(1)
    with pytest.raises(NotAllowed, match="a rejection needs a reason"):
        desk.ledger.reject(genome.id, rejection(genome, reason=reason), ROLES)


def test_the_requester_may_turn_down_their_own(desk: Desk) -> None:
    genome = desk.pending(1)
    assert desk.ledger.reject(genome.id, rejection(genome, "ada"), ROLES).reviewer == "ada"


# Expiry


def test_nothing_expires_before_its_time(desk: Desk) -> None:
    desk.pending(1, days=1)
    assert desk.ledger.expire_due(desk.now + DAY - 1) == []


def test_a_question_that_nobody_answers_expires(desk: Desk) -> None:
    genome = desk.pending(1, days=1)
    (decision,) = desk.ledger.expire_due(desk.now + DAY)
    assert (decision.kind, decision.genome_id, decision.reviewer) == (
        DecisionKind.EXPIRE,
        genome.id,
        "iterative-retrieval",
    )
    assert desk.ledger.genome(genome.id).status == S.EXPIRED
    assert desk.ledger.expire_due(desk.now + DAY) == []


def test_an_approval_after_the_time_is_refused_even_when_nobody_looked_after_it(desk: Desk) -> None:
    genome = desk.pending(1, days=1)
    desk.now += DAY
    with pytest.raises(AlreadyDecided, match=r"was expired by iterative-retrieval on .*: nobody decided until"):
        desk.ledger.approve(genome.id, approval(genome), ROLES)
    assert desk.ledger.genome(genome.id).status == S.EXPIRED


# Rollback


def test_a_rollback_makes_the_previous_genome_active_again(desk: Desk) -> None:
    approved = desk.approved(1, "c-1").genome_id
    decision = desk.ledger.rollback(LAYER, DOMAIN, "bob", "answers got worse", roles=ROLES)
    assert desk.active().id == desk.default.id
    assert desk.ledger.genome(approved).status == S.RETIRED
    assert (decision.kind, decision.genome_id, decision.replaced) == (DecisionKind.ROLLBACK, desk.default.id, approved)
    assert [d.kind for d in desk.ledger.history(LAYER, DOMAIN)] == ["activate_default", "approve", "rollback"]


def test_two_rollbacks_go_two_steps_back_and_not_forth_again(desk: Desk) -> None:
    first = desk.approved(1, "c-1").genome_id
    desk.approved(2, "c-2")
    assert desk.ledger.rollback(LAYER, DOMAIN, "bob", "worse", roles=ROLES).genome_id == first
    assert desk.ledger.rollback(LAYER, DOMAIN, "bob", "worse", roles=ROLES).genome_id == desk.default.id
    with pytest.raises(NotAllowed, match="is the first; nothing to go back to"):
        desk.ledger.rollback(LAYER, DOMAIN, "bob", "worse", roles=ROLES)


def test_a_rollback_leaves_out_what_was_rolled_back(desk: Desk) -> None:
    desk.approved(1, "c-1")
    desk.ledger.rollback(LAYER, DOMAIN, "bob", "worse", roles=ROLES)
    desk.approved(2, "c-2")
    assert desk.ledger.rollback(LAYER, DOMAIN, "bob", "worse", roles=ROLES).genome_id == desk.default.id


def test_a_rollback_can_go_to_any_retired_genome_also_forth_again(desk: Desk) -> None:
    first = desk.approved(1, "c-1").genome_id
    second = desk.approved(2, "c-2").genome_id
    desk.ledger.rollback(LAYER, DOMAIN, "bob", "worse", roles=ROLES, to=desk.default.id)
    desk.ledger.rollback(LAYER, DOMAIN, "bob", "a mistake", roles=ROLES, to=second)
    assert desk.active().id == second
    assert desk.ledger.genome(first).status == S.RETIRED
    assert desk.ledger.rollback(LAYER, DOMAIN, "bob", "worse", roles=ROLES).genome_id == desk.default.id


def test_a_double_click_does_not_roll_back_twice(desk: Desk) -> None:
    desk.approved(1, "c-1")
    seen = desk.approved(2, "c-2").genome_id
    desk.ledger.rollback(LAYER, DOMAIN, "bob", "worse", roles=ROLES, seen=seen)
    with pytest.raises(StaleReview, match=f"is active by now, not {seen}"):
        desk.ledger.rollback(LAYER, DOMAIN, "bob", "worse", roles=ROLES, seen=seen)


@pytest.mark.parametrize(("reviewer", "reason"), [("", "worse"), ("bob", ""), ("bob", "  ")])
def test_a_rollback_needs_a_name_and_a_reason(desk: Desk, reviewer: str, reason: str) -> None:
    desk.approved(1, "c-1")
    with pytest.raises(NotAllowed, match="needs who asks for it and a reason"):
        desk.ledger.rollback(LAYER, DOMAIN, reviewer, reason, roles=ROLES)


def test_a_rollback_goes_only_to_what_was_active_in_that_layer(desk: Desk) -> None:
    desk.approved(1, "c-1")
    waiting = desk.pending(2, "c-2")
    law = desk.ledger.ensure_default(LAYER, "law", {})

    def back(to: int) -> None:
        desk.ledger.rollback(LAYER, DOMAIN, "bob", "worse", roles=ROLES, to=to)

    with pytest.raises(NotAllowed, match="it waits for a person's decision"):
        back(waiting.id)
    with pytest.raises(NotAllowed, match="it is active"):
        back(desk.active().id)
    with pytest.raises(UnknownGenome, match="belongs to cache_policy of 'law'"):
        back(law.id)
    with pytest.raises(UnknownGenome, match="has no active genome"):
        desk.ledger.rollback(LAYER, "nowhere", "bob", "worse", roles=ROLES)


# Epochs


def test_every_activation_changes_the_epoch_of_its_domain_only(desk: Desk) -> None:
    desk.ledger.ensure_default(LAYER, "law", {})
    other = desk.ledger.epoch("law")
    epochs = [desk.ledger.epoch(DOMAIN)]
    desk.ledger.ensure_default("postprocess", DOMAIN, {})
    epochs.append(desk.ledger.epoch(DOMAIN))
    desk.approved(1, "c-1")
    epochs.append(desk.ledger.epoch(DOMAIN))
    desk.approved(2, "c-2")
    epochs.append(desk.ledger.epoch(DOMAIN))
    assert len(set(epochs)) == 4
    desk.ledger.rollback(LAYER, DOMAIN, "bob", "worse", roles=ROLES)
    assert desk.ledger.epoch(DOMAIN) == epochs[2]  # the same genomes: their answers are theirs again
    assert desk.ledger.epoch("law") == other


def test_what_changes_no_active_genome_leaves_the_epoch(desk: Desk) -> None:
    before = desk.ledger.epoch(DOMAIN)
    genome = desk.pending(1)
    desk.ledger.reject(genome.id, rejection(genome), ROLES)
    assert desk.ledger.epoch(DOMAIN) == before
    assert desk.ledger.hashes(DOMAIN) == {LAYER: desk.default.genome_hash}


def test_another_process_sees_an_activation_at_once(desk: Desk, place: str) -> None:
    other = SqlStore(place)
    watcher = LedgerService(other)
    before = watcher.epoch(DOMAIN)
    desk.approved(1, "c-1")
    assert watcher.epoch(DOMAIN) == desk.ledger.epoch(DOMAIN) != before
    other.close()


# Compare and swap


def test_a_genome_is_changed_only_as_it_was_seen(desk: Desk) -> None:
    genome = desk.candidate(1)
    desk.ledger.mark_evaluated(genome.id, 5.0)
    for outdated in (genome, desk.ledger.genome(genome.id).model_copy(update={"genome_hash": "0" * 64})):
        with pytest.raises(StaleReview, match="changed since it was read"), desk.store.writing() as tx:
            swap(tx, outdated, desk.now, status="active")
    assert desk.ledger.genome(genome.id).status == S.EVALUATED


# Lineage, lists, export


def test_the_lineage_of_a_genome_leads_to_the_default_by_every_parent(desk: Desk) -> None:
    one, two = desk.candidate(1), desk.candidate(2)
    wish = mutation(3).model_copy(update={"parents": [one.genome_hash, two.genome_hash]})
    child = desk.ledger.propose("c-1", wish)
    assert [genome.id for genome in desk.ledger.lineage(child.id)] == [child.id, one.id, two.id, desk.default.id]
    assert desk.ledger.lineage(desk.default.id) == [desk.default]
    with pytest.raises(UnknownGenome):
        desk.ledger.lineage(999)


def test_genomes_are_listed_the_newest_first(desk: Desk) -> None:
    made = [desk.candidate(gene).id for gene in range(4)]
    assert [genome.id for genome in desk.ledger.genomes()] == [*reversed(made), desk.default.id]
    assert [genome.id for genome in desk.ledger.genomes(status=S.CANDIDATE, limit=2)] == made[:1:-1]
    assert desk.ledger.genomes(cycle_id="c-9") == []


def test_history_can_leave_the_reports_where_they_are(desk: Desk) -> None:
    desk.approved(1, "c-1")
    brief, full = desk.ledger.history(LAYER, DOMAIN, reports=False), desk.ledger.history(LAYER, DOMAIN)
    assert [d.id for d in brief] == [d.id for d in full]
    assert (brief[-1].report, full[-1].report["verdict"]) == ({}, "promote")
    assert desk.ledger.history(LAYER, "law") == []
    with pytest.raises(UnknownGenome):
        desk.ledger.decisions(999)


def test_the_export_holds_every_row_of_the_ledger(desk: Desk) -> None:
    genome = desk.pending(1)
    desk.ledger.record_result(result(genome, judge_reasoning="Größe"))
    decision = desk.ledger.approve(genome.id, approval(genome), ROLES)
    desk.ledger.reserve("c-2", desk.ledger.cycle(desk.cycle("c-2").id).spent)
    rows = [json.loads(line) for line in desk.ledger.export()]
    counts = {
        name: sum(row["table"] == f"evolution_{name}" for row in rows) for name in ("genome", "cycle", "decision")
    }
    assert counts == {"genome": 2, "cycle": 2, "decision": 2}
    by_table = {row["table"]: row for row in rows}
    assert set(by_table) == {
        f"evolution_{name}" for name in ("cycle", "genome", "proposal", "eval_result", "decision", "spending")
    }
    assert by_table["evolution_decision"]["report"] == decision.report
    assert by_table["evolution_eval_result"]["judge_reasoning"] == "Größe"


def test_the_export_shows_one_state_while_others_write(desk: Desk) -> None:
    desk.candidate(1)
    lines = desk.ledger.export()
    first = next(lines)
    desk.candidate(2)
    assert sum(json.loads(line)["table"] == "evolution_genome" for line in [first, *lines]) == 2


def test_a_decided_cycle_waits_to_hear_of_it(desk: Desk) -> None:
    genome = desk.pending(1)
    assert desk.ledger.cycle("c-1").state == CycleState.WAITING
    desk.ledger.approve(genome.id, approval(genome, reason=""), ROLES)
    cycle = desk.ledger.cycle("c-1")
    assert cycle.state == CycleState.DECIDED
    assert cycle.note == f"genome {genome.id} approved by bob on 1970-01-12 13:46 UTC"
