"""What the HTTP door connects to, opened in one place."""

from __future__ import annotations

import importlib.util
import logging
from dataclasses import dataclass, replace
from pathlib import Path

from ...graph.docsearch_services import DocsearchServices, open_docsearch_services
from ...graph.evolution_services import EvolutionServices, open_evolution_services
from ...graph.services import Services, open_services
from ...graph.settings import Settings, load_settings
from ..admin.people import PeopleFile
from ..roots import AllowedRoots, ConfinedWorkspaces
from .settings import ServeSettings

_log = logging.getLogger(__name__)

ADMIN_OFF = "off: set IR_ADMIN_USERS"
ADMIN_MISSING = "off: pip install 'iterative-retrieval[admin]'"
ADMIN_ON = "on"


@dataclass(frozen=True)
class DoorServices:
    """What the doors borrow.

    code: its workspaces are confined to ``roots``, for evolution as well. people: who may decide; None: nobody over
    HTTP. admin: "on", or why the panel is not served.
    """

    settings: Settings
    serve: ServeSettings
    roots: AllowedRoots
    code: Services
    docs: DocsearchServices
    evolution: EvolutionServices
    people: PeopleFile | None
    admin: str

    @property
    def checkpoints(self) -> Path:
        """Where the steps of evolution cycles are kept."""
        return self.settings.data_dir / "cycles.sqlite"


def open_door_services(serve: ServeSettings, settings: Settings | None = None) -> DoorServices:
    """Services as the settings say.

    Raises:
        CallerError: a root to allow does not exist, or the file of people is damaged.
        WorldError: a store cannot be opened.
    """
    settings = settings or load_settings()
    roots = AllowedRoots(serve.allow_roots or [Path.cwd()])
    opened = open_services(settings)
    code = replace(opened, workspaces=ConfinedWorkspaces(opened.workspaces, roots))
    docs = open_docsearch_services(settings)
    people = _people()
    return DoorServices(
        settings=settings,
        serve=serve,
        roots=roots,
        code=code,
        docs=docs,
        evolution=open_evolution_services(settings, code, docs),
        people=people,
        admin=_admin(people),
    )


def _people() -> PeopleFile | None:
    """The people of the panel's settings, checked once."""
    from ..admin.settings import AdminSettings

    settings = AdminSettings()
    return settings.people() if settings.users is not None else None


def _admin(people: PeopleFile | None) -> str:
    if people is None:
        return ADMIN_OFF
    return ADMIN_ON if importlib.util.find_spec("starlette_admin") else ADMIN_MISSING
