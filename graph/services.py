"""Services: everything the graphs connect to, opened in one place."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from ..evolution.defaults import default_retrieval, default_routing, genome_hash, parse_genome
from ..nodes.advice.asking import OFFLINE, Advisers
from ..state.errors import InvalidGenome
from ..state.genome import RetrievalGenome
from ..state.ports import Genomes, Pins, Workspaces
from ..state.routing import RoutingGenome
from ..stores.workspace import CachedWorkspaces
from .settings import Settings, load_settings


@dataclass(frozen=True)
class FixedGenomes:
    """Genomes that do not change while the process runs: the shipped ones, or files that the settings name."""

    retrieval_genome: RetrievalGenome
    routing_genome: RoutingGenome

    def pins(self, domain: str) -> dict[str, str]:
        """Layer -> hash of its genome."""
        return dict(self._hashes)

    def routing(self, domain: str, pins: Pins | None = None) -> RoutingGenome:
        """The routing genome; the same for every domain and request."""
        return self.routing_genome

    def retrieval(self, domain: str, pins: Pins | None = None) -> RetrievalGenome:
        """The retrieval genome; the same for every domain and request."""
        return self.retrieval_genome

    @cached_property
    def _hashes(self) -> dict[str, str]:
        return {"retrieval": genome_hash(self.retrieval_genome), "routing": genome_hash(self.routing_genome)}


@dataclass(frozen=True)
class EvolvedGenomes:
    """What a person approved, from the moment there is a ledger, also one made while this process runs.

    Until then the shipped genomes serve, and nothing of the database is even imported.
    """

    settings: Settings
    shipped: FixedGenomes

    def pins(self, domain: str) -> dict[str, str]:
        """Layer -> hash of its active genome."""
        return self._now.pins(domain)

    def routing(self, domain: str, pins: Pins | None = None) -> RoutingGenome:
        """The routing genome: the pinned one, else the one that is active now."""
        return self._now.routing(domain, pins)

    def retrieval(self, domain: str, pins: Pins | None = None) -> RetrievalGenome:
        """The retrieval genome: the pinned one, else the one that is active now."""
        return self._now.retrieval(domain, pins)

    @property
    def _now(self) -> Genomes:
        if self.settings.database_url is None and not self.settings.database_file.exists():
            return self.shipped
        return self._of_ledger

    @cached_property
    def _of_ledger(self) -> Genomes:
        from ..stores.ledger import LedgerService
        from ..stores.sql import SqlStore
        from .active_genomes import ActiveGenomes, LedgerGenomes

        return LedgerGenomes(ActiveGenomes(LedgerService(SqlStore(self.settings.database))), self.shipped)


@dataclass(frozen=True)
class Services:
    """What nodes borrow. advisers: language models; nobody, offline."""

    workspaces: Workspaces
    genomes: Genomes
    advisers: Advisers = OFFLINE


def open_services(settings: Settings | None = None, retrieval_genome: RetrievalGenome | None = None) -> Services:
    """Services as the settings say; ``retrieval_genome`` overrides the active one (for experiments).

    Raises:
        InvalidGenome: a genome file is unreadable or out of bounds.
    """
    settings = settings or load_settings()
    shipped = FixedGenomes(retrieval_genome or _retrieval(settings.retrieval_genome), _routing(settings.routing_genome))
    fixed = retrieval_genome or settings.retrieval_genome or settings.routing_genome
    genomes: Genomes = shipped if fixed else EvolvedGenomes(settings, shipped)
    return Services(CachedWorkspaces(settings.cache_dir, settings.workspaces_kept), genomes, _advisers(settings))


def _advisers(settings: Settings) -> Advisers:
    """The language models of the settings; without one nothing of the client is even imported."""
    if not settings.max_llm_calls or not (settings.model_of("planner") or settings.model_of("evaluator")):
        return OFFLINE
    from ..stores.advice import SqlAdviceMemory
    from .model_roles import Models
    from .prompts import advice_prompts

    memory = SqlAdviceMemory(settings.cache_dir / "advice.sqlite")
    return Advisers(Models(settings), advice_prompts(), memory, settings.max_llm_calls, settings.llm_candidates)


@lru_cache(maxsize=1)
def default_services() -> Services:
    """The services of this process, opened once."""
    return open_services()


def _retrieval(path: Path | None) -> RetrievalGenome:
    if path is None:
        return default_retrieval()
    genome = parse_genome("retrieval", _json(path))
    assert isinstance(genome, RetrievalGenome)
    return genome


def _routing(path: Path | None) -> RoutingGenome:
    if path is None:
        return default_routing()
    genome = parse_genome("routing", _json(path))
    assert isinstance(genome, RoutingGenome)
    return genome


def _json(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidGenome(f"cannot read the genome {path}: {error}") from error
