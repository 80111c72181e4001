"""The doors as their own clients see them: each opens a way to ask for one task."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import IO, Any

import httpx

from .predictions import BenchmarkError

Ask = Callable[[str], Awaitable[bool]]
"""Task -> whether a package with files came back."""

_THREADS = 64
_COMMAND = [sys.executable, "-m", "iterative_retrieval"]


def open_door(name: str, root: Path, scratch: Path) -> AbstractAsyncContextManager[Ask]:
    """A door, open as long as the context lasts. scratch: holds indexes, data and logs of all of them."""
    return DOORS[name](root, scratch)


@asynccontextmanager
async def function(root: Path, scratch: Path) -> AsyncIterator[Ask]:
    """``retrieve`` in a pool of threads."""
    from iterative_retrieval.graph.api import retrieve
    from iterative_retrieval.graph.services import open_services
    from iterative_retrieval.graph.settings import Settings

    services = open_services(Settings(cache_dir=scratch / "cache", data_dir=scratch / "data"))
    async with _pool() as run:
        yield lambda task: run(lambda: bool(retrieve(task, root, services=services).files))


@asynccontextmanager
async def graph(root: Path, scratch: Path) -> AsyncIterator[Ask]:
    """The compiled graph in a pool of threads."""
    from iterative_retrieval.graph.retrieval import build_retrieval_graph
    from iterative_retrieval.graph.services import open_services
    from iterative_retrieval.graph.settings import Settings
    from iterative_retrieval.state.retrieval import RetrievalInput

    services = open_services(Settings(cache_dir=scratch / "cache", data_dir=scratch / "data"))
    compiled = build_retrieval_graph(services)

    def ask(task: str) -> bool:
        request: Any = RetrievalInput(task=task, root=str(root))
        return bool(compiled.invoke(request)["package"].files)

    async with _pool() as run:
        yield lambda task: run(lambda: ask(task))


@asynccontextmanager
async def langserve(root: Path, scratch: Path) -> AsyncIterator[Ask]:
    """``iterative-retrieval serve``, asked over HTTP."""
    async with _server(["serve", "--port", "0", "--allow-root", str(root)], scratch) as url, _client() as client:

        async def ask(task: str) -> bool:
            answer = await client.post(f"{url}/retrieve/invoke", json={"input": {"task": task, "root": str(root)}})
            return answer.is_success and bool(answer.json()["output"]["package"]["files"])

        yield ask


@asynccontextmanager
async def mcp_stdio(root: Path, scratch: Path) -> AsyncIterator[Ask]:
    """``iterative-retrieval mcp`` as a child process of its client."""
    from mcp import StdioServerParameters

    arguments = [*_COMMAND[1:], "mcp", "--allow-root", str(root)]
    server = StdioServerParameters(command=_COMMAND[0], args=arguments, env=_environment(scratch), cwd=scratch)
    async with _mcp_session(server, root) as ask:
        yield ask


@asynccontextmanager
async def mcp_http(root: Path, scratch: Path) -> AsyncIterator[Ask]:
    """``iterative-retrieval mcp --transport http``."""
    command = ["mcp", "--transport", "http", "--port", "0", "--allow-root", str(root)]
    async with _server(command, scratch) as url, _mcp_session(url, root) as ask:
        yield ask


@asynccontextmanager
async def langgraph_server(root: Path, scratch: Path) -> AsyncIterator[Ask]:
    """``langgraph dev``, asked through its SDK: a run without a thread for every task."""
    if importlib.util.find_spec("langgraph_cli") is None:
        raise BenchmarkError("langgraph dev is not installed: it is in the extra studio; or choose others with --doors")
    from langgraph_sdk import get_client

    async with _langgraph_dev(scratch) as url:
        client = get_client(url=url, timeout=300)

        async def ask(task: str) -> bool:
            request = {"task": task, "root": str(root)}
            done: Any = await client.runs.wait(None, "retrieval", input=request, raise_error=False)
            return bool(done.get("package", {}).get("files"))

        yield ask


DOORS: dict[str, Callable[[Path, Path], AbstractAsyncContextManager[Ask]]] = {
    "function": function,
    "graph": graph,
    "langserve": langserve,
    "mcp stdio": mcp_stdio,
    "mcp http": mcp_http,
    "langgraph server": langgraph_server,
}


@asynccontextmanager
async def _mcp_session(server: Any, root: Path) -> AsyncIterator[Ask]:
    from mcp import Client

    async with Client(server) as client:

        async def ask(task: str) -> bool:
            result = await client.call_tool("retrieve_context", {"task": task, "root": str(root)})
            return not result.is_error and bool(result.structured_content and result.structured_content["files"])

        yield ask


@asynccontextmanager
async def _pool() -> AsyncIterator[Callable[[Callable[[], bool]], Awaitable[bool]]]:
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(_THREADS) as pool:
        yield lambda work: loop.run_in_executor(pool, work)


@asynccontextmanager
async def _server(arguments: list[str], scratch: Path) -> AsyncIterator[str]:
    """The address of a server process."""
    log = scratch / f"{arguments[0]}.log"
    with log.open("wb") as errors:
        process = _started(arguments, scratch, errors)
    try:
        yield await _address(log, process)
    finally:
        process.terminate()
        process.wait(timeout=60)


@asynccontextmanager
async def _langgraph_dev(scratch: Path) -> AsyncIterator[str]:
    """The address of a development server, which keeps its state in scratch."""
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--port", str(_free_port())]
    command += ["--config", str(Path(__file__).parents[1] / "langgraph.json"), "--n-jobs-per-worker", str(_THREADS)]
    log = scratch / "langgraph.log"
    with log.open("wb") as told:
        process = subprocess.Popen(
            command,
            cwd=scratch,
            env=_environment(scratch) | {"LANGGRAPH_NO_VERSION_CHECK": "true"},
            stdout=told,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        url = f"http://127.0.0.1:{command[command.index('--port') + 1]}"
        await _listening(url, log, process)
        yield url
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=60)


async def _listening(url: str, log: Path, process: subprocess.Popen[bytes]) -> None:
    async with _client() as client:
        for _ in range(1_200):
            if process.poll() is not None:
                break
            try:
                if (await client.get(f"{url}/ok")).is_success:
                    return
            except httpx.TransportError:  # not yet
                await asyncio.sleep(0.1)
    raise BenchmarkError(f"langgraph dev did not start: {log.read_text(errors='replace')[-500:]}")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _started(arguments: list[str], scratch: Path, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*_COMMAND, *arguments], cwd=scratch, env=_environment(scratch), stderr=errors, stdout=subprocess.DEVNULL
    )


async def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    for _ in range(1_200):
        found = re.search(r"http://[\w.]+:\d+[\w/]*", log.read_text())
        if found:
            return found[0]
        if process.poll() is not None:
            break
        await asyncio.sleep(0.1)
    raise BenchmarkError(f"a server did not start: {log.read_text()[-500:]}")


def _environment(scratch: Path) -> dict[str, str]:
    own = {"IR_CACHE_DIR": f"{scratch}/cache", "IR_DATA_DIR": f"{scratch}/data", "IR_SERVE_MAX_REQUESTS": "64"}
    return {name: value for name, value in os.environ.items() if not name.startswith("IR_")} | own


def _client() -> httpx.AsyncClient:
    return httpx.AsyncClient(timeout=300, limits=httpx.Limits(max_connections=_THREADS))
