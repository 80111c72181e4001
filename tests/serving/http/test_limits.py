"""Who may ask, and how much."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from langserve import RemoteRunnable
from starlette.types import Receive, Scope, Send

from iterative_retrieval.serving.http.guard import Guard
from iterative_retrieval.serving.http.settings import ServeSettings, load_serve_settings
from iterative_retrieval.serving.roots import AllowedRoots
from iterative_retrieval.state.errors import CallerError
from tests.serving.http.place import QUERY, Place
from tests.serving.http.server import HeldRequest, serving

KEY = "0123456789abcdef-key"


@pytest.fixture(scope="module")
def locked(place: Place) -> Iterator[str]:
    """A server with a key and small limits, which answers for local names only."""
    app = place.app(api_key=KEY, max_body=2_000, max_requests=2, max_batch=2, hosts=["127.0.0.1", "[::1]"])
    with serving(app) as address:
        yield address


def client(url: str, key: str | None = KEY) -> httpx.Client:
    return httpx.Client(base_url=url, headers={"x-api-key": key} if key else {}, timeout=60)


@pytest.mark.parametrize("key", [None, "", "wrong", KEY + "x", KEY[:-1], "é"])
def test_without_the_key_nothing_is_served(locked: str, key: str | None) -> None:
    with httpx.Client(base_url=locked) as anybody:
        headers = httpx.Headers({} if key is None else {b"x-api-key": key.encode()})
        answers = [
            anybody.get(page, headers=headers) for page in ("/", "/docs", "/openapi.json", "/retrieve/playground/")
        ]
        answers.append(anybody.post("/retrieve/invoke", json={"input": QUERY}, headers=headers))
    assert {answer.status_code for answer in answers} == {401}
    assert all("X-API-Key" in answer.json()["error"]["message"] for answer in answers)


def test_health_needs_no_key_and_tells_no_secret(locked: str, place: Place) -> None:
    for page in ("/health", "/health/live", "/health/ready"):
        answer = httpx.get(locked + page)
        assert answer.status_code == 200
        assert KEY not in answer.text and str(place.folder) not in answer.text
    told = httpx.get(f"{locked}/health").json()
    assert told["live"] and told["ready"] and told["configured"]["key_needed"]
    assert told["versions"]["langserve"] and told["configured"]["limits"]["max_batch"] == 2


@pytest.mark.parametrize("headers", [{"x-api-key": KEY}, {"authorization": f"Bearer {KEY}"}])
def test_the_key_opens_both_ways(locked: str, headers: dict[str, str]) -> None:
    remote: RemoteRunnable[object, dict[str, object]] = RemoteRunnable(f"{locked}/retrieve", headers=headers)
    assert remote.invoke(QUERY)["package"]


def test_a_large_body_is_refused(locked: str) -> None:
    with client(locked) as c:
        answer = c.post("/retrieve/invoke", json={"input": QUERY | {"task": "x" * 3_000}})
        assert (answer.status_code, answer.json()["error"]["kind"]) == (413, "TooLarge")


def test_a_large_body_without_a_length_is_refused(locked: str) -> None:
    body = json.dumps({"input": QUERY | {"task": "x" * 5_000}}).encode()
    pieces = (body[i : i + 500] for i in range(0, len(body), 500))
    with client(locked) as c:
        answer = c.post("/retrieve/invoke", content=pieces, headers={"content-type": "application/json"})
    assert answer.status_code == 413


def test_a_large_batch_is_refused(locked: str) -> None:
    with client(locked) as c:
        assert c.post("/retrieve/batch", json={"inputs": [QUERY] * 2}).status_code == 200
        answer = c.post("/retrieve/batch", json={"inputs": [QUERY] * 3})
    assert (answer.status_code, answer.json()["error"]["kind"]) == (413, "BatchTooLarge")


def test_a_full_server_says_when_to_come_back(place: Place) -> None:
    with serving(place.app(max_requests=2)) as url:
        held = [HeldRequest(url, "/retrieve/invoke", {"input": QUERY}) for _ in range(2)]
        with client(url, None) as c:
            for _ in range(100):
                answer = c.post("/retrieve/invoke", json={"input": QUERY})
                if answer.status_code == 429:
                    break
            assert answer.status_code == 429
            assert int(answer.headers["retry-after"]) >= 1
            assert c.get("/health").status_code == 200
        assert [request.finish()[0] for request in held] == [200, 200]
        with client(url, None) as c:
            assert c.post("/retrieve/invoke", json={"input": QUERY}).status_code == 200


def test_a_client_that_leaves_makes_room(place: Place) -> None:
    with serving(place.app(max_requests=1)) as url:
        HeldRequest(url, "/retrieve/invoke", {"input": QUERY}).close()
        with client(url, None) as c:
            codes = {c.post("/retrieve/invoke", json={"input": QUERY}).status_code for _ in range(3)}
    assert 200 in codes and codes <= {200, 429}


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_only_json_is_read(locked: str, content_type: str) -> None:
    with client(locked) as c:
        answer = c.post("/retrieve/invoke", content=b"{}", headers={"content-type": content_type})
    assert answer.status_code == 415


def test_a_page_of_another_site_cannot_ask(locked: str) -> None:
    with client(locked) as c:
        for site, status in {"cross-site": 403, "same-site": 403, "same-origin": 200}.items():
            answer = c.post("/retrieve/invoke", json={"input": QUERY}, headers={"sec-fetch-site": site})
            assert answer.status_code == status


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_other_names_are_not_answered_for(locked: str, host: str) -> None:
    answer = httpx.get(f"{locked}/health", headers={"host": host})
    assert answer.status_code in (400, 421)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:99", "[::1]:8378", "[::1]"])
def test_its_own_names_are(locked: str, host: str) -> None:
    assert httpx.get(f"{locked}/health", headers={"host": host}).status_code == 200


def test_a_request_that_takes_too_long_ends(place: Place) -> None:
    with serving(place.app(request_seconds=0.3)) as url:
        status, body = HeldRequest(url, "/retrieve/invoke", {"input": QUERY}).answer()
    assert status == 504
    assert json.loads(body)["error"]["kind"] == "TooLong"


async def _endless(scope: Scope, receive: Receive, send: Send) -> None:
    """A stream that begins and never ends."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    await send({"type": "http.response.body", "body": b"event: data\r\ndata: 1\r\n\r\n", "more_body": True})
    await asyncio.Event().wait()


