from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.evolution.defaults import parse_genome
from iterative_retrieval.evolution.genes import changed, genes_of, value_of
from iterative_retrieval.evolution.recombination import recombined
from iterative_retrieval.evolution.steps import stepped
from iterative_retrieval.state.evolution import Layer
from tests.evolution.genomes import genomes, plain, shipped


@settings(deadline=None)
@given(genomes(), st.integers(0, 2**32), st.integers(1, 12))
def test_a_child_validates_and_every_gene_lies_between_its_parents(
    drawn: tuple[Layer, str, dict[str, Any]], seed: int, apart: int
) -> None:
    layer, domain, first = drawn
    genes = genes_of(layer, first, domain)
    second = stepped(first, genes, Random(seed), apart)
    child = recombined(first, second, genes, Random(seed))
    assert parse_genome(layer, child).model_dump(mode="json") == child
    assert child == recombined(first, second, genes, Random(seed))
    for gene in changed(first, child, genes):
        one, other, own = (value_of(g, gene) for g in (first, second, child))
        if gene.kind in ("number", "integer", "weight"):
            assert min(one, other) - 0.001 * abs(one) <= own <= max(one, other) + 0.001 * abs(other)
        else:
            assert own == other


def test_of_several_differences_some_are_taken_and_some_are_not() -> None:
    first, genes = shipped("cache_policy", "general"), genes_of("cache_policy", plain("cache_policy"))
    second = {**first, "min_supportedness": 0.5, "min_sources_count": 4, "block_if_warnings": False}
    children = [recombined(first, second, genes, Random(seed)) for seed in range(60)]
    assert {len(changed(first, child, genes)) for child in children} >= {1, 2}
    assert first not in children and second not in children


def test_a_child_takes_whole_tables_too() -> None:
    first, second = shipped("retrieval", "code"), {**shipped("retrieval", "code"), "k1": 2.0}
    second["weights"] = {name: weight / 2 for name, weight in first["weights"].items()}
    children = [recombined(first, second, genes_of("retrieval", first), Random(seed)) for seed in range(60)]
    assert any(child["weights"] == second["weights"] and child["k1"] == first["k1"] for child in children)


def test_query_types_and_families_of_formats_are_the_first_parents() -> None:
    first, second = shipped("routing", "general"), plain("routing")
    second["profiles"] = {"poem": second["default_profile"], "how_to": second["default_profile"]}
    for seed in range(40):
        child = recombined(first, second, genes_of("routing", first), Random(seed))
        assert set(child["profiles"]) == set(first["profiles"])
        assert child["profiles"]["how_to"]["format"] == "steps"


def test_a_prompt_that_guards_the_contract_less_is_not_taken() -> None:
    first = shipped("postprocess", "general")
    second = {**first, "system_prompt": "Use nothing but the sources.", "system_prompt_reduce": "", "chunk_count": 12}
    for seed in range(40):
        child = recombined(first, second, genes_of("postprocess", first), Random(seed))
        assert (child["system_prompt"], child["system_prompt_reduce"]) == (
            first["system_prompt"],
            first["system_prompt_reduce"],
        )
        assert child["chunk_count"] != first["chunk_count"]


def test_weights_that_only_the_second_parent_has_can_be_inherited() -> None:
    first = plain("retrieval")
    second = {**first, "weights": {"home_made": 2.0}}
    children = [recombined(first, second, genes_of("retrieval", first), Random(seed)) for seed in range(20)]
    assert {"home_made"} in [set(child["weights"]) for child in children]


def test_equal_parents_have_the_same_child() -> None:
    genome = shipped("cache_policy", "general")
    assert recombined(genome, dict(genome), genes_of("cache_policy", genome), Random(1)) == genome
