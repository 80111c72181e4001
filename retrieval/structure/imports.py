"""Imports: query matches become one Import per statement and module.

Captures: @source is the module, @taken a name taken from it, @import the statement that joins them; @beside is a source
relative to the importing file (Ruby's require_relative), @child one inside the importing module (Rust's ``mod x;``);
@tree is a whole use declaration of Rust or PHP, whose braces are multiplied out here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from ...state.source import Import
from .parsing import Match

__all__ = ["imports_of"]


@dataclass(slots=True)
class _Statement:
    """One import statement being put together.

    pattern: the query index of the source, the earliest wins. taken: name -> its place in the text.
    """

    line: int
    pattern: int = 1_000_000
    source: str = ""
    taken: dict[str, int] = field(default_factory=dict)


def imports_of(matches: Iterable[Match], data: bytes) -> list[Import]:
    """The imports in the order of the text."""
    found: dict[tuple[int, str], _Statement] = {}
    for pattern, captured in matches:
        if "tree" in captured:
            _add_tree(found, captured, data)
        else:
            _add(found, pattern, captured, data)
    ordered = sorted(found.items(), key=lambda item: item[0][0])
    return [
        Import(one.source, tuple(sorted(one.taken, key=one.taken.__getitem__)), one.line)
        for _, one in ordered
        if one.source
    ]


def _add(found: dict[tuple[int, str], _Statement], pattern: int, captured: dict[str, list[Node]], data: bytes) -> None:
    """Note the source or the names that one match shows; matches of another kind show none."""
    role = next((role for role in _PREFIXES if role in captured), "")
    if not role and "taken" not in captured:
        return
    node = (captured.get("import") or captured[role])[0]
    statement = found.setdefault((node.start_byte, ""), _Statement(node.start_point.row + 1))
    if role and pattern < statement.pattern:
        source = _unquoted(_text(captured[role][0], data))
        statement.source = source if source.startswith(".") else _PREFIXES[role] + source
        statement.pattern = pattern
    for taken in captured.get("taken", ()):
        statement.taken.setdefault(_text(taken, data).lstrip(":"), taken.start_byte)


def _add_tree(found: dict[tuple[int, str], _Statement], captured: dict[str, list[Node]], data: bytes) -> None:
    """Note every leaf of a use declaration; Rust's last segment is the name taken, PHP's whole path is the module."""
    tree, statement = captured["tree"][0], captured["import"][0]
    for leaf in _leaves(_text(tree, data)):
        path, colons, name = leaf.rpartition("::")
        source = path if colons else leaf
        one = found.setdefault((statement.start_byte, source), _Statement(statement.start_point.row + 1, source=source))
        if colons:
            one.taken.setdefault(name, len(one.taken))


def _leaves(tree: str) -> Iterator[str]:
    """The paths of a use tree: ``a::{b, c::{d as e, self}}`` holds a::b, a::c::d and a::c."""
    prefixes, path = [""], ""
    for token in re.findall(r"[{},]|[^{},]+", _KEYWORDS.sub("", _COMMENTS.sub(" ", tree))):
        if token == "{":
            prefixes.append(prefixes[-1] + path)
        elif token not in ("}", ","):
            path = _leaf(token)
            continue
        elif path:
            yield _closed(prefixes[-1] + path)
        if token == "}" and len(prefixes) > 1:
            prefixes.pop()
        path = ""
    if path:
        yield _closed(prefixes[-1] + path)


def _leaf(token: str) -> str:
    """One segment run without its alias and white space."""
    return "".join(re.split(r"\sas\s", token, maxsplit=1)[0].rstrip("; \n").split())


def _closed(path: str) -> str:
    """A path whose final ``self`` means the module before it, and that does not start at the global root."""
    return path.removesuffix("::self").removeprefix("::").removeprefix("\\")


def _text(node: Node, data: bytes) -> str:
    """The text of a node without white space at its ends."""
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace").strip()


def _unquoted(source: str) -> str:
    """A source without quotes, angle brackets or inner white space."""
    return "".join(source.strip("\"'`<>").split())


_PREFIXES = {"source": "", "beside": "./", "child": "self::"}
_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/|(?<!\w)#[^\n]*", re.DOTALL)
_KEYWORDS = re.compile(r"^use\s+|(?:(?<=^)|(?<=[\s{,]))(?:function|const)\s+")
