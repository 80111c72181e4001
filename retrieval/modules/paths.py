"""The paths of a snapshot, indexed by name, by module and by folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from ..languages import language_of

__all__ = ["SOURCE_ROOTS", "Module", "Parts", "PathIndex", "fold", "outside", "parts_of"]

Parts = tuple[str, ...]
"""The components of a path or of a dotted name."""

SOURCE_ROOTS = frozenset(("src", "lib", "python", "source", "main", "java", "app", "include"))
"""Folders that usually do not count as part of a module's name."""


@dataclass(frozen=True, slots=True)
class Module:
    """One file as a module: its language, and its path without ending, ``__init__``, ``index`` or ``mod``."""

    path: str
    parts: Parts
    language: str


@dataclass(slots=True)
class PathIndex:
    """Look-ups over the paths. All lists are in the order of the sorted paths.

    named: file name in lower case -> paths. modules: last module component, folded -> modules. folders: folder
    ('' for the root) -> paths directly in it. folders_named: last component of a folder -> folders.
    """

    paths: frozenset[str] = frozenset()
    named: dict[str, list[str]] = field(default_factory=dict)
    modules: dict[str, list[Module]] = field(default_factory=dict)
    folders: dict[str, list[str]] = field(default_factory=dict)
    folders_named: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, paths: Iterable[str]) -> PathIndex:
        """The index of these paths (relative, forward slashes)."""
        index = cls(paths=frozenset(paths))
        for path in sorted(index.paths):
            folder, _, name = path.rpartition("/")
            index.named.setdefault(name.lower(), []).append(path)
            index.folders.setdefault(folder, []).append(path)
            for module in _modules(path):
                index.modules.setdefault(fold(module.parts[-1]), []).append(module)
        for folder in index.folders:
            index.folders_named.setdefault(folder.rpartition("/")[2], []).append(folder)
        return index

    def ending_with(self, tail: Sequence[str], folded: bool = False) -> list[Module]:
        """The modules whose parts end with ``tail``.

        folded: also match the file names of Ruby and PHP with their constants (``Foo::BarBaz`` is foo/bar_baz.rb).
        """
        candidates = self.modules.get(fold(tail[-1]), ()) if tail else ()
        return [module for module in candidates if _ends(module, tail, folded)]

    def first(self, *paths: str) -> list[str]:
        """The first of these paths that exists, as a list of one; [] if none does."""
        return next(([path] for path in paths if path in self.paths), [])


def parts_of(path: str) -> Parts:
    """The components of a path, '' and '.' left out, '..' taken back where possible."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part and part != ".":
            parts.append(part)
    return tuple(parts)


def fold(name: str) -> str:
    """A name without case, underscores and hyphens."""
    return name.lower().replace("_", "").replace("-", "")


def outside(parts: Parts, tail: int) -> int:
    """How many components stand before the last ``tail`` ones; leading source roots are free."""
    before = parts[: len(parts) - tail]
    return len(before) - len(list(takewhile(SOURCE_ROOTS.__contains__, before)))


def _modules(path: str) -> list[Module]:
    """The file as a module, and once more without inner ``src`` folders (crate/src/a.rs is crate::a)."""
    language = language_of(path)
    if language not in _MODULE_LANGUAGES:
        return []
    folder, _, name = path.rpartition("/")
    stem = _ENDING.sub("", name)
    parts = parts_of(folder) if stem in _FOLDER_MODULES.get(language, ()) else (*parts_of(folder), stem)
    inner = tuple(part for at, part in enumerate(parts) if at == 0 or part != "src")
    return [Module(path, found, language) for found in dict.fromkeys((parts, inner)) if found]


def _ends(module: Module, tail: Sequence[str], folded: bool) -> bool:
    """Whether the module's parts end with ``tail``; hyphens and underscores are one."""
    ending = module.parts[-len(tail) :]
    if folded and module.language in ("ruby", "php"):
        return list(map(fold, ending)) == list(map(fold, tail))
    return [part.replace("-", "_") for part in ending] == [part.replace("-", "_") for part in tail]


_ENDING = re.compile(r"(\.d)?\.[A-Za-z0-9+]+$")
_FOLDER_MODULES = {
    "python": ("__init__", "__main__"),
    "javascript": ("index",),
    "typescript": ("index",),
    "tsx": ("index",),
    "rust": ("mod", "lib", "main"),
}
_MODULE_LANGUAGES = frozenset((
    "python", "cython", "javascript", "typescript", "tsx", "vue", "svelte", "go", "java", "kotlin", "scala", "groovy",
    "rust", "ruby", "php", "c", "cpp", "csharp",
))  # fmt: skip
