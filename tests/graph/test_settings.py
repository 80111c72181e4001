"""Where settings come from, and what they say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from iterative_retrieval.graph.env_file import config_dir, env_file
from iterative_retrieval.graph.model_roles import ROLES, Models
from iterative_retrieval.graph.settings import Settings, load_settings
from iterative_retrieval.state.errors import CallerError
from iterative_retrieval.state.spending import Price, SpendingLimit


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith(("IR_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))


def write(text: str, path: Path | None = None) -> Path:
    path = path or config_dir() / ".env"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_environment_goes_before_the_file_and_the_file_before_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    write("IR_MODEL=of-the-file\nIR_MODEL_TIMEOUT=7\nOPENAI_BASE_URL=http://127.0.0.1:1/v1\n")
    monkeypatch.setenv("IR_MODEL", "of-the-environment")
    settings = load_settings()
    assert (settings.model, settings.model_timeout, settings.model_retries) == ("of-the-environment", 7.0, 2)
    assert settings.openai_base_url == "http://127.0.0.1:1/v1"
    assert Settings(model="of-the-call").model == "of-the-call"


def test_a_file_in_the_current_folder_is_not_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write("IR_MODEL=planted\nOPENAI_BASE_URL=http://evil.invalid/v1\n", tmp_path / "cloned" / ".env")
    monkeypatch.chdir(tmp_path / "cloned")
    assert (load_settings().model, load_settings().openai_base_url) == (None, None)


def test_another_file_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write("IR_MODEL=usual\n")
    monkeypatch.setenv("IR_ENV_FILE", str(write("IR_MODEL=named\n", tmp_path / "other.env")))
    assert load_settings().model == "named"
    assert env_file() == tmp_path / "other.env"


def test_a_named_file_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("IR_ENV_FILE", str(tmp_path / "nowhere"))
    with pytest.raises(CallerError, match=r"IR_ENV_FILE.*no such file"):
        load_settings()


def test_a_file_that_is_no_text_is_an_error_that_names_it() -> None:
    path = write("")
    path.write_bytes(b"IR_MODEL=\xff\xfe\n")
    with pytest.raises(CallerError, match="cannot read the settings"):
        load_settings()


def test_what_the_file_does_not_know_is_left_alone_and_an_empty_value_is_none() -> None:
    write("MODEL=not-ours\nmodel=neither\nIR_MODEL=\nexport IR_MODEL_JUDGE='strict one' # comment\nIR_EMBEDDER\n")
    settings = load_settings()
    assert (settings.model, settings.model_judge, settings.embedder) == (None, "strict one", "auto")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("IR_MODEL_TIMEOUT", "soon-7"),
        ("IR_MAX_LLM_CALLS", "-1"),
        ("OPENAI_BASE_URL", "ada:pw@host-7"),
        ("IR_DATABASE_URL", "/tmp/x-7"),
        ("IR_MODEL_PRICES", "{broken-7"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_the_variables_name_without_the_value(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(CallerError) as error:
        load_settings()
    assert name.removeprefix("IR_").lower() in str(error.value).lower()
    assert value not in str(error.value)


def test_each_role_has_its_model_or_the_common_one_or_none() -> None:
    settings = Settings(model="common", model_judge="strict", model_planner="none")
    assert {role: settings.model_of(role) for role in ROLES} == {
        "planner": None,
        "evaluator": "common",
        "classifier": "common",
        "composer": "common",
        "judge": "strict",
        "mutator": "common",
    }
    models = Models(settings)
    assert models.of("planner") is None
    composer, judge = models.of("composer"), models.of("judge")
    assert composer is models.of("evaluator") and composer is not judge
    assert judge is not None and judge.name == "strict"


def test_without_a_model_every_role_is_offline() -> None:
    models = Models(Settings())
    assert [models.of(role) for role in ROLES] == [None] * len(ROLES)


def test_an_embeddings_endpoint_of_its_own_never_gets_the_other_ones_key() -> None:
    ours = {"openai_api_key": "key-of-the-first", "openai_base_url": "http://127.0.0.1:1/v1"}
    shared = Models(Settings(**ours))  # type: ignore[arg-type]
    assert shared.embedding_connection is shared.connection
    apart = Models(Settings(**ours, embedding_base_url="http://127.0.0.1:2/v1"))  # type: ignore[arg-type]
    assert (apart.embedding_connection.api_key, apart.embedding_connection.host) == ("", "127.0.0.1:2")
    own = Models(Settings(**ours, embedding_api_key="another"))  # type: ignore[arg-type]
    assert (own.embedding_connection.api_key, own.embedding_connection.host) == ("another", "127.0.0.1:1")


def test_prices_and_limits_are_those_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IR_MODEL_PRICES", '{"large": {"input": 3, "output": 15}}')
    monkeypatch.setenv("IR_MODEL_PRICE_INPUT", "0.5")
    monkeypatch.setenv("IR_MODEL_BUDGET_COST", "0.02")
    monkeypatch.setenv("IR_MODEL_TEMPERATURE", "none")
    settings = load_settings()
    assert settings.price_of("large") == Price(input=3, output=15)
    assert settings.price_of("small") == Price(input=0.5, output=0.0)
    assert settings.spending_limit == SpendingLimit(cost=0.02)
    assert settings.model_temperature is None


def test_a_prefix_keeps_its_blank() -> None:
    write('IR_EMBEDDING_QUERY_PREFIX="search_query: "\n')
    assert load_settings().embedding_query_prefix == "search_query: "


def test_secrets_are_in_no_repr() -> None:
    assert "very-secret" not in repr(Settings(openai_api_key="very-secret", embedding_api_key="very-secret"))  # type: ignore[arg-type]
