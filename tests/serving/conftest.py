from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repositories import GitRepo, MakeRepo

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]

FILES = {
    "src/auth.py": (
        "from .tokens import Token, expiry_of\n\n\n"
        "def authenticate(token: Token, now: float) -> bool:\n"
        '    """True while the authentication token is not expired."""\n'
        "    return expiry_of(token) >= now\n"
    ),
    "src/tokens.py": (
        "class Token:\n"
        '    """An authentication token with its expiry."""\n\n'
        "    def __init__(self, expires: float) -> None:\n"
        "        self.expires = expires\n\n\n"
        "def expiry_of(token: Token) -> float:\n"
        '    """When the token expires."""\n'
        "    return token.expires\n"
    ),
    "src/user.py": 'class User:\n    """A person with a name."""\n\n    name: str = ""\n',
    "tests/test_auth.py": (
        "from src.auth import authenticate\n\n\ndef test_token_expiry() -> None:\n    assert authenticate\n"
    ),
    "README.md": "# Shop\n\nThe authentication token expires after an hour.\n",
    ".gitignore": "build/\n",
}
TASK = "Fix the authentication token expiry bug"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment a command runs in: a cache of its own, no settings of the machine's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("IR_")}
    return kept | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "COLUMNS": "120"}


@pytest.fixture
def repository(make_repo: MakeRepo) -> GitRepo:
    """A small git repository with one commit."""
    repo = make_repo(FILES, name="shop")
    repo.write({"build/auth.py": "generated = True\n"})
    return repo


@pytest.fixture
def run(repository: GitRepo, environment: dict[str, str]) -> Run:
    """Runs the command line as a process of its own, inside the repository."""

    def command(*args: str | bytes, stdin: bytes | None = None, **env: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "iterative_retrieval", *args],
            cwd=repository.path,
            env=environment | env,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            timeout=120,
        )

    return command