def test_a_stream_that_takes_too_long_ends_with_a_reason(place: Place) -> None:
    guard = Guard(_endless, 1.0, AllowedRoots([place.allowed]))
    with serving(guard) as url, pytest.raises(httpx.HTTPStatusError, match="ask again") as caught:
        remote: RemoteRunnable[Any, Any] = RemoteRunnable(url)
        list(remote.stream({}))
    assert caught.value.response.status_code == 504


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, place: Place) -> None:
    monkeypatch.setenv("IR_SERVE_ALLOW_ROOTS", f"{place.allowed}:{place.outside}")
    monkeypatch.setenv("IR_SERVE_HOSTS", "Search.example, localhost")
    monkeypatch.setenv("IR_SERVE_MAX_REQUESTS", "7")
    settings = load_serve_settings(max_requests=None, request_seconds=5.0)
    assert settings.allow_roots == [place.allowed, place.outside]
    assert settings.hosts == ["search.example", "localhost"]
    assert (settings.max_requests, settings.request_seconds) == (7, 5.0)


def test_a_short_key_is_refused_without_showing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IR_SERVE_API_KEY", "hunter2")
    with pytest.raises(CallerError, match=r"IR_SERVE_API_KEY.*openssl") as caught:
        load_serve_settings()
    assert "hunter2" not in str(caught.value)
    assert "hunter2-hunter2-hunter2" not in repr(ServeSettings(api_key="hunter2-hunter2-hunter2"))  # type: ignore[arg-type]
