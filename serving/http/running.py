"""Running the application: what is said at the start, the log, and an orderly end."""

from __future__ import annotations

import ipaddress
import json
import logging
import math
import socket
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import uvicorn

from .app import create_app
from .guard import ACCESS_LOG
from .services import DoorServices
from .settings import ServeSettings

LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"]


@dataclass(frozen=True)
class Place:
    """Where to listen. prefix: under which a proxy serves the application."""

    host: str = "127.0.0.1"
    port: int = 8379
    prefix: str = ""

    @property
    def url(self) -> str:
        """The address of the application."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{self.prefix}"

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def run(settings: ServeSettings, place: Place, *, as_json: bool = False) -> None:
    """Serve until SIGINT or SIGTERM; running requests then get their time to finish.

    Args:
        settings: of the door; on a loopback address only its names are answered for, unless hosts are given.
        place: where to listen; port 0 takes a free one.
        as_json: log JSON lines, the first of which says what is served.

    Raises:
        CallerError, WorldError: from opening.
        OSError: the address cannot be listened on.
    """
    if place.local and not settings.hosts:
        settings = settings.model_copy(update={"hosts": LOOPBACK_NAMES})
    warnings.filterwarnings("ignore", message="astream_log is deprecated")  # LangServe's own call
    _set_up_log(as_json)
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        root_path=place.prefix,
        log_config=None,
        access_log=False,  # the guard writes a line with the request's id
        server_header=False,
        timeout_graceful_shutdown=math.ceil(settings.grace_seconds),
    )
    with _listening(place) as listener:
        _announce(app.state.services, replace(place, port=listener.getsockname()[1]), as_json)
        uvicorn.Server(config).run(sockets=[listener])


def welcome(services: DoorServices, place: Place) -> Iterator[str]:
    """What a person should know when the server starts."""
    serve = services.serve
    yield f"Serving {place.url}: /retrieve, /ask, /evolution (each with /playground/), /docs, /health"
    chosen = "" if serve.allow_roots else " (the current folder; name others with --allow-root)"
    yield f"Roots that may be searched: {services.roots.in_words()}{chosen}"
    yield f"Admin panel: {'/admin/' if services.admin == 'on' else services.admin}"
    if serve.api_key is None and not place.local:
        yield "Warning: everybody who reaches this address may ask; set IR_SERVE_API_KEY, and put HTTPS before it"
    if services.people is None:
        yield "Nobody may decide on genomes over HTTP; set IR_ADMIN_USERS, or use `iterative-retrieval evolve`"


def _listening(place: Place) -> socket.socket:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        return socket.create_server((place.host, place.port), family=family)
    except OSError as error:
        raise OSError(
            f"cannot listen on {place.host}, port {place.port}: {error.strerror}; choose another --port"
        ) from error


def _announce(services: DoorServices, place: Place, as_json: bool) -> None:
    if as_json:
        log = logging.getLogger("iterative_retrieval.http")
        seen = {"url": place.url, "roots": services.roots.folders, "admin": services.admin}
        log.info("serving", extra={"seen": seen})
        return
    for line in welcome(services, place):
        print(line, file=sys.stderr, flush=True)


def _set_up_log(as_json: bool) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if as_json else logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    for name in ("iterative_retrieval", ACCESS_LOG):
        logging.getLogger(name).setLevel(logging.INFO)


class JsonLines(logging.Formatter):
    """One JSON object a line; what a record carries as ``seen`` becomes its keys."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {"time": f"{moment}.{record.msecs:03.0f}Z", "level": record.levelname.lower(), "logger": record.name}
        seen = getattr(record, "seen", None)
        line |= seen or {"message": record.getMessage()}
        if seen and record.name != ACCESS_LOG:
            line |= {"message": record.getMessage()}
        if record.exc_info:
            line |= {"error": self.formatException(record.exc_info)}
        return json.dumps(line)
