"""The genomes that are active now: the ledger's, where a person approved some; else the shipped ones.

The epoch of a domain is asked at every request (a fifth of a millisecond); only when it changed are genomes read again.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass, field
from typing import cast

from pydantic import BaseModel

from ..evolution.defaults import CODE, parse_genome
from ..state.errors import InvalidGenome
from ..state.evolution import LAYERS, Layer
from ..state.genome import RetrievalGenome
from ..state.ledger_ports import Ledger
from ..state.ports import Genomes
from ..state.routing import RoutingGenome


@dataclass(frozen=True)
class ActiveGenomes:
    """Reads active genomes out of a ledger.

    Args:
        ledger: the ledger.
    """

    ledger: Ledger
    _held: dict[str, tuple[str, dict[Layer, BaseModel]]] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(self, domain: str) -> dict[Layer, BaseModel]:
        """Layer -> active genome of a domain; layers that nobody evolved are absent."""
        epoch = self.ledger.epoch(domain)
        with self._lock:
            held = self._held.get(domain)
        if held is None or held[0] != epoch:
            held = (epoch, self._read(domain))
            with self._lock:
                self._held[domain] = held
        return held[1]

    def _read(self, domain: str) -> dict[Layer, BaseModel]:
        found: dict[Layer, BaseModel] = {}
        for layer in LAYERS:
            record = self.ledger.active(layer, domain)
            if record is None:
                continue
            try:
                found[layer] = parse_genome(layer, record.genome)
            except InvalidGenome as error:  # approved under an older version of the package: the shipped one serves
                warnings.warn(f"genome {record.id} is active but no longer valid: {error}", stacklevel=2)
        return found


@dataclass(frozen=True)
class LedgerGenomes:
    """The genomes of the retrieval graph: the active ones of domain "code", else those of ``base``."""

    active: ActiveGenomes
    base: Genomes

    def retrieval(self, domain: str) -> RetrievalGenome:
        """The active retrieval genome."""
        found = self.active.of(CODE).get("retrieval")
        return cast(RetrievalGenome, found) if found is not None else self.base.retrieval(domain)

    def routing(self, domain: str) -> RoutingGenome:
        """The active routing genome."""
        found = self.active.of(CODE).get("routing")
        return cast(RoutingGenome, found) if found is not None else self.base.routing(domain)
