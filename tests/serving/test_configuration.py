"""The page and the example file of the settings, and the commands that show them."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from iterative_retrieval.graph.settings_rows import shown, variables_of
from iterative_retrieval.serving.cli import main
from iterative_retrieval.serving.settings_sections import SECTIONS
from tests.openai_server import OpenAIServer

ROOT = Path(__file__).parents[2]
SECRET = "not-for-anybodys-eyes-1"


@dataclass(frozen=True)
class Done:
    """What a command said."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs the command line in this process, with no variable of ours but those given."""

    def command(*args: str, **env: str) -> Done:
        for name in [name for name in os.environ if name.startswith(("IR_", "OPENAI_"))]:
            monkeypatch.delenv(name)
        for name, value in {"IR_CACHE_DIR": str(tmp_path / "cache"), "IR_DATA_DIR": str(tmp_path), **env}.items():
            monkeypatch.setenv(name, value)
        code = main(list(args))
        told = capsys.readouterr()
        return Done(code, told.out, told.err)

    return command


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """The script that writes page and example."""
    spec = importlib.util.spec_from_file_location("make_configuration", ROOT / "docs" / "make_configuration.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_tables_of_the_page_are_those_of_the_models(maker: ModuleType) -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert maker.page() == page, "run: python docs/make_configuration.py"
    for _, model in SECTIONS:
        assert all(f"`{v}`" in page for v in variables_of(model))


def test_the_example_file_is_that_of_the_models(maker: ModuleType) -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert maker.example() == example, "run: python docs/make_configuration.py"
    assert all(line.startswith("#") for line in example.splitlines() if line)


def test_every_setting_says_what_it_sets() -> None:
    for _, model in SECTIONS:
        for name, field in model.model_fields.items():
            assert field.description and field.description.endswith((".", ")")), f"{model.__name__}.{name}"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("postgresql://ada:hunter2@db/shop", "postgresql://***@db/shop"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        (Path("/data"), "/data"),
        (["http://a:b@c"], ["http://***@c"]),
        ("http://[::1", "***"),
        (3, 3),
        (None, None),
    ],
)
def test_no_password_is_shown(value: object, told: object) -> None:
    assert shown(value) == told


@pytest.fixture
def env_file(tmp_path: Path, home: Path) -> Path:
    path = tmp_path / "settings.env"
    path.write_text(f'IR_MODEL=small\nIR_MODEL_TIMEOUT=7\nOPENAI_API_KEY="{SECRET}"\nIR_SERVE_MAX_BATCH=3\n')
    path.chmod(0o600)
    return path


def test_config_show_tells_each_value_and_where_it_came_from(run: Run, env_file: Path) -> None:
    done = run("config", "show", "--json", IR_ENV_FILE=str(env_file), IR_MODEL_TIMEOUT="9")
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)["settings"] if row["section"] == "The package"}
    assert (rows["model"]["value"], rows["model"]["source"]) == ("small", "file")
    assert (rows["model_timeout"]["value"], rows["model_timeout"]["source"]) == (9.0, "environment")
    assert (rows["model_retries"]["value"], rows["model_retries"]["source"]) == (2, "default")
    assert (rows["openai_api_key"]["value"], rows["openai_api_key"]["source"]) == ("set", "file")
    assert (rows["embedding_api_key"]["value"], rows["embedding_api_key"]["source"]) == ("unset", "default")
    served = [r for r in json.loads(done.stdout)["settings"] if r["variables"] == ["IR_SERVE_MAX_BATCH"]]
    assert [(r["value"], r["source"]) for r in served] == [(3, "file")]
    assert SECRET not in done.stdout + done.stderr


def test_config_show_for_a_person_has_a_line_for_every_variable(run: Run, env_file: Path) -> None:
    done = run("config", "show", IR_ENV_FILE=str(env_file))
    text = done.stdout
    assert "IR_MODEL = small  (file)" in text
    assert "OPENAI_API_KEY = set  (file)" in text
    assert SECRET not in text
    assert all(variables[0] in text for _, model in SECTIONS for variables in [variables_of(model)])


