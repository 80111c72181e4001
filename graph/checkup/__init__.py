"""A look at an installation: what is there, configured, reachable, and what to do about what is not."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict
from pydantic_settings import BaseSettings

from ... import __version__
from ...state.errors import IterativeRetrievalError
from ..settings import Settings
from .configured import configuration_findings
from .finding import Finding, Status
from .installed import Extra, extras, package_versions
from .places import Place, places_of
from .reachable import reachability_findings


class Checkup(BaseModel):
    """The whole look. mode: offline, or llm when a role has a model. packages: name -> version, None: not installed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str
    python: str
    platform: str
    mode: str
    packages: dict[str, str | None]
    extras: list[Extra]
    places: list[Place]
    findings: list[Finding]

    @property
    def problems(self) -> list[Finding]:
        """What keeps something from working."""
        return [f for f in self.findings if f.status is Status.PROBLEM]


def check_up(models: Sequence[type[BaseSettings]] = (Settings,)) -> Checkup:
    """Look at this installation; nothing is changed, and no model is asked anything.

    models: every settings model whose variables are known.
    """
    findings = configuration_findings(models)
    settings: Settings | None = None
    places: list[Place] = []
    try:
        settings = Settings()
        places = places_of(settings)
        findings += [f for place in places if (f := place.finding())]
        findings += reachability_findings(settings)
    except (IterativeRetrievalError, ValueError):
        pass  # told among the findings of the configuration
    return Checkup(
        version=__version__,
        python=sys.version.partition(" ")[0],
        platform=platform.platform(),
        mode=_mode(settings),
        packages=package_versions(),
        extras=extras(),
        places=places,
        findings=findings,
    )


def _mode(settings: Settings | None) -> str:
    from ..model_roles import ROLES

    if settings is None:
        return "unknown"
    return "llm" if any(settings.model_of(role) for role in ROLES) else "offline"


__all__ = ["Checkup", "Finding", "Status", "check_up"]
