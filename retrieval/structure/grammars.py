"""Grammars: one wheel per language, loaded when first needed, and the queries that go with them.

A grammar that is missing or does not fit its queries is reported once and its language is treated as text.

The queries use no ``#set!``: beside a text predicate it makes tree-sitter 0.26 release an object twice.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources

from tree_sitter import Language, Parser, Query

__all__ = ["Grammar", "grammar_of", "parser_of"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Grammar:
    """A loaded grammar and the query that finds its definitions and imports."""

    language: Language
    query: Query


@dataclass(frozen=True, slots=True)
class _Wheel:
    """Where a grammar comes from: the module, its entry point, and the query files joined for it."""

    module: str
    queries: tuple[str, ...]
    entry: str = "language"


_WHEELS = {
    "python": _Wheel("tree_sitter_python", ("python",)),
    "cython": _Wheel("tree_sitter_python", ("python",)),  # its def and class parse; cdef blocks are errors between them
    "javascript": _Wheel("tree_sitter_javascript", ("ecmascript", "javascript")),
    "typescript": _Wheel("tree_sitter_typescript", ("ecmascript", "typescript"), "language_typescript"),
    "tsx": _Wheel("tree_sitter_typescript", ("ecmascript", "typescript"), "language_tsx"),
    "go": _Wheel("tree_sitter_go", ("go",)),
    "java": _Wheel("tree_sitter_java", ("java",)),
    "rust": _Wheel("tree_sitter_rust", ("rust",)),
    "ruby": _Wheel("tree_sitter_ruby", ("ruby",)),
    "php": _Wheel("tree_sitter_php", ("php",), "language_php"),
    "c": _Wheel("tree_sitter_c", ("c",)),
    "cpp": _Wheel("tree_sitter_cpp", ("c", "cpp")),
    "csharp": _Wheel("tree_sitter_c_sharp", ("csharp",)),
}


@cache
def grammar_of(language: str) -> Grammar | None:
    """The grammar of a language name; None when there is none or it cannot be used here."""
    wheel = _WHEELS.get(language)
    if wheel is None:
        return None
    try:
        loaded = Language(getattr(import_module(wheel.module), wheel.entry)())
        query = Query(loaded, _query_source(wheel.queries))
    except (ImportError, OSError, AttributeError, ValueError) as error:  # no wheel, other ABI, other node names
        _log.warning("no grammar for %s, its files are read as text: %s", language, error)
        return None
    return Grammar(loaded, query)


def parser_of(language: str, grammar: Grammar) -> Parser:
    """This thread's parser for a language; parsers keep state and must not be shared."""
    parsers: dict[str, Parser] = _local.__dict__.setdefault("parsers", {})
    if language not in parsers:
        parsers[language] = Parser(grammar.language)
    return parsers[language]


def _query_source(names: tuple[str, ...]) -> str:
    """The text of the query files, joined in order."""
    folder = resources.files(__package__) / "queries"
    return "\n".join((folder / f"{name}.scm").read_text(encoding="utf-8") for name in names)


_local = threading.local()
