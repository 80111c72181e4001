"""What every door that stays open does first: finish what crashes left half-made in the evolution of genomes."""

from __future__ import annotations

import logging
from pathlib import Path

from ..state.ledger_ports import CycleState
from ..stores.ledger import LedgerService
from ..stores.sql import SqlStore
from .settings import Settings, load_settings

_log = logging.getLogger(__name__)


def reconcile_at_start(settings: Settings | None = None) -> list[str]:
    """What was finished, in words, each a line in the log too; [] when nothing was left half-made.

    Any number of processes may start at once: what one of them finishes, the others find finished. It takes some
    milliseconds when there is nothing to do, and no database is made where there is none.

    Args:
        settings: of the installation; the environment's when None.

    Raises:
        StoreUnavailable: the database cannot be used.
    """
    settings = settings or load_settings()
    if settings.database_url is None and not settings.database_file.exists():
        return []
    done = _finished(settings)
    for words in done:
        _log.info("left by a crash, finished now: %s", words)
    return done


def _finished(settings: Settings) -> list[str]:
    store = SqlStore(settings.database)
    try:
        ledger = LedgerService(store)
        done = ledger.reconcile()
        decided = bool(ledger.cycles(state=CycleState.DECIDED, limit=1))
    finally:
        store.close()
    return [*done, *_woken(settings)] if decided else done


def _woken(settings: Settings) -> list[str]:
    """Cycles that were decided and whose threads did not hear of it; only then the graph is needed."""
    from .evolution_services import open_evolution_services
    from .evolve import reconcile

    return reconcile(services=open_evolution_services(settings), checkpoints=checkpoints_of(settings))


def checkpoints_of(settings: Settings) -> Path:
    """The file of the cycles' checkpoints."""
    return settings.data_dir / "cycles.sqlite"


__all__ = ["checkpoints_of", "reconcile_at_start"]
