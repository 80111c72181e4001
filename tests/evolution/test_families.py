from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.evolution.defaults import parse_genome
from iterative_retrieval.evolution.families import families_moved, families_of
from iterative_retrieval.evolution.genes import changed, genes_of, value_of
from iterative_retrieval.state.evolution import Layer
from tests.evolution.genomes import genomes, plain, shipped

PLAIN = plain("retrieval")
GENES = genes_of("retrieval", PLAIN, "code")


def members(genome: dict[str, Any], name: str) -> list[float]:
    return [value_of(genome, gene) for gene in families_of(GENES)[name]]


def with_weights(**weights: float) -> dict[str, Any]:
    return {**PLAIN, "weights": weights}


def test_signals_of_one_name_are_a_family() -> None:
    found = {name: [gene.keys[-1] for gene in genes] for name, genes in families_of(GENES).items()}
    assert {"graph_imports", "graph_siblings"} <= set(found["weights.graph"])
    assert {"chunk_title", "chunks3_all"} <= set(found["weights.chunk"])
    assert found["weights.frame"] == ["frame"]
    assert all(name.startswith(("weights.", "sufficiency.")) for name in found)


@settings(deadline=None)
@given(genomes(), st.integers(0, 2**32), st.floats(0.0, 1.0))
def test_moved_families_stay_within_bounds_and_depend_on_the_seed_alone(
    drawn: tuple[Layer, str, dict[str, Any]], seed: int, reach: float
) -> None:
    layer, domain, genome = drawn
    genes = genes_of(layer, genome, domain)
    moved = families_moved(genome, genes, Random(seed), reach)
    assert moved == families_moved(genome, genes, Random(seed), reach)
    assert parse_genome(layer, moved).model_dump(mode="json") == moved
    assert {gene.kind for gene in changed(genome, moved, genes)} <= {"weight"}


def test_a_family_that_is_off_comes_on_as_one() -> None:
    for seed in range(40):
        moved = families_moved(PLAIN, GENES, Random(seed), 1.0)
        for name in families_of(GENES):
            values = members(moved, name)
            assert len(set(values)) == 1
            assert values[0] == 0.0 or 0.2 <= abs(values[0]) <= 3.6


def test_a_family_that_is_on_keeps_its_proportions_fills_up_or_goes_off() -> None:
    start = with_weights(path_title=1.0, path_all=2.0, past_similar=0.5)
    seen: Counter[str] = Counter()
    for seed in range(400):
        weights = families_moved(start, GENES, Random(seed), 0.2)["weights"]
        title, everything = weights["path_title"], weights["path_all"]
        if title != 1.0:
            assert everything == pytest.approx(2 * title, rel=1e-3)
            seen["path scaled" if title else "path off"] += 1
        if weights["past_similar"] == weights.get("past_recent") == 0.5:
            seen["past filled"] += 1
    assert {"path off", "path scaled", "past filled"} == set(seen)


def test_a_bold_step_moves_up_to_half_of_the_families_and_a_timid_one_few() -> None:
    def moved(reach: float) -> int:
        counts = []
        for seed in range(100):
            after = families_moved(PLAIN, GENES, Random(seed), reach)
            counts.append(sum(members(after, name) != members(PLAIN, name) for name in families_of(GENES)))
        return max(counts)

    assert moved(0.0) == 1
    assert moved(1.0) == round(len(families_of(GENES)) / 2)


def test_a_layer_without_weights_has_no_families() -> None:
    genome = shipped("cache_policy", "general")
    genes = genes_of("cache_policy", genome)
    assert families_of(genes) == {}
    assert families_moved(genome, genes, Random(1), 1.0) == genome
