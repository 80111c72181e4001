from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.evolution.defaults import parse_genome
from iterative_retrieval.evolution.displacement import displaced, displacement, length, measurable
from iterative_retrieval.evolution.families import families_moved
from iterative_retrieval.evolution.genes import genes_of
from iterative_retrieval.evolution.learning import Tried, farther, learned_shift, learned_step, reach_of
from iterative_retrieval.evolution.mutate import propose
from iterative_retrieval.evolution.steps import stepped
from iterative_retrieval.state.evolution import Layer
from tests.evolution.genomes import genomes, plain

PLAIN = plain("retrieval") | {"weights": {"bm25f_all": 1.0}}
GENES = genes_of("retrieval", PLAIN, "code")


def tried(count: int, truth: dict[str, float], noise: float = 0.0, seed: int = 1) -> list[Tried]:
    """Steps from the plain genome, judged by a linear truth."""
    rng, found = Random(seed), []
    for _ in range(count):
        genome = families_moved(PLAIN, GENES, rng, 1.0)
        shift = displacement(PLAIN, genome, GENES)
        gain = sum(shift.get(path, 0.0) * slope for path, slope in truth.items())
        found.append(Tried(PLAIN, genome, gain + rng.gauss(0.0, noise), 16))
    return found


@settings(deadline=None)
@given(genomes(), st.integers(0, 2**32))
def test_a_genome_moved_by_the_displacement_of_another_has_its_numbers(
    drawn: tuple[Layer, str, dict[str, Any]], seed: int
) -> None:
    layer, domain, genome = drawn
    genes = genes_of(layer, genome, domain)
    other = stepped(genome, genes, Random(seed), 5)
    moved = displaced(genome, displacement(genome, other, genes), genes)
    left = displacement(moved, other, [gene for gene in genes if measurable(gene)])
    assert length(left) < 0.05


@settings(deadline=None)
@given(genomes(), st.integers(0, 2**32), st.floats(-50.0, 50.0))
def test_no_displacement_leaves_the_bounds(drawn: tuple[Layer, str, dict[str, Any]], seed: int, factor: float) -> None:
    layer, domain, genome = drawn
    genes = genes_of(layer, genome, domain)
    shift = displacement(genome, stepped(genome, genes, Random(seed), 8), genes)
    moved = displaced(genome, shift, genes, factor)
    assert parse_genome(layer, moved).model_dump(mode="json") == moved


def test_the_unit_is_half_a_point_of_a_weight_and_a_tenth_of_a_range() -> None:
    other = {**PLAIN, "weights": {"bm25f_all": 2.0, "frame": -0.5}, "b": 0.85, "rrf_k": 60}
    assert displacement(PLAIN, other, GENES) == pytest.approx(
        {"b": 1.0, "weights.bm25f_all": 2.0, "weights.frame": -1.0}
    )


def test_steps_teach_the_direction() -> None:
    truth = {"weights.role_test": -0.3, "weights.path_title": 0.5}

    def gain(shift: dict[str, float]) -> float:
        return sum(shift.get(path, 0.0) * slope for path, slope in truth.items())

    steps = tried(40, truth, noise=0.3)
    shift = learned_shift(steps, GENES, PLAIN)
    assert shift["weights.role_test"] < 0.0 < shift["weights.path_title"]
    usual = sorted(gain(displacement(PLAIN, step.genome, GENES)) for step in steps)
    assert gain(shift) > usual[30]  # better than three in four of the steps that taught it


def test_a_learned_shift_is_as_long_as_a_usual_step() -> None:
    steps = tried(20, {"weights.path_title": 1.0})
    lengths = sorted(length(displacement(PLAIN, t.genome, GENES)) for t in steps)
    assert lengths[5] <= length(learned_shift(steps, GENES, PLAIN)) <= lengths[15]


def test_few_steps_and_steps_without_any_difference_teach_nothing() -> None:
    assert learned_shift(tried(3, {"weights.path_title": 1.0}), GENES, PLAIN) == {}
    assert learned_shift(tried(10, {}), GENES, PLAIN) == {}
    assert learned_step(tried(10, {}), PLAIN, GENES, Random(1), 1.0) is None


def test_a_young_parent_goes_far_and_one_whose_steps_fail_goes_less_far() -> None:
    good, bad = (Tried(PLAIN, PLAIN, difference, 16) for difference in (1.0, -1.0))
    assert reach_of([], PLAIN) == 1.0
    assert reach_of([bad] * 3, PLAIN) == 1.0
    assert reach_of([bad] * 4, PLAIN) == 0.2
    assert reach_of([bad, bad, bad, good], PLAIN) == pytest.approx(0.625)
    assert reach_of([bad, good], PLAIN) == 1.0
    assert reach_of([bad] * 15, {**PLAIN, "b": 0.5}) == 1.0  # steps of another parent


def test_only_the_latest_steps_say_how_far_to_go() -> None:
    good, bad = (Tried(PLAIN, PLAIN, difference, 16) for difference in (1.0, -1.0))
    assert reach_of([good] * 30 + [bad] * 15, PLAIN) == 0.2


def test_a_better_step_is_taken_farther_and_a_worse_one_mirrored() -> None:
    other = {**PLAIN, "weights": {"bm25f_all": 1.0, "frame": 0.8}}
    for seed in range(20):
        better = farther([Tried(PLAIN, other, 1.0, 16)], PLAIN, GENES, Random(seed))
        worse = farther([Tried(PLAIN, other, -1.0, 16)], PLAIN, GENES, Random(seed))
        assert better is not None and better["weights"]["frame"] in (0.4, 1.2, 1.6)
        assert worse is not None and -0.8 <= worse["weights"]["frame"] <= -0.24
    assert farther([Tried(PLAIN, other, 0.0, 16)], PLAIN, GENES, Random(1)) is None
    assert farther([Tried(other, PLAIN, 1.0, 16)], PLAIN, GENES, Random(1)) is None


@settings(deadline=None, max_examples=25)
@given(genomes(), st.integers(0, 2**32), st.lists(st.floats(-10.0, 10.0), max_size=8))
def test_what_was_tried_keeps_proposals_bounded_new_and_deterministic(
    drawn: tuple[Layer, str, dict[str, Any]], seed: int, differences: list[float]
) -> None:
    layer, domain, parent = drawn
    genes, rng = genes_of(layer, parent, domain), Random(seed)
    taught = [Tried(parent, stepped(parent, genes, rng, 5), difference, 8) for difference in differences]
    found = propose(parent, [], layer, 4, Random(seed), domain=domain, tried=taught)
    assert found == propose(parent, [], layer, 4, Random(seed), domain=domain, tried=taught)
    genomes_found = [mutation.genome for mutation in found]
    assert len(genomes_found) == 4
    assert all(parse_genome(layer, genome).model_dump(mode="json") == genome for genome in genomes_found)
    assert all(a != b for i, a in enumerate(genomes_found) for b in [parent, *genomes_found[:i]])


def test_what_was_tried_leads_proposals_to_better_places() -> None:
    truth = {"weights.role_test": -0.3, "weights.path_title": 0.5}

    def mean_gain(taught: list[Tried]) -> float:
        gains = []
        for seed in range(12):
            for mutation in propose(PLAIN, [], "retrieval", 5, Random(seed), domain="code", tried=taught):
                shift = displacement(PLAIN, mutation.genome, GENES)
                gains.append(sum(shift.get(path, 0.0) * slope for path, slope in truth.items()))
        return sum(gains) / len(gains)

    assert mean_gain(tried(30, truth, noise=0.3)) > mean_gain([]) + 0.1
