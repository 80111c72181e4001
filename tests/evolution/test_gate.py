from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from iterative_retrieval.evolution.checks import CheckPolicy, Objective
from iterative_retrieval.evolution.comparison import Arm
from iterative_retrieval.evolution.gate import GateCase, GatePolicy, decide, look_at, looks, noise_sd, until_next_look
from iterative_retrieval.evolution.statistics import sign_flip_p
from iterative_retrieval.state.errors import EvolutionRefused
from iterative_retrieval.state.evolution import EvalQuery, EvalResult, GateReport

N = 120
SINGLE = GatePolicy(looks=[1.0])


def _queries(n: int = N, **more: Any) -> list[EvalQuery]:
    return [EvalQuery(id=f"q{i:03}", text=f"question {i}", **more) for i in range(n)]


def _arm(name: str, gain: float = 0.0, sd: float = 0.0, n: int = N, seed: int = 1, **more: Any) -> Arm:
    """A genome whose scores are 5 plus its gain, plus noise of its own."""
    noise = np.random.default_rng(seed).normal(0, 1, n) * sd
    return Arm(name, {f"q{i:03}": [5.0 + gain + float(noise[i])] for i in range(n)}, **more)


def _case(
    candidates: Sequence[Arm], queries: Sequence[EvalQuery] | None = None, available: int = N, **more: Any
) -> GateCase:
    options = {"active": _arm("active"), **more}
    asked = _queries() if queries is None else queries
    return GateCase(
        layer="postprocess", domain="general", queries=asked, available=available, candidates=candidates, **options
    )


def _decide(candidate: Arm, policy: GatePolicy | None = None, **more: Any) -> GateReport:
    return decide(_case([candidate], **more), policy)


def test_a_clear_gain_is_promoted_at_the_first_look() -> None:
    report = _decide(_arm("better", 1.0, 1.5), queries=_queries(30))
    assert report.verdict == "promote"
    assert report.missing_queries == 0
    assert report.reason.startswith("better: +") and "30 unseen queries" in report.reason
    assert (report.candidate_hash, report.active_hash) == ("better", "active")
    assert report.difference.n == 30 and report.p_adjusted < 0.05 and report.difference.low > 0


def test_a_loss_is_rejected_at_the_first_look() -> None:
    report = _decide(_arm("worse", -0.3, 1.5), queries=_queries(30))
    assert (report.verdict, report.missing_queries) == ("reject", 0)
    assert report.reason.startswith("not better: -")


def test_a_copy_of_the_active_genome_is_not_promoted() -> None:
    assert _decide(_arm("copy")).verdict == "reject"


def test_an_unsure_gain_asks_for_the_next_look() -> None:
    report = _decide(_arm("maybe", 0.5, 1.5, seed=3), queries=_queries(30))
    assert (report.verdict, report.missing_queries) == ("undecided", 30)
    assert report.reason.endswith("30 queries missing until the next look")


def test_an_unsure_gain_at_the_last_look_says_what_would_tell() -> None:
    report = _decide(_arm("maybe", 0.3, 2.5))
    assert report.verdict == "undecided"
    mean, sd = report.difference.mean, report.difference.sd
    assert mean > 0.1
    assert report.missing_queries == pytest.approx(((1.645 + 0.842) * sd / mean) ** 2 - N, rel=0.02)
    assert f"about {report.missing_queries} more queries would tell" in report.reason


def test_a_gain_that_can_only_be_tiny_is_rejected_at_the_last_look() -> None:
    report = _decide(_arm("tiny", 0.06, 0.3, seed=5), GatePolicy(worthwhile=0.2))
    assert report.verdict == "reject"
    assert report.difference.mean > 0 and report.difference.high < 0.2


def test_a_sure_but_worthless_gain_is_rejected() -> None:
    report = _decide(_arm("tiny", 0.05))
    assert report.verdict == "reject"
    assert report.reason.startswith("surely better, but by less than 0.10")


