"""Domains with the genomes that are active now."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..evolution.defaults import genome_hash
from ..evolution.domain_files import load_domain
from ..retrieval.routing import QuestionClassifier
from ..state.domains import Domain

LAYERS = ("retrieval", "routing", "postprocess", "cache_policy")


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
        return hashlib.sha256("".join(self.hashes(name).values()).encode()).hexdigest()[:16]

    def classifier(self, name: str) -> QuestionClassifier:
        """The offline classifier of a domain, built once."""
        domain = self.of(name)
        with self._lock:
            if name not in self._classifiers:
                self._classifiers[name] = QuestionClassifier(domain.cues, domain.examples)
            return self._classifiers[name]
