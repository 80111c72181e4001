"""What the MCP server connects to, opened once, when it is first needed.

A client waits for the first answer of a server that it starts, some not long: what takes seconds to import is imported
when services are opened, in a thread, and not before.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from ...graph.settings import Settings
from ...state.errors import CallerError, IterativeRetrievalError
from ...state.evolution import GenomeRecord
from ...state.genome import RetrievalGenome
from ...state.ledger_ports import Ledger
from ...state.routing import RoutingGenome

if TYPE_CHECKING:
    from ...graph.docsearch_services import DocsearchServices
    from ...graph.services import Services

CODE = "code"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Open:
    """Everything, open. trial: the genome on trial, None when the active ones serve."""

    code: Services
    docs: DocsearchServices
    ledger: Ledger
    trial: GenomeRecord | None = None


class Connections:
    """Opens the services once for all calls; after a failure the next call tries again.

    Args:
        settings: of the process.
        genome: id of a genome of the ledger that serves in place of the active one, for a test session; answers are
            then neither cached nor logged.
    """

    def __init__(self, settings: Settings, genome: int | None = None) -> None:
        self._settings, self._genome = settings, genome
        self._lock = threading.Lock()
        self._held: Open | None = None

    @property
    def on_trial(self) -> bool:
        """Whether a genome serves that nobody approved."""
        return self._genome is not None

    def get(self) -> Open:
        """The services. Blocks while they are opened.

        Raises:
            StoreUnavailable, EmbedderUnavailable: something cannot be opened.
            UnknownGenome: the genome on trial is not in the ledger.
        """
        with self._lock:
            if self._held is None:
                self._held = self._opened()
            return self._held

    def prepare(self) -> None:
        """Finish what a crash of evolution left half-made, and open the services; a failure is logged, not raised."""
        from ...graph.start_up import reconcile_at_start

        try:
            reconcile_at_start(self._settings)
            self.get()
        except IterativeRetrievalError as error:
            _log.warning("%s", error)

    def _opened(self) -> Open:
        from ...graph.docsearch_services import open_docsearch_services
        from ...graph.services import open_services
        from ...stores.ledger import LedgerService
        from ...stores.sql import SqlStore

        docs = open_docsearch_services(self._settings)  # first: it makes the database, which the others then find
        found = Open(open_services(self._settings), docs, LedgerService(SqlStore(self._settings.database)))
        return found if self._genome is None else _trial(found, found.ledger.genome(self._genome))


def _trial(found: Open, record: GenomeRecord) -> Open:
    """The services under a genome."""
    from ...evolution.defaults import parse_genome
    from ...graph.active_domains import Overridden
    from ...graph.services import FixedGenomes

    genome = parse_genome(record.layer, record.genome)
    if record.domain != CODE:
        domains = Overridden(found.docs.domains, record.domain, {record.layer: genome})
        return replace(found, docs=replace(found.docs, domains=domains, cache_answers=False), trial=record)
    if record.layer not in ("retrieval", "routing"):
        raise CallerError(f"genome {record.id} of layer {record.layer} has no effect on code; try one of a domain")
    retrieval, routing = found.code.genomes.retrieval(CODE), found.code.genomes.routing(CODE)
    fixed = FixedGenomes(
        cast(RetrievalGenome, genome) if record.layer == "retrieval" else retrieval,
        cast(RoutingGenome, genome) if record.layer == "routing" else routing,
    )
    return replace(found, code=replace(found.code, genomes=fixed), trial=record)
