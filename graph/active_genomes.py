"""The genomes that are active now: the ledger's, where a person approved some; else the shipped ones.

The epoch of a domain is asked at every request (a fifth of a millisecond); only when it changed are genomes read again.
A request that is under way keeps the hashes of the genomes that it began with; a genome of a hash never changes.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass, field
from typing import cast

from pydantic import BaseModel

from ..evolution.defaults import CODE, parse_genome
from ..nodes.scene import Memo
from ..state.errors import InvalidGenome
from ..state.evolution import LAYERS, GenomeRecord, Layer
from ..state.genome import RetrievalGenome
from ..state.ledger_ports import Ledger
from ..state.ports import Genomes, Pins
from ..state.routing import RoutingGenome

_KEPT = 64
"""Genomes kept by hash, for requests that outlive an activation."""


@dataclass(frozen=True)
class _Held:
    """The active genomes of a domain at an epoch, and their hashes in the ledger."""

    epoch: str
    genomes: dict[Layer, BaseModel]
    hashes: dict[Layer, str]


@dataclass(frozen=True)
class ActiveGenomes:
    """Reads active genomes out of a ledger.

    Args:
        ledger: the ledger.
    """

    ledger: Ledger
    _held: dict[str, _Held] = field(default_factory=dict, repr=False)
    _kept: Memo[BaseModel] = field(default_factory=lambda: Memo(_KEPT), repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(self, domain: str) -> dict[Layer, BaseModel]:
        """Layer -> active genome of a domain; layers that nobody evolved are absent."""
        return self._now(domain).genomes

    def hashes(self, domain: str) -> dict[Layer, str]:
        """Layer -> the hash under which the ledger keeps its active genome; layers that nobody evolved are absent."""
        return self._now(domain).hashes

    def pinned(self, layer: Layer, domain: str, pins: Pins | None, shipped: Pins) -> BaseModel | None:
        """The genome of a layer that a request keeps, else the active one; None when it is the shipped one.

        Args:
            layer: whose genome.
            domain: likewise.
            pins: what the request keeps; None for a request that keeps nothing.
            shipped: what a request would keep if nobody had evolved anything.
        """
        digest = (pins or {}).get(layer)
        if digest is None:
            return self.of(domain).get(layer)
        if digest == shipped.get(layer):
            return None
        try:
            return self._kept.get((layer, domain, digest), lambda: self._of_hash(layer, domain, digest))
        except InvalidGenome as gone:  # a thread of long ago, resumed by another version of the package
            warnings.warn(f"{gone}; the request goes on under the genome that is active now", stacklevel=2)
            return self.of(domain).get(layer)

    def _now(self, domain: str) -> _Held:
        epoch = self.ledger.epoch(domain)
        with self._lock:
            held = self._held.get(domain)
        if held is None or held.epoch != epoch:
            held = self._read(epoch, domain)
            with self._lock:
                self._held[domain] = held
        return held

    def _read(self, epoch: str, domain: str) -> _Held:
        held = _Held(epoch, {}, {})
        for layer in LAYERS:
            record = self.ledger.active(layer, domain)
            if record is None:
                continue
            try:
                held.genomes[layer] = _parsed(record)
                held.hashes[layer] = record.genome_hash
            except InvalidGenome as error:  # approved under an older version of the package: the shipped one serves
                warnings.warn(f"genome {record.id} is active but no longer valid: {error}", stacklevel=2)
        return held

    def _of_hash(self, layer: Layer, domain: str, digest: str) -> BaseModel:
        record = self.ledger.genome_of_hash(layer, domain, digest)
        if record is None:
            raise InvalidGenome(f"the {layer} genome {digest[:12]} that a request began with is not in the ledger")
        return _parsed(record)


def _parsed(record: GenomeRecord) -> BaseModel:
    return parse_genome(record.layer, record.genome)


@dataclass(frozen=True)
class LedgerGenomes:
    """The genomes of the retrieval graph: the active ones of domain "code", else those of ``base``."""

    active: ActiveGenomes
    base: Genomes

    def pins(self, domain: str) -> dict[str, str]:
        """Layer -> hash of its active genome."""
        active = self.active.hashes(CODE)
        return self.base.pins(domain) | {layer: active[layer] for layer in ("retrieval", "routing") if layer in active}

    def retrieval(self, domain: str, pins: Pins | None = None) -> RetrievalGenome:
        """The retrieval genome: the pinned one, else the one that is active now."""
        found = self.active.pinned("retrieval", CODE, pins, self.base.pins(domain))
        return cast(RetrievalGenome, found) if found is not None else self.base.retrieval(domain)

    def routing(self, domain: str, pins: Pins | None = None) -> RoutingGenome:
        """The routing genome: the pinned one, else the one that is active now."""
        found = self.active.pinned("routing", CODE, pins, self.base.pins(domain))
        return cast(RoutingGenome, found) if found is not None else self.base.routing(domain)
