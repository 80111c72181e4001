"""What an import refers to, one small function per language.

Each takes the index, the importing path and the import, and answers with paths of the snapshot, the most specific
first; [] means the import leaves the snapshot, or that its paths alone do not tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ...state.source import Import
from .mentions import namespaced_paths
from .paths import SOURCE_ROOTS, Module, Parts, PathIndex, outside, parts_of
from .rust import rust_paths

__all__ = ["RESOLVERS"]

Resolver = Callable[[PathIndex, str, Import], list[str]]


def _python(index: PathIndex, importer: str, imported: Import) -> list[str]:
    """Submodules among the names first, then the module; ``a.b.c`` falls back to a.b when c is no module."""
    relative = len(imported.module) - len(imported.module.lstrip("."))
    parts = tuple(filter(None, imported.module.lstrip(".").split(".")))
    if relative:
        base = parts_of(importer)[:-relative]
        return _python_at(index, (*base, *parts), imported.names)
    for length in range(len(parts), 0, -1):
        for root in _python_roots(index, importer, parts[:length]):
            names = imported.names if length == len(parts) else ()
            return _python_at(index, (*root, *parts[:length]), names)
    return []


def _python_at(index: PathIndex, parts: Parts, names: Iterable[str]) -> list[str]:
    """The files of the submodules that are among the names, then of the module itself."""
    found = [path for name in names for path in _python_file(index, (*parts, name))]
    return found + _python_file(index, parts)


def _python_file(index: PathIndex, parts: Parts) -> list[str]:
    """The file of a module at exactly this place."""
    stem = "/".join(parts)
    package = [f"{stem}/__init__.py", f"{stem}/__init__.pyi"] if stem else ["__init__.py"]
    return index.first(*package, f"{stem}.py", f"{stem}.pyx", f"{stem}.pyi")


def _python_roots(index: PathIndex, importer: str, parts: Parts) -> list[Parts]:
    """The folders from which the importer can reach the module, those around the importer first, then source roots."""
    found = index.ending_with(parts)
    roots = {m.parts[: -len(parts)] for m in found if m.language in ("python", "cython")}
    home = parts_of(importer)[:-1]
    reachable = [root for root in roots if _is_python_root(index, root, home)]
    return sorted(reachable, key=lambda root: (home[: len(root)] != root, -len(root), root))


def _is_python_root(index: PathIndex, root: Parts, home: Parts) -> bool:
    """Whether imports in the folder ``home`` may start at ``root``."""
    if "/".join((*root, "__init__.py")) in index.paths:
        return False
    return home[: len(root)] == root or root[-1] in SOURCE_ROOTS


def _javascript(index: PathIndex, importer: str, imported: Import) -> list[str]:
    """A relative module beside the importer; else an alias of src, a path from the root, or a sibling package."""
    module = imported.module.split("?")[0]
    if module.startswith("."):
        return _javascript_file(index, "/".join((*parts_of(importer)[:-1], *module.split("/"))))
    bare = re.sub(r"^(?:@|~)/", "src/", module)
    inner = bare.partition("/")[2] if "/" in bare else ""
    for place in (bare, f"src/{bare}", inner and f"{inner}/src", inner):
        if place and (found := _javascript_file(index, place, folder_only=place == inner)):
            return found
    return [path for top in ("packages", "libs") for path in _javascript_file(index, f"{top}/{bare}/src/index")]


def _javascript_file(index: PathIndex, place: str, folder_only: bool = False) -> list[str]:
    """The file a module path means: itself, with an ending, as TypeScript for its .js, or a folder's index."""
    path = "/".join(parts_of(place))
    if not path:
        return index.first(*(f"index{ending}" for ending in _ENDINGS))
    stem = re.sub(r"\.[cm]?jsx?$", "", path)
    exact = [] if folder_only else [path, *(path + ending for ending in _ENDINGS), *(stem + end for end in _ENDINGS)]
    return index.first(*exact, *(f"{path}/index{ending}" for ending in _ENDINGS))


def _go(index: PathIndex, importer: str, imported: Import) -> list[str]:
    """All files but tests of the imported package's folder, told by the path behind host, owner and repository."""
    parts = parts_of(imported.module)
    if not parts or "." not in parts[0]:
        return _go_folder(index, "/".join(parts))
    for start in (3, 1, 2):
        tail = parts[start:]
        if tail and re.fullmatch(r"v\d+", tail[0]):
            tail = tail[1:]
        if tail and (found := _go_folder(index, "/".join(tail))):
            return found
    return []


