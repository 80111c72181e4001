"""What every door that stays open does first: finish what crashes left half-made in the evolution of genomes."""

from __future__ import annotations

import logging
import time
from pathlib import Path

from ..state.ledger_ports import CycleRecord, CycleState, Ledger
from ..stores.ledger import LedgerService
from ..stores.sql import SqlStore
from .settings import Settings, load_settings

_log = logging.getLogger(__name__)

_RECENT, _MOST_RECENT = 86_400.0, 20
"""Seconds after the end of a cycle in which its thread is looked after, and how many cycles at once."""


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
        threads = _threads_may_wait(ledger) and checkpoints_of(settings).exists()
    finally:
        store.close()
    return [*done, *_woken(settings)] if threads else done


def _threads_may_wait(ledger: Ledger) -> bool:
    """Whether a cycle was decided, or ended lately, so that its thread may not have heard of it."""
    return bool(ended_lately(ledger, time.time()) or ledger.cycles(state=CycleState.DECIDED, limit=1))


def ended_lately(ledger: Ledger, now: float) -> list[CycleRecord]:
    """Cycles whose threads may have died after the ledger had heard of their end and before they had."""
    found = ledger.cycles(state=CycleState.FINISHED, limit=_MOST_RECENT)
    return [held for held in found if now - (held.finished or 0.0) < _RECENT]


def _woken(settings: Settings) -> list[str]:
    """Threads that did not hear of a decision or of their end; only then the graph is needed."""
    from .evolution_services import open_evolution_services
    from .reconcile import reconcile

    return reconcile(open_evolution_services(settings), checkpoints_of(settings))


def checkpoints_of(settings: Settings) -> Path:
    """The file of the cycles' checkpoints."""
    return settings.data_dir / "cycles.sqlite"


__all__ = ["checkpoints_of", "ended_lately", "reconcile_at_start"]
