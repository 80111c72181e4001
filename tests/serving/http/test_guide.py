"""docs/serve.md: every block runs."""

from __future__ import annotations

import configparser
import contextlib
import io
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from typer.main import get_command

from iterative_retrieval.serving.cli import app
from iterative_retrieval.serving.http.settings import ServeSettings
from tests.serving.admin.scene import PASSWORD, ROLES, person
from tests.serving.http.place import Place, make_place
from tests.serving.http.server import serving

GUIDE = (Path(__file__).parents[3] / "docs" / "serve.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8379"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


@pytest.fixture(scope="module")
def guided(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make_place(tmp_path_factory.mktemp("guide"))


@pytest.fixture(scope="module")
def server(guided: Place) -> Iterator[str]:
    """A server as the guide has it, with people."""
    people = guided.folder / "people.jsonl"
    people.write_text("\n".join(json.dumps(person(name, role)) for name, role in ROLES.items()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_ADMIN_USERS", str(people))
        doors = guided.app()
    with serving(doors) as url:
        yield url


def shell(code: str, url: str) -> str:
    environment = os.environ | {"PASSWORD": PASSWORD}
    command = ["bash", "-ec", code.replace(ADDRESS, url)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def python(code: str, url: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code.replace(ADDRESS, url), {})
    return printed.getvalue()


def test_the_curl_commands_work(server: str) -> None:
    asked, streamed, _ = blocks("sh")
    output = json.loads(shell(asked, server))["output"]
    assert any(file["path"] == "src/auth.py" for file in output["package"]["files"]) and output["markdown"]
    stream = shell(streamed, server)
    assert "cache_asked" in stream and "30 seconds" in stream and "event: end" in stream


def test_a_session_of_evolution_works(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = json.loads(shell(blocks("sh")[2], server))["output"]
    assert begun["status"] == "interrupted", begun["reason"]
    decide = next(code for code in blocks("python") if "CYCLE" in code)
    monkeypatch.setenv("PASSWORD", PASSWORD)
    monkeypatch.setenv("CYCLE", begun["cycle"])
    assert python(decide, server).split() == ["done", "activated"]


@pytest.mark.parametrize(
    ("part", "said"), [("previous", "user.py"), ("markdown", "def authenticate"), ("ask", "30 seconds")]
)
def test_the_python_examples_work(server: str, part: str, said: str) -> None:
    wanted = {"previous": '"previous"', "markdown": 'context["markdown"]', "ask": "ask.stream"}[part]
    (code,) = [code for code in blocks("python") if wanted in code]
    assert said in python(code, server)


def test_the_application_of_the_guide_serves(guided: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = [code for code in blocks("python") if "create_app" in code]
    monkeypatch.chdir(guided.folder)
    for name in ("data", "cache"):
        monkeypatch.setenv(f"IR_{name.upper()}_DIR", str(guided.folder / name))
    names: dict[str, object] = {}
    exec(code, names)
    made = names["app"]
    assert isinstance(made, FastAPI)
    with serving(made) as url:
        assert httpx.get(f"{url}/context/health").json()["ready"]


def test_the_options_of_the_guide_exist() -> None:
    command = get_command(app).commands["serve"]  # type: ignore[attr-defined]
    known = {name for parameter in command.params for name in parameter.opts}
    lines = [line for text in (*blocks("console"), *blocks("ini"), GUIDE) for line in text.splitlines()]
    told = {
        option for line in lines if "serve " in line or "| `--" in line for option in re.findall(r"--[a-z-]+", line)
    }
    assert told and told <= known
    assert known - {"--help", "-h", "-p"} <= set(re.findall(r"--[a-z-]+", GUIDE))


def test_the_unit_is_well_formed() -> None:
    unit = configparser.ConfigParser(interpolation=None, strict=True)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(blocks("ini")[0])
    service = unit["Service"]
    grace = re.search(r"--grace (\d+)", service["ExecStart"])
    assert grace and int(service["TimeoutStopSec"]) > int(grace[1])


def test_the_proxy_lets_streams_through_and_waits_longer_than_the_server() -> None:
    (block,) = blocks("nginx")
    assert block.count("{") == block.count("}") and "proxy_buffering off;" in block
    waits = re.search(r"proxy_read_timeout (\d+)s", block)
    assert waits and int(waits[1]) > ServeSettings().request_seconds


def test_every_setting_is_told_with_its_default() -> None:
    rows = dict(re.findall(r"\| `IR_SERVE_(\w+)` \|[^|]*\| ([^|]+) \|", GUIDE))
    assert {name.lower() for name in rows} == set(ServeSettings.model_fields)
    for name, told in rows.items():
        if told.isdecimal():
            assert float(told) == float(ServeSettings.model_fields[name.lower()].default)