@pytest.mark.parametrize(("asked", "missing"), [(0, 30), (12, 18), (31, 29), (61, 59)])
def test_between_looks_nothing_is_decided(asked: int, missing: int) -> None:
    report = _decide(_arm("better", 2.0, 1.0), queries=_queries(asked))
    assert (report.verdict, report.missing_queries) == ("undecided", missing)


def test_a_small_confirm_pool_says_how_many_queries_it_lacks() -> None:
    report = _decide(_arm("better", 2.0, 1.0), queries=_queries(12), available=12)
    assert (report.verdict, report.missing_queries) == ("undecided", 8)
    assert report.reason == "confirm holds 12 queries; bring 8 more"


def test_an_empty_confirm_pool_is_undecided() -> None:
    report = _decide(_arm("better", 2.0), queries=[], available=0)
    assert (report.verdict, report.missing_queries, report.candidate_score) == ("undecided", 20, None)


def test_looks_are_planned_for_what_the_pool_holds() -> None:
    policy = GatePolicy()
    assert looks(1000, policy) == [30, 60, 120]
    assert looks(120, policy) == [30, 60, 120]
    assert looks(60, policy) == [30, 60]
    assert looks(45, policy) == [45]
    assert looks(12, policy) == [12]


@pytest.mark.parametrize("available", [4, 20, 45, 61, 120, 500])
def test_the_looks_spend_alpha_and_no_more(available: int) -> None:
    policy = GatePolicy()
    spent = [look_at(size, available, policy).alpha for size in looks(available, policy)]
    assert sum(spent) == pytest.approx(policy.alpha)


def test_an_early_look_demands_more() -> None:
    early, late = (_decide(_arm("better", 1.0, 1.5, seed=2), queries=_queries(n)) for n in (30, 120))
    assert early.p_adjusted == pytest.approx(4 * early.difference.p)
    assert late.p_adjusted == pytest.approx(2 * late.difference.p)


def test_the_same_evidence_among_more_variants_weighs_less() -> None:
    candidates = [_arm("one", 0.6, 2.0, seed=2), _arm("two", -0.2, 2.0, seed=3), _arm("three", -0.4, 2.0, seed=4)]
    alone = decide(_case(candidates[:1], _queries(60), available=60), SINGLE)
    among = decide(_case(candidates, _queries(60), available=60), SINGLE)
    assert among.candidate_hash == "one" and among.variants == 3
    assert among.p_adjusted == pytest.approx(3 * alone.p_adjusted)


def test_the_report_is_about_the_best_of_those_that_pass() -> None:
    report = decide(_case([_arm("good", 1.0, 1.0, seed=2), _arm("best", 2.0, 1.0, seed=3), _arm("bad", -1.0)]))
    assert (report.verdict, report.candidate_hash) == ("promote", "best")


def test_a_leader_that_breaks_a_slice_leaves_the_way_to_the_next() -> None:
    queries = [query.model_copy(update={"slice": "ru" if i < 30 else "en"}) for i, query in enumerate(_queries())]
    leader = Arm("leader", {q.id: [3.0 if q.slice == "ru" else 8.0] for q in queries})
    report = decide(_case([leader, _arm("solid", 0.5, 0.5)], queries))
    assert (report.verdict, report.candidate_hash) == ("promote", "solid")
    alone = decide(_case([leader], queries))
    assert alone.verdict == "reject" and "slice ru (-2.00)" in alone.reason


def test_a_slice_may_be_worse_within_its_margin() -> None:
    queries = [query.model_copy(update={"slice": "ru" if i < 30 else "en"}) for i, query in enumerate(_queries())]
    candidate = Arm("mixed", {q.id: [4.7 if q.slice == "ru" else 6.0] for q in queries})
    report = decide(_case([candidate], queries))
    assert report.verdict == "promote"
    assert [(c.name, c.worse) for c in report.checks] == [("en", False), ("ru", False)]


