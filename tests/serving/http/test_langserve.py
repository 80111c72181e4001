"""The doors through LangServe's own client."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import httpx
import pytest
from langchain_core.runnables import Runnable, RunnableLambda
from langserve import RemoteRunnable

from iterative_retrieval.state.package import ContextPackage
from tests.serving.http.place import QUERY, QUESTION

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:astream_log is deprecated")

DOORS = {"retrieve": QUERY, "ask": QUESTION}


def remote(url: str, door: str) -> RemoteRunnable[Any, Any]:
    return RemoteRunnable(f"{url}/{door}")


def holds_the_answer(door: str, answer: Any) -> bool:
    if door == "retrieve":
        package = ContextPackage.model_validate(answer["package"])
        found = [file.path for file in package.files]
        return {"src/auth.py", "src/tokens.py"} <= set(found) and "def authenticate" in answer["markdown"]
    return "30 seconds" in answer["answer"]["answer"] and "30 seconds" in answer["markdown"]


@pytest.mark.parametrize("door", DOORS)
def test_invoke_answers(url: str, door: str) -> None:
    assert holds_the_answer(door, remote(url, door).invoke(DOORS[door]))


@pytest.mark.parametrize("door", DOORS)
async def test_ainvoke_answers(url: str, door: str) -> None:
    assert holds_the_answer(door, await remote(url, door).ainvoke(DOORS[door]))


@pytest.mark.parametrize("door", DOORS)
async def test_a_batch_answers_in_order(url: str, door: str) -> None:
    client, request = remote(url, door), DOORS[door]
    both = [*client.batch([request, request]), *await client.abatch([request, request])]
    assert [holds_the_answer(door, answer) for answer in both] == [True] * 4


@pytest.mark.parametrize("door", DOORS)
async def test_a_stream_tells_progress_and_then_the_answer(url: str, door: str) -> None:
    client = remote(url, door)
    for chunks in (list(client.stream(DOORS[door])), [c async for c in client.astream(DOORS[door])]):
        kinds = [chunk["progress"]["kind"] for chunk in chunks[:-1]]
        assert {"routed", "cycle_dispatched", "cycle_evaluated"} <= set(kinds)
        assert holds_the_answer(door, chunks[-1])


@pytest.mark.parametrize("door", DOORS)
async def test_events_hold_every_step_and_the_progress(url: str, door: str) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    async for event in remote(url, door).astream_events(DOORS[door], version="v2"):
        seen[event["event"], event["name"]] += 1
    assert seen["on_custom_event", "progress"] >= 4
    assert seen["on_chain_end", "dispatch"] == seen["on_chain_end", "evaluate"] >= 1
    assert seen["on_chain_end", f"/{door}"] == 1


@pytest.mark.parametrize("door", DOORS)
async def test_a_log_ends_with_the_answer(url: str, door: str) -> None:
    log: Any = None
    async for patch in remote(url, door).astream_log(DOORS[door]):
        log = patch if log is None else log + patch
    assert holds_the_answer(door, log.state["streamed_output"][-1])


def test_a_door_is_a_link_of_a_chain(url: str) -> None:
    chain: Runnable[Any, Any] = RunnableLambda(lambda task: {**QUERY, "task": task}) | remote(url, "retrieve")
    assert holds_the_answer("retrieve", chain.invoke("Fix the authentication token expiry bug"))


async def test_thirty_two_at_once_all_succeed(url: str) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=120) as client:
        doors = list(DOORS) * 16
        answers = await asyncio.gather(*(client.post(f"/{d}/invoke", json={"input": DOORS[d]}) for d in doors))
    assert Counter(answer.status_code for answer in answers) == {200: 32}
    assert all(holds_the_answer(d, a.json()["output"]) for d, a in zip(doors, answers, strict=True))


def test_a_search_goes_on_from_an_earlier_answer(url: str) -> None:
    client = remote(url, "retrieve")
    first = client.invoke({**QUERY, "patterns": ["src/auth.py"]})
    more = client.invoke({"root": "shop", "previous": first["package"], "gap": "what is a User?"})
    paths = [file["path"] for file in more["package"]["files"]]
    assert "src/user.py" in paths


@pytest.mark.parametrize("door", [*DOORS, "evolution"])
def test_schemas_and_playground_are_there(url: str, door: str) -> None:
    with httpx.Client(base_url=url) as client:
        fields = client.get(f"/{door}/input_schema").json()["properties"]
        assert all(field.get("description") or "$ref" in str(field) for field in fields.values())
        assert client.get(f"/{door}/output_schema").json()["properties"]
        page = client.get(f"/{door}/playground/")
        assert page.status_code == 200 and "<title>Playground</title>" in page.text


def test_the_openapi_document_lists_the_doors(url: str) -> None:
    paths = httpx.get(f"{url}/openapi.json").json()["paths"]
    asked = {"/retrieve/invoke", "/retrieve/batch", "/ask/stream", "/evolution/invoke", "/health"}
    assert asked <= set(paths)
    assert "/evolution/batch" not in paths
    assert httpx.get(f"{url}/docs").status_code == 200
    assert "/retrieve/playground/" in httpx.get(url).text


def test_what_a_client_says_about_the_run_does_not_count(url: str) -> None:
    config = {"configurable": {"person": "root", "thread_id": "1"}, "recursion_limit": 1, "max_concurrency": 0}
    answer = httpx.post(f"{url}/retrieve/invoke", json={"input": QUERY, "config": config})
    assert holds_the_answer("retrieve", answer.json()["output"])
