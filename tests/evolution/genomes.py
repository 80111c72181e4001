"""Genomes for tests of variation: the shipped ones, and any within the bounds."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from iterative_retrieval.evolution.defaults import LAYERS, default_genome
from iterative_retrieval.evolution.genes import genes_of
from iterative_retrieval.evolution.steps import stepped
from iterative_retrieval.state.evolution import Layer

SHIPPED: list[tuple[Layer, str]] = [
    ("postprocess", "general"),
    ("postprocess", "bsl"),
    ("routing", "general"),
    ("routing", "bsl"),
    ("routing", "code"),
    ("cache_policy", "general"),
    ("retrieval", "code"),
    ("retrieval", "general"),
]


def shipped(layer: str, domain: str) -> dict[str, Any]:
    """All genes of a shipped genome."""
    return default_genome(layer, domain).model_dump(mode="json")


def plain(layer: str) -> dict[str, Any]:
    """All genes at the model's defaults."""
    return LAYERS[layer]().model_dump(mode="json")


@st.composite
def genomes(draw: st.DrawFn) -> tuple[Layer, str, dict[str, Any]]:
    """Layer, domain, and a genome some way from the shipped or the plain one."""
    layer, domain = draw(st.sampled_from(SHIPPED))
    genome = draw(st.sampled_from([shipped(layer, domain), plain(layer)]))
    rng = Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, 6))):
        genome = stepped(genome, genes_of(layer, genome, domain), rng, 4)
    return layer, domain, genome
