"""What a corpus is made of: file entries, their structure, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of a snapshot.

    path: relative to the root, forward slashes. blob: content id in git's own form (hex SHA-1 or SHA-256 of
    ``blob <size>\\0<bytes>``). size: bytes.
    """

    path: str
    blob: str
    size: int


class SymbolKind(StrEnum):
    """What a definition defines."""

    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition. ``qualified`` joins enclosing names with dots (``Query.add_q``); lines are 1-based, inclusive."""

    name: str
    qualified: str
    kind: SymbolKind
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Import:
    """One import as written: ``module`` (dotted, relative dots kept, or a path) and the names taken from it."""

    module: str
    names: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of lines that reads as one piece, usually a function; ``symbol`` is its qualified name or ''."""

    first: int
    last: int
    symbol: str


@dataclass(frozen=True, slots=True)
class Structure:
    """What a parser (or the text fallback) saw in one file.

    language: a name from ``retrieval.languages`` or ''. bases: class qualified name -> base names as written.
    chunks: in line order, together covering every line once, without overlap.
    parsed: False when no grammar fits and chunks are plain windows.
    """

    language: str
    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...]
    chunks: tuple[Chunk, ...]
    bases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parsed: bool = False


class LeftOutReason(StrEnum):
    """Why a file of the root is not among the candidates."""

    IGNORED = "ignored"  # git's ignore rules; a wholly ignored folder counts once
    BINARY = "binary"
    TOO_LARGE = "too_large"
    MINIFIED = "minified"
    SECRET = "secret"
    LINK = "link"  # a symbolic link: its target is listed itself when inside the root
    UNREADABLE = "unreadable"
    NOT_A_FILE = "not_a_file"
    UNDECODABLE_NAME = "undecodable_name"  # a file name that is no UTF-8


class FileRole(StrEnum):
    """What a file is for; everything but SOURCE is demoted, never dropped."""

    SOURCE = "source"
    TEST = "test"
    DOC = "doc"
    EXAMPLE = "example"
    GENERATED = "generated"
    VENDORED = "vendored"
    CONFIG = "config"
    DATA = "data"
