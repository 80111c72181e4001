"""Domains with the genomes that are active now."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, cast

from pydantic import BaseModel

from ..evolution.defaults import genome_hash
from ..evolution.domain_files import load_domain
from ..retrieval.routing import QuestionClassifier
from ..state.document_ports import Domains
from ..state.domains import Domain
from ..state.evolution import LAYERS as EVOLVING
from ..state.ports import Pins
from .active_genomes import ActiveGenomes

LAYERS = ("retrieval", "routing", "postprocess", "cache_policy")


class ActiveDomains(Domains, Protocol):
    """Domains, their classifiers, and where further ones lie."""

    @property
    def folders(self) -> Sequence[Path]:
        """Further folders that hold domain folders."""

    def classifier(self, name: str) -> QuestionClassifier:
        """The offline classifier of a domain."""


@dataclass(frozen=True)
class FolderDomains:
    """Domains as their folders have them, each read once.

    Args:
        folders: further folders that hold domain folders.
    """

    folders: Sequence[Path] = ()
    _domains: dict[str, Domain] = field(default_factory=dict, repr=False)
    _hashes: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)
    _classifiers: dict[str, QuestionClassifier] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(self, name: str, pins: Pins | None = None) -> Domain:
        """A domain; its genomes stay while the process runs. Raises UnknownDomain, InvalidGenome."""
        with self._lock:
            if name not in self._domains:
                self._domains[name] = load_domain(name, self.folders)
            return self._domains[name]

    def pins(self, name: str) -> dict[str, str]:
        """Layer -> hash of its genome."""
        return self.hashes(name)

    def hashes(self, name: str, pins: Pins | None = None) -> dict[str, str]:
        """Layer -> hash of its genome."""
        domain = self.of(name)
        with self._lock:
            if name not in self._hashes:
                self._hashes[name] = {layer: genome_hash(getattr(domain, layer)) for layer in LAYERS}
            return dict(self._hashes[name])

    def epoch(self, name: str, pins: Pins | None = None) -> str:
        """Names the genomes of all layers: other genomes, other epoch."""
        return epoch_of(self.hashes(name))

    def classifier(self, name: str) -> QuestionClassifier:
        """The offline classifier of a domain, built once."""
        domain = self.of(name)
        with self._lock:
            if name not in self._classifiers:
                self._classifiers[name] = QuestionClassifier(domain.cues, domain.examples)
            return self._classifiers[name]


def epoch_of(hashes: Mapping[str, str]) -> str:
    """One name for the genomes of all layers."""
    return hashlib.sha256("".join(hashes[layer] for layer in sorted(hashes)).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class LedgerDomains:
    """Domains with the genomes that a person approved in place of their folders'.

    Args:
        base: the domains as their folders have them.
        active: what is active now.
    """

    base: ActiveDomains
    active: ActiveGenomes

    @property
    def folders(self) -> Sequence[Path]:
        """Further folders that hold domain folders."""
        return self.base.folders

    def pins(self, name: str) -> dict[str, str]:
        """Layer -> hash of its active genome, as the ledger has it."""
        return self.base.pins(name) | {str(layer): digest for layer, digest in self.active.hashes(name).items()}

    def of(self, name: str, pins: Pins | None = None) -> Domain:
        """A domain with the pinned genomes, else those that are active now."""
        return replace(self.base.of(name), **cast(Any, self._evolved(name, pins)))

    def hashes(self, name: str, pins: Pins | None = None) -> dict[str, str]:
        """Layer -> hash of its genome as this version of the package reads it."""
        return self.base.hashes(name) | {layer: genome_hash(g) for layer, g in self._evolved(name, pins).items()}

    def epoch(self, name: str, pins: Pins | None = None) -> str:
        """Names the genomes of all layers."""
        return epoch_of(self.hashes(name, pins))

    def _evolved(self, name: str, pins: Pins | None) -> dict[str, BaseModel]:
        shipped = self.base.pins(name)
        found = {layer: self.active.pinned(layer, name, pins, shipped) for layer in EVOLVING}
        return {layer: genome for layer, genome in found.items() if genome is not None}

    def classifier(self, name: str) -> QuestionClassifier:
        """The offline classifier of a domain."""
        return self.base.classifier(name)


@dataclass(frozen=True)
class Overridden:
    """Domains with other genomes in one of them: what a candidate is tried with.

    Args:
        base: the domains as they are.
        domain: the one that differs.
        genomes: layer -> genome in place of its own.
    """

    base: ActiveDomains
    domain: str
    genomes: Mapping[str, BaseModel]

    @property
    def folders(self) -> Sequence[Path]:
        """Further folders that hold domain folders."""
        return self.base.folders

    def pins(self, name: str) -> dict[str, str]:
        """Layer -> hash of its genome."""
        return self.base.pins(name) | self._own(name)

    def of(self, name: str, pins: Pins | None = None) -> Domain:
        """A domain, the one in question with the other genomes."""
        found = self.base.of(name, self._others(name, pins))
        return replace(found, **cast(Any, dict(self.genomes))) if name == self.domain else found

    def hashes(self, name: str, pins: Pins | None = None) -> dict[str, str]:
        """Layer -> hash of its genome."""
        return self.base.hashes(name, self._others(name, pins)) | self._own(name)

    def epoch(self, name: str, pins: Pins | None = None) -> str:
        """Names the genomes of all layers."""
        return epoch_of(self.hashes(name, pins))

    def _own(self, name: str) -> dict[str, str]:
        own = self.genomes if name == self.domain else {}
        return {layer: genome_hash(genome) for layer, genome in own.items()}

    def _others(self, name: str, pins: Pins | None) -> Pins | None:
        """The pins without those of the candidate, whose genome nobody else knows."""
        return pins and {layer: digest for layer, digest in pins.items() if layer not in self._own(name)}

    def classifier(self, name: str) -> QuestionClassifier:
        """The offline classifier of a domain."""
        return self.base.classifier(name)
