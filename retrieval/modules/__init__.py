"""Modules: which files of a snapshot an import, a dotted name or a mentioned path refers to."""

from __future__ import annotations

from collections.abc import Iterable

from ...state.source import Import
from .mentions import dotted_paths, mentioned_paths
from .paths import PathIndex
from .resolvers import RESOLVERS

__all__ = ["ModuleMap"]


class ModuleMap:
    """The modules of one snapshot, told from its paths alone.

    Args:
        paths: every path of the snapshot, relative to its root, with forward slashes.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._index = PathIndex.of(paths)
        self._resolved: dict[tuple[str, Import, str], list[str]] = {}  # every cycle asks for the same files' imports

    def resolve(self, importer: str, imported: Import, language: str) -> list[str]:
        """The paths an import refers to, most specific first; [] when it is external or the language is unknown.

        importer: the path of the importing file. language: as ``language_of`` names it.
        """
        key = (importer, imported, language)
        if key not in self._resolved:
            resolver = RESOLVERS.get(language)
            found = resolver(self._index, importer, imported) if resolver and imported.module else []
            self._resolved[key] = list(dict.fromkeys(found))
        return list(self._resolved[key])

    def find_dotted(self, dotted: str) -> list[str]:
        """The files that a dotted name means, all ties sorted: ``a.b.C.method`` is the file of its longest module.

        Understands Python, Java, Rust (``crate::a``), PHP (``A\\B\\C``) and Ruby (``A::B`` and ``foo/bar``) names.
        """
        return dotted_paths(self._index, dotted)

    def find_path(self, mention: str) -> list[str]:
        """The files that a mentioned path or file name means: the longest common end of whole components, all ties.

        Absolute, Windows and site-packages paths are understood; [] when nothing fits.
        """
        return mentioned_paths(self._index, mention)
