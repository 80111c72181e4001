"""What a Rust path refers to: a module of this crate, or of another crate of the workspace."""

from __future__ import annotations

from ...state.source import Import
from .paths import Parts, PathIndex, fold, parts_of

__all__ = ["rust_paths"]


def rust_paths(index: PathIndex, importer: str, imported: Import) -> list[str]:
    """The files of the deepest modules on the import's paths, names first; [] for crates outside the snapshot."""
    parts = tuple(filter(None, imported.module.split("::")))
    found: list[str] = []
    for wanted in [*((*parts, name) for name in imported.names if name != "*"), parts]:
        place = _place(index, importer, wanted) if wanted else None
        found += _deepest(index, *place) if place else []
    return found


def _place(index: PathIndex, importer: str, wanted: Parts) -> tuple[Parts, Parts] | None:
    """The source folder where a path starts and the module path below it; None for an unknown crate."""
    root, here = _home(index, importer)
    head, rest = wanted[0], wanted[1:]
    if head == "crate":
        return root, rest
    if head in ("self", "super"):
        while head == "super" or rest[:1] == ("super",):
            here, rest, head = here[:-1], (rest if head == "super" else rest[1:]), ""
        return root, (*here, *rest)
    if _file(index, (*root, *here, head)):
        return root, (*here, *wanted)
    crate = _crate(index, head) or (("src",) if root != ("src",) and _file(index, ("src", *rest[:1])) else None)
    return (crate, rest) if crate and head not in _STANDARD else None


def _home(index: PathIndex, importer: str) -> tuple[Parts, Parts]:
    """The importer's crate folder (the nearest with a lib.rs or main.rs, else its own) and its module path below it."""
    *folder, name = parts_of(importer)
    stem = name.removesuffix(".rs")
    for depth in range(len(folder), -1, -1):
        if index.first("/".join((*folder[:depth], "lib.rs")), "/".join((*folder[:depth], "main.rs"))):
            own = () if stem in ("mod", "lib", "main") else (stem,)
            return tuple(folder[:depth]), (*folder[depth:], *own)
    return tuple(folder), ()


def _crate(index: PathIndex, name: str) -> Parts | None:
    """The source folder of a workspace crate: ``tokio_util`` is tokio-util/src."""
    crates = [module for module in index.modules.get(fold(name), ()) if module.path.endswith("/src/lib.rs")]
    return parts_of(crates[0].path)[:-1] if crates else None


def _deepest(index: PathIndex, root: Parts, below: Parts) -> list[str]:
    """The file of the longest prefix of a module path that has one; the crate's own file at last."""
    for length in range(len(below), 0, -1):
        if found := _file(index, (*root, *below[:length])):
            return found
    return index.first("/".join((*root, "lib.rs")), "/".join((*root, "main.rs")))


def _file(index: PathIndex, parts: Parts) -> list[str]:
    """The file of a module at exactly this place."""
    return index.first("/".join(parts) + ".rs", "/".join((*parts, "mod.rs")))


_STANDARD = frozenset(("std", "core", "alloc"))
