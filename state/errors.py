"""Everything that can go wrong, as one tree; every message says what to do next.

IterativeRetrievalError
├── CallerError            the caller can mend it (exit code 2, HTTP 400)
│   ├── UnknownRoot        no such folder, or the root is a file
│   ├── UnknownRef         the git ref does not name a commit
│   ├── EmptyTask          nothing to search for
│   ├── ForeignResult      the earlier result is of another root or ref
│   ├── TaskUnreadable     the task file cannot be read
│   ├── BudgetTooSmall     the token budget holds not even one span
│   ├── InvalidGenome      a gene is unknown or out of bounds
│   ├── UnknownCollection  no collection of that name
│   ├── EmptyCollection    a collection without a searchable document
│   ├── EmptyQuestion      a question without a word
│   ├── NoDocuments        paths or globs that match no document
│   ├── UnknownDomain      no such domain folder, or a damaged one
│   └── EmbeddingMismatch  vectors of another embedder; the collection must be embedded again
├── WorldError             the world did it (exit code 3, HTTP 503)
│   ├── GitUnavailable     the git executable is missing or failed
│   ├── StoreUnavailable   a store (cache folder, database, Chroma) cannot be read or written
│   ├── EmbedderUnavailable the embedder cannot be loaded or reached
│   ├── DocumentSkipped    one document cannot be taken into a collection
│   └── FileVanished       a listed file was gone when it was read
├── ModelError             the language model did it; the offline result stands in
│   ├── ModelUnavailable   not reachable, too slow, or it refused
│   │   ├── ModelBudgetSpent  not asked: the request's budget would be exceeded
│   │   └── PromptTooLong  what it should read does not fit into its context window
│   └── ModelUnreadable    its answer does not follow the contract
└── EvolutionRefused       a rule of evolution forbids it (exit code 2, HTTP 409)
    ├── UnknownGenome      no such genome, cycle or decision
    ├── AlreadyDecided     somebody decided before
    ├── StaleReview        the genome changed since it was seen
    ├── NotAllowed         the requester cannot decide; a role is missing; a transition does not exist
    └── BudgetSpent        the cycle's budget is used up
"""

from __future__ import annotations


class IterativeRetrievalError(Exception):
    """The root of every error this package raises on purpose."""


class CallerError(IterativeRetrievalError, ValueError):
    """The request cannot be served as it stands; the message says how to mend it.

    It and the other two are also errors of Python's own kinds: LangGraph Server tells the messages of those alone.
    """


class UnknownRoot(CallerError):
    """The root does not exist or is not a folder."""


class UnknownRef(CallerError):
    """The git ref does not name a commit of the repository at the root."""


class EmptyTask(CallerError):
    """The task holds no words to search for."""


class ForeignResult(CallerError):
    """The earlier result that a search should continue belongs to another root or ref."""


class TaskUnreadable(CallerError):
    """The file that should hold the task cannot be read as text."""


class BudgetTooSmall(CallerError):
    """The token budget is below the smallest useful context package."""


class InvalidGenome(CallerError):
    """A genome names an unknown gene or a value outside its bounds."""


class UnknownCollection(CallerError):
    """There is no collection of that name."""


class EmptyCollection(CallerError):
    """The collection holds no searchable document."""


class EmptyQuestion(CallerError):
    """The question holds no word to search for."""


class NoDocuments(CallerError):
    """The paths or globs match no document."""


class UnknownDomain(CallerError):
    """There is no domain of that name, or its folder is damaged."""


class EmbeddingMismatch(CallerError):
    """The collection's vectors come from another embedder."""


class WorldError(IterativeRetrievalError, RuntimeError):
    """Something outside the request failed; trying again may help."""


class GitUnavailable(WorldError):
    """The git executable is missing, or a git command failed unexpectedly."""


class StoreUnavailable(WorldError):
    """A store (the cache folder, the database, Chroma) cannot be read or written."""


class FileVanished(WorldError):
    """A file was listed but gone, or unreadable, when its text was asked for."""


class EmbedderUnavailable(WorldError):
    """The embedder cannot be loaded or reached."""


class ModelError(IterativeRetrievalError):
    """The language model failed; whoever asked falls back to the offline result and says so."""


class ModelUnavailable(ModelError):
    """The model is not reachable, too slow, or refused."""


class ModelBudgetSpent(ModelUnavailable):
    """A further call could exceed what the request may spend; it was not made."""


class PromptTooLong(ModelUnavailable):
    """The prompt does not fit into the model's context window; a shorter one may."""


class ModelUnreadable(ModelError):
    """The model's answer does not follow the contract, even after one repair."""


class DocumentSkipped(WorldError):
    """A document cannot be taken into a collection; the others are.

    Args:
        document: its id.
        reason: a value of ``SkipReason``.
        detail: what is wrong and what would help.
    """

    def __init__(self, document: str, reason: str, detail: str) -> None:
        super().__init__(f"{document}: {detail}")
        self.document, self.reason, self.detail = document, reason, detail


class EvolutionRefused(IterativeRetrievalError, RuntimeError):
    """A rule of evolution forbids it; nothing was changed."""


class UnknownGenome(EvolutionRefused):
    """There is no such genome, cycle or decision."""


class AlreadyDecided(EvolutionRefused):
    """Somebody decided before; the decision stands."""


class StaleReview(EvolutionRefused):
    """The genome changed since the reviewer saw it."""


class NotAllowed(EvolutionRefused):
    """Who asks may not do this, or the genome's status does not allow it."""


class BudgetSpent(EvolutionRefused):
    """The cycle's budget is used up."""
