"""Two small repositories with a fix each, and the instances file that speaks of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import GitRepo, MakeRepo

SHOP = {
    "shop/auth.py": (
        "from .tokens import Token, expiry_of\n\n\n"
        "def authenticate(token: Token, now: float) -> bool:\n"
        '    """True while the authentication token is not expired."""\n'
        "    return expiry_of(token) >= now\n"
    ),
    "shop/tokens.py": (
        "class Token:\n"
        '    """An authentication token."""\n\n'
        "    def __init__(self, expires: float) -> None:\n"
        "        self.expires = expires\n\n\n"
        "def expiry_of(token: Token) -> float:\n"
        '    """When the token expires."""\n'
        "    expires = token.expires\n"
        "    if expires < 0:\n"
        "        expires = 0.0\n"
        "    minutes = expires / 60\n"
        "    return minutes * 60\n"
    ),
    "shop/cart.py": "def total(prices: list[float]) -> float:\n    return sum(prices)\n",
    "tests/test_tokens.py": "from shop.tokens import expiry_of\n\n\ndef test_expiry() -> None: assert expiry_of\n",
    "README.md": "# Shop\n\nexpiry_of tells when a token expires.\n",
}
LOGS = {
    "rotate.go": (
        "package logs\n\n"
        "// RotateFile renames the log when it is full.\n"
        "func RotateFile(name string) error {\n\treturn nil\n}\n"
    ),
    "write.go": "package logs\n\nfunc Write(line string) {}\n",
}


@dataclass(frozen=True)
class Bench:
    """instances: the file. mirrors: template of its repositories. cache: folder for indexes. shop: one of them."""

    instances: Path
    mirrors: str
    cache: Path
    shop: GitRepo
    rows: list[dict[str, Any]]

    def arguments(self, *more: str) -> list[str]:
        """What every command line over the instances begins with."""
        return ["--instances", str(self.instances), "--mirrors", self.mirrors, *more]


@pytest.fixture
def bench(make_repo: MakeRepo, tmp_path: Path) -> Bench:
    """Three instances in two repositories; the second knows neither language nor mirror."""
    shop = make_repo(
        SHOP, {"shop/cart.py": "def total(prices: list[float]) -> float:\n    return 0.0\n"}, name="acme+shop"
    )
    logs = make_repo(LOGS, name="acme+logs")
    rows = [
        instance(
            "acme__shop-2",
            "acme/shop",
            shop.commits[1],
            "expiry_of returns the wrong time\nTokens expire late.",
            "shop/tokens.py",
        )
        | {"mirror": "acme/shop", "language": "Python", "in_274": True, "gold_lines": [["shop/tokens.py", 5, 6]]}
        | {"edit_functions": ["shop/tokens.py:expiry_of"]},
        instance(
            "acme__shop-10",
            "acme/shop",
            shop.commits[0],
            "total of a cart is wrong\nprices are ignored",
            "shop/cart.py",
        ),
        instance("acme__logs-1", "acme/logs", logs.commits[0], "RotateFile does nothing", "rotate.go"),
    ]
    file = tmp_path / "instances.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Bench(file, str(tmp_path / "{owner}+{name}"), tmp_path / "cache", shop, rows)


def instance(name: str, repo: str, commit: str, text: str, *gold: str) -> dict[str, Any]:
    """An instance with the keys that every set has."""
    return {
        "instance_id": name,
        "repo": repo,
        "base_commit": commit,
        "problem_statement": text,
        "gold_files": list(gold),
        "gold_functions": [],
    }


def rows_of(path: Path) -> dict[str, dict[str, Any]]:
    """instance_id -> row of a predictions file."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len({row["instance_id"] for row in rows}) == len(rows), "an instance stands there twice"
    return {row["instance_id"]: row for row in rows}
