"""Fixtures that several test folders share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.repositories import Files, GitRepo, MakeRepo

_GIT_CONFIG = """
[user]
    name = Ada
    email = ada@example.org
[core]
    fsync = none
[init]
    defaultBranch = main
[protocol "file"]
    allow = always
"""


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty home folder instead of the user's."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def isolated_git(home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keeps the user's git configuration out of every test; the answer is the global configuration file instead."""
    config = home / ".gitconfig"
    config.write_text(_GIT_CONFIG)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path_factory.getbasetemp()))
    return config


@pytest.fixture
def make_repo(tmp_path: Path, isolated_git: Path) -> MakeRepo:
    """A factory of real git repositories below ``tmp_path``."""

    def make(*commits: Files, name: str = "repo", object_format: str = "sha1") -> GitRepo:
        repo = GitRepo(tmp_path / name)
        repo.path.mkdir(parents=True)
        repo.git("init", "--quiet", f"--object-format={object_format}")
        for number, files in enumerate(commits, start=1):
            repo.commit(files, f"commit {number}")
        return repo

    return make
