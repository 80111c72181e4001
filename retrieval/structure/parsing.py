"""Guarded parsing: the query matches of a text, or None when it must be read as plain text.

Tree-sitter never rejects a text, but on some garbage its error recovery and its queries take quadratic time and
memory: 20,000 nested brackets cost gigabytes in one step that nothing can interrupt. So very large and very deeply
nested texts are not parsed, everything else has a budget of processor time, and trees that are mostly loose tokens are
not searched. The limits are far beyond written code: of 13,000 files in twelve languages, seven recordings of coloured
terminals meet them.
"""

from __future__ import annotations

from itertools import accumulate
from operator import sub
from time import thread_time
from typing import TypeAlias

from tree_sitter import Node, Parser, Point, QueryCursor, Range, Tree

from .grammars import Grammar, grammar_of, parser_of
from .recovery import blank_macros

__all__ = ["Match", "matches_of"]

Match: TypeAlias = tuple[int, dict[str, list[Node]]]
"""A pattern's index in its query, and the captured nodes by name."""

MAX_BYTES = 2_000_000
MAX_NESTING = 1_000
_MAX_CHAIN = 500  # of type arguments or arrow functions opened and not closed
_BASE_SECONDS = 0.3
_SECONDS_PER_BYTE = 2e-6  # ten times what well-formed code takes
_MAX_LOOSE_TOKENS = 5_000
_MAX_OPEN_MATCHES = 1_000
_MAX_DEPTH = 500  # below which definitions are not looked for
_MACRO_DEPTH = 3
_PIECE = 200  # bytes, more than the names that predicates look at


def matches_of(language: str, data: bytes) -> list[Match] | None:
    """Every match of the language's query in ``data`` (UTF-8), unordered; None without grammar or beyond the limits."""
    grammar = grammar_of(language)
    if grammar is None or len(data) > MAX_BYTES or _nests_deeply(data):
        return None
    clean = blank_macros(language, data)
    tree = _parse(parser_of(language, grammar), clean)
    if tree is None:
        return None
    matches = _query(grammar, tree)
    return None if matches is None else matches + _matches_in_macros(grammar, clean, matches)


def _nests_deeply(data: bytes) -> bool:
    """Whether brackets, or chains of ``a<`` or ``a =>``, nest deeper than any written code."""
    brackets = data.translate(_BRACKET_STEPS, delete=_NOT_BRACKETS)
    depths = list(accumulate(memoryview(brackets).cast("b")))
    if max(map(sub, depths, accumulate(depths, min)), default=0) > MAX_NESTING:
        return True
    angles = data.translate(None, delete=_NOT_ANGLES)
    return b"<" * _MAX_CHAIN in angles or b"=>" * _MAX_CHAIN in angles


def _parse(parser: Parser, data: bytes) -> Tree | None:
    """The syntax tree, or None when the time budget ran out.

    Processor time of this thread, not wall time: the answer must not depend on how busy the machine is.
    """
    deadline = thread_time() + _BASE_SECONDS + _SECONDS_PER_BYTE * len(data)
    source = _Source(data)
    try:
        return parser.parse(source, progress_callback=lambda _offset, _error: thread_time() > deadline)
    except ValueError:  # tree-sitter's way to say that the callback stopped it
        parser.reset()
        return None
    finally:
        source.finish()


class _Source:
    """A text as tree-sitter reads it: all at once while parsing, in small pieces for the texts of nodes afterwards.

    Only a text behind a callback can be parsed with a budget. Tree-sitter 0.26 never lets go of what the callback
    returned during the parse, so those views are emptied by hand.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._views: list[memoryview] = []
        self._finished = False

    def __call__(self, offset: int, _point: Point) -> bytes | memoryview:
        if self._finished:
            return self._data[offset : offset + _PIECE]
        self._views.append(memoryview(self._data)[offset:])
        return self._views[-1]

    def finish(self) -> None:
        """End the parse: release its views."""
        self._finished = True
        while self._views:
            self._views.pop().release()


def _query(grammar: Grammar, tree: Tree) -> list[Match] | None:
    """The query's matches, None for garbage.

    Unlike the parse it has no time budget: the cursor's progress callback crashes the interpreter in tree-sitter 0.26.
    """
    if _is_garbage(tree.root_node):
        return None
    cursor = QueryCursor(grammar.query, match_limit=_MAX_OPEN_MATCHES)
    cursor.set_max_start_depth(_MAX_DEPTH)
    return cursor.matches(tree.root_node)


def _is_garbage(root: Node) -> bool:
    """Whether a syntax error spans thousands of loose tokens; a query needs quadratic time for those."""
    broken = [root] if root.has_error else []
    while broken:
        node = broken.pop()
        if node.child_count - node.named_child_count > _MAX_LOOSE_TOKENS:
            return True
        broken += [child for child in node.children if child.has_error]
    return False


def _matches_in_macros(grammar: Grammar, data: bytes, matches: list[Match]) -> list[Match]:
    """Matches inside the braces of macro calls that wrap whole items, which the first parse saw as loose tokens."""
    found: list[Match] = []
    for _ in range(_MACRO_DEPTH):
        wrapped = [node for _, captured in matches for node in captured.get("items", ())]
        ranges = [_inside(node) for node in sorted(wrapped, key=lambda node: node.start_byte) if _is_block(node, data)]
        if not ranges:
            break
        tree = _parse(Parser(grammar.language, included_ranges=ranges), data)
        matches = (tree and _query(grammar, tree)) or []
        found += matches
    return found


def _is_block(tokens: Node, data: bytes) -> bool:
    """Whether a token tree stands in braces, both of them written."""
    text = data[tokens.start_byte : tokens.end_byte]
    return len(text) > 2 and text.startswith(b"{") and text.endswith(b"}")


def _inside(block: Node) -> Range:
    """The text between two braces."""
    start, end = block.start_point, block.end_point
    return Range((start.row, start.column + 1), (end.row, end.column - 1), block.start_byte + 1, block.end_byte - 1)


_BRACKET_STEPS = bytes.maketrans(b"([{)]}", b"\x01\x01\x01\xff\xff\xff")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"([{)]}"))
_NOT_ANGLES = bytes(set(range(256)) - set(b"<=>;{},()[]"))
