"""What each door costs over calling the function: the same searches, one machine, one run, by concurrency.

usage: python -m benchmarks.doors [--root DIR] [--requests 64] [--concurrency 1 8 32] [--doors NAME ...] [--json]

The doors: the function and the compiled graph in this process (as many threads as concurrency says), LangServe, MCP
over stdio, MCP over HTTP and LangGraph Server, each a server process of its own asked through its own client. Without
--root a small project is made. Every door is warmed up first, then gets the same tasks in the same order; doors take
turns by concurrency, so that other work of the machine meets them alike. ms: wall time of all requests over their
number. ratio: to the function at the same concurrency; a server works beside its client, so with two processors it may
come out below 1. errors: requests without a package.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from .arguments import guarded
from .door_clients import DOORS, Ask, open_door
from .predictions import BenchmarkError
from .provenance import provenance

_TOPICS = ("token", "session", "basket", "invoice", "address", "refund", "coupon", "shipment")
_VERBS = ("create", "expire", "validate", "cancel", "merge")
FUNCTION = "function"


def make_project(folder: Path) -> Path:
    """A project of forty small modules."""
    for topic in _TOPICS:
        for verb in _VERBS:
            path = folder / "shop" / topic / f"{verb}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [f'def {verb}_{topic}_{n}(value: str) -> str:\n    """{verb} a {topic}."""\n' for n in range(6)]
            path.write_text("\n\n".join(f"{line}    return value + {n!r}\n" for n, line in enumerate(lines)))
    return folder


def tasks(count: int) -> list[str]:
    """So many tasks, in turn."""
    pairs = [(verb, topic) for topic in _TOPICS for verb in _VERBS]
    return ["Fix the bug when we {} a {}".format(*pairs[i % len(pairs)]) for i in range(count)]


async def measure(
    root: Path, scratch: Path, requests: int, levels: Sequence[int], names: Sequence[str]
) -> list[dict[str, Any]]:
    """One row for every door and concurrency."""
    rows: list[dict[str, Any]] = []
    async with AsyncExitStack() as stack:
        asks: dict[str, Ask] = {}
        for name in names:
            asks[name] = await stack.enter_async_context(open_door(name, root, scratch))
            await timed(asks[name], tasks(4), 1)
        for level in levels:
            for name, ask in asks.items():
                seconds, errors = await timed(ask, tasks(requests), level)
                rows.append({"door": name, "concurrency": level, "ms": 1000 * seconds / requests, "errors": errors})
    bases = {row["concurrency"]: row["ms"] for row in rows if row["door"] == FUNCTION}
    return [{**row, "ratio": round(row["ms"] / bases[row["concurrency"]], 2)} for row in rows]


async def timed(ask: Ask, given: Sequence[str], level: int) -> tuple[float, int]:
    """Seconds for all tasks, so many at a time, and how many failed."""
    places, started = asyncio.Semaphore(level), time.perf_counter()

    async def one(task: str) -> bool:
        async with places:
            return await ask(task)

    fine = await asyncio.gather(*(one(task) for task in given))
    return time.perf_counter() - started, fine.count(False)


def as_text(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as a Markdown table: a door a line."""
    levels = list(dict.fromkeys(row["concurrency"] for row in rows))
    cells = {(row["door"], row["concurrency"]): row for row in rows}
    lines = ["| door | " + " | ".join(f"{n} at a time: ms, ratio, errors" for n in levels) + " |"]
    lines += ["|---" * (len(levels) + 1) + "|"]
    for door in dict.fromkeys(row["door"] for row in rows):
        found = [cells[door, level] for level in levels]
        lines.append(f"| {door} | " + " | ".join(f"{r['ms']:.1f}, {r['ratio']}, {r['errors']}" for r in found) + " |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; the answer is the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, help="folder to search; a small project made on the spot when absent")
    parser.add_argument("--requests", type=int, default=64, help="of each door at each concurrency")
    parser.add_argument("--concurrency", type=int, nargs="+", default=[1, 8, 32], help="requests at a time")
    parser.add_argument("--doors", nargs="+", choices=list(DOORS), default=list(DOORS), help="which doors")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    if arguments.root and not arguments.root.is_dir():
        raise BenchmarkError(f"there is no folder {arguments.root}")
    names = list(dict.fromkeys([FUNCTION, *arguments.doors]))
    with tempfile.TemporaryDirectory(prefix="doors-") as folder:
        scratch = Path(folder)
        root = arguments.root.resolve() if arguments.root else make_project(scratch / "project")
        rows = asyncio.run(measure(root, scratch, arguments.requests, arguments.concurrency, names))
    print(json.dumps({"rows": rows, **provenance()}, indent=1) if arguments.json else as_text(rows))
    return 1 if any(row["errors"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
