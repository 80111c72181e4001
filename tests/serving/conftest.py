from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

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
    "build/auth.py": "generated = True\n",
}
TASK = "Fix the authentication token expiry bug"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder of its own, so that no cache or git configuration of the machine takes part."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """The environment a command runs in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "GIT_", "IR_"))}
    return kept | {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "COLUMNS": "120"}


@pytest.fixture
def repository(tmp_path: Path, environment: dict[str, str]) -> Path:
    """A small git repository with one commit."""
    root = tmp_path / "shop"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    git(root, environment, "init", "-q", "-b", "main")
    commit(root, environment, "Tokens expire")
    return root


@pytest.fixture
def run(repository: Path, environment: dict[str, str]) -> Run:
    """Runs the command line as a process of its own, inside the repository."""

    def command(*args: str | bytes, stdin: bytes | None = None, **env: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "iterative_retrieval", *args],
            cwd=repository,
            env=environment | env,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            timeout=120,
        )

    return command


def git(root: Path, environment: dict[str, str], *args: str) -> None:
    """Run git inside ``root``."""
    subprocess.run(["git", *args], cwd=root, env=environment, check=True, capture_output=True)


def commit(root: Path, environment: dict[str, str], message: str) -> None:
    """Commit everything."""
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    git(root, environment, "add", "-A")
    git(root, environment, *who, "commit", "-q", "-m", message)
