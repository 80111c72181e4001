"""The doors inside another application, and the panel inside the doors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from langserve import RemoteRunnable

from tests.serving.admin.scene import PASSWORD, ROLES, person, token_of
from tests.serving.http.place import QUERY, Place
from tests.serving.http.server import serving


@pytest.fixture(scope="module")
def mounted(place: Place) -> Iterator[str]:
    """Another application, with the doors (and their panel, behind a key) under /context."""
    people = place.folder / "panel.jsonl"
    people.write_text("\n".join(json.dumps(person(name, role)) for name, role in ROLES.items()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_ADMIN_USERS", str(people))
        doors = place.app(api_key="0123456789abcdef-key")
    app = FastAPI()
    app.add_api_route("/own", lambda: {"own": True})
    app.mount("/context", doors)
    with serving(app) as address:
        yield address


def test_the_doors_work_under_a_prefix(mounted: str) -> None:
    headers = {"x-api-key": "0123456789abcdef-key"}
    remote: RemoteRunnable[Any, Any] = RemoteRunnable(f"{mounted}/context/retrieve", headers=headers)
    assert remote.invoke(QUERY)["package"]["files"]
    assert [*remote.stream(QUERY)][-1]["package"]["files"]
    page = httpx.get(f"{mounted}/context/retrieve/playground/", headers=headers).text
    script = re.search(r'src="(/[^"]+\.js)"', page)
    assert script and httpx.get(mounted + script[1], headers=headers).status_code == 200


def test_the_key_and_the_open_pages_hold_under_a_prefix(mounted: str) -> None:
    assert httpx.post(f"{mounted}/context/retrieve/invoke", json={"input": QUERY}).status_code == 401
    assert httpx.get(f"{mounted}/context/health").json()["configured"]["admin"] == "on"
    assert httpx.get(f"{mounted}/own").json() == {"own": True}


def test_the_panel_is_served_beside_the_doors_with_its_own_login(mounted: str) -> None:
    with httpx.Client(base_url=f"{mounted}/context/admin/", follow_redirects=True) as client:
        assert client.get("genomes").url.path == "/context/admin/login"
        form = {"username": "bob", "password": PASSWORD, "csrftoken": token_of(client.get("login").text)}
        assert client.post("login", data=form).url.path.startswith("/context/admin/")
        page = client.get("genomes")
        assert page.status_code == 200 and page.url.path == "/context/admin/genomes"
        assert page.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_person_and_a_key_go_together(mounted: str) -> None:
    auth = ("ada", PASSWORD)
    headers = {"x-api-key": "0123456789abcdef-key"}
    answer = httpx.post(
        f"{mounted}/context/evolution/invoke", json={"input": {"cycle": "x"}}, auth=auth, headers=headers
    )
    assert answer.status_code == 404 and "begin one" in answer.text
