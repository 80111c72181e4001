from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from iterative_retrieval.evolution.defaults import LAYERS, parse_genome
from iterative_retrieval.evolution.genes import changed, gene_at, genes_of, rounded, value_of, with_value
from iterative_retrieval.state.errors import InvalidGenome
from iterative_retrieval.state.evolution import Layer
from tests.evolution.genomes import genomes, plain, shipped


@pytest.mark.parametrize(
    ("layer", "path", "kind", "low", "high"),
    [
        ("postprocess", "chunk_count", "integer", 1, 40),
        ("cache_policy", "min_similarity", "number", 0.5, 1.0),
        ("routing", "profiles.how_to.depth_budget.max_cycles", "integer", 1, 3),
        ("routing", "default_profile.depth_budget.budget_tokens", "integer", 200, 64000),
        ("retrieval", "k1", "number", 0.1, 4.0),
        ("retrieval", "weights.vector_chunk", "weight", -12, 12),
        ("retrieval", "sufficiency.bias", "weight", -12, 12),
    ],
)
def test_bounds_are_those_of_the_model(layer: str, path: str, kind: str, low: float, high: float) -> None:
    gene = gene_at(genes_of(layer, shipped(layer, "general"), "general"), path)
    assert gene is not None
    assert (gene.kind, gene.low, gene.high) == (kind, low, high)


def test_flags_choices_texts_and_knots_are_told_apart() -> None:
    found = {g.path: g for layer in LAYERS for g in genes_of(layer, shipped(layer, "general"), "general")}
    assert found["require_sources"].kind == "flag"
    assert (found["verbosity"].kind, found["verbosity"].choices) == ("choice", ("adaptive", "comprehensive"))
    assert (found["system_prompt"].kind, found["system_prompt"].max_length) == ("text", 8000)
    assert found["profiles.how_to.system_prompt"].max_length == 4000
    assert found["calibration"].kind == "knots"
    assert found["chunk_count"].description == "Most chunks an answer is composed from."


def test_a_format_stays_in_the_family_of_packages_or_of_answers() -> None:
    of_docs = gene_at(genes_of("routing", shipped("routing", "general")), "profiles.how_to.format")
    of_code = gene_at(genes_of("routing", shipped("routing", "code")), "profiles.bug_report.format")
    assert of_docs is not None and of_docs.choices == ("prose", "list", "steps")
    assert of_code is not None and of_code.choices == ("spans", "definitions")


def test_signals_without_a_weight_are_genes_of_their_domain() -> None:
    code = {gene.path for gene in genes_of("retrieval", plain("retrieval"), "code")}
    docs = {gene.path for gene in genes_of("retrieval", plain("retrieval"), "general")}
    assert "weights.role_test" in code - docs
    assert "weights.vector_chunk" in docs - code
    assert {gene.path for gene in genes_of("retrieval", plain("retrieval"))} == code | docs


def test_a_signal_without_a_weight_counts_nothing_and_may_get_one() -> None:
    genome = plain("retrieval")
    gene = gene_at(genes_of("retrieval", genome, "code"), "weights.frame")
    assert gene is not None and value_of(genome, gene) == 0.0
    weighed = with_value(genome, gene, 1.5)
    assert weighed["weights"] == {"frame": 1.5}
    assert genome["weights"] == {}


def test_another_value_leaves_the_genome_it_came_from_alone() -> None:
    genome = shipped("routing", "general")
    gene = gene_at(genes_of("routing", genome), "profiles.how_to.depth_budget.max_cycles")
    assert gene is not None
    other = with_value(genome, gene, 1)
    assert (value_of(genome, gene), value_of(other, gene)) == (3, 1)
    assert changed(genome, other, genes_of("routing", genome)) == [gene]


def test_a_place_that_the_genome_does_not_have_is_none() -> None:
    gene = gene_at(genes_of("routing", shipped("routing", "general")), "profiles.how_to.format")
    assert gene is not None
    assert value_of(shipped("routing", "code"), gene) is None


def test_an_unknown_layer_is_refused() -> None:
    with pytest.raises(InvalidGenome, match="no layer 'taste'"):
        genes_of("taste", {})


def test_numbers_keep_four_digits() -> None:
    assert [rounded(x) for x in (0.123456, 12345.6, -0.00098765, 0.0)] == [0.1235, 12350.0, -0.0009877, 0.0]


@settings(deadline=None)
@given(genomes())
def test_the_genes_cover_a_genome_whole(drawn: tuple[Layer, str, dict[str, Any]]) -> None:
    layer, domain, genome = drawn
    rebuilt = plain(layer)
    if layer == "routing":
        rebuilt["profiles"] = {name: plain("routing")["default_profile"] for name in genome["profiles"]}
    for gene in genes_of(layer, genome, domain):
        if gene.kind != "weight" or value_of(genome, gene):
            rebuilt = with_value(rebuilt, gene, value_of(genome, gene))
    kept = {**genome, **{t: {k: w for k, w in genome[t].items() if w} for t in genome if t.endswith("weights")}}
    kept |= {"sufficiency": {k: w for k, w in genome["sufficiency"].items() if w}} if layer == "retrieval" else {}
    assert parse_genome(layer, rebuilt) == parse_genome(layer, kept)
