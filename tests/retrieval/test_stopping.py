import math

import pytest

from iterative_retrieval.retrieval.stopping import decide, package_confidence, sufficiency_features
from iterative_retrieval.state.candidate import Evaluation, Gap, GapKind
from iterative_retrieval.state.genome import RetrievalGenome
from iterative_retrieval.state.loop import Verdict
from iterative_retrieval.state.package import StopReason
from tests.retrieval.builders import evaluation

SURE = RetrievalGenome(sufficiency={"bias": 5.0})
UNSURE = RetrievalGenome(sufficiency={"bias": 0.0}, sufficient_confidence=0.9)
HIGH = [evaluation(p, score=3.0, relevance=0.9) for p in "abc"]
GAP = Gap(kind=GapKind.SYMBOL, target="parse_url", detail="", critical=True)


def verdict(
    found: list[Evaluation],
    gaps: list[Gap] | None = None,
    cycle: int = 1,
    before: list[Evaluation] | None = None,
    genome: RetrievalGenome = SURE,
) -> Verdict:
    return decide(found, gaps or [], cycle, 3, before or [], 8, genome)


def test_three_highly_relevant_files_without_a_critical_gap_are_enough() -> None:
    found = verdict(HIGH)
    assert (found.stop, found.sufficient) == (StopReason.SUFFICIENT, True)
    assert found.reason == "3 highly relevant files, no critical gap"


@pytest.mark.parametrize(
    ("found", "gaps", "genome", "reason"),
    [
        (HIGH[:2], [], SURE, "2 of 3 highly relevant files"),
        (HIGH, [GAP], SURE, "critical gap: parse_url"),
        (HIGH, [], UNSURE, "the package is whole with probability 0.50, 0.90 wanted"),
        ([], [], SURE, "0 of 3 highly relevant files"),
    ],
)
def test_otherwise_another_cycle_follows(
    found: list[Evaluation], gaps: list[Gap], genome: RetrievalGenome, reason: str
) -> None:
    said = verdict(found, gaps, genome=genome)
    assert (said.stop, said.reason) == (None, reason)


def test_a_gap_that_is_not_critical_does_not_keep_the_loop_going() -> None:
    assert verdict(HIGH, [GAP.model_copy(update={"critical": False})]).stop is StopReason.SUFFICIENT


def test_no_new_file_and_no_gain_is_saturated() -> None:
    said = verdict(HIGH[:2], cycle=2, before=HIGH[:2])
    assert (said.stop, said.sufficient) == (StopReason.SATURATED, True)
    assert verdict(HIGH[:2], [GAP], cycle=2, before=HIGH[:2]).sufficient is False


@pytest.mark.parametrize(
    "now", [[*HIGH[:2], evaluation("new", score=0.1)], [evaluation("a", score=3.5, relevance=0.9), HIGH[1]]]
)
def test_a_new_file_or_a_gain_is_not_saturated(now: list[Evaluation]) -> None:
    assert verdict(now, [GAP], cycle=2, before=HIGH[:2]).stop is None


def test_the_last_cycle_ends_the_loop() -> None:
    assert verdict(HIGH, [GAP], cycle=3).stop is StopReason.MAX_CYCLES
    assert verdict(HIGH, [GAP], cycle=3).reason == "3 cycles used"


def test_a_loop_that_found_nothing_to_pack_says_so() -> None:
    assert verdict([evaluation("a", relevance=0.4)], cycle=3).stop is StopReason.MAX_CYCLES
    assert verdict([evaluation("a", relevance=0.1)], cycle=3).stop is StopReason.NOTHING_FOUND
    assert verdict([], cycle=3).stop is StopReason.NOTHING_FOUND


def test_features_compare_the_best_with_what_is_not_packed() -> None:
    found = sufficiency_features([5.0, 4.0, 3.0, 2.0, 1.0], [0.5, 0.2, 0.1, 0.1, 0.01], 4)
    assert found == pytest.approx({"bias": 1.0, "lead": 4.0, "spread": 3.0, "last": -2.0, "best": math.log10(0.5)})


def test_when_every_file_is_packed_nothing_is_left_out() -> None:
    found = sufficiency_features([5.0], [0.5], 8)
    assert (found["lead"], found["spread"], found["last"]) == (8.0, 8.0, -4.0)


def test_confidence_is_logistic_and_zero_without_files() -> None:
    genome = RetrievalGenome(sufficiency={"bias": 1.0, "lead": 0.5})
    found = [evaluation("a", score=3.0), evaluation("b", score=1.0)]
    assert package_confidence(found, 1, genome) == pytest.approx(1 / (1 + math.exp(-2.0)))
    assert package_confidence([], 1, genome) == 0.0
