"""A checkout to work in: made from a mirror without touching it, edited the way a person edits."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .predictions import BenchmarkError

_HASH_COMMENTS = {".py", ".pyi", ".rb", ".sh", ".pl", ".r", ".jl", ".ex", ".exs", ".cr"}


def make_checkout(mirror: Path, ref: str, folder: Path) -> None:
    """Check ``ref`` out into ``folder``; objects are borrowed from the mirror, nothing is written there.

    Raises:
        BenchmarkError: the mirror or the ref does not exist.
    """
    _git("clone", "--quiet", "--shared", "--no-checkout", str(mirror.absolute()), str(folder))
    _git("-C", str(folder), "-c", "core.hooksPath=/dev/null", "checkout", "--quiet", "--detach", f"{ref}^{{commit}}")


def sources(root: Path, count: int) -> list[str]:
    """At most ``count`` tracked source files, spread evenly over the tree."""
    from iterative_retrieval.retrieval.roles import is_source_like, role_of
    from iterative_retrieval.state.source import FileRole

    listed = _git("-C", str(root), "ls-files", "-z").split("\0")
    paths = [p for p in listed if p and role_of(p) is FileRole.SOURCE and is_source_like(p) and _is_plain(root / p)]
    step = max(1, len(paths) // count)
    return paths[::step][:count]


def edit(root: Path, paths: Sequence[str], round_: int) -> None:
    """Add a comment line at the end of each file."""
    for path in paths:
        mark = "#" if Path(path).suffix in _HASH_COMMENTS else "//"
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(f"\n{mark} edited in round {round_}\n")


def subjects(root: Path, count: int) -> list[str]:
    """Subjects of the newest commits that say something, newest first."""
    lines = _git("-C", str(root), "log", "--no-merges", f"--max-count={count * 4}", "--format=%s").splitlines()
    return [line for line in dict.fromkeys(lines) if len(line.split()) >= 4][:count]


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _git(*arguments: str) -> str:
    environment = os.environ | {"GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
    done = subprocess.run(["git", *arguments], capture_output=True, check=False, env=environment)
    if done.returncode != 0:
        raise BenchmarkError(f"git failed: {os.fsdecode(done.stderr).strip()}; check the mirror and the ref")
    return os.fsdecode(done.stdout)
