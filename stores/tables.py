"""The tables: collections and their documents, pending work, cached answers, the request log.

Times are unix seconds. Texts have no length limit; whatever is looked up by a long text is looked up by its hash.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    BigInteger,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

Json = JSON().with_variant(JSONB(), "postgresql")
LongId = BigInteger().with_variant(Integer(), "sqlite")  # SQLite numbers rows by itself only in an INTEGER column

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """All tables of the product; constraints are named, so that later migrations can change them."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map: ClassVar[dict[Any, Any]] = {float: Double()}


class CollectionRow(Base):
    """One collection.

    uid: names its folder of lexical slots; a collection made again under an old name has another. version: grows with
    every change of what a reader can find. embedder, dimension, space: of the vectors that serve; space is the name of
    their Chroma collection; '' and 0 when lexical only. next_*: of vectors that are being made to take their place.
    lexical: the slot that serves; '' before the first. lexical_version: the version at which the slot was complete.
    """

    __tablename__ = "collection"
    __table_args__ = ({"sqlite_autoincrement": True},)  # an id is never used again: readers may hold it

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text, unique=True)
    domain: Mapped[str] = mapped_column(Text)
    version: Mapped[int] = mapped_column(default=0)
    embedder: Mapped[str] = mapped_column(Text, default="")
    dimension: Mapped[int] = mapped_column(default=0)
    space: Mapped[str] = mapped_column(Text, default="")
    next_embedder: Mapped[str] = mapped_column(Text, default="")
    next_dimension: Mapped[int] = mapped_column(default=0)
    next_space: Mapped[str] = mapped_column(Text, default="")
    lexical: Mapped[str] = mapped_column(Text, default="")
    lexical_version: Mapped[int] = mapped_column(default=0)


