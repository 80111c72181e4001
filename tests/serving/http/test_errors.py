"""What a client reads when something goes wrong."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from typing import Any

import httpx
import pytest
from langserve import RemoteRunnable

from iterative_retrieval.serving.http.refusals import refusal_of
from iterative_retrieval.serving.roots import AllowedRoots
from iterative_retrieval.state.errors import (
    AlreadyDecided,
    BudgetTooSmall,
    EmptyTask,
    GitUnavailable,
    IterativeRetrievalError,
    ModelUnavailable,
    NotAllowed,
    StaleReview,
    StoreUnavailable,
    UnknownCollection,
    UnknownDomain,
    UnknownGenome,
    UnknownRef,
    UnknownRoot,
)
from tests.serving.http.place import QUERY, QUESTION, Place
from tests.serving.http.server import serving

STATUS: dict[type[IterativeRetrievalError], int] = {
    EmptyTask: 400,
    BudgetTooSmall: 400,
    UnknownRoot: 404,
    UnknownRef: 404,
    UnknownCollection: 404,
    UnknownDomain: 404,
    UnknownGenome: 404,
    AlreadyDecided: 409,
    StaleReview: 409,
    NotAllowed: 409,
    StoreUnavailable: 503,
    GitUnavailable: 503,
    ModelUnavailable: 503,
}

BAD: list[tuple[str, dict[str, Any], int, str]] = [
    ("retrieve", {"root": "shop", "task": "?!"}, 400, "EmptyTask"),
    ("retrieve", QUERY | {"root": "nowhere"}, 404, "UnknownRoot"),
    ("retrieve", QUERY | {"ref": "v9"}, 404, "UnknownRef"),
    ("retrieve", QUERY | {"max_cycles": 9}, 422, "RequestInvalid"),
    ("retrieve", QUERY | {"depth": 1}, 422, "RequestInvalid"),
    ("ask", QUESTION | {"collection": "nope"}, 404, "UnknownCollection"),
    ("ask", QUESTION | {"question": "?!"}, 400, "EmptyQuestion"),
    ("evolution", {"cycle": "nope"}, 404, "UnknownGenome"),
    ("evolution", {}, 422, "RequestInvalid"),
]


@pytest.mark.parametrize("kind", STATUS, ids=lambda kind: kind.__name__)
def test_every_error_has_its_status(kind: type[IterativeRetrievalError], tmp_path: Path) -> None:
    refusal = refusal_of(kind("broke at /etc/secret/place"), AllowedRoots([tmp_path]))
    assert (refusal.status, refusal.kind) == (STATUS[kind], kind.__name__)
    assert "/etc/secret" not in refusal.message


@pytest.mark.parametrize(("door", "request_", "status", "kind"), BAD)
def test_a_bad_request_is_answered_readably(
    url: str, place: Place, door: str, request_: dict[str, Any], status: int, kind: str
) -> None:
    answer = httpx.post(f"{url}/{door}/invoke", json={"input": request_})
    error = answer.json()["error"]
    assert (answer.status_code, error["kind"]) == (status, kind)
    assert len(error["message"]) > 20 and error["request_id"] == answer.headers["x-request-id"]
    assert "Traceback" not in answer.text and "/site-packages" not in answer.text
    assert str(place.folder) not in answer.text.replace(str(place.allowed), "")


@pytest.mark.parametrize(("door", "request_", "status", "kind"), [row for row in BAD if row[2] != 422])
def test_a_stream_ends_with_a_readable_error(
    url: str, door: str, request_: dict[str, Any], status: int, kind: str
) -> None:
    remote: RemoteRunnable[Any, Any] = RemoteRunnable(f"{url}/{door}")
    with pytest.raises(httpx.HTTPStatusError) as caught:
        list(remote.stream(request_))
    assert caught.value.response.status_code == status
    assert "Internal Server Error" not in str(caught.value)


async def test_events_end_with_a_readable_error(url: str) -> None:
    client: RemoteRunnable[Any, Any] = RemoteRunnable(f"{url}/retrieve")
    with pytest.raises(httpx.HTTPStatusError, match="no folder"):
        async for _ in client.astream_events(QUERY | {"root": "nowhere"}, version="v2"):
            pass


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b'{"input": 1}', b'{"inputs": 3}', b"\xff", b"[" * 99_999])
@pytest.mark.parametrize("endpoint", ["invoke", "batch", "stream", "stream_events"])
def test_a_body_that_is_no_request_is_unprocessable(url: str, body: bytes, endpoint: str) -> None:
    headers = {"content-type": "application/json"}
    answer = httpx.post(f"{url}/retrieve/{endpoint}", content=body, headers=headers)
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["kind"] == "RequestInvalid"


def test_a_page_that_is_not_there_says_where_to_look(url: str) -> None:
    for answer, status in ((httpx.get(f"{url}/nope"), 404), (httpx.get(f"{url}/retrieve/invoke"), 405)):
        assert answer.status_code == status
        assert "/docs" in answer.json()["error"]["message"]


def test_a_broken_store_is_unavailable_and_its_place_stays_untold(
    place: Place, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = tmp_path / "data"
    app = place.app({"data_dir": data})
    database = data / "iterative-retrieval.sqlite"
    with serving(app) as url:
        for held in data.glob("iterative-retrieval.sqlite*"):
            held.write_bytes(b"this is no database, and longer than a page of one" * 200)
        with caplog.at_level(logging.ERROR):
            answer = httpx.post(f"{url}/ask/invoke", json={"input": QUESTION}, timeout=60)
        assert answer.status_code == 503, answer.text
        assert answer.headers["retry-after"]
        assert "request id" in answer.text and str(tmp_path) not in answer.text
        assert answer.json()["error"]["request_id"] in caplog.text
        health = httpx.get(f"{url}/health/ready")
        assert (health.status_code, health.json()["checks"]["database"]) == (503, "unavailable")
        assert httpx.get(f"{url}/health/live").status_code == 200
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(database).execute("SELECT * FROM sqlite_master")


def test_a_request_keeps_the_id_that_it_brings(url: str) -> None:
    assert (
        httpx.get(f"{url}/health", headers={"x-request-id": "from-proxy-7"}).headers["x-request-id"] == "from-proxy-7"
    )
    assert httpx.get(f"{url}/health", headers={"x-request-id": "a b\tc"}).headers["x-request-id"] != "a b\tc"
