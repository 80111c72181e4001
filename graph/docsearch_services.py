"""What the docsearch graph connects to, opened in one place."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from ..evolution.domain_files import load_domain
from ..nodes.cache import CacheReader, CacheWriter
from ..nodes.compose import Composer
from ..nodes.intake import Intake
from ..nodes.passage_subject import PassageSubjects
from ..nodes.similarity import Similarity
from ..state.document_ports import AnswerCache, ChatModels, Collections, Embedder, RequestLog
from ..state.errors import EmbedderUnavailable
from ..state.feedback import FeedbackLog
from ..stores.answer_cache import SqlAnswerCache
from ..stores.collections import SqlCollections
from ..stores.embedders import Endpoint, default_embedder, embedder_named
from ..stores.feedback import SqlFeedbackLog
from ..stores.ledger import LedgerService
from ..stores.request_log import SqlRequestLog
from .active_domains import ActiveDomains, FolderDomains, LedgerDomains
from .active_genomes import ActiveGenomes
from .model_roles import OFFLINE_MODELS, Models
from .prompts import compose_prompts
from .settings import Settings, load_settings


@dataclass(frozen=True)
class DocsearchServices:
    """What the steps of a documentation question borrow."""

    collections: Collections
    domains: ActiveDomains
    cache: AnswerCache
    log: RequestLog
    feedback: FeedbackLog
    models: ChatModels = OFFLINE_MODELS
    cache_answers: bool = True
    similarity: Similarity = field(init=False)
    subjects: PassageSubjects = field(init=False)

    def __post_init__(self) -> None:
        """Join what belongs together."""
        object.__setattr__(self, "similarity", Similarity(self.collections))
        object.__setattr__(self, "subjects", PassageSubjects(self.collections, self.domains, self.similarity))

    @cached_property
    def intake(self) -> Intake:
        """The first step."""
        return Intake(self.collections, self.domains, self.domains.classifier)

    @cached_property
    def reader(self) -> CacheReader:
        """What asks the cache."""
        return CacheReader(
            self.collections, self.domains, self.cache, self.similarity, self.subjects, enabled=self.cache_answers
        )

    @cached_property
    def writer(self) -> CacheWriter:
        """What offers answers to the cache."""
        return CacheWriter(
            self.collections,
            self.domains,
            self.cache,
            self.similarity,
            self.subjects,
            enabled=self.cache_answers,
        )

    @cached_property
    def composer(self) -> Composer:
        """What writes answers."""
        model = self.models.of("composer")
        return Composer(model, compose_prompts()) if model else Composer()

    def place_of(self, domain: str) -> str:
        """How a collection remembers its domain: a name, or the absolute path of its folder.

        Raises:
            UnknownDomain, InvalidGenome: from reading it.
        """
        load_domain(domain, self.domains.folders)
        return str(Path(domain).expanduser().resolve()) if "/" in domain or "\\" in domain else domain


def open_docsearch_services(settings: Settings | None = None) -> DocsearchServices:
    """Services as the settings say; files are made when first needed.

    Raises:
        StoreUnavailable: the database cannot be opened.
        EmbedderUnavailable: the settings name an embedder that is not installed.
    """
    settings = settings or load_settings()
    models = Models(settings)
    endpoint = _endpoint(settings, models)
    embedders = settings.cache_dir / "embedders"
    store = SqlCollections(
        settings.database,
        settings.data_dir,
        lambda name: embedder_named(name, embedders, endpoint=endpoint),
        _embedder(settings, embedders, endpoint),
        chroma_url=settings.chroma_url,
    )
    return DocsearchServices(
        collections=store,
        domains=LedgerDomains(FolderDomains(settings.domain_folders), ActiveGenomes(LedgerService(store.sql))),
        cache=SqlAnswerCache(store.sql),
        log=SqlRequestLog(store.sql, settings.request_log, settings.log_retention_days),
        feedback=SqlFeedbackLog(store.sql, settings.request_log, settings.log_retention_days),
        models=models,
        cache_answers=settings.cache_answers,
    )


@lru_cache(maxsize=1)
def default_docsearch_services() -> DocsearchServices:
    """The services of this process, opened once."""
    return open_docsearch_services()


def _embedder(settings: Settings, folder: Path, endpoint: Endpoint | None) -> Embedder | None:
    match settings.embedder:
        case "auto":
            return default_embedder(folder)
        case "none":
            return None
        case "endpoint" if endpoint is None:
            raise EmbedderUnavailable("the embedder 'endpoint' needs IR_EMBEDDING_MODEL and OPENAI_BASE_URL")
        case "endpoint":
            return embedder_named(f"endpoint/{settings.embedding_model}", folder, endpoint=endpoint)
        case name:
            return embedder_named(name, folder, endpoint=endpoint)


def _endpoint(settings: Settings, models: Models) -> Endpoint | None:
    if settings.embedding_model is None:
        return None
    line = models.embedding_connection
    return Endpoint(
        base_url=line.base_url or "https://api.openai.com/v1",
        model=settings.embedding_model,
        api_key=line.api_key or None,
        dimensions=settings.embedding_dimensions,
        timeout=settings.model_timeout,
        retries=settings.model_retries,
        batch=settings.embedding_batch,
        document_prefix=settings.embedding_document_prefix,
        question_prefix=settings.embedding_query_prefix,
        line=line,
    )