class DocumentRow(Base):
    """One document. document: its id within the collection. sha256: of its bytes, as its source says."""

    __tablename__ = "document"
    __table_args__ = (UniqueConstraint("collection_id", "document"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    collection_id: Mapped[int] = mapped_column(ForeignKey("collection.id", ondelete="CASCADE"))
    document: Mapped[str] = mapped_column(Text)
    sha256: Mapped[str] = mapped_column(Text)


class ChunkRow(Base):
    """One chunk as it is now. key: ``document#ordinal``. sha256: of heading path and text."""

    __tablename__ = "chunk"
    __table_args__ = (UniqueConstraint("collection_id", "key"), Index(None, "sha256", "collection_id"))

    id: Mapped[int] = mapped_column(LongId, primary_key=True)
    collection_id: Mapped[int] = mapped_column(ForeignKey("collection.id", ondelete="CASCADE"))
    document_id: Mapped[int] = mapped_column(ForeignKey("document.id", ondelete="CASCADE"), index=True)
    key: Mapped[str] = mapped_column(Text)
    ordinal: Mapped[int]
    heading: Mapped[list[str]] = mapped_column(Json)
    first: Mapped[int]
    last: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    language: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    sha256: Mapped[str] = mapped_column(Text)


class EmbeddingRow(Base):
    """The vector of a content under one embedder: computed once, whichever documents hold it.

    vector: little-endian float32, ``dimension`` of them; Chroma is an index of these.
    """

    __tablename__ = "embedding"

    embedder: Mapped[str] = mapped_column(Text, primary_key=True)
    dimension: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    sha256: Mapped[str] = mapped_column(Text, primary_key=True)
    vector: Mapped[bytes] = mapped_column(LargeBinary)


class JournalRow(Base):
    """A difference that may remain between these tables and what is derived from them.

    target: "lexical" (the slot of the collection), "vector" (content ``item`` in Chroma collection ``space``),
    "drop_space" (``item`` is a Chroma collection nobody needs), "drop_lexical" (``item`` is such a folder of slots).
    What is right is read from the tables when the row is worked off, so rows may come twice and in any order.
    collection_id: None for drops.
    """

    __tablename__ = "journal"
    __table_args__ = (Index(None, "collection_id", "target", "space"),)

    id: Mapped[int] = mapped_column(LongId, primary_key=True)
    collection_id: Mapped[int | None] = mapped_column(ForeignKey("collection.id", ondelete="CASCADE"))
    target: Mapped[str] = mapped_column(Text)
    space: Mapped[str] = mapped_column(Text, default="")
    item: Mapped[str] = mapped_column(Text, default="")


class CounterRow(Base):
    """Numbers that processes watch. "vectors" grows whenever a process wrote into Chroma's folder."""

    __tablename__ = "counter"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    value: Mapped[int] = mapped_column(LongId, default=0)


class CacheEntryRow(Base):
    """A cached answer. The columns from tenant to contract are its ``CacheKey``.

    digest: of key and normalised question, for exact look-ups. vector: of the question, little-endian float32; None
    when lexical only. answer: an ``Answer`` as JSON. top: keys of the best chunks when it was written, best first.
    stale: why it may not be served, '' while it may.
    """

    __tablename__ = "cache_entry"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    tenant: Mapped[str] = mapped_column(Text)
    domain: Mapped[str] = mapped_column(Text)
    collection: Mapped[str] = mapped_column(Text, index=True)
    language: Mapped[str] = mapped_column(Text)
    query_type: Mapped[str] = mapped_column(Text)
    index_version: Mapped[int]
    embedder: Mapped[str] = mapped_column(Text)
    epoch: Mapped[str] = mapped_column(Text)
    contract: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(Text, index=True)
    question: Mapped[str] = mapped_column(Text)
    normalized: Mapped[str] = mapped_column(Text)
    vector: Mapped[bytes | None] = mapped_column(LargeBinary)
    answer: Mapped[dict[str, Any]] = mapped_column(Json)
    top: Mapped[list[str]] = mapped_column(Json)
    created: Mapped[float]
    last_hit: Mapped[float | None]
    hits: Mapped[int] = mapped_column(default=0)
    stale: Mapped[str] = mapped_column(Text, default="")


class CacheEvidenceRow(Base):
    """A chunk that a cached answer rests on, as it was."""

    __tablename__ = "cache_evidence"
    __table_args__ = (Index(None, "collection", "chunk"),)

    id: Mapped[int] = mapped_column(LongId, primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey("cache_entry.id", ondelete="CASCADE"), index=True)
    collection: Mapped[str] = mapped_column(Text)
    chunk: Mapped[str] = mapped_column(Text)
    sha256: Mapped[str] = mapped_column(Text)


class CacheDecisionRow(Base):
    """An admission decision with its reason. key: a ``CacheKey`` as JSON."""

    __tablename__ = "cache_decision"

    id: Mapped[int] = mapped_column(LongId, primary_key=True)
    time: Mapped[float] = mapped_column(index=True)
    question: Mapped[str] = mapped_column(Text)
    key: Mapped[dict[str, Any]] = mapped_column(Json)
    admitted: Mapped[bool]
    reason: Mapped[str] = mapped_column(Text)
    detail: Mapped[str] = mapped_column(Text, default="")


class RequestLogRow(Base):
    """One ``RequestRecord``."""

    __tablename__ = "request_log"
    __table_args__ = (Index(None, "domain", "time"),)

    id: Mapped[int] = mapped_column(LongId, primary_key=True)
    time: Mapped[float] = mapped_column(index=True)
    tenant: Mapped[str] = mapped_column(Text, index=True)
    domain: Mapped[str] = mapped_column(Text)
    collection: Mapped[str] = mapped_column(Text)
    language: Mapped[str] = mapped_column(Text, default="")
    question: Mapped[str] = mapped_column(Text)
    query_type: Mapped[str] = mapped_column(Text, default="")
    outcome: Mapped[str] = mapped_column(Text)
    lookup: Mapped[str] = mapped_column(Text, default="")
    admission: Mapped[str] = mapped_column(Text, default="")
    answer: Mapped[str] = mapped_column(Text, default="")
    sources: Mapped[list[str]] = mapped_column(Json)
    warnings: Mapped[list[str]] = mapped_column(Json)
    support: Mapped[float | None]
    genomes: Mapped[dict[str, str]] = mapped_column(Json)
    seconds: Mapped[float] = mapped_column(default=0.0)
    error: Mapped[str] = mapped_column(Text, default="")


class FeedbackRow(Base):
    """One ``FeedbackRecord``."""

    __tablename__ = "feedback"
    __table_args__ = (Index(None, "tool", "time"),)

    id: Mapped[int] = mapped_column(LongId, primary_key=True)
    time: Mapped[float]
    tool: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    root: Mapped[str] = mapped_column(Text, default="")
    ref: Mapped[str | None] = mapped_column(Text)
    collection: Mapped[str] = mapped_column(Text, default="")
    domain: Mapped[str] = mapped_column(Text, default="")
    query_type: Mapped[str] = mapped_column(Text, default="")
    verdict: Mapped[str] = mapped_column(Text)
    returned: Mapped[list[str]] = mapped_column(Json)
    needed: Mapped[list[str]] = mapped_column(Json)
    missing: Mapped[str] = mapped_column(Text, default="")
