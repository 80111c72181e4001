"""What differs between two genomes: gene by gene, and word by word in prompts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

_WORD = re.compile(r"\s+|\w+|[^\w\s]")


class WordRun(NamedTuple):
    """Some text of a prompt, and whether both hold it."""

    kind: Literal["same", "removed", "added"]
    text: str


def field_diff(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Path of a gene (``profiles.how_to.format``) -> [old value, new value], by path; None when absent."""
    before, after = dict(_leaves(old)), dict(_leaves(new))
    return {
        path: [before.get(path), after.get(path)]
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    }


def word_diff(old: str, new: str) -> list[WordRun]:
    """The runs of two texts in order; a replaced word is removed first, then the other is added."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    runs: list[WordRun] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            runs.append(WordRun("same", "".join(before[a:b])))
            continue
        if b > a:
            runs.append(WordRun("removed", "".join(before[a:b])))
        if d > c:
            runs.append(WordRun("added", "".join(after[c:d])))
    return runs


def _leaves(value: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Path and value of everything that is not a mapping; lists are one value; an empty mapping is one too."""
    for name, item in value.items():
        path = f"{before}{name}"
        if isinstance(item, Mapping) and item:
            yield from _leaves(item, f"{path}.")
        else:
            yield path, item
