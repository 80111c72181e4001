"""The answer cache in words: what is kept, under which key, and every decision with its reason."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from .answer import Answer


class CachePolicyGenome(BaseModel):
    """Layer ``cache_policy``: what enters the cache, and what may be served from it.

    Admission: min_supportedness to confidence_key_points_min. Serving of semantic hits: the rest.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_supportedness: float = Field(default=0.8, ge=0.0, le=1.0, description="Least support of an admitted answer.")
    require_sources: bool = Field(default=True, description="Whether an answer without sources is refused.")
    min_sources_count: int = Field(default=1, ge=0, le=10, description="Fewest sources of an admitted answer.")
    block_if_warnings: bool = Field(default=True, description="Whether any warning keeps an answer out.")
    confidence_key_points_min: int = Field(default=1, ge=0, le=10, description="Fewest key points of an answer.")
    min_similarity: float = Field(default=0.8, ge=0.5, le=1.0, description="Least similarity of a semantic hit.")
    min_evidence_overlap: float = Field(
        default=0.6, ge=0.0, le=1.0, description="Least Jaccard overlap of fresh and stored top chunks."
    )
    max_age_days: float = Field(default=30.0, ge=0.0, le=3650.0, description="Days an entry may be served.")


class CacheKey(BaseModel):
    """The name space of an entry; two requests share answers only when all of it is equal.

    index_version: of the collection. embedder: name and dimension, '' when lexical only. epoch: names the active
    genomes of all layers; an activation changes it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenant: str = Field(default="default", min_length=1, max_length=200)
    domain: str
    collection: str
    language: str
    query_type: str
    index_version: int
    embedder: str
    epoch: str
    contract: str = Field(default="1", description="Version of the answer contract.")


class Evidence(BaseModel):
    """A chunk an answer rests on, as it was: key and content hash."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chunk: str
    sha256: str


class CacheEntry(BaseModel):
    """A stored answer.

    evidence: the chunks of its sources. top: marks (``key@hash``) of the best chunks when it was written, best first.
    created: unix seconds. stale: why it may not be served, '' while it may.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: int
    key: CacheKey
    question: str
    normalized: str
    answer: Answer
    evidence: list[Evidence]
    top: list[str]
    created: float
    hits: int = 0
    stale: str = ""


class AdmissionReason(StrEnum):
    """Why an answer entered the cache, or did not. Deny by default: ADMITTED only when every rule agreed."""

    ADMITTED = "admitted"
    EMPTY_ANSWER = "empty_answer"
    ERROR = "error"
    INVALID_CONTRACT = "invalid_contract"
    UNSUPPORTED = "unsupported"
    NO_SOURCES = "no_sources"
    TOO_FEW_SOURCES = "too_few_sources"
    STALE_SOURCES = "stale_sources"  # a source's chunk changed while the answer was written
    INVALID_CITATION = "invalid_citation"
    WARNINGS = "warnings"
    TOO_FEW_KEY_POINTS = "too_few_key_points"
    TIME_SENSITIVE = "time_sensitive"
    PERSONAL = "personal"
    INJECTION = "injection"  # question or evidence tries to give instructions
    CANDIDATE_GENOME = "candidate_genome"  # shadow traffic never writes
    DISABLED = "disabled"
    FROM_CACHE = "from_cache"


class AdmissionVerdict(BaseModel):
    """Whether an answer is stored, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    admitted: bool
    reason: AdmissionReason
    detail: str = ""


class LookupReason(StrEnum):
    """How the cache answered a question."""

    EXACT = "exact"
    SEMANTIC = "semantic"
    NO_ENTRY = "no_entry"
    STALE = "stale"  # a document behind the answer changed
    EXPIRED = "expired"
    EVIDENCE_CHANGED = "evidence_changed"  # a chunk's hash is no longer current
    EVIDENCE_DISAGREES = "evidence_disagrees"  # fresh retrieval brings other chunks
    GUARD = "guard"  # negation, number, version, identifier or quoted string differs
    BELOW_THRESHOLD = "below_threshold"
    VERIFIER_FAILED = "verifier_failed"
    BYPASSED = "bypassed"
    DISABLED = "disabled"


class CacheLookup(BaseModel):
    """What a look-up found. entry: id of the served entry, None on a miss. similarity: of the nearest entry, 0 to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hit: bool
    reason: LookupReason
    detail: str = ""
    entry: int | None = None
    similarity: float = 0.0


class GuardVerdict(BaseModel):
    """Whether two questions may share an answer.

    differs: what does not agree ("negation", "number", "version", "identifier", "quote", "antonym"), '' when all does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    agrees: bool
    differs: str = ""
    detail: str = ""


class RequestRecord(BaseModel):
    """One line of the request log: what was asked, how it ended, and under which genomes.

    outcome: "hit", "answered", "refused" (nothing found) or "failed". genomes: layer -> hash. seconds: of the request.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: int = 0
    time: float
    tenant: str
    domain: str
    collection: str
    language: str = ""
    question: str
    query_type: str = ""
    outcome: str
    lookup: str = ""
    admission: str = ""
    answer: str = ""
    sources: list[str] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    support: float | None = None
    genomes: dict[str, str] = Field(default_factory=dict)
    seconds: float = 0.0
    error: str = ""
