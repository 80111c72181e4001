"""The command ``serve``: the three graphs over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..state.errors import CallerError


def serve_command(
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="Port to listen on; 0: a free one.")
    ] = 8379,
    allow_roots: Annotated[
        list[Path] | None,
        typer.Option(
            "--allow-root", help="Folder that clients may search, with all below it; repeatable.", metavar="DIR"
        ),
    ] = None,
    max_requests: Annotated[
        int | None, typer.Option("--max-requests", min=1, help="Requests at the same time; more get 429.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0.1, help="Seconds that a request may take.", metavar="SECONDS")
    ] = None,
    grace: Annotated[
        float | None,
        typer.Option("--grace", min=0.0, help="Seconds for running requests at shutdown.", metavar="SECONDS"),
    ] = None,
    root_path: Annotated[
        str, typer.Option("--root-path", help="Prefix under which a proxy serves this.", metavar="PREFIX")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Log JSON lines.")] = False,
) -> None:
    """Serve retrieval, questions and evolution over HTTP with LangServe (extra: serve)."""
    try:
        from .http.running import Place, run
        from .http.settings import load_serve_settings
    except ImportError as error:
        raise CallerError(f"serving needs: pip install 'iterative-retrieval[serve]' ({error})") from None
    settings = load_serve_settings(
        allow_roots=allow_roots or None, max_requests=max_requests, request_seconds=timeout, grace_seconds=grace
    )
    run(settings, Place(host, port, root_path.rstrip("/")), as_json=as_json)
