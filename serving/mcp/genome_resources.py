"""The active genomes as resources: ``genome://DOMAIN/LAYER``, JSON."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from ...evolution.defaults import genome_hash
from ...evolution.domain_files import known_domains
from ...state.evolution import LAYERS, Layer
from .connections import CODE, Open
from .docs_tool import label_of

CODE_LAYERS: tuple[Layer, ...] = ("retrieval", "routing")


def genome_uri(domain: str, layer: str) -> str:
    """The address of a genome."""
    return f"genome://{domain}/{layer}"


def genome_domains(opened: Open) -> dict[str, str]:
    """Label -> domain: code, the shipped domains, those of the settings' folders and of the collections."""
    named = {name: name for name in known_domains(opened.docs.domains.folders)}
    placed = {label_of(info.domain): info.domain for info in opened.docs.collections.names()}
    return {CODE: CODE, **placed, **named}


def layers_of(domain: str) -> tuple[Layer, ...]:
    """The layers that have an effect in a domain."""
    return CODE_LAYERS if domain == CODE else LAYERS


def genome_json(opened: Open, label: str, layer: str) -> str | None:
    """The genome that serves now; None when there is no such domain or layer.

    Genes only: who asked for them, who approved them and where domains lie stays in the ledger.
    """
    domain = genome_domains(opened).get(label)
    known = next((own for own in layers_of(domain or "") if own == layer), None)
    if domain is None or known is None:
        return None
    genome = _serving(opened, domain, known)
    digest = genome_hash(genome)
    fields: dict[str, Any] = {
        "domain": label,
        "layer": layer,
        "hash": digest,
        "origin": _origin(opened, domain, known, digest),
        "genome": genome.model_dump(mode="json"),
    }
    return json.dumps(fields, ensure_ascii=False, indent=2)


def _serving(opened: Open, domain: str, layer: Layer) -> BaseModel:
    if domain != CODE:
        found: BaseModel = getattr(opened.docs.domains.of(domain), layer)
        return found
    genomes = opened.code.genomes
    return genomes.retrieval(CODE) if layer == "retrieval" else genomes.routing(CODE)


def _origin(opened: Open, domain: str, layer: Layer, digest: str) -> str:
    """Where the genome comes from: "trial", "approved" by a person, or "shipped"."""
    trial = opened.trial
    if trial is not None and (trial.domain, trial.layer) == (domain, layer):
        return "trial"
    active = opened.ledger.active(layer, domain)
    return "approved" if active is not None and active.genome_hash == digest and active.submitted else "shipped"
