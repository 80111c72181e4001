"""The command ``mcp``: the door for coding agents."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ..state.errors import CallerError


def mcp_command(
    transport: Annotated[
        Literal["stdio", "http"],
        typer.Option("--transport", help="stdio: serves the client that starts it. http: streamable HTTP."),
    ] = "stdio",
    host: Annotated[str, typer.Option("--host", help="Address to listen on (http).")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on (http).")] = 8378,
    allow_root: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-root",
            help="Search only inside this folder, whatever the client offers; repeatable.",
            metavar="DIR",
        ),
    ] = None,
    genome: Annotated[
        int | None, typer.Option("--genome", help="Serve under this genome of the ledger, to try it out.", metavar="ID")
    ] = None,
) -> None:
    """Serve coding agents over MCP (extra: mcp)."""
    try:
        from .mcp.serve import serve_http, serve_stdio
    except ImportError as error:
        raise CallerError(f"the MCP server needs: pip install 'iterative-retrieval[mcp]' ({error})") from None
    from ..graph.settings import load_settings

    if transport == "stdio":
        serve_stdio(load_settings(), allow_root or (), genome)
    else:
        serve_http(load_settings(), allow_root or (), host, port, genome)