def test_config_path_names_the_file(run: Run, env_file: Path, home: Path) -> None:
    assert run("config", "path", IR_ENV_FILE=str(env_file)).stdout.strip() == str(env_file)
    assert run("config", "path").stdout.strip().endswith("iterative-retrieval/.env")


def test_doctor_finds_no_problem_in_a_working_installation(run: Run, tmp_path: Path) -> None:
    with OpenAIServer() as server:
        done = run(
            "doctor",
            "--json",
            IR_MODEL="m",
            OPENAI_BASE_URL=server.url,
            IR_DATA_DIR=str(tmp_path / "data"),
            IR_MODLE="x",
        )
    found = json.loads(done.stdout)
    assert done.returncode == 0 and found["healthy"], found["findings"]
    by_name = {f["name"]: f for f in found["findings"]}
    assert by_name["git"]["status"] == "ok"
    assert by_name["database"]["status"] == "off"
    assert by_name["model endpoint"]["status"] == "ok"
    assert by_name["embeddings endpoint"]["status"] == "off"
    assert found["mode"] == "llm"
    assert [(f["detail"], f["advice"]) for f in found["findings"] if f["status"] == "notice"] == [
        ("IR_MODLE is no setting", "did you mean IR_MODEL?")
    ]
    assert {p["what"] for p in found["places"]} == {"indexes", "data", "settings"}
    assert not (tmp_path / "data").exists(), "it only looks"


@pytest.mark.parametrize(
    ("break_it", "name", "advice"),
    [
        (
            lambda f: {"IR_MODEL": "m", "OPENAI_BASE_URL": "http://ada:pw@127.0.0.1:9/v1"},
            "model endpoint",
            "start the server",
        ),
        (lambda f: {"IR_CHROMA_URL": "http://127.0.0.1:9"}, "Chroma", "IR_CHROMA_URL"),
        (lambda f: {"IR_DATABASE_URL": "postgresql://ada:pw@127.0.0.1:9/x"}, "database", "IR_DATABASE_URL"),
        (lambda f: {"IR_DATA_DIR": str(_damaged(f))}, "database", "damaged|not a database"),
        (lambda f: {"IR_MODEL_TIMEOUT": "soon"}, "settings", "IR_MODEL_TIMEOUT"),
        (lambda f: {"IR_ENV_FILE": str(f / "nowhere.env")}, "settings", "no such file"),
        (lambda f: {"PATH": str(f)}, "git", "install git"),
    ],
    ids=["no endpoint", "no Chroma", "no database server", "damaged database", "bad value", "no file", "no git"],
)
def test_doctor_names_a_problem_and_what_to_do(
    run: Run, tmp_path: Path, break_it: Callable[[Path], dict[str, str]], name: str, advice: str
) -> None:
    done = run("doctor", "--json", **break_it(tmp_path))
    found = json.loads(done.stdout)
    assert done.returncode == 3 and not found["healthy"]
    (problem,) = [f for f in found["findings"] if f["status"] == "problem"]
    assert problem["name"] == name
    assert any(word in problem["detail"] + problem["advice"] for word in advice.split("|"))
    assert "ada:pw" not in done.stdout + done.stderr


def test_doctor_sees_a_refused_key_and_a_file_that_others_can_read(run: Run, env_file: Path) -> None:
    env_file.chmod(0o644)
    with OpenAIServer(key="another") as server:
        done = run("doctor", IR_ENV_FILE=str(env_file), OPENAI_BASE_URL=server.url)
    text = done.stdout
    assert done.returncode == 3
    assert "refuses the key (HTTP 401)" in text and "chmod 600" in text
    assert "1 problem" in text
    assert SECRET not in text


def _damaged(folder: Path) -> Path:
    data = folder / "damaged"
    data.mkdir()
    (data / "iterative-retrieval.sqlite").write_bytes(b"SQLite format 3\0" + b"\xff" * 8000)
    return data
