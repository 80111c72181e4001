"""Names that a piece of source code defines, told without a grammar: chunks of code are often cut anywhere."""

from __future__ import annotations

import re

_NAME = r"[A-Za-z_]\w+"
_DEFINITIONS = re.compile(
    rf"\b(?:fn|def|func|function|class|struct|enum|trait|interface|type|mod|module|namespace|union|macro_rules!)\s+"
    rf"(?:<[^>\n]{{0,80}}>\s*)?({_NAME})"  # a keyword that defines
    rf"|\bimpl\s*(?:<[^>\n]{{0,80}}>)?\s+(?:[\w:<>, ]{{1,80}}?\s+for\s+)?({_NAME})"
    rf"|#\s*define\s+({_NAME})"
    rf"|^[\w<>\[\],:&*~ \t]{{2,80}}[ \t*&]({_NAME})\s*\("  # a type and a name before an opening bracket
    rf"|\b({_NAME})\s*\([^;{{}}()]{{0,200}}\)\s*(?:const\s*)?(?:throws\s+[\w, .]{{1,100}})?\{{",
    re.MULTILINE,
)
_CONTAINERS = re.compile(
    rf"\b(?:class|struct|enum|trait|interface|impl(?:<[^>\n]{{0,80}}>)?(?:\s+[\w:<>, ]{{1,80}}\s+for)?)\s+({_NAME})"
)
_NOT_NAMES = frozenset({"if", "for", "while", "switch", "return", "catch", "match", "else", "new", "sizeof", "assert"})
_KEPT = 3


def defined_names(text: str) -> list[str]:
    """The names that ``text`` seems to define, in order, without repeats."""
    found = (name for m in _DEFINITIONS.finditer(text) for name in m.groups() if name)
    return [n for n in dict.fromkeys(found) if n not in _NOT_NAMES]


def enclosing_names(texts: list[str]) -> list[list[str]]:
    """For each of a document's consecutive chunks, the last types that were opened before it."""
    open_types: list[str] = []
    before: list[list[str]] = []
    for text in texts:
        before.append(open_types[-2:])
        open_types = (open_types + _CONTAINERS.findall(text))[-_KEPT:]
    return before
