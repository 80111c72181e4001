"""Real git repositories for tests, made on the spot."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

Files = Mapping[str, str | bytes | None]
_FIRST_COMMIT = 1_704_067_200  # 2024-01-01; each further commit is a day younger
_DAY = 86_400


@dataclass
class GitRepo:
    """A repository on disk. commits: ids, oldest first."""

    path: Path
    commits: list[str] = field(default_factory=list)

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """The output of a git command run in the repository, without its last line end."""
        run = subprocess.run(["git", *arguments], cwd=self.path, input=stdin, capture_output=True, check=False)
        assert run.returncode == 0, run.stderr.decode(errors="replace")
        return os.fsdecode(run.stdout).rstrip("\n")

    def write(self, files: Files) -> None:
        """Write files (None removes one) without committing them."""
        write_files(self.path, files)

    def commit(self, files: Files, message: str = "change") -> str:
        """Write files, add everything that is not ignored, commit; the answer is the commit's id."""
        self.write(files)
        self.git("add", "--all")
        day = f"{_FIRST_COMMIT + len(self.commits) * _DAY} +0000"
        dated = {**os.environ, "GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day}
        command = ["git", "commit", "--quiet", "--allow-empty", "--message", message]
        subprocess.run(command, cwd=self.path, env=dated, check=True, capture_output=True)
        self.commits.append(self.git("rev-parse", "HEAD"))
        return self.commits[-1]


class MakeRepo(Protocol):
    """Makes a repository named ``name`` with one commit for each mapping of path -> content (None: deleted)."""

    def __call__(self, *commits: Files, name: str = "repo", object_format: str = "sha1") -> GitRepo: ...


def write_files(folder: Path, files: Files) -> None:
    """Write a mapping of relative path -> text or bytes below a folder; None removes the file."""
    for path, content in files.items():
        target = folder / path
        if content is None:
            target.unlink()
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
