"""The doors between steps and stores: what a node may ask of the world."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .genome import RetrievalGenome
from .progress import ProgressSink
from .routing import RoutingGenome

if TYPE_CHECKING:
    from .analysis import FileAnalysis, History  # they hold arrays, and numpy takes its time


@dataclass(frozen=True, slots=True)
class Clause:
    """One weighted term in one field of the lexical index ("path", "definitions", "body", "symbols", "imports")."""

    field: str
    term: str
    weight: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One ranked file and its score."""

    path: str
    score: float


class Workspace(Protocol):
    """One snapshot of one root, open for reading."""

    @property
    def root(self) -> str:
        """Absolute path of the root."""

    @property
    def fingerprint(self) -> str:
        """Names the content: equal content, equal fingerprint."""

    @property
    def commit(self) -> str | None:
        """Full id of the commit whose ancestors are the history; None outside git."""

    @property
    def paths(self) -> Collection[str]:
        """Every listed path."""

    @property
    def history(self) -> History:
        """Past commits of the snapshot's ancestors."""

    @property
    def size(self) -> int:
        """Number of indexed files."""

    @property
    def mean_length(self) -> float:
        """Mean number of parts of a searchable file."""

    @property
    def languages(self) -> Mapping[str, float]:
        """Language -> its share of the files that have one."""

    @property
    def warnings(self) -> Sequence[str]:
        """What degraded while the workspace was opened."""

    def searchable(self, path: str) -> bool:
        """Whether the snapshot holds the file and its text is searched."""

    def analyses(self, paths: Iterable[str]) -> dict[str, FileAnalysis]:
        """Path -> analysis of the searchable files among ``paths``."""

    def text(self, path: str) -> str:
        """The text of a file. Raises FileVanished."""

    def texts(self, paths: Iterable[str]) -> dict[str, str]:
        """Path -> text of the files among ``paths`` that can be read; much faster than one by one."""

    def search(self, clauses: Iterable[Clause], limit: int) -> list[Hit]:
        """The best files for a disjunction of weighted terms, ties by path."""

    def document_frequency(self, term: str, field: str = "body") -> int:
        """How many files hold ``term`` in ``field``."""

    def words_with_prefix(self, prefix: str, limit: int = 50) -> list[str]:
        """Body terms that begin with ``prefix``."""

    def left_out(self) -> dict[str, int]:
        """Reason -> number of files of the root that are not searched."""

    def explain_absence(self, path: str) -> str | None:
        """Why a path is not searched, in words; None when it is."""


class Workspaces(Protocol):
    """Opens workspaces and keeps the latest warm."""

    def open(self, root: str, ref: str | None = None, report: ProgressSink = ...) -> Workspace:
        """The workspace of a root as it is now. Raises UnknownRoot, UnknownRef and WorldErrors."""

    def opened(self, root: str, ref: str | None, fingerprint: str) -> Workspace:
        """The workspace that a request began with; reopened when it was evicted."""


Pins = Mapping[str, str]
"""Layer -> hash of the genome that a request began with, and under which it ends whatever becomes active meanwhile."""


class Genomes(Protocol):
    """The active genomes."""

    def pins(self, domain: str) -> dict[str, str]:
        """What a request that begins now keeps, see ``Pins``."""

    def routing(self, domain: str, pins: Pins | None = None) -> RoutingGenome:
        """The routing genome of a domain: the pinned one, else the one that is active now."""

    def retrieval(self, domain: str, pins: Pins | None = None) -> RetrievalGenome:
        """The retrieval genome of a domain: the pinned one, else the one that is active now."""
