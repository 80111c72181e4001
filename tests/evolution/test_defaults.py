from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.evolution.defaults import (
    LAYERS,
    default_retrieval,
    default_routing,
    genome_hash,
    parse_genome,
)
from iterative_retrieval.retrieval.signals import STATIC_SIGNALS
from iterative_retrieval.retrieval.spans import CHUNK_SIGNALS
from iterative_retrieval.state.errors import InvalidGenome
from iterative_retrieval.state.genome import RetrievalGenome
from iterative_retrieval.state.query import QueryType
from iterative_retrieval.state.routing import DepthBudget


@pytest.mark.parametrize(
    ("layer", "data", "field"),
    [
        ("retrieval", {"k1": 0.0}, "k1"),
        ("retrieval", {"b": 1.5}, "b"),
        ("retrieval", {"rrf_k": "many"}, "rrf_k"),
        ("retrieval", {"rrf_k": 1.5}, "rrf_k"),
        ("retrieval", {"k1": float("nan")}, "k1"),
        ("retrieval", {"weights": {"frame": 13.0}}, "weights.frame"),
        ("retrieval", {"rubric": [[0.0, 0.0], [0.0, 1.0]]}, "rubric"),
        ("retrieval", {"rubric": [[0.0, 0.5], [1.0, 0.4]]}, "rubric"),
        ("retrieval", {"calibration": [[0.0]]}, "calibration.0"),
        ("retrieval", {"speed": 1}, "speed"),
        ("routing", {"min_confidence": 2.0}, "min_confidence"),
        (
            "routing",
            {"default_profile": {"depth_budget": {"max_cycles": 4}}},
            "default_profile.depth_budget.max_cycles",
        ),
        ("routing", {"profiles": {"poem": {"format": "rhyme"}}}, "profiles.poem.format"),
        ("routing", {"default_profile": {"mood": "good"}}, "default_profile.mood"),
    ],
)
def test_a_bad_gene_is_refused_with_its_name(layer: str, data: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidGenome, match=rf"{layer} genome, field '{field}"):
        parse_genome(layer, data)


@pytest.mark.parametrize("data", [None, [], "k1"])
def test_a_genome_that_is_no_object_is_refused(data: object) -> None:
    with pytest.raises(InvalidGenome, match="field 'retrieval'"):
        parse_genome("retrieval", data)


def test_an_unknown_layer_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidGenome, match="no layer 'taste'; layers are retrieval, routing"):
        parse_genome("taste", {})


@pytest.mark.parametrize("layer", LAYERS)
def test_every_gene_has_a_default(layer: str) -> None:
    assert isinstance(parse_genome(layer, {}), LAYERS[layer])


@given(st.permutations([("k1", 1.5), ("b", 0.5), ("rrf_k", 10)]))
def test_the_same_genes_have_the_same_hash(genes: list[tuple[str, float]]) -> None:
    expected = genome_hash(RetrievalGenome(k1=1.5, b=0.5, rrf_k=10))
    assert genome_hash(parse_genome("retrieval", dict(genes))) == expected


def test_the_order_of_weights_and_the_kind_of_number_do_not_change_the_hash() -> None:
    one = RetrievalGenome(k1=1, weights={"a": 1.0, "b": 2.0})
    two = RetrievalGenome(k1=1.0, weights={"b": 2, "a": 1})
    assert genome_hash(one) == genome_hash(two)


@given(st.floats(0.1, 4.0), st.floats(0.1, 4.0))
def test_other_genes_have_another_hash(one: float, other: float) -> None:
    hashes = {genome_hash(RetrievalGenome(k1=k)) for k in (one, other)}
    assert len(hashes) == len({one, other})


def test_a_genome_survives_json() -> None:
    genome = default_retrieval()
    assert RetrievalGenome.model_validate_json(genome.model_dump_json()) == genome


def test_the_shipped_weights_name_real_signals() -> None:
    moving = {f"graph_{n}" for n in ("bases", "co_changed", "folder", "importers", "imports", "siblings", "tested")}
    genome = default_retrieval()
    assert set(genome.weights) <= {*STATIC_SIGNALS, *moving, "learned"}
    assert set(genome.chunk_weights) <= set(CHUNK_SIGNALS)
    assert set(genome.sufficiency) <= {"bias", "lead", "spread", "last", "best"}


def test_the_shipped_curves_stay_between_zero_and_one() -> None:
    genome = default_retrieval()
    assert all(0 <= y <= 1 for knots in (genome.calibration, genome.rubric, genome.coverage_ceiling) for _, y in knots)


def test_every_query_type_has_a_shipped_profile_and_the_default_is_the_thorough_one() -> None:
    routing = default_routing()
    assert set(routing.profiles) == set(QueryType)
    assert routing.default_profile.depth_budget == DepthBudget()
    assert all(p.depth_budget.max_cycles <= DepthBudget().max_cycles for p in routing.profiles.values())
