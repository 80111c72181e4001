"""Time to import, to ``--help`` and to a first result, each in fresh processes, beside importing LangGraph alone.

usage: python -m benchmarks.imports [--rounds 9] [--modules 12] [--json]

Every round starts one process of each kind, so that whatever else the machine does meets them all alike. Times are
medians: wall seconds, and processor seconds (user and system together), which other work disturbs less. Ratios are to
``import langgraph.graph``. The modules are those that ``python -X importtime`` charges most beyond LangGraph's own.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .arguments import guarded
from .predictions import BenchmarkError
from .provenance import provenance

BASE = "import langgraph.graph"
_EVERY_NAME = "import iterative_retrieval as package; [getattr(package, name) for name in package.__all__]"
_TASK = "Fix the authentication token expiry bug"
_DEFINITION = 'def {0}_token(token: str) -> bool:\n    """Whether the {0} token holds."""\n    return {1}\n'
_BODIES = {"auth": "bool(token)", "expiry": "len(token) > 3", "user": "True", "basket": "False"}
_FILES = {f"shop/{name}.py": _DEFINITION.format(name, body) for name, body in _BODIES.items()}
_MARK = "import time: mark | 0 | mark"


@dataclass(frozen=True)
class Started:
    """One process. wall, processor: seconds."""

    wall: float
    processor: float


def measure(rounds: int) -> dict[str, Any]:
    """Row -> median wall and processor seconds, and their ratios to importing LangGraph."""
    with tempfile.TemporaryDirectory(prefix="imports-") as folder:
        commands = commands_in(Path(folder))
        for command in commands.values():  # once for the byte code and the page cache
            started(command, folder)
        runs: dict[str, list[Started]] = {name: [] for name in commands}
        for number in range(rounds):
            for name, command in commands.items():
                runs[name].append(started(command, folder, f"cache-{number}"))
    rows = {
        name: {
            "wall": statistics.median(s.wall for s in found),
            "processor": statistics.median(s.processor for s in found),
        }
        for name, found in runs.items()
    }
    for row in rows.values():
        for kind in ("wall", "processor"):
            row[f"{kind}_ratio"] = round(row[kind] / rows[BASE][kind], 2)
    return {"rounds": rounds, "rows": rows}


def commands_in(folder: Path) -> dict[str, list[str]]:
    """What is started, by name."""
    for path, text in _FILES.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    python, ours = [sys.executable], [sys.executable, "-m", "iterative_retrieval"]
    return {
        "nothing": [*python, "-c", "pass"],
        BASE: [*python, "-c", BASE],
        "from iterative_retrieval import retrieve": [*python, "-c", "from iterative_retrieval import retrieve"],
        "every public name": [*python, "-c", _EVERY_NAME],
        "iterative-retrieval --help": [*ours, "--help"],
        "first result, nothing indexed": [*ours, _TASK, "--root", "shop", "--json"],
    }


def started(command: Sequence[str], folder: str, cache: str = "cache") -> Started:
    """The times of one process from its start to its end.

    Raises:
        BenchmarkError: it failed.
    """
    own = os.environ | {"IR_CACHE_DIR": f"{folder}/{cache}", "IR_DATA_DIR": f"{folder}/data", "COLUMNS": "100"}
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    with process.stderr as errors:
        said = errors.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begin
    if process.returncode:
        raise BenchmarkError(f"{' '.join(command[1:])[:80]} failed: {said.decode(errors='replace')[-500:]}")
    return Started(wall, used.ru_utime + used.ru_stime)


def charged(modules: int) -> list[tuple[str, int]]:
    """The modules that cost most of what every public name adds to LangGraph, with their own microseconds."""
    script = f"{BASE}; import sys; print({_MARK!r}, file=sys.stderr); {_EVERY_NAME}"
    command = [sys.executable, "-X", "importtime", "-c", script]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()
    rows = []
    for line in lines[lines.index(_MARK) + 1 :]:
        own, _, name = line.removeprefix("import time:").split("|")
        rows.append((name.strip(), int(own)))
    return sorted(rows, key=lambda row: -row[1])[:modules]


def as_text(numbers: dict[str, Any]) -> str:
    """The numbers as Markdown tables."""
    lines = [f"{numbers['rounds']} processes a row, medians", ""]
    lines += ["| | wall s | times LangGraph | processor s | times LangGraph |", "|---|---|---|---|---|"]
    for name, row in numbers["rows"].items():
        values = f"{row['wall']:.2f} | {row['wall_ratio']} | {row['processor']:.2f} | {row['processor_ratio']}"
        lines.append(f"| {name} | {values} |")
    lines += ["", "| module beyond LangGraph's own | ms of its own |", "|---|---|"]
    lines += [f"| {name} | {own / 1000:.1f} |" for name, own in numbers["modules"]]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; the answer is the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="processes of each kind")
    parser.add_argument("--modules", type=int, default=12, help="modules named")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    numbers = measure(arguments.rounds) | {"modules": charged(arguments.modules)}
    print(json.dumps(numbers | provenance(), indent=1) if arguments.json else as_text(numbers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
