"""What the evolution graph connects to, opened in one place."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from pydantic import BaseModel

from ..evolution.defaults import default_genome
from ..evolution.gate import GatePolicy
from ..evolution.mutate import OFFLINE_KINDS
from ..evolution.racing import RacingPolicy
from ..nodes.evolution.queries import CycleQueries
from ..nodes.mutate import Mutator
from ..state.evolution import Layer, MutationKind
from ..state.ledger_ports import Ledger
from ..state.trial_ports import Trials
from ..stores.ledger import LedgerService
from ..stores.sql import SqlStore
from ..stores.workspace import CachedWorkspaces
from .docsearch_services import DocsearchServices, open_docsearch_services
from .prompts import mutate_rules
from .services import Services, open_services
from .settings import Settings, load_settings
from .trials import PipelineTrials

_SNAPSHOTS = 500  # of a repository, some 5 MB each on disk


@dataclass(frozen=True)
class EvolutionServices:
    """What the steps of a cycle borrow. patience_days: how long an approval may wait."""

    ledger: Ledger
    trials: Trials
    mutator: Mutator
    racing: RacingPolicy = field(default_factory=RacingPolicy)
    gate: GatePolicy = field(default_factory=GatePolicy)
    defaults: Callable[[Layer, str], BaseModel] = default_genome
    now: Callable[[], float] = time.time
    patience_days: float = 14.0

    @cached_property
    def queries(self) -> CycleQueries:
        """The pools of cycles."""
        return CycleQueries(self.trials)

    @property
    def default(self) -> Callable[[Layer, str], BaseModel]:
        """The shipped genome of a layer and domain."""
        return self.defaults


def open_evolution_services(
    settings: Settings | None = None, code: Services | None = None, docs: DocsearchServices | None = None
) -> EvolutionServices:
    """Services as the settings say.

    Raises:
        StoreUnavailable: the database cannot be opened.
    """
    settings = settings or load_settings()
    docs = docs or open_docsearch_services(settings)
    code = code or roomy_services(settings)
    ledger = LedgerService(SqlStore(settings.database))
    numeric = [k for k in OFFLINE_KINDS if k is not MutationKind.RULE]  # prompts change nothing that nobody reads
    return EvolutionServices(
        ledger=ledger,
        trials=PipelineTrials(code, docs),
        mutator=Mutator(
            docs.models.of("mutator"),
            OFFLINE_KINDS if docs.composer.model else numeric,
            rules=mutate_rules(),
            prompts=docs.composer.model is not None,
        ),
        defaults=lambda layer, domain: default_genome(layer, domain, settings.domain_folders),
    )


def roomy_services(settings: Settings) -> Services:
    """Services that keep the index of every commit of a trial: each candidate asks them all again."""
    workspaces = CachedWorkspaces(settings.cache_dir, settings.workspaces_kept, _SNAPSHOTS)
    return replace(open_services(settings), workspaces=workspaces)


@lru_cache(maxsize=1)
def default_evolution_services() -> EvolutionServices:
    """The services of this process, opened once."""
    return open_evolution_services()