def test_a_slice_too_small_to_tell_is_a_warning() -> None:
    queries = [query.model_copy(update={"slice": "rare" if i < 3 else "en"}) for i, query in enumerate(_queries())]
    candidate = Arm("mixed", {q.id: [0.0 if q.slice == "rare" else 7.0] for q in queries})
    report = decide(_case([candidate], queries))
    assert report.verdict == "promote"
    assert "slice rare: only 3 queries, too few to see it get worse" in report.warnings


def test_a_slice_that_is_perhaps_worse_is_a_warning() -> None:
    queries = [query.model_copy(update={"slice": "ru" if i < 8 else "en"}) for i, query in enumerate(_queries())]
    swing = [-6.0, 3.0, -4.0, 2.0, -5.0, 3.0, -2.0, 1.0]
    scores = {q.id: [5.0 + swing[i] if i < 8 else 7.0] for i, q in enumerate(queries)}
    report = decide(_case([Arm("mixed", scores)], queries))
    assert report.verdict == "promote"
    assert any(w.startswith("slice ru: worse by 1.00") and "not surely" in w for w in report.warnings)


def _seconds(mean: float) -> Mapping[str, Mapping[str, float]]:
    return {"seconds": {f"q{i:03}": mean + 0.1 * (i % 5) for i in range(N)}}


@pytest.mark.parametrize(("seconds", "verdict"), [(2.0, "promote"), (2.3, "promote"), (2.9, "reject")])
def test_a_better_answer_may_not_be_much_slower(seconds: float, verdict: str) -> None:
    checks = CheckPolicy(objectives=[Objective(name="seconds", margin=0.2, relative=True, higher_is_better=False)])
    active = _arm("active", objectives=_seconds(2.0))
    report = _decide(_arm("slow", 1.0, 1.0, objectives=_seconds(seconds)), GatePolicy(checks=checks), active=active)
    assert report.verdict == verdict
    assert [(c.name, c.kind, c.worse) for c in report.checks] == [("seconds", "objective", verdict == "reject")]
    assert report.checks[0].margin == pytest.approx(0.44)


def test_an_objective_that_nobody_measured_is_a_warning() -> None:
    policy = GatePolicy(checks=CheckPolicy(objectives=[Objective(name="recall", margin=0.02)]))
    report = _decide(_arm("better", 1.0, 1.0), policy)
    assert report.verdict == "promote"
    assert any(w.startswith("objective recall: only 0 queries") for w in report.warnings)


def _anchored(score: float | None) -> tuple[list[EvalQuery], Arm]:
    queries = _queries()
    queries[7] = queries[7].model_copy(update={"anchor": True})
    scores = dict(_arm("candidate", 1.0, 1.0).scores)
    del scores["q007"]
    return queries, Arm("candidate", scores if score is None else {**scores, "q007": [score]})


@pytest.mark.parametrize(("score", "verdict"), [(5.0, "promote"), (4.0, "promote"), (3.9, "reject")])
def test_an_anchor_must_not_regress(score: float, verdict: str) -> None:
    queries, candidate = _anchored(score)
    report = decide(_case([candidate], queries))
    assert report.verdict == verdict
    assert [(c.name, c.kind) for c in report.checks] == [("q007", "anchor")]
    flags = next(row.flags for row in report.queries if row.query_id == "q007")
    assert flags == (["anchor"] if verdict == "promote" else ["anchor", "regressed"])


def test_an_unmeasured_anchor_holds_a_promotion_back() -> None:
    queries, candidate = _anchored(None)
    report = decide(_case([candidate], queries))
    assert (report.verdict, report.missing_queries) == ("undecided", 1)
    assert "anchor q007 is unmeasured" in report.reason


def test_a_gain_within_the_judges_own_noise_is_not_promoted() -> None:
    candidate = _arm("better", 1.0, 1.5)
    report = decide(_case([candidate], noise_sd=8.0))
    assert report.verdict == "undecided"
    assert report.noise_floor == pytest.approx(1.96 * 8 / np.sqrt(N))
    assert "that the judge alone shows" in report.reason and report.missing_queries > 0
    assert decide(_case([candidate], noise_sd=1.0)).verdict == "promote"


