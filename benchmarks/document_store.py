"""Collections to measure on: the product's own stores in a folder of the benchmark."""

from __future__ import annotations

import sys
from pathlib import Path

from iterative_retrieval.graph.docsearch_services import DocsearchServices, open_docsearch_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.nodes.passage_subject import PassageSubjects
from iterative_retrieval.state.document_ports import Collections
from iterative_retrieval.state.documents import IndexReport
from iterative_retrieval.state.progress import IndexProgress, Progress

from .document_sets import DocumentSet


class Bench:
    """The product's services over a folder.

    Args:
        folder: where collections live; what is indexed there already is not indexed again.
        embedder: as in the settings.
    """

    def __init__(self, folder: Path, embedder: str = "auto") -> None:
        settings = Settings(data_dir=folder / "data", cache_dir=folder / "cache", embedder=embedder, request_log=False)
        self.services: DocsearchServices = open_docsearch_services(settings)

    @property
    def collections(self) -> Collections:
        """All collections."""
        return self.services.collections

    @property
    def subjects(self) -> PassageSubjects:
        """What the loop looks into."""
        return self.services.subjects

    def index(self, documents: DocumentSet) -> IndexReport:
        """Bring a set's collection up to date, telling how far it is on standard error."""
        report = self.collections.index(documents.name, "general", documents.documents, report=_told)
        print(f"{documents.name}: {report.chunks} chunks, {report.seconds:.1f} s", file=sys.stderr)
        return report


def _told(event: Progress) -> None:
    if isinstance(event, IndexProgress) and event.total and event.done % 200 == 0:
        print(f"  {event.phase} {event.done}/{event.total}", file=sys.stderr, flush=True)
