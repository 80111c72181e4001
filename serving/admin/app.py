"""The panel as an application: ``admin_app`` to mount it, ``serve_admin`` to run it."""

from __future__ import annotations

import ipaddress
import logging
import time
from collections.abc import Callable
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette_admin import BaseAdmin

from ...graph.settings import Settings
from ...state.ledger_ports import Ledger
from .auth import PanelAuth
from .decide import GenomeView
from .language import LanguageView
from .lists import CyclesView, DecisionsView, GenomesView, QueueView
from .pages import PREFIX, Desk, set_up
from .protection import Protection
from .settings import AdminSettings
from .throttle import Throttle

__all__ = ["admin_app", "serve_admin"]

Wake = Callable[[int], None]
"""Called with a genome's id after a decision about it, so that the graph that waits goes on."""

_log = logging.getLogger(__name__)

_HERE = Path(__file__).parent
_COOKIE = "iterative_retrieval_admin"


def admin_app(
    ledger: Ledger,
    settings: AdminSettings | None = None,
    *,
    wake: Wake | None = None,
    data_dir: Path | None = None,
    clock: Callable[[], float] = time.time,
) -> Starlette:
    """The admin panel, to be run or mounted anywhere in another application.

    Args:
        ledger: what is shown and decided.
        settings: people, secret, length of a login; from the environment when None.
        wake: called after a decision; what it raises is told to the person and does not undo the decision.
        data_dir: where the secret is kept; the data folder of the package when None.
        clock: seconds since 1970.

    Raises:
        CallerError: no file of people is named, or it is damaged.
        StoreUnavailable: the secret cannot be kept.
    """
    settings = AdminSettings() if settings is None else settings
    key = settings.signing_key(Settings().data_dir if data_dir is None else data_dir)
    desk = Desk(ledger, wake, clock)
    admin = BaseAdmin(
        title="iterative-retrieval",
        base_url="",
        route_name=PREFIX,
        templates_dir=str(_HERE / "templates"),
        static_dir=str(_HERE / "static"),
        index_view=QueueView(desk),
        auth_provider=PanelAuth(settings.people(), Throttle(time.monotonic), clock, settings.session_hours),
        secret_key=key,
        middlewares=[_sessions(key, settings)],
        timezone_config=None,
    )
    for view in (LanguageView(desk), DecisionsView(desk), CyclesView(desk), GenomesView(desk), GenomeView(desk)):
        admin.add_view(view)
    _keep_only_ours(admin)
    set_up(admin.templates)
    app = Starlette()
    admin.mount_to(app)
    app.add_middleware(Protection, router=app.router)
    return app


def serve_admin(
    ledger: Ledger,
    *,
    host: str = "127.0.0.1",
    port: int = 8377,
    settings: AdminSettings | None = None,
    wake: Wake | None = None,
    data_dir: Path | None = None,
) -> None:
    """Run the panel until it is interrupted. See ``admin_app``."""
    settings = AdminSettings() if settings is None else settings
    app = admin_app(ledger, settings, wake=wake, data_dir=data_dir)
    if not _is_loopback(host) and not settings.https_only:
        _log.warning("the panel is reachable at %s: put HTTPS before it and set IR_ADMIN_HTTPS_ONLY=1", host)
    uvicorn.run(app, host=host, port=port, server_header=False)


def _sessions(key: str, settings: AdminSettings) -> Middleware:
    return Middleware(
        SessionMiddleware,
        secret_key=key,
        session_cookie=_COOKIE,
        max_age=int(settings.session_hours * 3600),
        same_site="lax",
        https_only=settings.https_only,
    )


def _keep_only_ours(admin: BaseAdmin) -> None:
    """Take out the framework's pages that create, edit, import and export: nothing changes but through the ledger."""
    ours = {"index", "genomes", "genome", "decide", "cycles", "cycle", "decisions", "language"}
    admin.routes[:] = [route for route in admin.routes if route.name in ours | {"static", "login", "logout"}]


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
