"""The application: LangServe routes for the three graphs, health, the admin panel, limits around all of it."""

from __future__ import annotations

import warnings
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from langchain_core._api import LangChainBetaWarning, LangChainDeprecationWarning
from langserve import add_routes
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ... import __version__
from ...graph.evolve import wake_decided
from ...graph.settings import Settings
from ...graph.start_up import reconcile_at_start
from .answers import ask_door, retrieve_door
from .bodies import readable_body
from .cycles import Cycles
from .door import Door
from .evolution_door import evolution_door, who_asks
from .guard import Guard
from .health import health_routes
from .limits import Limiter, Limits
from .people import Identities
from .refusals import Refused, complaint, complaint_of
from .serializer import GraphSerializer
from .services import ADMIN_ON, DoorServices, open_door_services
from .session import Session
from .settings import ServeSettings, load_serve_settings

_ASKING = ("invoke", "batch", "stream", "stream_log", "stream_events", "playground")
_SCHEMAS = ("input_schema", "output_schema", "config_schema")
_MARGIN = 0.9  # of the time a request has, for waiting on a cycle

_DESCRIPTION = "Finds the files and lines a task needs, answers questions to documentation, and evolves its genomes."


def create_app(settings: ServeSettings | None = None, *, package_settings: Settings | None = None) -> FastAPI:
    """The HTTP door, to be run or mounted in another FastAPI application.

    Crashed evolution cycles are finished first, since a mounted application gets no start-up event of its own.

    Args:
        settings: of the door; from the environment (``IR_SERVE_``) when None.
        package_settings: of the package; from the environment (``IR_``) when None.

    Raises:
        CallerError: a setting is wrong.
        WorldError: a store cannot be opened.
    """
    services = open_door_services(settings or load_serve_settings(), package_settings)
    reconcile_at_start(services.settings)
    app = FastAPI(title="iterative-retrieval", version=__version__, description=_DESCRIPTION)
    app.state.services = services
    app.include_router(health_routes(services))
    _add_doors(app, services)
    _add_panel(app, services)
    _add_layers(app, services)
    app.add_api_route("/", _index, include_in_schema=False, response_class=HTMLResponse)
    return app


def _add_doors(app: FastAPI, services: DoorServices) -> None:
    serve, router = services.serve, APIRouter()  # given the application itself, LangServe prints a banner at its start
    _add(router, retrieve_door(services.code), serve, _ASKING)
    _add(router, ask_door(services.docs), serve, _ASKING)
    cycles = Cycles(services.evolution, services.checkpoints, serve.max_evolutions)
    session = Session(cycles, services.roots, services.people is not None, serve.request_seconds * _MARGIN)
    one_by_one = tuple(name for name in _ASKING if name != "batch")
    _add(router, evolution_door(session), serve, one_by_one, who_asks(Identities(services.people)))
    app.include_router(router)


def _add(
    router: APIRouter, door: Door, settings: ServeSettings, endpoints: tuple[str, ...], modifier: Any = None
) -> None:
    with warnings.catch_warnings():  # of what LangServe itself calls
        warnings.simplefilter("ignore", (LangChainBetaWarning, LangChainDeprecationWarning))
        warnings.simplefilter("ignore", DeprecationWarning)
        add_routes(
            router,
            door,
            path=f"/{door.name}",
            config_keys=[],
            enabled_endpoints=[*endpoints, *_SCHEMAS],  # type: ignore[list-item]  # names, as its documentation has
            per_req_config_modifier=modifier,
            dependencies=[Depends(readable_body(settings.max_batch))],
            serializer=GraphSerializer(),
        )


def _add_panel(app: FastAPI, services: DoorServices) -> None:
    if services.admin != ADMIN_ON:
        return
    from ..admin.app import admin_app

    def wake(genome: int) -> None:
        wake_decided(genome, services=services.evolution, checkpoints=services.checkpoints)

    app.mount("/admin", admin_app(services.evolution.ledger, wake=wake, data_dir=services.settings.data_dir))


def _add_layers(app: FastAPI, services: DoorServices) -> None:
    serve = services.serve
    key = serve.api_key.get_secret_value() if serve.api_key else None
    limits = Limits(serve.max_body, serve.max_requests, key, serve.hosts)
    app.add_middleware(Limiter, limits=limits)
    app.add_middleware(Guard, seconds=serve.request_seconds, roots=services.roots)  # added last: the outermost
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ValidationError, _invalid)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    messages = {404: "there is no such page; see /docs", 405: "this page does not take that method; see /docs"}
    raise Refused(error.status_code, "HTTPError", messages.get(error.status_code, str(error.detail)), error.headers)


async def _invalid(request: Request, error: Exception) -> Response:
    """A body that does not follow the schema; LangServe lets pydantic's own error of a batch through as it is."""
    if isinstance(error, RequestValidationError):
        refusal = complaint_of(error.errors())
    elif isinstance(error, ValidationError) and request.url.path.endswith("/batch"):
        refusal = complaint(error)
    else:
        raise error
    raise Refused(refusal.status, refusal.kind, refusal.message)


async def _index(request: Request) -> str:
    base = request.scope.get("root_path", "")
    pages = ("docs", "health", "retrieve/playground/", "ask/playground/", "evolution/playground/", "admin/")
    links = "".join(f'<li><a href="{base}/{page}">/{page}</a></li>' for page in pages)
    return (
        f"<!doctype html><title>iterative-retrieval</title><h1>iterative-retrieval {__version__}</h1><ul>{links}</ul>"
    )
