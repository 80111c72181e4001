"""Active genomes as resources."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import MCPError

from iterative_retrieval.evolution.defaults import default_genome, genome_hash, parse_genome
from tests.serving.mcp.sessions import Session


def test_every_layer_of_every_domain_is_listed_and_can_be_read(agent: Session) -> None:
    listed = [str(r.uri) for r in agent.do(agent.client.list_resources).resources]
    assert {"genome://code/retrieval", "genome://code/routing", "genome://general/cache_policy"} <= set(listed)
    for uri in listed:
        genome = _read(agent, uri)
        assert uri == f"genome://{genome['domain']}/{genome['layer']}"
        assert genome_hash(parse_genome(genome["layer"], genome["genome"])) == genome["hash"]


def test_what_nobody_evolved_is_the_shipped_genome(agent: Session) -> None:
    genome = _read(agent, "genome://general/postprocess")
    assert genome["origin"] == "shipped"
    assert genome["hash"] == genome_hash(default_genome("postprocess", "general"))


def test_a_genome_resource_holds_genes_and_nothing_else(agent: Session) -> None:
    for uri in ("genome://code/retrieval", "genome://general/routing"):
        assert set(_read(agent, uri)) == {"domain", "layer", "hash", "origin", "genome"}


@pytest.mark.parametrize(
    "uri", ["genome://nope/routing", "genome://code/cache_policy", "genome://code/../x", "file:///x"]
)
def test_an_unknown_genome_is_refused(agent: Session, uri: str) -> None:
    with pytest.raises(MCPError):
        agent.do(lambda: agent.client.read_resource(uri))


def _read(agent: Session, uri: str) -> dict[str, Any]:
    (content,) = agent.do(lambda: agent.client.read_resource(uri)).contents
    assert content.mime_type == "application/json"
    found: dict[str, Any] = json.loads(content.text)
    return found
