"""Nothing outside the allowed folders is searched, whichever way a client asks."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.serving.http.place import QUERY, Place


def ask(url: str, **changes: Any) -> httpx.Response:
    return httpx.post(f"{url}/retrieve/invoke", json={"input": QUERY | changes}, timeout=60)


@pytest.mark.parametrize("root", ["shop", "shop/src", "shop/../shop", "shop.git", "."])
def test_roots_below_the_allowed_folder_are_searched(url: str, root: str) -> None:
    answer = ask(url, root=root)
    assert answer.status_code == 200, answer.text
    assert any(file["path"].endswith("auth.py") for file in answer.json()["output"]["package"]["files"])


@pytest.mark.parametrize("root", ["/", "..", "../outside", "shop/../../outside/private", "link", "/proc/self/cwd"])
def test_other_roots_are_not(url: str, place: Place, root: str) -> None:
    answer = ask(url, root=root)
    assert (answer.status_code, answer.json()["error"]["kind"]) == (404, "UnknownRoot")
    assert "expire_authentication_token" not in answer.text and str(place.outside) not in answer.text


def test_links_inside_a_root_are_not_followed(url: str) -> None:
    assert "expire_authentication_token" not in ask(url, root=".").text


def test_an_earlier_package_does_not_open_another_root(url: str, place: Place) -> None:
    package = ask(url).json()["output"]["package"] | {"root": str(place.outside / "private")}
    answer = httpx.post(f"{url}/retrieve/invoke", json={"input": {"previous": package, "gap": "expire token"}})
    assert answer.status_code == 404, answer.text
    assert "expire_authentication_token" not in answer.text


def test_evolution_reads_no_other_file(url: str, place: Place) -> None:
    start: dict[str, Any] = {"layer": "cache_policy", "domain": "general", "requester": "ada"}
    secret = {"queries": str(place.outside / "log.jsonl")}
    answer = httpx.post(f"{url}/evolution/invoke", json={"input": {"start": start | {"source": secret}}})
    assert (answer.status_code, answer.json()["error"]["kind"]) == (400, "CallerError")
    domain = {"domain": str(place.folder / "domains" / "strict"), "source": {"queries": "log.jsonl"}}
    answer = httpx.post(f"{url}/evolution/invoke", json={"input": {"start": start | domain}})
    assert answer.status_code == 409
