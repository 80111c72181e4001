"""Where a number comes from: the product's commit and source, the versions around it, the machine."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("bm25s", "langgraph", "numpy", "pydantic", "pystemmer", "tantivy", "tree-sitter")
_SOURCE = {".py", ".scm", ".json"}


def provenance() -> dict[str, Any]:
    """What a result file says about its making; no host name and no path, so that it can be published."""
    return {"product": product(), "versions": versions(), "machine": machine()}


def product() -> dict[str, Any]:
    """What was measured.

    commit: of this repository, None outside git. modified: whether files differ from it. source: digest of the
    package's files, equal exactly when the code, its grammar queries and its genomes are equal.
    """
    commit = _git("rev-parse", "HEAD")
    return {"commit": commit, "modified": bool(_git("status", "--porcelain")) if commit else None, "source": digest()}


def digest() -> str:
    """16 hex digits over every source file of the package."""
    found = importlib.util.find_spec("iterative_retrieval")
    assert found is not None and found.submodule_search_locations
    root = found.submodule_search_locations[0]
    hashed = hashlib.sha256()
    for path in sorted(_source_files(root)):
        hashed.update(os.path.relpath(path, root).encode() + b"\0" + Path(path).read_bytes() + b"\0")
    return hashed.hexdigest()[:16]


def versions() -> dict[str, str]:
    """Python's version and those of the packages that shape results; a package that is not installed is left out."""
    installed = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return installed


def machine() -> dict[str, Any]:
    """Processor, number of processors and memory (GB)."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "processors": os.cpu_count(),
        "memory_gb": round(memory, 1),
    }


def _source_files(root: str) -> list[str]:
    walk = os.walk(root, followlinks=True)  # the package is made of links to its folders
    return [os.path.join(folder, name) for folder, _, names in walk for name in names if Path(name).suffix in _SOURCE]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def _git(*arguments: str) -> str | None:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None
