"""Localization instances and the repositories they speak of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

Instance = dict[str, Any]
"""One row: instance_id, repo, base_commit, problem_statement and gold_files; mirror, gold_functions, edit_functions,
gold_lines, in_274 and language when the set has them."""


def read_instances(path: Path) -> list[Instance]:
    """The rows of an instances file (JSON lines)."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def mirror_of(instance: Instance, template: str) -> str:
    """Where an instance's git directory is, by a template with ``{owner}`` and ``{name}``."""
    owner, _, name = mirror_name(instance).partition("/")
    return template.format(owner=owner, name=name)


def mirror_name(instance: Instance) -> str:
    """``owner/name`` of the repository whose history holds the base commit; the instance's own when none is named."""
    return str(instance.get("mirror") or instance["repo"])


def chosen(instances: list[Instance], ids: list[str], limit: int | None) -> Iterator[Instance]:
    """The instances to run: those named by ``ids`` (all when empty), at most ``limit``."""
    picked = [i for i in instances if not ids or i["instance_id"] in ids]
    yield from picked[:limit]


def pieces(instances: Sequence[Instance], most: int) -> list[list[Instance]]:
    """Runs of at most ``most`` instances of one mirror each, longest first.

    Within a mirror instances stand in the order of their numbers, which is roughly that of their commits: neighbours
    share most of an index.
    """
    ordered = sorted(instances, key=lambda i: (mirror_name(i), _natural(str(i["instance_id"]))))
    groups = [list(group) for _, group in groupby(ordered, key=mirror_name)]
    cut = [group[start : start + most] for group in groups for start in range(0, len(group), most)]
    return sorted(cut, key=len, reverse=True)


def _natural(name: str) -> list[tuple[int, str]]:
    """A sort key that reads runs of digits as numbers."""
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in re.split(r"(\d+)", name)]
