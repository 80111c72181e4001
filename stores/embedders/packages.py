"""Packages that an embedder needs: found without importing them, imported at first use."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...state.errors import EmbedderUnavailable


def absent(modules: Iterable[str]) -> list[str]:
    """Those of the top-level modules that are not installed; nothing is imported."""
    return [module for module in modules if find_spec(module) is None]


def imported(module: str, install: str) -> Any:
    """The module; untyped on purpose, since not all of them ship types.

    Args:
        module: its name.
        install: what the person installs to have it.

    Raises:
        EmbedderUnavailable: it is not installed, or does not load on this system.
    """
    try:
        return import_module(module)
    except (ImportError, OSError) as error:  # OSError: a shared library that does not fit the system
        raise EmbedderUnavailable(f"{module} cannot be imported ({error}); run: pip install '{install}'") from error


def folder_of(module: str, install: str) -> Path:
    """Where a package lies; none of its code runs.

    Raises:
        EmbedderUnavailable: it is not installed.
    """
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailable(f"the package {module} is not installed; run: pip install '{install}'")
    return Path(next(iter(spec.submodule_search_locations)))


def version_of(distribution: str) -> str | None:
    """The installed version of a distribution; None when it is not installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
