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
    _classifiers: dict[str, QuestionClassifier] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(self, name: str) -> Domain:
        """A domain. Raises UnknownDomain, InvalidGenome."""
        with self._lock:
            if name not in self._domains:
                self._domains[name] = load_domain(name, self.folders)
            return self._domains[name]

    def hashes(self, name: str) -> dict[str, str]:
        """Layer -> hash of its active genome."""
        domain = self.of(name)
        return {layer: genome_hash(getattr(domain, layer)) for layer in LAYERS}

    def epoch(self, name: str) -> str:
        """Names the active genomes of all layers: other genomes, other epoch."""
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

    def of(self, name: str) -> Domain:
        """A domain with the genomes that are active now."""
        return replace(self.base.of(name), **cast(Any, self.active.of(name)))

    def hashes(self, name: str) -> dict[str, str]:
        """Layer -> hash of its active genome."""
        return self.base.hashes(name) | {layer: genome_hash(g) for layer, g in self.active.of(name).items()}

    def epoch(self, name: str) -> str:
        """Names the active genomes of all layers."""
        return epoch_of(self.hashes(name))

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

    def of(self, name: str) -> Domain:
        """A domain, the one in question with the other genomes."""
        found = self.base.of(name)
        return replace(found, **cast(Any, dict(self.genomes))) if name == self.domain else found

    def hashes(self, name: str) -> dict[str, str]:
        """Layer -> hash of its genome."""
        own = self.genomes if name == self.domain else {}
        return self.base.hashes(name) | {layer: genome_hash(genome) for layer, genome in own.items()}

    def epoch(self, name: str) -> str:
        """Names the genomes of all layers."""
        return epoch_of(self.hashes(name))

    def classifier(self, name: str) -> QuestionClassifier:
        """The offline classifier of a domain."""
        return self.base.classifier(name)
