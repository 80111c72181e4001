"""Past commits as labelled tasks: what the message asks for, and the files that the commit changed for it.

A message is written by who knew the answer, so what would give it away is taken out: paths, file names, module names of
the changed files, and the scope of a conventional commit. Commits that say little about files are refused, each with a
reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ..state.source import FileRole
from .roles import is_source_like, role_of
from .text import content_terms

MAX_GOLD = 6
"""A commit that changes more source files is a sweep: no search finds all of them, and no task asks for them."""
MAX_CHANGED = 30
"""Likewise of all files together, tests and documentation included."""
LEAST_WORDS = 3
"""A message with fewer words that say something asks for nothing."""

Refusal = Literal[
    "merge", "first commit", "bot", "version or upkeep", "revert", "sweep", "only tests or docs", "only new files",
    "says too little", "same words as a later one",
]  # fmt: skip
"""Why a commit is no task."""


@dataclass(frozen=True, slots=True)
class PastCommit:
    """One commit.

    parents: full ids; a clone may lack them. author: name and address. time: unix seconds. message: as written.
    changed: (letter of git's status, path below the searched root) of every file, renames as a removal and an addition.
    """

    id: str
    parents: list[str]
    author: str
    time: int
    message: str
    changed: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class PastTask:
    """What a commit asked for. ref: the commit before it, where it is asked. gold: files it changed, by path."""

    commit: str
    ref: str
    time: int
    task: str
    gold: list[str]


def task_of(commit: PastCommit) -> PastTask | Refusal:
    """The task that a commit answers, or why it answers none."""
    if refusal := _refusal_of_kind(commit):
        return refusal
    sources = [(letter, path) for letter, path in commit.changed if _is_source(path)]
    gold = sorted(path for letter, path in sources if letter == "M")
    if not gold:
        return "only new files" if sources else "only tests or docs"
    if len(gold) > MAX_GOLD or len(commit.changed) > MAX_CHANGED:
        return "sweep"
    task = spoken(commit.message, [path for _, path in commit.changed])
    if len(content_terms(task).parts) < LEAST_WORDS:
        return "says too little"
    return PastTask(commit.id, commit.parents[0], commit.time, task, gold)


def spoken(message: str, paths: Sequence[str]) -> str:
    """A message without trailers, ticket numbers, scopes, and without what names one of the paths.

    >>> spoken("fix(parser): keep blank lines in lex/lines.py (#12)\\n\\nSigned-off-by: Ada <a@b.c>", ["lex/lines.py"])
    'keep blank lines in'
    """
    text = _CONVENTIONAL.sub("", message.strip(), count=1)
    text = _TRAILER.sub("", text)
    for name in _names_of(paths):
        text = re.sub(rf"(?<![\w./-]){re.escape(name)}(?![\w/-]|\.\w)", " ", text)
    text = _TICKET.sub("", text)
    lines = [re.sub(r"[ \t]+", " ", line).strip().removeprefix(":").strip() for line in text.splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()[:_LONGEST].strip()


def _is_source(path: str) -> bool:
    return role_of(path) is FileRole.SOURCE and is_source_like(path)


def _refusal_of_kind(commit: PastCommit) -> Refusal | None:
    """What parents, author and first line say against a commit."""
    subject = commit.message.strip().partition("\n")[0]
    if len(commit.parents) != 1:
        return "merge" if commit.parents else "first commit"
    if _BOT.search(commit.author):
        return "bot"
    if _REVERT.match(subject):
        return "revert"
    return "version or upkeep" if _UPKEEP.match(subject) else None


def _names_of(paths: Sequence[str]) -> Iterator[str]:
    """How a message may name the paths: whole, without the source folder, by file name, as a module; longest first."""
    names = set()
    for path in paths:
        parts = path.split("/")
        tails = ["/".join(parts[i:]) for i in range(len(parts))]
        modules = [tail.rpartition(".")[0].removesuffix("/__init__").replace("/", ".") for tail in tails[:-1]]
        bare = [tail.rpartition(".")[0] for tail in tails[:-1]]
        names |= {name for name in (path, *tails, *modules, *bare) if len(name) > 2 and re.search(r"[./]", name)}
    yield from sorted(names, key=lambda name: (-len(name), name))


_LONGEST = 4_000
_BOT = re.compile(
    r"\[bot\]|\bbot@|-bot\b|\b(?:dependabot|renovate|greenkeeper|pyup|snyk|weblate|mergify|allcontributors)\b"
    r"|github-actions|pre-commit-ci|semantic-release",
    re.I,
)
_REVERT = re.compile(r"(?:revert|back ?out|reapply)\b", re.I)
_UPKEEP = re.compile(
    r"v?\d+\.\d+[\w.+-]*$"
    r"|(?:\w+(?:\([^)]*\))?: *)?(?:"
    r"(?:bump|release|prepare|start|tag|cut|publish|begin)\b.*(?:\d+\.\d|version|release|development|deps|dependenc)"
    r"|(?:post[- ])?release\b|bump\b|back to development|merge\b"
    r"|(?:update|upgrade|pin|refresh|regenerate)\b.*\b(?:dependenc\w*|deps|requirements|lock ?files?|hooks?|submodules?"
    r"|copyright|authors|contributors|change ?log|translations|[\w.-]+\.lock)\b"
    r"|(?:run|apply|fix|use|add|satisfy|silence)?\s*(?:black|isort|ruff|mypy|pyright|flake8|pyupgrade"
    r"|prettier|gofmt|rustfmt|clang-format|cargo fmt|lint"
    r"|linter|pre-?commit|codespell|typos?|spelling)\b"
    r"|(?:bump|update|set) (?:the )?version\b)"
    r"|(?:chore|ci|docs?|style|build|test|tests|release)(?:\([^)]*\))?!?:",
    re.I,
)
_CONVENTIONAL = re.compile(r"\A[a-z]{2,12}(?:\([^)\n]*\))?!?: +(?=\S)")
_TRAILER = re.compile(
    r"^(?:[A-Z][a-z]+(?:-[A-Za-z]+)*-(?:by|id|on|to|url)|change-id|git-svn-id|cc|bug|closes|fixes|resolves|refs?|see"
    r"|link|pr|issue|ticket|differential revision|reviewed by|\(cherry picked from commit)\b *[:#(]? *"
    r"(?=.*(?:[@#<]|\d|https?:|[0-9a-f]{7})).*$",
    re.I | re.M,
)
_TICKET = re.compile(r" *(?:\((?:(?:gh|pr|issue|bug)[- ]?)?#?\d+\)|\b(?:fix(?:es)?|closes?|refs?) #\d+|#\d+)", re.I)