def test_without_an_a_a_run_the_report_says_so() -> None:
    assert any("no A/A run" in w for w in _decide(_arm("better", 1.0, 1.0)).warnings)
    report = decide(_case([_arm("better", 1.0, 1.0)], noise_sd=0.0))
    assert report.noise_floor == 0.0 and not any("A/A" in w for w in report.warnings)


def test_the_noise_of_an_a_a_run_is_the_root_mean_square_difference() -> None:
    assert noise_sd({"a": 5.0, "b": 5.0, "c": 1.0}, {"a": 8.0, "b": 1.0}) == pytest.approx(np.sqrt(12.5))
    assert noise_sd({"a": 5.0}, {"b": 5.0}) is None


def test_one_document_is_one_witness() -> None:
    """Twenty questions on each of three documents cannot be surer than three coins."""
    queries = [query.model_copy(update={"cluster": f"doc{i % 3}"}) for i, query in enumerate(_queries(60))]
    report = decide(_case([_arm("better", 1.0, 1.0)], queries, available=60))
    assert report.verdict == "undecided"
    assert report.difference.p == pytest.approx(1 / 8)
    assert any(w.startswith("only 3 independent clusters") for w in report.warnings)


@pytest.mark.parametrize(("clusters", "verdict", "missing"), [(4, "undecided", 1), (5, "promote", 0)])
def test_too_few_clusters_can_never_tell_and_the_gate_says_so(clusters: int, verdict: str, missing: int) -> None:
    queries = [query.model_copy(update={"cluster": f"repo{i % clusters}"}) for i, query in enumerate(_queries(40))]
    report = _decide(_arm("c", 1.0, n=40), GatePolicy(looks=[1.0]), queries=queries, available=40)
    assert (report.verdict, report.missing_queries) == (verdict, missing)
    assert ("4 independent clusters can never tell" in report.reason) == (verdict == "undecided")


def test_many_unmeasured_queries_leave_it_undecided() -> None:
    candidate = _arm("better", 2.0, 1.0, n=80)
    report = _decide(candidate)
    assert (report.verdict, report.missing_queries) == ("undecided", 40)
    assert report.reason == "40 of 120 queries are unmeasured; judge them again"


def test_a_few_unmeasured_queries_are_left_out_and_said() -> None:
    report = _decide(_arm("better", 1.0, 1.0, n=115))
    assert (report.verdict, report.difference.n) == ("promote", 115)
    assert "5 of 120 queries are unmeasured and left out" in report.warnings


def test_the_report_shows_the_optimism_of_the_selection() -> None:
    select = {"active": dict.fromkeys("abcdefgh", 5.0), "better": dict.fromkeys("abcdefgh", 7.5)}
    report = decide(_case([_arm("better", 1.0, 1.0)], select=select))
    assert report.select_difference is not None and report.select_difference.mean == 2.5
    assert report.optimism == pytest.approx(2.5 - report.difference.mean)
    assert _decide(_arm("better", 1.0, 1.0)).optimism is None


def test_select_scores_change_nothing_but_what_is_shown() -> None:
    select = {"active": dict.fromkeys("abcdefgh", 5.0), "maybe": dict.fromkeys("abcdefgh", 10.0)}
    with_select, without = (_decide(_arm("maybe", 0.2, 2.5), select=s) for s in (select, {}))
    assert (with_select.verdict, with_select.p_adjusted) == (without.verdict, without.p_adjusted)


def test_queries_are_listed_worst_first_with_both_answers() -> None:
    active = _arm("active", responses={"q001": "old " * 1000})
    candidate = Arm("c", {**_arm("c", 1.0).scores, "q001": [2.0], "q002": [5.0]}, responses={"q001": "new"})
    report = decide(_case([candidate], active=active))
    assert [row.query_id for row in report.queries[:2]] == ["q001", "q002"]
    worst = report.queries[0]
    assert (worst.active_score, worst.candidate_score, worst.candidate_response) == (5.0, 2.0, "new")
    assert len(worst.active_response) == 2000 and worst.flags == ["regressed"]
    assert report.lost == ["q001"] and len(report.won) == N - 2
    assert report.candidate_score == pytest.approx(5 + report.difference.mean)


