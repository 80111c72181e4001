"""The doors between the steps of a documentation question and the stores behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from .caching import AdmissionVerdict, CacheEntry, CacheKey, Evidence, RequestRecord
from .documents import CollectionInfo, DocumentChunk, IndexReport, StoredChunk
from .domains import Domain
from .ports import Clause, Hit, Pins
from .progress import ProgressSink
from .spending import Spending, SpendingLimit

if TYPE_CHECKING:  # numpy takes its time
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
"""(n, dimension), unit length."""


class Embedder(Protocol):
    """Turns texts into vectors of unit length; cosine similarity is their dot product."""

    @property
    def name(self) -> str:
        """Names model, version and precision: other vectors, other name."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def multilingual(self) -> bool:
        """Whether a question and a text that answers it in another language get near vectors."""

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of document chunks. Raises EmbedderUnavailable."""

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions. Raises EmbedderUnavailable."""


class ChunkSource(Protocol):
    """Documents on their way into a collection: each with an id, a content hash, and its chunks on demand."""

    @property
    def document(self) -> str:
        """The document's id, unique in the collection: a relative path or an address."""

    @property
    def sha256(self) -> str:
        """Hash of the bytes: equal bytes, nothing to do."""

    def chunks(self) -> Sequence[DocumentChunk]:
        """The chunks. Raises DocumentSkipped when the document cannot be taken in."""


class Collection(Protocol):
    """One collection, open for reading at one version."""

    @property
    def info(self) -> CollectionInfo:
        """Name, domain, version, size, embedder."""

    @property
    def mean_length(self) -> float:
        """Mean number of terms of a chunk."""

    @property
    def warnings(self) -> Sequence[str]:
        """What degraded while the collection was opened ("Chroma is not reachable: lexical search only")."""

    def chunks(self, keys: Iterable[str]) -> dict[str, StoredChunk]:
        """Key -> chunk of those that exist now."""

    def document_chunks(self, document: str) -> list[StoredChunk]:
        """The chunks of a document in order; [] when there is none."""

    def search(self, clauses: Iterable[Clause], limit: int) -> list[Hit]:
        """The best chunks for a disjunction of weighted terms (fields "heading" and "body"), ties by key."""

    def document_frequency(self, term: str, field: str = "body") -> int:
        """How many chunks hold ``term`` in ``field``."""

    def words_with_prefix(self, prefix: str, limit: int = 50) -> list[str]:
        """Body terms that begin with ``prefix``, the most frequent first."""

    def nearest(self, vector: Vectors, limit: int) -> list[Hit]:
        """The chunks whose vectors are nearest to ``vector`` (dimension,), by cosine; [] when lexical only."""

    def vectors(self, keys: Iterable[str]) -> dict[str, Vectors]:
        """Key -> vector (dimension,) of those that have one."""


class Collections(Protocol):
    """All collections of this installation."""

    def open(self, name: str) -> Collection:
        """The collection as it is now.

        Raises UnknownCollection, EmptyCollection, EmbeddingMismatch and StoreUnavailable.
        """

    def opened(self, name: str, version: int) -> Collection:
        """The collection at the version a request began with, or as it is now when that version is gone."""

    def names(self) -> list[CollectionInfo]:
        """Every collection, by name."""

    def embedder(self, name: str) -> Embedder | None:
        """The embedder of a collection's vectors; None when it is lexical only or its embedder is not installed."""

    def index(
        self,
        name: str,
        domain: str,
        sources: Iterable[ChunkSource],
        *,
        prune: bool = True,
        report: ProgressSink = ...,
    ) -> IndexReport:
        """Bring a collection up to date with ``sources``; with ``prune``, documents that are not among them go."""

    def remove(self, name: str) -> None:
        """Delete a collection with its index, vectors and cached answers. Raises UnknownCollection."""


@dataclass(frozen=True, slots=True)
class NearEntry:
    """A cached entry and its similarity to the question asked, 0 to 1."""

    entry: CacheEntry
    similarity: float


class AnswerCache(Protocol):
    """Stored answers; a changed document makes its entries stale in the transaction that changes it."""

    def exact(self, key: CacheKey, normalized: str) -> CacheEntry | None:
        """The newest entry of this key and normalised question, stale or not."""

    def near(self, key: CacheKey, question: str, vector: Vectors | None, limit: int = 5) -> list[NearEntry]:
        """Entries of this key by similarity of their questions, best first; [] without a vector."""

    def put(
        self, key: CacheKey, question: str, normalized: str, vector: Vectors | None, entry: CacheEntry
    ) -> CacheEntry | None:
        """Store an entry (its id is given by the store); None when a piece of its evidence is no longer current."""

    def hit(self, entry: int, time: float) -> None:
        """Count a served hit."""

    def decided(self, question: str, key: CacheKey, verdict: AdmissionVerdict, time: float) -> None:
        """Keep an admission decision with its reason."""

    def current(self, collection: str, evidence: Sequence[Evidence]) -> bool:
        """Whether every piece of evidence still has that content."""

    def purge(self, collection: str | None = None, stale_only: bool = False) -> int:
        """Delete entries; the number deleted."""

    def stats(self, collection: str | None = None) -> dict[str, Any]:
        """Counts: entries, stale, hits, look-ups and admissions by reason."""


class RequestLog(Protocol):
    """Every request with its outcome, unless the person opted out; rows older than the retention are deleted."""

    def record(self, row: RequestRecord) -> None:
        """Append one row."""

    def rows(self, domain: str | None = None, since: float = 0.0, limit: int = 1000) -> list[RequestRecord]:
        """The newest rows first."""

    def erase(self, tenant: str | None = None, collection: str | None = None) -> int:
        """Delete rows (of one tenant, of one collection, or all); the number deleted."""


class ChatModel(Protocol):
    """A language model that answers with JSON."""

    @property
    def name(self) -> str:
        """The model's name."""

    def structured(
        self, system: str, user: str, schema: Mapping[str, Any], on_token: Callable[[str], None] | None = None
    ) -> dict[str, Any]:
        """One reply that follows a JSON Schema (object with a "title"). Raises ModelUnavailable, ModelUnreadable."""

    def within(self, spending: Spending) -> ChatModel:
        """The same model, its calls counted by ``spending`` and refused before they exceed its limits."""


Role = Literal["planner", "evaluator", "classifier", "composer", "judge", "mutator"]
"""What a language model is asked for; each may have a model of its own."""


class ChatModels(Protocol):
    """The models of a deployment, by role."""

    @property
    def limit(self) -> SpendingLimit:
        """The most that one request may spend, the number of calls aside."""

    def of(self, role: Role) -> ChatModel | None:
        """The model of a role; None when the role is played offline."""


class Domains(Protocol):
    """The domains of this installation, each with its active genomes."""

    def pins(self, name: str) -> dict[str, str]:
        """What a question that is asked now keeps, see ``Pins``. Raises UnknownDomain, InvalidGenome."""

    def of(self, name: str, pins: Pins | None = None) -> Domain:
        """A domain with the pinned genomes, else those that are active now. Raises UnknownDomain, InvalidGenome."""

    def epoch(self, name: str, pins: Pins | None = None) -> str:
        """Names the genomes of all layers of a domain: other genomes, other epoch."""

    def hashes(self, name: str, pins: Pins | None = None) -> dict[str, str]:
        """Layer -> hash of its genome."""
