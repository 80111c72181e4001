"""Localization instances and the repositories they speak of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Instance = dict[str, Any]


def read_instances(path: Path) -> list[Instance]:
    """The rows of an instances file (JSON lines)."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def mirror_of(instance: Instance, template: str) -> str:
    """Where an instance's git directory is, by a template with ``{owner}`` and ``{name}``."""
    owner, _, name = str(instance["mirror"]).partition("/")
    return template.format(owner=owner, name=name)


def chosen(instances: list[Instance], ids: list[str], limit: int | None) -> Iterator[Instance]:
    """The instances to run: those named by ``ids`` (all when empty), at most ``limit``."""
    picked = [i for i in instances if not ids or i["instance_id"] in ids]
    yield from picked[:limit]
