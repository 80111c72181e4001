"""Who is logged in: a signed cookie that names a person, checked against the file of people at every request."""

from __future__ import annotations

import hashlib
import hmac
import logging
import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.templating import Jinja2Templates
from starlette_admin.auth import AdminUser, AuthProvider
from starlette_admin.exceptions import LoginFailed

from ...state.errors import CallerError
from .passwords import hashed, matches
from .people import PeopleFile, Person, Role, plain
from .texts import texts_for
from .throttle import Throttle

_log = logging.getLogger(__name__)

_NOBODY = hashed(secrets.token_hex(16))
"""Compared with when a name is unknown, so that it takes as long as a known one."""

_AT_ONCE = 2  # password hashes at the same time; each takes 32 MiB


@dataclass
class PanelUser(AdminUser):
    """Who looks at the panel."""

    role: Role = Role.VIEWER


def user_of(request: Request) -> PanelUser | None:
    """Who is logged in; None on the login page."""
    user = getattr(request.state, "admin_user", None)
    return user if isinstance(user, PanelUser) else None


class PanelAuth(AuthProvider):
    """Logs people in and out.

    Args:
        people: who may.
        throttle: how often one may try.
        clock: seconds since 1970.
        hours: after which a login ends.
    """

    def __init__(self, people: PeopleFile, throttle: Throttle, clock: Callable[[], float], hours: float) -> None:
        super().__init__(allow_routes=["logout", "language"])
        self._people = people
        self._throttle = throttle
        self._clock = clock
        self._lasts = hours * 3600
        self._ended: dict[str, float] = {}  # login -> when it would have ended by itself
        self._templates: Jinja2Templates | None = None
        self._hashing = anyio.CapacityLimiter(_AT_ONCE)

    async def render_login(self, request: Request, templates: Jinja2Templates) -> Response:
        """The form, and what comes of it."""
        self._templates = templates
        return await super().render_login(request, templates)

    async def login(self, username: str, password: str, remember_me: bool, request: Request) -> Response | None:
        """Begin a login.

        Raises:
            LoginFailed: name or password is wrong, or the file of people is damaged.
        """
        t, name = texts_for(request), plain(username[:200])
        address = request.client.host if request.client else ""
        wait = self._throttle.attempt(name, address)
        if wait:
            return self._too_often(request, t("login.wait", minutes=math.ceil(wait / 60)), wait)
        person = self._find(name)
        check = partial(matches, password[:1000], person.password if person else _NOBODY)
        right = await anyio.to_thread.run_sync(check, limiter=self._hashing)
        if person is None or not right:
            _log.warning("login refused: name %r from %s", username[:200], address)
            raise LoginFailed(t("login.failed"))
        self._throttle.clear(name, address)
        request.session.clear()
        request.session.update(
            name=person.name, login=secrets.token_urlsafe(16), since=self._clock(), mark=_mark(person)
        )
        return None

    async def logout(self, request: Request) -> Response | None:
        """End the login, also for copies of the cookie."""
        now = self._clock()
        self._ended = {login: ends for login, ends in self._ended.items() if ends > now}
        if login := request.session.get("login"):
            self._ended[login] = now + self._lasts
        request.session.clear()
        return None

    async def authenticate(self, request: Request) -> AdminUser | None:
        """Who the cookie names, if the login lasts and neither person nor password changed."""
        session = request.session
        if not {"name", "login", "since", "mark"} <= session.keys() or session["login"] in self._ended:
            return None
        if self._clock() - session["since"] > self._lasts:
            return None
        person = self._find(session["name"])
        if person is None or not hmac.compare_digest(session["mark"], _mark(person)):
            return None
        return PanelUser(username=person.name, role=person.role)

    def _find(self, name: str) -> Person | None:
        """The person of that name; nobody while the file is damaged: then nobody is let in."""
        try:
            return self._people.find(name)
        except CallerError as error:
            _log.error("nobody can log in: %s", error)
            return None

    def _too_often(self, request: Request, message: str, wait: float) -> Response:
        assert self._templates is not None
        response = self._templates.TemplateResponse(request, "login.html", {"error": message}, status_code=429)
        response.headers["Retry-After"] = str(math.ceil(wait))
        return response


def _mark(person: Person) -> str:
    """Changes with the password, and tells nothing of it: the cookie is signed, not hidden."""
    return hashlib.sha256(f"login\0{person.password}".encode()).hexdigest()[:16]
