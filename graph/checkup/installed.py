"""Which packages are installed, and which extras are whole."""

from __future__ import annotations

import re
from importlib import metadata

from pydantic import BaseModel, ConfigDict

_NAME = "iterative-retrieval"
_REQUIREMENT = re.compile(
    r"^\s*(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?[^;]*(?:;.*?extra\s*==\s*[\"'](?P<extra>[\w-]+)[\"'])?"
)
_DEVELOPMENT = "dev"


class Extra(BaseModel):
    """An optional part. missing: packages that it lacks; [] when it is whole."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    missing: list[str]


def package_versions() -> dict[str, str | None]:
    """Version of every package that the core needs, by name; None: not installed. {} when we are not installed."""
    return {name: _version(name) for name in sorted(_required().get("", []))}


def extras() -> list[Extra]:
    """The optional parts, by name."""
    return [
        Extra(name=extra, missing=[name for name in needed if _version(name) is None])
        for extra, needed in sorted(_required().items())
        if extra not in ("", _DEVELOPMENT)
    ]


def _required() -> dict[str, list[str]]:
    """Extra -> packages; '' for the core."""
    found: dict[str, list[str]] = {}
    try:
        requirements = metadata.requires(_NAME) or []
    except metadata.PackageNotFoundError:  # a source tree on the path
        return found
    for requirement in requirements:
        if (match := _REQUIREMENT.match(requirement)) and match["name"] != _NAME:
            found.setdefault(match["extra"] or "", []).append(match["name"])
    return found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


__all__ = ["Extra", "extras", "package_versions"]
