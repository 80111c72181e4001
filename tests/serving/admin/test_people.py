"""The file of people, password hashes, and the secret that signs cookies."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from iterative_retrieval.serving.admin.app import admin_app
from iterative_retrieval.serving.admin.passwords import hashed, matches
from iterative_retrieval.serving.admin.people import PeopleFile, Role
from iterative_retrieval.serving.admin.settings import kept_secret
from iterative_retrieval.state.errors import CallerError, StoreUnavailable
from tests.serving.admin.scene import Scene, person


def command(*args: str, password: str = "") -> subprocess.CompletedProcess[str]:
    module = "iterative_retrieval.serving.admin.passwords"
    return subprocess.run([sys.executable, "-m", module, *args], input=password + "\n", capture_output=True, text=True)


def test_the_command_prints_a_line_that_the_panel_understands(tmp_path: Path) -> None:
    made = command("Ada Lovelace", "admin", password="a long password, ü")
    assert made.returncode == 0, made.stderr
    file = tmp_path / "people.jsonl"
    file.write_text(made.stdout + "\n" + command("bob", "viewer", password="another password").stdout)
    ada = PeopleFile(file).find("ada lovelace")
    assert ada is not None and ada.role is Role.ADMIN
    assert matches("a long password, ü", ada.password)
    assert not matches("a long password, u", ada.password)
    assert "long password" not in made.stdout


@pytest.mark.parametrize("args", [(), ("ada",), ("ada", "king"), ("ada", "admin", "more")])
def test_the_command_says_how_it_is_used(args: tuple[str, ...]) -> None:
    made = command(*args, password="a long password")
    assert made.returncode == 2 and "viewer|reviewer|admin" in made.stderr and not made.stdout


def test_a_short_password_is_refused() -> None:
    made = command("ada", "admin", password="short")
    assert made.returncode == 2 and "10 characters" in made.stderr


def test_the_same_password_has_another_hash_every_time() -> None:
    assert hashed("a long password") != hashed("a long password")


def test_a_list_of_people_is_understood_too(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    file.write_text(json.dumps([person("ada", "admin"), person("bob", "viewer")], indent=2))
    assert sorted(PeopleFile(file).everyone()) == ["ada", "bob"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "names nobody"),
        ("[]", "names nobody"),
        ("{", "is not JSON"),
        ("[1]", "person 1"),
        (json.dumps({"name": "ada", "role": "admin"}), "password"),
        (json.dumps(person("ada", "king")), "role"),
        (json.dumps(person(" ", "admin")), "name"),
        (json.dumps(person("ada", "admin") | {"password": "secret"}), "password"),
        (json.dumps(person("ada", "admin") | {"admin": True}), "admin"),
        (json.dumps([person("Ada", "admin"), person("ada", "viewer")]), "twice"),
        (json.dumps([person("Ａda", "admin"), person("ada", "viewer")]), "twice"),
    ],
)
def test_a_damaged_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "people.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CallerError, match=says) as caught:
        PeopleFile(file).everyone()
    assert "secret" not in str(caught.value), "hashes and passwords stay out of messages"


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(CallerError, match="cannot be read"):
        PeopleFile(tmp_path / "none.json").everyone()


def test_without_people_the_panel_says_how_to_add_them(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("IR_ADMIN_USERS", raising=False)
    with pytest.raises(CallerError, match="IR_ADMIN_USERS"):
        admin_app(scene.ledger, data_dir=tmp_path)


def test_the_environment_names_people_and_secret(scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IR_ADMIN_USERS", str(scene.people))
    monkeypatch.setenv("IR_ADMIN_SECRET", "s" * 40)
    monkeypatch.setenv("IR_DATA_DIR", str(tmp_path / "data"))
    admin_app(scene.ledger)
    assert not (tmp_path / "data").exists(), "a given secret is kept nowhere"
    monkeypatch.setenv("IR_ADMIN_SECRET", "short")
    with pytest.raises(CallerError, match="32 are needed"):
        admin_app(scene.ledger)


def test_the_secret_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "data" / "admin.secret"
    with ThreadPoolExecutor(8) as pool:
        secrets = set(pool.map(lambda _: kept_secret(file), range(32)))
    assert len(secrets) == 1 and len(secrets.pop()) == 64
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(file.parent) == ["admin.secret"]


def test_a_secret_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "admin.secret"
    kept_secret(file)
    file.chmod(0o644)
    with pytest.raises(StoreUnavailable, match="chmod 600"):
        kept_secret(file)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(StoreUnavailable, match="cannot be kept"):
        kept_secret(tmp_path / "data" / "admin.secret")
