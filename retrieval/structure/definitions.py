"""Definitions: query matches become symbols with qualified names, and base classes by symbol.

The queries name what they capture; that vocabulary is all this module knows of a language:

    @class      a type; functions inside it are its methods
    @module     a named part of a program; functions inside it stay functions
    @namespace  as @module, but no symbol of its own
    @extension  as @class, but no symbol of its own: it adds to a type defined elsewhere (Rust's impl)
    @function, @method, @constant
    @name       the name, next to one of these; @within the type it belongs to when written beside it (Go's receiver)
    @of, @base  the name of a class and one of its bases
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from ...state.source import Symbol, SymbolKind
from .parsing import Match
from .recovery import written_range

__all__ = ["definitions_of"]

_ROLES = ("class", "module", "namespace", "extension", "function", "method", "constant")
_KINDS = {
    "class": SymbolKind.CLASS,
    "module": SymbolKind.CLASS,
    "function": SymbolKind.FUNCTION,
    "method": SymbolKind.METHOD,
    "constant": SymbolKind.CONSTANT,
}


@dataclass(slots=True)
class _Definition:
    """One definition on its way to a symbol; start and end are bytes, first and last lines, pattern its query index."""

    name: str
    named_at: int
    role: str
    pattern: int
    start: int
    end: int
    first: int
    last: int
    within: str = ""
    qualified: str = ""

    def holds(self, other: _Definition) -> bool:
        """Whether ``other`` is nested in this; two with the same range (``a, b = 1, 2``) are siblings."""
        return other.end <= self.end and (self.start, self.end) != (other.start, other.end)

    def repeats(self, outer: _Definition) -> bool:
        """Whether this only says again what ``outer`` says: ``Foo.prototype.bar = function bar() {}``."""
        return self.end == outer.end and self.role == "function" and self.name == outer.name.rpartition(".")[2]


def definitions_of(matches: Iterable[Match], data: bytes) -> tuple[list[Symbol], dict[str, tuple[str, ...]]]:
    """Symbols in the order of the text, and class qualified name -> its bases as written, without type arguments."""
    named: dict[int, _Definition] = {}
    bases: dict[int, list[str]] = {}
    for pattern, captured in matches:
        if "name" in captured:
            _add(named, _definition(pattern, captured, data))
        elif "base" in captured:
            bases.setdefault(captured["of"][0].start_byte, []).append(_plain(_text(captured["base"][0], data)))
    kept = _qualify(sorted(named.values(), key=lambda found: (found.start, -found.end, found.named_at)))
    return _symbols(kept), _bases(kept, bases)


def _definition(pattern: int, captured: Mapping[str, list[Node]], data: bytes) -> _Definition:
    """The definition that one match shows."""
    role = next(role for role in _ROLES if role in captured)
    name = captured["name"][0]
    start, end, first, last = written_range(captured[role][0], name, data, role in ("class", "function", "method"))
    return _Definition(
        name=_dotted(_text(name, data)),
        named_at=name.start_byte,
        role=role,
        pattern=pattern,
        start=start,
        end=end,
        first=first,
        last=last,
        within=_text(captured["within"][0], data) if "within" in captured else "",
    )


def _add(named: dict[int, _Definition], found: _Definition) -> None:
    """Keep one definition per name: what it is by the earliest pattern, where it reaches by the widest."""
    known = named.setdefault(found.named_at, found)
    if found.pattern < known.pattern:
        known.role, known.pattern, known.within = found.role, found.pattern, found.within
    if found.end - found.start > known.end - known.start:
        known.start, known.end, known.first, known.last = found.start, found.end, found.first, found.last


def _qualify(ordered: list[_Definition]) -> list[_Definition]:
    """The definitions with their qualified names, local variables left out."""
    kept: list[_Definition] = []
    stack: list[_Definition] = []
    for found in ordered:
        while stack and not stack[-1].holds(found):
            stack.pop()
        outer = stack[-1] if stack else None
        if outer and (_is_local(found, outer) or found.repeats(outer)):
            continue
        found.qualified = ".".join(filter(None, (outer.qualified if outer else "", found.within, found.name)))
        if found.role == "function" and ("." in found.name or (outer and outer.role in ("class", "extension"))):
            found.role = "method"
        stack.append(found)
        kept.append(found)
    return kept


def _is_local(found: _Definition, outer: _Definition) -> bool:
    """Whether a constant is only a function's local variable."""
    return found.role == "constant" and outer.role in ("function", "method")


def _symbols(definitions: list[_Definition]) -> list[Symbol]:
    """One symbol per definition; a constant assigned again stays one symbol, at its first place."""
    symbols: list[Symbol] = []
    constants: set[str] = set()
    for found in definitions:
        kind = _KINDS.get(found.role)
        if kind is None or not found.name or found.name == "_" or found.qualified in constants:
            continue
        if kind is SymbolKind.CONSTANT:
            constants.add(found.qualified)
        symbols.append(Symbol(found.name.rpartition(".")[2], found.qualified, kind, found.first, found.last))
    return symbols


def _bases(definitions: list[_Definition], bases: dict[int, list[str]]) -> dict[str, tuple[str, ...]]:
    """Qualified class name -> bases; a class opened several times has the bases of all its openings."""
    joined: dict[str, dict[str, None]] = {}
    for found in definitions:
        joined.setdefault(found.qualified, {}).update(dict.fromkeys(bases.get(found.named_at, ())))
    return {name: tuple(names) for name, names in joined.items() if names}


def _text(node: Node, data: bytes) -> str:
    """The text of a small node."""
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _plain(written: str) -> str:
    """A type's name without its arguments and white space: ``Map<K, V>`` is Map."""
    return re.split(r"[<(\[]", written, maxsplit=1)[0].strip()


def _dotted(written: str) -> str:
    """A name as written, joined by dots: ``ns::V<T>::n``, ``exports.f`` and ``Foo.prototype.bar`` lose their noise."""
    if written.isidentifier():
        return written
    operator = _OPERATOR.search(written)
    head = written[: operator.start()] if operator else written
    while head != (shorter := _ARGUMENTS.sub("", head)):
        head = shorter
    parts = [part for part in _SEPARATOR.split(head.strip(" \t\n:'\"")) if part and part not in _NOISE]
    return ".".join([*parts, "".join(operator.group().split())] if operator else parts)


_OPERATOR = re.compile(r"\boperator\s*[^\w\s.:].*$", re.DOTALL)  # C++: operator<<
_ARGUMENTS = re.compile(r"(?<=\w)\s*<[^<>]*>")
_SEPARATOR = re.compile(r"\s*(?:::|\\|\.)\s*|\br#")
_NOISE = frozenset(("prototype", "exports", "module", "this", "crate", "self", "super"))