def _go_folder(index: PathIndex, folder: str) -> list[str]:
    """The Go files of a folder, tests left out."""
    files = index.folders.get(folder, ()) if folder else ()
    return [path for path in files if path.endswith(".go") and not path.endswith("_test.go")]


def _java(index: PathIndex, importer: str, imported: Import) -> list[str]:
    """The file of the class, of the class around it, or all files of a package imported whole."""
    parts = tuple(imported.module.split("."))
    for length in (len(parts), len(parts) - 1):
        found = [module for module in index.ending_with(parts[:length]) if length > 1] if length else []
        if found:
            return _near(importer, found, length)
    if "*" not in imported.names:
        return []
    return [path for folder in _folders_ending(index, parts) for path in index.folders[folder] if _is_jvm(path)]


def _ruby(index: PathIndex, importer: str, imported: Import) -> list[str]:
    """A file beside the importer, or below a load path (lib, spec, test, app/...)."""
    parts = parts_of(imported.module.removesuffix(".rb"))
    if imported.module.startswith("."):
        beside = parts_of("/".join((*parts_of(importer)[:-1], *imported.module.removesuffix(".rb").split("/"))))
        return index.first("/".join(beside) + ".rb", "/".join(beside))
    found = [module for module in index.ending_with(parts) if module.language == "ruby"]
    loaded = [m for m in found if len(m.parts) == len(parts) or m.parts[-len(parts) - 1] in _RUBY_ROOTS]
    return _near(importer, loaded, len(parts))


def _php(index: PathIndex, importer: str, imported: Import) -> list[str]:
    """The file of a class by the end of its namespace, or an included file beside the importer."""
    if imported.module.endswith((".php", ".inc", ".phtml")):
        return _include(index, importer, imported)
    parts = tuple(imported.module.split("\\"))
    if len(parts) < 2:
        return []
    whole = [module for module in index.ending_with(parts, folded=True) if module.language == "php"]
    return _near(importer, whole, len(parts)) or namespaced_paths(index, parts)


def _include(index: PathIndex, importer: str, imported: Import) -> list[str]:
    """The included file beside the importer, else those whose path ends with it, the nearest first."""
    beside = index.first("/".join(parts_of("/".join((*parts_of(importer)[:-1], imported.module)))))
    wanted = parts_of(imported.module)
    if beside or not wanted:
        return beside
    ending = [p for p in index.named.get(wanted[-1].lower(), ()) if parts_of(p)[-len(wanted) :] == wanted]
    return sorted(ending, key=lambda path: (-_common(importer, path), path.count("/"), path))


def _csharp(index: PathIndex, importer: str, imported: Import) -> list[str]:
    """All C# files of the folder that the namespace ends with."""
    parts = tuple(imported.module.split("."))
    folders = _folders_ending(index, parts) or (_folders_ending(index, parts[1:]) if len(parts) > 2 else [])
    return [path for folder in folders for path in index.folders[folder] if path.endswith(".cs")]


def _folders_ending(index: PathIndex, parts: Sequence[str]) -> list[str]:
    """The folders whose path ends with these components."""
    candidates = index.folders_named.get(parts[-1], ()) if parts else ()
    return [folder for folder in candidates if parts_of(folder)[-len(parts) :] == tuple(parts)]


def _near(importer: str, found: Sequence[Module], length: int) -> list[str]:
    """The modules' paths: those that share most folders with the importer first, then nearest to a source root."""
    rank = {m.path: (-_common(importer, m.path), outside(m.parts, length), m.path) for m in reversed(found)}
    return sorted(rank, key=rank.__getitem__)


def _common(one: str, other: str) -> int:
    """How many leading folders two paths share."""
    pairs = list(zip(parts_of(one)[:-1], parts_of(other)[:-1], strict=False))
    return next((at for at, (left, right) in enumerate(pairs) if left != right), len(pairs))


def _is_jvm(path: str) -> bool:
    return path.endswith((".java", ".kt", ".scala", ".groovy"))


_ENDINGS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".json", ".d.ts")
_RUBY_ROOTS = frozenset(("lib", "spec", "test", "app", "models", "controllers", "helpers", "ext"))

RESOLVERS: dict[str, Resolver] = {
    "python": _python,
    "cython": _python,
    "javascript": _javascript,
    "typescript": _javascript,
    "tsx": _javascript,
    "go": _go,
    "java": _java,
    "rust": rust_paths,
    "ruby": _ruby,
    "php": _php,
    "c": _include,
    "cpp": _include,
    "csharp": _csharp,
}
