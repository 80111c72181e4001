"""What the pages share: plain functions as handlers, refusals as pages, and what every template may use."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from jinja2 import StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.templating import Jinja2Templates
from starlette_admin import CustomView
from starlette_admin.flash import get_flashed_messages
from starlette_admin.routing import route

from ...state.errors import (
    AlreadyDecided,
    IterativeRetrievalError,
    NotAllowed,
    StaleReview,
    UnknownGenome,
    WorldError,
)
from ...state.ledger_ports import Ledger
from .auth import PanelUser, user_of
from .shown import shown
from .texts import LANGUAGES, texts_for

_log = logging.getLogger(__name__)

PREFIX = "admin"
"""Of the names of the panel's routes."""

_STATUS: Sequence[tuple[type[IterativeRetrievalError], int]] = [
    (AlreadyDecided, 409),
    (StaleReview, 409),
    (NotAllowed, 403),
    (UnknownGenome, 404),
    (WorldError, 503),
]

V = TypeVar("V", bound="PanelView")
Endpoint = Callable[[V, Request], Coroutine[Any, Any, Response]]


@dataclass(frozen=True)
class Desk:
    """What the pages borrow. wake: lets the graph that waits for a genome's decision go on; None when nobody waits."""

    ledger: Ledger
    wake: Callable[[int], None] | None
    clock: Callable[[], float]


class PanelView(CustomView):
    """A page, or several that belong together."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk

    def page(self, request: Request, template: str, status_code: int = 200, **context: Any) -> Response:
        """A template with what it shows."""
        assert self.templates is not None, "the view is not part of an admin yet"
        return self.templates.TemplateResponse(request, template, context, status_code=status_code)

    def refused(self, request: Request, error: IterativeRetrievalError) -> Response:
        """A page that says what was refused and why."""
        status = next((code for kind, code in _STATUS if isinstance(error, kind)), 400)
        if status >= 500:
            _log.error("%s %s: %s", request.method, request.url.path, error)
        return self.page(request, "refused.html", status, status=status, detail=str(error))

    def user(self, request: Request) -> PanelUser:
        """Who is logged in."""
        user = user_of(request)
        assert user is not None, "a page was reached without a login"
        return user


def page(
    path: str, name: str, methods: Sequence[str] = ("GET",)
) -> Callable[[Callable[[V, Request, FormData], Response]], Endpoint[V]]:
    """Makes a plain method the handler of a path: it runs in a thread of its own, as the ledger waits for a database.

    Args:
        path: below the view's own.
        name: of the route.
        methods: that it answers.
    """

    def made(handler: Callable[[V, Request, FormData], Response]) -> Endpoint[V]:
        @wraps(handler)
        async def endpoint(self: V, request: Request) -> Response:
            form = FormData() if request.method in ("GET", "HEAD") else await request.form()
            try:
                return await run_in_threadpool(handler, self, request, form)
            except IterativeRetrievalError as error:
                return await run_in_threadpool(self.refused, request, error)

        exposed: Endpoint[V] = route(path, list(methods), name)(endpoint)
        return exposed

    return made


def path_for(request: Request, name: str, **parts: Any) -> str:
    """The path of one of our routes; without host, so that it holds behind any proxy."""
    quoted = {key: quote(part) if isinstance(part, str) else part for key, part in parts.items()}
    return urlsplit(str(request.url_for(f"{PREFIX}:{name}", **quoted))).path


def redirect(path: str) -> Response:
    """Go there with GET."""
    return RedirectResponse(path, status_code=303)


def set_up(templates: Jinja2Templates) -> None:
    """Make every template strict, make what others wrote visible, and hand in what all pages use."""
    templates.env.undefined = StrictUndefined
    templates.env.finalize = shown
    templates.env.filters["pretty"] = lambda value: json.dumps(value, ensure_ascii=False, indent=2)
    templates.context_processors.append(_shared)


def _shared(request: Request) -> dict[str, Any]:
    return {
        "t": texts_for(request),
        "user": user_of(request),
        "languages": LANGUAGES,
        "path_for": lambda name, **parts: path_for(request, name, **parts),
        "flashed": get_flashed_messages,
    }
