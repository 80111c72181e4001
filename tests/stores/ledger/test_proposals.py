"""Defaults, proposals, results, evaluation and submission."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from iterative_retrieval.evolution.defaults import genome_hash, parse_genome
from iterative_retrieval.state.caching import CachePolicyGenome
from iterative_retrieval.state.errors import InvalidGenome, NotAllowed, StaleReview, UnknownGenome
from iterative_retrieval.state.evolution import Cost, DecisionKind, GenomeStatus, Mutation, MutationKind
from tests.stores.ledger.desk import (
    DOMAIN,
    LAYER,
    ROLES,
    Desk,
    approval,
    cycle_record,
    mutation,
    rejection,
    report,
    result,
)

S = GenomeStatus


# Defaults


def test_the_default_is_active_with_all_its_genes_and_a_decision(desk: Desk) -> None:
    default = CachePolicyGenome()
    assert desk.active() == desk.default
    assert desk.default.genome == default.model_dump(mode="json")
    assert desk.default.genome_hash == genome_hash(default)
    assert (desk.default.status, desk.default.mutation) == (S.ACTIVE, MutationKind.DEFAULT)
    (decision,) = desk.ledger.history(LAYER, DOMAIN)
    assert (decision.kind, decision.genome_id, decision.time) == (
        DecisionKind.ACTIVATE_DEFAULT,
        desk.default.id,
        desk.now,
    )


def test_the_same_default_again_changes_nothing(desk: Desk) -> None:
    again = desk.ledger.ensure_default(LAYER, DOMAIN, CachePolicyGenome())
    assert again == desk.default
    assert len(desk.ledger.history(LAYER, DOMAIN)) == 1


def test_a_newer_default_takes_the_place_of_an_older_one(desk: Desk) -> None:
    newer = desk.ledger.ensure_default(LAYER, DOMAIN, {"max_age_days": 10.0})
    assert desk.active() == newer
    assert desk.ledger.genome(desk.default.id).status == S.RETIRED
    assert desk.ledger.history(LAYER, DOMAIN)[-1].replaced == desk.default.id


def test_two_versions_of_the_package_do_not_take_turns(desk: Desk) -> None:
    newer = desk.ledger.ensure_default(LAYER, DOMAIN, {"max_age_days": 10.0})
    assert desk.ledger.ensure_default(LAYER, DOMAIN, {}) == newer
    assert len(desk.ledger.history(LAYER, DOMAIN)) == 2


def test_a_newer_default_leaves_what_a_person_approved(desk: Desk) -> None:
    desk.approved(5, "c-1")
    kept = desk.ledger.ensure_default(LAYER, DOMAIN, {"max_age_days": 10.0})
    assert kept.genome["max_age_days"] == 0.005
    assert len(desk.ledger.genomes()) == 2


def test_a_newer_default_leaves_what_a_person_rolled_back_to(desk: Desk) -> None:
    desk.approved(5, "c-1")
    desk.ledger.rollback(LAYER, DOMAIN, "bob", "slower", roles=ROLES)
    assert desk.ledger.ensure_default(LAYER, DOMAIN, {"max_age_days": 10.0}).id == desk.default.id


def test_a_default_out_of_bounds_is_refused_with_the_name_of_the_gene(desk: Desk) -> None:
    with pytest.raises(InvalidGenome, match="max_age_days"):
        desk.ledger.ensure_default(LAYER, "other", {"max_age_days": -1})
    assert desk.ledger.active(LAYER, "other") is None


def test_a_default_without_a_domain_is_refused(desk: Desk) -> None:
    with pytest.raises(NotAllowed, match="needs a domain"):
        desk.ledger.ensure_default(LAYER, " ", {})


def test_layers_and_domains_have_an_active_genome_each(desk: Desk) -> None:
    other = desk.ledger.ensure_default(LAYER, "law", {})
    routing = desk.ledger.ensure_default("postprocess", DOMAIN, {})
    assert {desk.default.id, other.id, routing.id} == {genome.id for genome in desk.ledger.genomes(status=S.ACTIVE)}
    assert desk.ledger.genomes(domain="law") == [other]
    assert desk.ledger.genomes(layer="postprocess") == [routing]


# Proposals


def test_a_proposal_becomes_a_candidate_that_knows_where_it_comes_from(desk: Desk) -> None:
    desk.cycle()
    desk.now += 5
    wish = Mutation(
        genome={"max_age_days": 3},
        notes="shorter",
        kind=MutationKind.MODEL,
        parents=[desk.default.genome_hash, "f" * 64],
        eval_seed_prompt="ask for the limits",
    )
    made = desk.ledger.propose("c-1", wish)
    assert made == desk.ledger.genome(made.id)
    assert (made.status, made.version, made.score, made.submitted) == (S.CANDIDATE, 1, None, False)
    assert (made.parent, made.parents) == (desk.default.id, wish.parents)
    assert (made.notes, made.mutation, made.eval_seed_prompt) == ("shorter", MutationKind.MODEL, "ask for the limits")
    assert (made.requester, made.cycle, made.created, made.updated) == ("ada", "c-1", desk.now, desk.now)
    assert made.genome_hash == genome_hash(parse_genome(LAYER, {"max_age_days": 3}))


def test_a_proposal_repeated_by_its_cycle_gives_the_same_row(desk: Desk) -> None:
    made = desk.candidate(7)
    assert desk.ledger.propose("c-1", mutation(7)) == made
    assert len(desk.ledger.genomes(cycle_id="c-1")) == 1
    desk.ledger.mark_evaluated(made.id, 5.0)
    assert desk.ledger.propose("c-1", mutation(7)).status == S.EVALUATED


def test_the_genes_of_a_candidate_under_work_are_refused_to_another_cycle(desk: Desk) -> None:
    made = desk.candidate(7)
    desk.cycle("c-2", "bob")
    with pytest.raises(NotAllowed, match=rf"genome {made.id} has the same genes, and cycle c-1 is at work on it"):
        desk.ledger.propose("c-2", mutation(7))


def test_an_evaluated_genome_of_a_finished_cycle_is_taken_up_with_its_results(desk: Desk) -> None:
    made = desk.evaluated(7)
    desk.ledger.record_result(result(made))
    desk.ledger.finish_cycle("c-1", "nobody passed")
    desk.cycle("c-2", "bob")
    assert desk.ledger.propose("c-2", mutation(7)) == made
    assert desk.ledger.genomes(cycle_id="c-2") == [made]
    assert len(desk.ledger.results(made.id)) == 1


def test_the_genes_of_the_active_genome_are_refused(desk: Desk) -> None:
    desk.cycle()
    with pytest.raises(NotAllowed, match="has the same genes: it is active"):
        desk.ledger.propose("c-1", Mutation(genome={}, kind=MutationKind.STEP))


def test_a_rejected_genome_is_not_proposed_again_and_the_reason_is_told(desk: Desk) -> None:
    genome = desk.pending(7)
    desk.ledger.reject(genome.id, rejection(genome, reason="serves stale answers"), ROLES)
    desk.cycle("c-2")
    with pytest.raises(NotAllowed, match=r"a person rejected it \(bob, .* UTC: serves stale answers\)"):
        desk.ledger.propose("c-2", mutation(7))


def test_a_retired_genome_is_not_proposed_again(desk: Desk) -> None:
    desk.approved(7, "c-1")
    desk.approved(8, "c-2")
    desk.cycle("c-3")
    with pytest.raises(NotAllowed, match="another genome took its place"):
        desk.ledger.propose("c-3", mutation(7))


def test_an_expired_genome_may_be_proposed_again(desk: Desk) -> None:
    expired = desk.pending(7, days=1)
    desk.now += 100_000
    desk.ledger.expire_due()
    again = desk.candidate(7, "c-2")
    assert (again.id, again.status, again.score, again.submitted) == (expired.id, S.CANDIDATE, None, True)
    assert again.version == expired.version + 2
    with pytest.raises(NotAllowed, match="it is not evaluated yet"):
        desk.ledger.approve(again.id, approval(again), ROLES)


def test_genes_out_of_bounds_are_refused_with_the_name_of_the_gene(desk: Desk) -> None:
    desk.cycle()
    with pytest.raises(InvalidGenome, match="field 'min_supportedness'"):
        desk.ledger.propose("c-1", Mutation(genome={"min_supportedness": 2}, kind=MutationKind.MODEL))
    with pytest.raises(InvalidGenome, match="field 'taste'"):
        desk.ledger.propose("c-1", Mutation(genome={"taste": 2}, kind=MutationKind.MODEL))


def test_a_proposal_needs_a_cycle(desk: Desk) -> None:
    with pytest.raises(UnknownGenome, match="no cycle 'c-9'"):
        desk.ledger.propose("c-9", mutation(1))


def test_a_proposal_needs_an_active_genome_to_compare_with(desk: Desk) -> None:
    desk.ledger.open_cycle(cycle_record("law-1").model_copy(update={"domain": "law"}))
    with pytest.raises(NotAllowed, match="ensure_default first"):
        desk.ledger.propose("law-1", mutation(1))


def test_texts_that_a_model_wrote_are_stored_whatever_they_hold(desk: Desk) -> None:
    desk.cycle()
    odd = Mutation(genome={"max_age_days": 1}, notes="a\x00b 😀 <script>", kind=MutationKind.MODEL)
    made = desk.ledger.propose("c-1", odd)
    assert made.notes == "a\ufffdb 😀 <script>"


def test_the_hash_of_a_genome_is_that_of_the_genes_that_come_back(desk: Desk) -> None:
    weights = {"bm25": -0.0, "path": 1e-7, "rrf": 1.1 + 2.2}
    made = desk.ledger.ensure_default("retrieval", DOMAIN, {"weights": weights, "k1": 1})
    kept = desk.ledger.genome(made.id)
    assert kept.genome["weights"] == weights
    assert kept.genome_hash == genome_hash(parse_genome("retrieval", kept.genome))
    assert desk.ledger.ensure_default("retrieval", DOMAIN, {"weights": {**weights, "bm25": 0.0}, "k1": 1}) == kept


def test_a_gene_with_a_nul_character_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidGenome, match="NUL"):
        desk.ledger.ensure_default("postprocess", DOMAIN, {"system_prompt": "a\x00b"})


# Results


def test_a_result_comes_back_as_it_was_recorded(desk: Desk) -> None:
    genome = desk.candidate(1)
    odd: dict[str, Any] = {
        "objectives": {"seconds": 0.1 + 0.2, "gain": -math.inf},
        "metrics": {"accuracy": None, "sources": 3.5},
    }
    sent = result(genome, judge_reasoning="Grüße из 文档", judge_response='{"a": 1}', slice="de", cluster="d.md", **odd)
    assert desk.ledger.record_result(sent)
    assert desk.ledger.results(genome.id) == [sent]


def test_a_result_is_kept_once_and_the_first_one_stays(desk: Desk) -> None:
    genome = desk.candidate(1)
    first = result(genome, judge_score=2.0)
    assert desk.ledger.record_result(first)
    assert not desk.ledger.record_result(result(genome, judge_score=9.0))
    assert not desk.ledger.record_result(result(genome, pool="confirm"))  # the same measurement
    assert desk.ledger.results(genome.id) == [first]


@pytest.mark.parametrize("other", [{"query": "q-2"}, {"judge": "model"}, {"judge_version": "2"}, {"repeat": 1}])
def test_another_query_judge_version_or_repeat_is_another_result(desk: Desk, other: dict[str, Any]) -> None:
    genome = desk.candidate(1)
    assert desk.ledger.record_result(result(genome))
    assert desk.ledger.record_result(result(genome, **other))


def test_the_same_genes_in_another_domain_are_measured_anew(desk: Desk) -> None:
    other = desk.ledger.ensure_default(LAYER, "law", {})
    assert other.genome_hash == desk.default.genome_hash
    assert desk.ledger.record_result(result(desk.default))
    assert desk.ledger.record_result(result(other))


def test_results_are_found_by_pool_judge_and_version(desk: Desk) -> None:
    genome = desk.candidate(1)
    kinds = [
        ("select", "offline", "1"),
        ("confirm", "offline", "1"),
        ("confirm", "model", "1"),
        ("select", "offline", "2"),
    ]
    for number, (pool, judge, version) in enumerate(kinds):
        desk.ledger.record_result(result(genome, f"q-{number}", pool=pool, judge=judge, judge_version=version))

    def found(**wanted: Any) -> list[str]:
        return [row.query_id for row in desk.ledger.results(genome.id, **wanted)]

    assert found() == ["q-0", "q-1", "q-2", "q-3"]
    assert found(pool="confirm") == ["q-1", "q-2"]
    assert found(judge="offline") == ["q-0", "q-1", "q-3"]
    assert found(judge="offline", judge_version="1", pool="select") == ["q-0"]


def test_a_result_of_no_genome_or_of_other_genes_is_refused(desk: Desk) -> None:
    genome = desk.candidate(1)
    with pytest.raises(UnknownGenome, match="no genome 999"):
        desk.ledger.record_result(result(genome.model_copy(update={"id": 999})))
    with pytest.raises(StaleReview, match="the result is of"):
        desk.ledger.record_result(result(genome.model_copy(update={"genome_hash": "0" * 64})))
    with pytest.raises(UnknownGenome):
        desk.ledger.results(999)


# Evaluation


def test_an_evaluated_genome_has_a_score_and_the_cost_of_its_results(desk: Desk) -> None:
    genome = desk.candidate(1)
    for number in range(3):
        desk.ledger.record_result(result(genome, f"q-{number}"))
    done = desk.ledger.mark_evaluated(genome.id, 6.5)
    assert (done.status, done.score, done.version) == (S.EVALUATED, 6.5, 2)
    assert done.cost == Cost(calls=3, tokens=60, seconds=0.75)
    assert desk.ledger.mark_evaluated(genome.id, 6.5) == done
    assert desk.ledger.mark_evaluated(genome.id, 7.0).version == 3


def test_an_unmeasured_genome_is_evaluated_without_a_score(desk: Desk) -> None:
    assert desk.ledger.mark_evaluated(desk.candidate(1).id, None).score is None


def test_a_genome_that_waits_or_is_active_is_not_evaluated_again(desk: Desk) -> None:
    waiting = desk.pending(1)
    with pytest.raises(NotAllowed, match="it waits for a person's decision"):
        desk.ledger.mark_evaluated(waiting.id, 1.0)
    with pytest.raises(NotAllowed, match="it is active"):
        desk.ledger.mark_evaluated(desk.default.id, 1.0)


# Submission


def test_a_submitted_genome_waits_with_its_report(desk: Desk) -> None:
    genome = desk.pending(1, days=2)
    assert (genome.status, genome.submitted, genome.version) == (S.PENDING_APPROVAL, True, 3)
    asked = desk.ledger.submission(genome.id)
    assert (asked.genome, asked.cycle, asked.requesters, asked.stale) == (genome, "c-1", ["ada"], "")
    assert asked.report == desk.report(genome)
    assert asked.expires == desk.now + 2 * 86_400
    assert desk.ledger.report("c-1") == desk.report(genome)
    assert desk.ledger.cycle("c-1").expires == asked.expires


def test_the_same_submission_again_changes_nothing(desk: Desk) -> None:
    genome = desk.pending(1)
    assert desk.ledger.submit(genome.id, desk.report(genome), desk.now + 30 * 86_400) == genome


def test_a_new_report_makes_reviews_of_the_old_one_stale(desk: Desk) -> None:
    genome = desk.pending(1)
    other = desk.report(genome).model_copy(update={"p_adjusted": 0.04})
    again = desk.ledger.submit(genome.id, other, desk.now + 86_400)
    assert (again.status, again.version) == (S.PENDING_APPROVAL, genome.version + 1)
    with pytest.raises(
        StaleReview, match=rf"is at version {again.version} .*, the review is of version {genome.version}"
    ):
        desk.ledger.approve(genome.id, approval(genome), ROLES)
    assert desk.ledger.approve(genome.id, approval(again), ROLES).report["p_adjusted"] == 0.04


@pytest.mark.parametrize("verdict", ["reject", "undecided"])
def test_what_did_not_pass_the_gate_reaches_no_person(desk: Desk, verdict: Any) -> None:
    genome = desk.evaluated(1)
    with pytest.raises(NotAllowed, match=rf"did not pass the gate \({verdict}"):
        desk.ledger.submit(genome.id, desk.report(genome, verdict), desk.now + 10)


def test_a_candidate_is_not_submitted_before_it_is_evaluated(desk: Desk) -> None:
    genome = desk.candidate(1)
    with pytest.raises(NotAllowed, match="it is not evaluated yet"):
        desk.ledger.submit(genome.id, desk.report(genome), desk.now + 10)


def test_a_report_of_another_genome_is_refused(desk: Desk) -> None:
    one, other = desk.evaluated(1), desk.evaluated(2)
    with pytest.raises(StaleReview, match=f"the report is not of genome {one.id}"):
        desk.ledger.submit(one.id, desk.report(other), desk.now + 10)


def test_a_report_against_a_genome_that_is_not_active_any_more_is_refused(desk: Desk) -> None:
    genome = desk.evaluated(1)
    old = desk.report(genome)
    active = desk.approved(2, "c-2")
    with pytest.raises(StaleReview, match=rf"and genome {active.genome_id} \(.*\) is active now"):
        desk.ledger.submit(genome.id, old, desk.now + 10)


def test_a_question_that_is_over_before_it_is_asked_is_refused(desk: Desk) -> None:
    genome = desk.evaluated(1)
    with pytest.raises(NotAllowed, match="over before it began"):
        desk.ledger.submit(genome.id, desk.report(genome), desk.now)


def test_a_cycle_asks_one_question(desk: Desk) -> None:
    other = desk.evaluated(2)
    asked = desk.pending(1)
    with pytest.raises(NotAllowed, match=f"waits for a decision about genome {asked.id}"):
        desk.ledger.submit(other.id, desk.report(other), desk.now + 10)


def test_only_a_cycle_that_proposed_a_genome_submits_it(desk: Desk) -> None:
    genome = desk.evaluated(1)
    desk.cycle("c-2", "bob")
    with pytest.raises(NotAllowed, match="cycle 'c-2' did not propose"):
        desk.ledger.submit(genome.id, desk.report(genome), desk.now + 10, "c-2")


def test_only_the_cycle_that_asks_submits_a_new_report(desk: Desk) -> None:
    genome = desk.evaluated(1)
    desk.ledger.reconcile(desk.now + 10_000)
    desk.cycle("c-2", "bob")
    desk.ledger.propose("c-2", mutation(1))  # c-1 seems dead
    desk.ledger.submit(genome.id, desk.report(genome), desk.now + 100, "c-1")  # it is not
    with pytest.raises(NotAllowed, match=r"cycle c-1 asks about genome \d+ already"):
        desk.ledger.submit(genome.id, desk.report(genome), desk.now + 100, "c-2")
    assert desk.ledger.submission(genome.id).requesters == ["ada", "bob"]


def test_a_genome_that_nobody_was_asked_about_has_no_submission(desk: Desk) -> None:
    with pytest.raises(UnknownGenome, match="was never put before a person"):
        desk.ledger.submission(desk.default.id)


def test_a_report_with_numbers_that_are_none_is_kept(desk: Desk) -> None:
    genome = desk.evaluated(1)
    odd = report(genome, desk.default.genome_hash)
    odd = odd.model_copy(update={"difference": odd.difference.model_copy(update={"high": math.inf})})
    desk.ledger.submit(genome.id, odd, desk.now + 10)
    assert desk.ledger.report("c-1") == odd


# Deletion


def test_a_deleted_genome_takes_its_results_with_it(desk: Desk) -> None:
    genome = desk.evaluated(1)
    child = desk.ledger.propose("c-1", mutation(2, parent=genome.genome_hash))
    desk.ledger.record_result(result(genome))
    desk.ledger.finish_cycle("c-1")
    desk.ledger.delete(genome.id)
    with pytest.raises(UnknownGenome, match=f"no genome {genome.id}"):
        desk.ledger.genome(genome.id)
    assert not [line for line in desk.ledger.export() if re.search("eval_result", line)]
    left = desk.ledger.genome(child.id)
    assert (left.parent, left.parents) == (None, [genome.genome_hash])


def test_the_id_of_a_deleted_genome_is_not_used_again(desk: Desk) -> None:
    genome = desk.candidate(1)
    desk.ledger.finish_cycle("c-1")
    desk.ledger.delete(genome.id)
    assert desk.candidate(2, "c-2").id > genome.id


def test_what_was_once_submitted_is_never_deleted(desk: Desk) -> None:
    genome = desk.pending(1)
    for _ in range(2):
        with pytest.raises(NotAllowed, match="it was put before a person once"):
            desk.ledger.delete(genome.id)
        desk.ledger.reject(genome.id, rejection(genome), ROLES) if genome.status != S.REJECTED else None
        genome = desk.ledger.genome(genome.id)


def test_an_active_default_is_not_deleted(desk: Desk) -> None:
    with pytest.raises(NotAllowed, match="it is active; only candidates"):
        desk.ledger.delete(desk.default.id)


def test_a_genome_that_a_cycle_works_on_is_not_deleted(desk: Desk) -> None:
    genome = desk.candidate(1)
    with pytest.raises(NotAllowed, match="cycle c-1 is at work on it"):
        desk.ledger.delete(genome.id)
