"""The evolution door: start, question, decision, under the ledger's own rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from langserve import RemoteRunnable

from iterative_retrieval.graph.evolution_services import open_evolution_services
from iterative_retrieval.state.ledger_ports import CycleRecord
from tests.serving.admin.scene import PASSWORD, ROLES, person
from tests.serving.http.place import Place, make_place
from tests.serving.http.server import serving

START = {
    "layer": "cache_policy",
    "domain": "strict",
    "requester": "ada",
    "n": 2,
    "seed": 3,
    "source": {"queries": "log.jsonl", "limit": 10_000},
}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A place whose ledger these tests have for themselves."""
    return make_place(tmp_path_factory.mktemp("session"))


@pytest.fixture(scope="module")
def staffed(own: Place) -> Iterator[str]:
    """A server that knows people: ada and bob review, vera only looks, root is an admin."""
    people = own.folder / "people.jsonl"
    people.write_text("\n".join(json.dumps(person(name, role)) for name, role in ROLES.items()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_ADMIN_USERS", str(people))
        app = own.app(max_evolutions=1)
    with serving(app) as address:
        yield address


def turn(url: str, body: dict[str, Any], who: str | None = None, password: str = PASSWORD) -> httpx.Response:
    auth = (who, password) if who else None
    return httpx.post(f"{url}/evolution/invoke", json={"input": {"wait": 60.0} | body}, auth=auth, timeout=90)


def output(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["output"]
    return found


def kind(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["kind"]


@pytest.fixture(scope="module")
def waiting(staffed: str) -> dict[str, Any]:
    """A cycle that asks a person."""
    reply = output(turn(staffed, {"start": START | {"n": 12}}, "ada"))
    assert reply["status"] == "interrupted", reply["reason"]
    return reply


def decision(waiting: dict[str, Any], verdict: str = "approve", **changes: Any) -> dict[str, Any]:
    question = waiting["question"]
    answer = {"decision": verdict, "reason": "seen", "version": question["version"]}
    return {"cycle": waiting["cycle"], "decision": answer | {"genome_hash": question["genome_hash"]} | changes}


def test_an_interrupted_cycle_asks_with_all_that_a_person_needs(staffed: str, waiting: dict[str, Any]) -> None:
    question = waiting["question"]
    assert question["diff"] and question["report"]["verdict"] == "promote" and question["requesters"] == ["ada"]
    assert output(turn(staffed, {"cycle": waiting["cycle"]})) == waiting


@pytest.mark.parametrize(
    ("who", "status"), [(None, (401, "PersonNeeded")), ("vera", (409, "NotAllowed")), ("ada", (409, "NotAllowed"))]
)
def test_whoever_may_not_decide_changes_nothing(
    staffed: str, waiting: dict[str, Any], who: str | None, status: tuple[int, str]
) -> None:
    assert kind(turn(staffed, decision(waiting), who)) == status
    assert output(turn(staffed, {"cycle": waiting["cycle"]}))["status"] == "interrupted"


def test_a_wrong_password_is_no_person(staffed: str, waiting: dict[str, Any]) -> None:
    for who, password in (("bob", "wrong"), ("nobody", PASSWORD), ("bob", "")):
        answer = turn(staffed, decision(waiting), who, password)
        assert kind(answer) == (401, "PersonNeeded")
        assert answer.headers["www-authenticate"].startswith("Basic")


def test_a_stale_decision_is_refused(staffed: str, waiting: dict[str, Any]) -> None:
    for change in ({"version": 99}, {"genome_hash": "0" * 16}):
        assert kind(turn(staffed, decision(waiting, **change), "bob")) == (409, "StaleReview")


def test_a_rejection_needs_a_reason(staffed: str, waiting: dict[str, Any]) -> None:
    answer = turn(staffed, decision(waiting, "reject", reason=" "), "bob")
    assert answer.status_code == 409 and "reason" in answer.text


def test_a_reviewer_approves_once_and_the_cycle_ends(staffed: str, own: Place, waiting: dict[str, Any]) -> None:
    done = output(turn(staffed, decision(waiting), "bob"))
    assert (done["status"], done["outcome"], done["genome"]) == ("done", "activated", waiting["genome"])
    assert kind(turn(staffed, decision(waiting), "carol")) == (409, "AlreadyDecided")
    ledger = open_evolution_services(own.settings()).ledger
    active = ledger.active("cache_policy", "strict")
    assert active is not None and active.id == waiting["genome"]
    assert ledger.decisions(active.id)[-1].reviewer == "bob"


def test_the_requester_is_whoever_asks(staffed: str) -> None:
    assert kind(turn(staffed, {"start": START | {"requester": "bob"}}, "ada")) == (409, "NotAllowed")
    assert kind(turn(staffed, {"start": START})) == (401, "PersonNeeded")
    assert kind(turn(staffed, {"start": START | {"requester": "vera"}}, "vera")) == (409, "NotAllowed")


def test_a_stream_tells_the_progress_of_a_cycle(staffed: str) -> None:
    remote: RemoteRunnable[Any, dict[str, Any]] = RemoteRunnable(f"{staffed}/evolution", auth=("ada", PASSWORD))
    chunks = list(remote.stream({"start": START | {"seed": 40}, "wait": 60.0}))
    kinds = [chunk["progress"]["kind"] for chunk in chunks[:-1]]
    assert {"cycle_started", "mutations_proposed", "genome_judged"} <= set(kinds)
    assert chunks[-1]["status"] in ("interrupted", "done")


def test_a_turn_does_not_wait_longer_than_asked(staffed: str) -> None:
    begun = output(turn(staffed, {"start": START | {"seed": 41}, "wait": 0.0}, "ada"))
    assert begun["status"] in ("running", "interrupted", "done")
    later = output(turn(staffed, {"cycle": begun["cycle"]}))
    assert later["status"] in ("interrupted", "done")


def test_what_a_cycle_failed_with_is_told(staffed: str, own: Place) -> None:
    (own.allowed / "broken.jsonl").write_text("no json\n")
    answer = turn(staffed, {"start": START | {"source": {"queries": "broken.jsonl"}}}, "ada")
    assert answer.status_code == 400 and "line 1" in answer.text


def test_only_so_many_cycles_run_at_once(staffed: str) -> None:
    first, second = (turn(staffed, {"start": START | {"seed": 50 + i}, "wait": 0.0}, "ada") for i in range(2))
    assert output(first)["status"] == "running"
    assert kind(second) == (429, "Busy") and second.headers["retry-after"]
    assert output(turn(staffed, {"cycle": output(first)["cycle"]}))["status"] in ("interrupted", "done")


def test_without_people_nobody_decides_over_http(url: str, place: Place) -> None:
    reply = output(turn(url, {"start": START | {"domain": "strict"}}))
    assert reply["status"] in ("interrupted", "done")
    body = {"cycle": reply["cycle"], "decision": {"decision": "approve", "version": 1, "genome_hash": "0" * 16}}
    answer = turn(url, body, "root")
    assert kind(answer) == (409, "NotAllowed") and "IR_ADMIN_USERS" in answer.text


def test_a_cycle_that_stopped_halfway_goes_on(url: str, place: Place) -> None:
    ledger = open_evolution_services(place.settings()).ledger
    ledger.open_cycle(CycleRecord(id="stopped", layer="cache_policy", domain="strict", requester="ada"))
    assert output(turn(url, {"cycle": "stopped"}))["status"] == "stopped"
    answer = turn(url, {"cycle": "stopped", "go_on": True})
    assert answer.status_code == 400 and "quer" in answer.text  # nothing was kept of it, so it asks for its queries


@pytest.mark.parametrize(
    "body",
    [
        {"start": START, "cycle": "x"},
        {"start": START, "go_on": True},
        {"cycle": "x", "go_on": True, "decision": {"decision": "approve", "version": 1, "genome_hash": "0" * 16}},
        {"cycle": "x", "decision": {"decision": "approve"}},
        {"start": {"layer": "weather", "domain": "d", "requester": "ada"}},
    ],
)
def test_a_turn_that_means_two_things_is_refused(url: str, body: dict[str, Any]) -> None:
    assert kind(turn(url, body)) == (422, "RequestInvalid")