def test_repeats_are_averaged_and_unequal_ones_said() -> None:
    active = Arm("active", {q.id: [4.0, 6.0] for q in _queries()})
    report = _decide(_arm("better", 1.0, 1.0), active=active)
    assert report.active_score == 5.0 and report.repeats == 1
    assert "some queries were judged more often than others" in report.warnings


def test_an_arm_is_read_from_the_ledgers_rows() -> None:
    def row(pool: Any, repeat: int, score: float | None, genome: str = "g") -> EvalResult:
        return EvalResult(
            genome_id=1, genome_hash=genome, query_id="q", query="?", pool=pool, repeat=repeat, judge="j",
            judge_version="1", response=f"r{repeat}", judge_score=score, objectives={"seconds": 1.0 + repeat},
        )  # fmt: skip

    rows = [row("confirm", 1, 6.0), row("confirm", 0, 4.0), row("confirm", 2, None), row("select", 0, 9.0)]
    arm = Arm.of("g", [*rows, row("confirm", 0, 1.0, "other")], "confirm")
    assert arm.scores == {"q": [4.0, 6.0]} and arm.means() == {"q": 5.0}
    assert arm.objectives == {"seconds": {"q": 2.0}} and arm.responses == {"q": "r0"}


def test_a_query_of_select_in_confirm_is_refused() -> None:
    with pytest.raises(EvolutionRefused, match="first q003; split the pools again"):
        decide(_case([_arm("better", 1.0)], select={"active": {"q003": 5.0}}))


def test_a_query_asked_twice_is_refused() -> None:
    with pytest.raises(EvolutionRefused, match="listed twice"):
        decide(_case([_arm("better", 1.0)], [*_queries(5), *_queries(1)]))


def test_the_active_genome_is_no_candidate() -> None:
    with pytest.raises(EvolutionRefused, match="is the active genome"):
        decide(_case([_arm("active", 1.0)]))


def test_a_gate_without_candidates_is_refused() -> None:
    with pytest.raises(EvolutionRefused, match="no candidate"):
        decide(_case([]))


@pytest.mark.parametrize("wrong", [[0.5], [0.5, 0.25, 1.0], [0.0, 1.0], [0.5, 0.5, 1.0]])
def test_looks_must_grow_to_the_whole(wrong: list[float]) -> None:
    with pytest.raises(ValidationError, match="must grow"):
        GatePolicy(looks=wrong)


def test_the_same_case_gives_the_same_report() -> None:
    case = _case([_arm("better", 0.4, 2.0), _arm("other", 0.1, 2.0, seed=9)])
    assert decide(case) == decide(case)


def test_looking_three_times_promotes_luck_no_more_than_alpha() -> None:
    """Candidates that differ by noise only; whoever took p < 0.05 at any look would promote twice as many."""
    promoted = naive = 0
    for seed in range(200):
        candidate = _arm("luck", 0.0, 2.0, seed=seed)
        differences = [score - 5.0 for (score,) in candidate.scores.values()]
        naive += any(sign_flip_p(differences[:n], resamples=999) < 0.05 for n in (30, 60, 120))
        promoted += _at_its_last_look(candidate).verdict == "promote"
    assert promoted / 200 < 0.05
    assert naive / 200 > 0.08


def test_asking_goes_on_while_looks_remain() -> None:
    policy = GatePolicy()
    assert [until_next_look(asked, N, policy) for asked in (0, 20, 30, 60, 120, 130)] == [30, 10, 30, 60, 0, 0]
    assert until_next_look(0, 0, policy) == 0


def _at_its_last_look(candidate: Arm) -> GateReport:
    """The gate's last word, asking for more queries as long as it may."""
    asked = until_next_look(0, N, GatePolicy())
    report = _decide(candidate, queries=_queries(asked))
    while report.verdict == "undecided" and (more := until_next_look(asked, N, GatePolicy())):
        asked += more
        report = _decide(candidate, queries=_queries(asked))
    return report
