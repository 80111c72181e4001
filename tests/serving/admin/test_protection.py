"""Headers, sizes, and the panel inside other applications."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from tests.serving.admin.scene import Scene, decide, log_in, token_of


def test_every_answer_forbids_scripts_frames_and_caches(full: Scene) -> None:
    client = full.logged_in("bob")
    form = {"csrftoken": "x"}
    answers = [client.get(path) for path in ("/", "/genomes/2", "/genomes/99", "/nowhere")]
    answers += [full.client().get("/"), full.client().get("/login"), client.post("/genomes/2", data=form)]
    answers += [client.post("/genomes/2", content=b"x" * 70_000)]
    assert [answer.status_code for answer in answers] == [200, 200, 404, 404, 303, 200, 403, 413]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src" not in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy and "form-action 'self'" in policy and "base-uri 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


def test_pages_need_neither_scripts_nor_anything_from_elsewhere(full: Scene) -> None:
    client = full.logged_in("root")
    for path in ("/", "/genomes", "/genomes/2", "/cycles", "/decisions", "/login"):
        page = client.get(path).text
        assert not re.search(r"<script|<style|\sstyle=|\son\w+=", page)
        assert not re.search(r"""(?:src|href|action)=["'](?:https?:)?//""", page)


def test_style_sheets_are_served_without_a_login(scene: Scene) -> None:
    client = scene.client()
    page = client.get("/login").text
    for path in re.findall(r'<link rel="[^"]+" href="([^"]+)"', page):
        assert client.get(path).status_code == 200, path


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2f..%2fapp.py"])
def test_nothing_but_style_sheets_is_served(scene: Scene, path: str) -> None:
    assert scene.client().get(path).status_code in (303, 404)


@pytest.mark.parametrize(
    "path", ["/genome/list", "/genomes/create", "/genomes/edit/1", "/_api/genomes/action", "/x/export"]
)
def test_the_framework_s_own_pages_are_not_there(full: Scene, path: str) -> None:
    client = full.logged_in("root")
    assert client.get(path).status_code == 404
    assert client.post(path, data={"csrftoken": token_of(client.get("/").text)}).status_code == 404


def test_a_form_without_a_length_is_refused(scene: Scene) -> None:
    assert scene.client().post("/login", content=iter([b"username=bob"])).status_code == 411


@pytest.mark.parametrize(("prefix", "name"), [("/evolution", None), ("/a/b", "panel"), ("/x", "admin")])
def test_the_panel_works_inside_another_application(full: Scene, prefix: str, name: str | None) -> None:
    outer = Starlette(routes=[Mount(prefix, app=full.app(), name=name)])
    client = full.client(outer)
    client.base_url = client.base_url.join(prefix + "/")
    assert client.get("genomes").headers["location"].startswith(f"http://testserver{prefix}/login?next=")
    token = token_of(client.get("login").text)
    form = {"username": "bob", "password": "correct horse battery", "csrftoken": token}
    assert client.post("login", data=form).headers["location"].endswith(prefix + "/")
    page = client.get("genomes/2").text
    assert set(re.findall(r'href="(/[^/"]*)', page)) == {"/" + prefix.split("/")[1]}
    genome = full.ledger.genome(2)
    values = {"decision": "approve", "version": genome.version, "genome_hash": genome.genome_hash}
    answer = client.post("genomes/2", data=values | {"csrftoken": token_of(page)})
    assert (answer.status_code, answer.headers["location"]) == (303, f"{prefix}/genomes/2")


def test_a_database_that_cannot_be_used_is_told(full: Scene) -> None:
    client = full.logged_in("bob")
    genome = full.ledger.genome(2)
    page_token = token_of(client.get("/genomes/2").text)
    full.store.close()
    (full.folder / "ledger.sqlite").write_bytes(b"no database at all, but a text" * 100)
    for other in ("ledger.sqlite-wal", "ledger.sqlite-shm"):
        (full.folder / other).unlink(missing_ok=True)
    answer = client.get("/genomes/2")
    assert answer.status_code == 503 and "cannot be used right now" in answer.text
    form = {"decision": "approve", "version": genome.version, "genome_hash": genome.genome_hash}
    assert client.post("/genomes/2", data=form | {"csrftoken": page_token}).status_code == 503
    assert not full.woken


def test_a_login_survives_a_restart(full: Scene) -> None:
    client = full.client(full.app())
    assert log_in(client, "bob").status_code == 303
    again = full.client(full.app())
    again.cookies.update(client.cookies)
    assert decide(again, full.ledger.genome(2), "approve").status_code == 303
