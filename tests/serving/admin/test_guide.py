"""docs/admin.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.applications import Starlette

from iterative_retrieval.serving.admin.settings import AdminSettings
from tests.serving.admin.scene import Scene, log_in

GUIDE = Path(__file__).parents[3] / "docs" / "admin.md"


def test_the_pictures_exist_and_are_small() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", GUIDE.read_text(encoding="utf-8"))
    assert len(pictures) == 4
    for picture in pictures:
        content = (GUIDE.parent / picture).read_bytes()
        assert content.startswith(b"\x89PNG") and len(content) < 200_000, picture


def test_every_setting_is_told() -> None:
    told = set(re.findall(r"\| `(IR_ADMIN_\w+)` \|", GUIDE.read_text(encoding="utf-8")))
    assert told == {f"IR_ADMIN_{name.upper()}" for name in AdminSettings.model_fields}


def test_the_example_runs(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    code = re.search(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert code
    names: dict[str, object] = {}
    monkeypatch.chdir(scene.folder)
    monkeypatch.setenv("IR_ADMIN_USERS", str(scene.people))
    monkeypatch.setenv("IR_DATA_DIR", str(scene.folder / "data"))
    exec(code.group(1), names)
    app = names["app"]
    assert isinstance(app, Starlette)
    client = scene.client(app)
    client.base_url = client.base_url.join("/evolution/")
    assert log_in(client, "bob", path="login").status_code == 303
