"""Everything that can go wrong, as one tree; every message says what to do next.

IterativeRetrievalError
├── CallerError            the caller can mend it (exit code 2, HTTP 400)
│   ├── UnknownRoot        no such folder, or the root is a file
│   ├── UnknownRef         the git ref does not name a commit
│   ├── EmptyTask          nothing to search for
│   ├── TaskUnreadable     the task file cannot be read
│   ├── BudgetTooSmall     the token budget holds not even one span
│   └── InvalidGenome      a gene is unknown or out of bounds
└── WorldError             the world did it (exit code 3, HTTP 503)
    ├── GitUnavailable     the git executable is missing or failed
    ├── StoreUnavailable   the cache folder cannot be read or written
    └── FileVanished       a listed file was gone when it was read
"""

from __future__ import annotations


class IterativeRetrievalError(Exception):
    """The root of every error this package raises on purpose."""


class CallerError(IterativeRetrievalError):
    """The request cannot be served as it stands; the message says how to mend it."""


class UnknownRoot(CallerError):
    """The root does not exist or is not a folder."""


class UnknownRef(CallerError):
    """The git ref does not name a commit of the repository at the root."""


class EmptyTask(CallerError):
    """The task holds no words to search for."""


class TaskUnreadable(CallerError):
    """The file that should hold the task cannot be read as text."""


class BudgetTooSmall(CallerError):
    """The token budget is below the smallest useful context package."""


class InvalidGenome(CallerError):
    """A genome names an unknown gene or a value outside its bounds."""


class WorldError(IterativeRetrievalError):
    """Something outside the request failed; trying again may help."""


class GitUnavailable(WorldError):
    """The git executable is missing, or a git command failed unexpectedly."""


class StoreUnavailable(WorldError):
    """The cache folder cannot be read or written."""


class FileVanished(WorldError):
    """A file was listed but gone, or unreadable, when its text was asked for."""
