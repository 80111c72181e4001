"""Running the server: over standard input and output, or over HTTP."""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
import sys
from collections.abc import Sequence

import anyio
from mcp.server import MCPServer

from ...graph.settings import Settings
from ...state.errors import CallerError
from ..roots import AllowedRoots
from .bearer import BearerToken
from .connections import Connections
from .desk import Desk
from .roots import RootPolicy
from .server import build_server
from .settings import McpSettings

PATH = "/mcp"


def serve_stdio(settings: Settings, allowed: Sequence[str], genome: int | None = None) -> None:
    """Serve the client that started this process, until it goes. Nothing but the protocol reaches standard output.

    Raises:
        UnknownRoot: an allowed folder does not exist.
    """
    policy = RootPolicy(AllowedRoots(allowed) if allowed else None, os.path.realpath("."))
    anyio.run(_server(settings, policy, genome).run_stdio_async)


def serve_http(settings: Settings, allowed: Sequence[str], host: str, port: int, genome: int | None = None) -> None:
    """Serve over streamable HTTP until interrupted. port: 0 takes a free one; the address is told on standard error.

    Raises:
        CallerError: no folder is allowed, or the address cannot be used, or others could reach it without a token.
    """
    import uvicorn  # here: over standard input and output nobody needs it

    if not allowed:
        raise CallerError("over HTTP a client could claim any root: name the folders it may search, --allow-root DIR")
    secret = McpSettings().token
    token = secret.get_secret_value() if secret else ""
    if not is_loopback(host) and not token:
        raise CallerError(f"{host} can be reached by others: set IR_MCP_TOKEN, which clients then send as bearer token")
    server = _server(settings, RootPolicy(AllowedRoots(allowed)), genome)
    app = server.streamable_http_app(streamable_http_path=PATH, host=host)
    if token:
        app.add_middleware(BearerToken, token=token)
    listening = _listening(host, port)
    name = f"[{host}]" if ":" in host else host
    print(f"listening on http://{name}:{listening.getsockname()[1]}{PATH}", file=sys.stderr, flush=True)
    config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=5)
    uvicorn.Server(config).run([listening])


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _server(settings: Settings, policy: RootPolicy, genome: int | None) -> MCPServer[None]:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    return build_server(Desk(Connections(settings, genome), policy))


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(128)
    except (OSError, OverflowError) as error:
        raise CallerError(f"cannot listen on {host}:{port}: {error}; choose another --host or --port") from error
    return found
