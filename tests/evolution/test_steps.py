from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.evolution.defaults import parse_genome
from iterative_retrieval.evolution.genes import Gene, changed, gene_at, genes_of, value_of
from iterative_retrieval.evolution.steps import can_step, moved, stepped
from iterative_retrieval.state.evolution import Layer
from tests.evolution.genomes import genomes, plain, shipped

SEEDS = st.integers(0, 2**32)
WEIGHT = Gene(("weights", "frame"), "weight", -12.0, 12.0)


@settings(deadline=None)
@given(genomes(), SEEDS)
def test_every_step_of_every_gene_validates_and_differs(drawn: tuple[Layer, str, dict[str, Any]], seed: int) -> None:
    layer, domain, genome = drawn
    genes = [gene for gene in genes_of(layer, genome, domain) if can_step(gene)]
    gene = Random(seed).choice(genes)
    value = moved(value_of(genome, gene), gene, Random(seed))
    assert value != value_of(genome, gene)
    child = stepped(genome, [gene], Random(seed))
    assert parse_genome(layer, child).model_dump(mode="json") == child
    assert changed(genome, child, genes) == [gene]


@settings(deadline=None)
@given(genomes(), SEEDS, st.integers(1, 8))
def test_as_many_genes_move_as_are_asked_for(drawn: tuple[Layer, str, dict[str, Any]], seed: int, count: int) -> None:
    layer, domain, genome = drawn
    genes = genes_of(layer, genome, domain)
    child = stepped(genome, genes, Random(seed), count)
    assert len(changed(genome, child, genes)) == min(count, sum(map(can_step, genes)))
    assert child == stepped(genome, genes, Random(seed), count)


@settings(deadline=None)
@given(SEEDS, st.floats(0.0, 1.0))
def test_a_number_moves_at_least_a_fiftieth_of_its_range(seed: int, value: float) -> None:
    gene = Gene(("b",), "number", 0.0, 1.0)
    step = moved(value, gene, Random(seed))
    assert 0.0 <= step <= 1.0
    # a step of 5 % of the logarithm is at least 4.88 % down, less what rounding to four digits takes
    assert abs(step - value) >= 0.0199 or abs(step / value - 1.0) >= 0.0475


@settings(deadline=None)
@given(SEEDS)
def test_a_wide_range_is_walked_in_shares_of_the_value(seed: int) -> None:
    gene = Gene(("recency_half_life_days",), "number", 1.0, 3650.0)
    assert 120.0 / 8 < moved(120.0, gene, Random(seed)) < 120.0 * 8


@pytest.mark.parametrize(("value", "low", "high"), [(1, 1, 3), (3, 1, 3), (2, 1, 3), (0, 0, 1), (500, 0, 500)])
def test_an_integer_at_its_bound_moves_inwards(value: int, low: int, high: int) -> None:
    gene = Gene(("max_cycles",), "integer", low, high)
    steps = {moved(value, gene, Random(seed)) for seed in range(60)}
    assert all(low <= step <= high and isinstance(step, int) for step in steps)
    assert value not in steps


def test_a_weight_may_be_switched_off_and_on_again() -> None:
    moves = [moved(1.4, WEIGHT, Random(seed)) for seed in range(400)]
    assert 20 <= moves.count(0.0) <= 80
    assert all(0.0 <= move <= 12.0 for move in moves)
    back = [moved(0.0, WEIGHT, Random(seed)) for seed in range(400)]
    assert all(0.2 <= abs(weight) <= 1.2 for weight in back)
    assert 260 <= sum(weight > 0.0 for weight in back) <= 380


def test_a_weight_keeps_its_sign_while_it_is_on() -> None:
    assert all(moved(-2.5, WEIGHT, Random(seed)) <= 0.0 for seed in range(200))


@settings(deadline=None)
@given(SEEDS, st.integers(1, 40))
def test_knots_keep_their_order_their_number_and_their_ends(seed: int, moves: int) -> None:
    rng, gene = Random(seed), Gene(("rubric",), "knots")
    knots = [[-4.0, 0.0], [-2.0, 0.2], [-1.3, 0.5], [-1.0, 0.5], [-0.5, 0.8], [0.0, 1.0]]
    for _ in range(moves):
        before, knots = knots, moved(knots, gene, rng)
        assert sum(a != b for a, b in zip(before, knots, strict=True)) == 1
    assert parse_genome("retrieval", {"rubric": knots})
    assert (knots[0][0], knots[-1][0], len(knots)) == (-4.0, 0.0, 6)


def test_two_knots_move_up_and_down_only() -> None:
    moves = [moved([[0.0, 0.0], [1.0, 1.0]], Gene(("coverage_ceiling",), "knots"), Random(seed)) for seed in range(50)]
    assert all([x for x, _ in knots] == [0.0, 1.0] for knots in moves)
    assert {knots[0][1] > 0.0 for knots in moves} == {True, False}


@pytest.mark.parametrize(
    "gene",
    [
        Gene(("system_prompt",), "text", max_length=8000),
        Gene(("mode",), "choice", choices=("only",)),
        Gene(("fixed",), "number", 1.0, 1.0),
    ],
)
def test_what_has_no_other_value_cannot_be_stepped(gene: Gene) -> None:
    assert not can_step(gene)
    with pytest.raises(ValueError, match=f"gene '{gene.path}' cannot be stepped"):
        moved("only", gene, Random(1))


def test_a_table_of_weights_does_not_hide_the_thresholds() -> None:
    genome = shipped("retrieval", "code")
    genes = genes_of("retrieval", genome, "code")
    moves = [changed(genome, stepped(genome, genes, Random(seed)), genes)[0] for seed in range(300)]
    of_weights = sum(gene.kind == "weight" for gene in moves)
    assert 60 <= of_weights <= 200


def test_a_profile_of_answers_never_becomes_one_of_packages() -> None:
    gene = gene_at(genes_of("routing", shipped("routing", "general")), "profiles.how_to.format")
    assert gene is not None
    assert {moved("steps", gene, Random(seed)) for seed in range(40)} == {"prose", "list"}


def test_the_plain_genome_learns_signals() -> None:
    genome = plain("retrieval")
    genes = [gene for gene in genes_of("retrieval", genome, "code") if gene.field == "weights"]
    assert len(stepped(genome, genes, Random(3), 5)["weights"]) == 5
