"""The LLM mode over a real server: an oracle helps, an echo changes nothing, no misbehaviour costs a thing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from iterative_retrieval import RetrievalResult, build_retrieval_graph, checkpoint_serializer, retrieve
from iterative_retrieval.evolution.defaults import default_retrieval, default_routing
from iterative_retrieval.graph.model_roles import Models
from iterative_retrieval.graph.prompts import advice_prompts
from iterative_retrieval.graph.services import FixedGenomes, Services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.nodes.advice.asking import Advisers
from iterative_retrieval.state.errors import CallerError
from iterative_retrieval.state.genome import RetrievalGenome
from iterative_retrieval.state.ports import Workspaces
from iterative_retrieval.state.progress import Advised, Progress
from iterative_retrieval.state.retrieval import RetrievalInput
from iterative_retrieval.stores.advice import SqlAdviceMemory
from iterative_retrieval.stores.workspace import CachedWorkspaces
from tests.graph.advised import FILES, GOLD, NO_JSON, TASK, asked_for, echo, invented, oracle, rows_of, saying
from tests.openai_server import Cut, Garbage, OpenAIServer, Refuses, Reply, Say, Slow, Status
from tests.repositories import write_files

PLAN = {
    "identifiers": ["expires", "NoSuchName"],
    "words": ["session", "customer"],
    "paths": ["timeouts.py", "no/way.py"],
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    write_files(folder, FILES)
    return folder


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Workspaces:
    return CachedWorkspaces(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def shared() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def server(shared: OpenAIServer) -> OpenAIServer:
    shared.reset()
    return shared


@cache
def models(url: str, **settings: Any) -> Models:
    """Models over one client for equal settings: making one takes longer than a test."""
    return Models(Settings(openai_base_url=url, **settings))


class Mode:
    """Requests over one server, with a memory of its own."""

    def __init__(self, root: Path, workspaces: Workspaces, server: OpenAIServer, memory: Path) -> None:
        self.root, self.workspaces, self.server, self.memory = root, workspaces, server, SqlAdviceMemory(memory)

    def services(self, calls: int = 2, genome: RetrievalGenome | None = None, **settings: Any) -> Services:
        settings = {"model": "m", "model_retries": 0, "model_rereads": 0, "model_timeout": 5.0, **settings}
        advisers = Advisers(models(self.server.url, **settings), advice_prompts(), self.memory, calls)
        return Services(self.workspaces, FixedGenomes(genome or default_retrieval(), default_routing()), advisers)

    def ask(self, task: str = TASK, services: Services | None = None, **options: Any) -> RetrievalResult:
        return retrieve(task, self.root, services=services or self.services(), **options)

    def offline(self, task: str = TASK) -> RetrievalResult:
        return self.ask(task, llm=False)

    def known(self, agreement: float, requests: int = 10, model: str = "m") -> None:
        for number in range(requests):
            self.memory.agreed(model, f"earlier {model} {number}", agreement)


@pytest.fixture
def mode(root: Path, workspaces: Workspaces, server: OpenAIServer, tmp_path: Path) -> Mode:
    return Mode(root, workspaces, server, tmp_path / "advice.sqlite")


def content(result: RetrievalResult) -> dict[str, Any]:
    """Everything of a result but the clock and what was said of models."""
    told = result.model_dump(exclude={"advice"})
    return {**told, "cycles": [{**c, "seconds": 0.0} for c in told["cycles"]]}


def test_offline_nobody_is_asked(mode: Mode) -> None:
    result = mode.offline()
    assert result.advice == []
    assert mode.server.requests == []
    assert result.ranked.index(GOLD) > 3, "the task must not find its file by itself, or these tests show nothing"


def test_an_oracle_puts_the_right_file_first(mode: Mode) -> None:
    mode.server.then(oracle(GOLD))
    result = mode.ask()
    assert result.ranked[0] == GOLD
    assert result.files[0].path == GOLD
    (advice,) = result.advice
    assert (advice.role, advice.outcome, advice.agreement, advice.calls) == ("evaluator", "used", 1.0, 2)
    assert advice.weight > 0.9
    assert "picked by m" in result.files[0].reason


def test_two_orders_show_the_same_rows_shuffled_under_other_codes(mode: Mode) -> None:
    mode.server.then(oracle(GOLD))
    mode.ask()
    first, second = (rows_of(r.body) for r in mode.server.requests)
    assert sorted(first.values()) == sorted(second.values())
    assert list(first.values()) != list(second.values())
    assert len(set(first) & set(second)) < 3
    assert list(first.values()) != mode.offline().ranked[: len(first)]


def test_a_model_that_echoes_the_order_changes_nothing_and_the_trace_says_so(mode: Mode) -> None:
    mode.server.then(echo())
    result = mode.ask()
    assert content(result) == content(mode.offline())
    (advice,) = result.advice
    assert (advice.outcome, advice.weight) == ("weightless", 0.0)
    assert "follows the order it is shown" in advice.detail


def test_a_model_that_never_agrees_is_asked_no_more_and_the_trace_says_so(mode: Mode) -> None:
    mode.known(0.0)
    result = mode.ask("Prices are wrong for customers who pay late")
    assert mode.server.requests == []
    assert content(result) == content(mode.offline("Prices are wrong for customers who pay late"))
    assert result.advice[0].outcome == "skipped"
    assert "would weigh nothing" in result.advice[0].detail


BAD_REPLIES: dict[str, Reply] = {
    "429": Status(429, {"retry-after": "0.01"}),
    "500": Status(500),
    "time-out": Slow(3.0),
    "cut": Cut(),
    "no JSON": NO_JSON,
    "wrong schema": Say('{"picks": "BC"}'),
    "nothing picked": Say('{"picks": []}'),
    "empty": Say(""),
    "invented ids": saying(invented),
    "refusal": Refuses(),
    "garbage": Garbage(),
    "cut at the limit": Say('{"picks": ["B', reason="length"),
    "filtered": Say("", reason="content_filter"),
}


@pytest.mark.parametrize("wrong", BAD_REPLIES)
@pytest.mark.parametrize("known", [False, True], ids=["evaluator", "planner and evaluator"])
def test_whatever_a_model_does_the_result_is_the_offline_one(mode: Mode, wrong: str, known: bool) -> None:
    if known:
        mode.known(0.9)
    mode.server.then(BAD_REPLIES[wrong])
    result = mode.ask(services=mode.services(model_timeout=0.5 if wrong == "time-out" else 5.0))
    assert content(result) == content(mode.offline())
    assert {a.outcome for a in result.advice} == {"failed"}
    assert [a.role for a in result.advice] == (["planner", "evaluator"] if known else ["evaluator"])
    assert all(a.detail for a in result.advice)


def test_fenced_json_is_read(mode: Mode) -> None:
    picks = oracle(GOLD).make
    mode.server.then(type(oracle(GOLD))(lambda body: f"Here you are:\n```json\n{picks(body)}\n```\nGood luck!"))
    assert mode.ask().ranked[0] == GOLD


def test_an_endpoint_that_is_gone_costs_nothing_but_a_line(mode: Mode) -> None:
    with OpenAIServer() as gone:
        url = gone.url
    services = mode.services()
    advisers = Advisers(models(url, model="m", model_retries=0), advice_prompts())
    result = mode.ask(services=Services(services.workspaces, services.genomes, advisers))
    assert content(result) == content(mode.offline())
    assert "not reachable" in result.advice[0].detail


def test_one_order_that_fails_leaves_the_other_with_what_is_remembered(mode: Mode) -> None:
    mode.known(0.9, requests=2)
    mode.server.then(oracle(GOLD), Status(500))
    (advice,) = mode.ask().advice
    assert (advice.outcome, advice.agreement) == ("used", None)
    assert "one order failed" in advice.detail


def test_a_known_model_plans_and_evaluates_once_each(mode: Mode) -> None:
    mode.known(0.9)
    mode.server.then(oracle(GOLD, plan=PLAN))
    result = mode.ask()
    assert [asked_for(r.body) for r in mode.server.requests] == ["plan", "picks"]
    assert [(a.role, a.outcome) for a in result.advice] == [("planner", "used"), ("evaluator", "used")]
    assert result.ranked[0] == GOLD


def test_a_plan_alone_finds_what_the_task_does_not_say(mode: Mode) -> None:
    mode.known(0.9)
    mode.server.then(oracle(GOLD, plan=PLAN), Status(500))
    result = mode.ask()
    assert result.ranked.index(GOLD) < mode.offline().ranked.index(GOLD)
    plan = result.advice[0]
    assert (plan.role, plan.outcome) == ("planner", "used")
    assert "expires" in plan.detail
    assert "no such path" in plan.detail
    assert "unknown identifier" in plan.detail
    assert "said by the task" in plan.detail


def test_a_plan_of_nothing_real_changes_nothing(mode: Mode) -> None:
    mode.known(0.9)
    nothing = {"identifiers": ["NoSuchName"], "words": ["zebra", "customer"], "paths": ["no/way.py", "**/*.cobol"]}
    mode.server.then(oracle(GOLD, plan=nothing), Status(500))
    result = mode.ask()
    assert content(result) == content(mode.offline())
    assert result.advice[0].outcome == "weightless"


def test_a_plan_never_takes_a_candidate_away(mode: Mode) -> None:
    mode.known(0.9)
    mode.server.then(oracle(plan={"words": ["guide", "sessions", "idle"], "paths": ["docs/*"]}), Status(500))
    assert set(mode.ask().ranked) >= set(mode.offline().ranked)


def test_three_calls_grade_the_code_of_the_top_few(mode: Mode) -> None:
    mode.known(0.9)
    mode.server.then(oracle(GOLD, plan=PLAN))
    result = mode.ask(max_llm_calls=3)
    assert [asked_for(r.body) for r in mode.server.requests] == ["plan", "picks", "grades"]
    assert [a.role for a in result.advice] == ["planner", "evaluator", "rubric"]
    assert "IDLE_SECONDS = 900" in mode.server.requests[-1].user
    assert "graded by m" in result.files[0].reason


@pytest.mark.parametrize("calls", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("known", [False, True])
def test_no_request_makes_more_calls_than_it_may(mode: Mode, calls: int, known: bool) -> None:
    if known:
        mode.known(0.9)
    mode.server.then(oracle(GOLD, plan=PLAN))
    mode.ask(services=mode.services(model_rereads=3), max_llm_calls=calls)
    assert len(mode.server.requests) <= calls
    assert len(mode.server.requests) == (calls if known else {0: 0, 1: 0, 4: 3}.get(calls, 2))


def test_attempts_after_an_unreadable_reply_count_too(mode: Mode) -> None:
    mode.server.then(NO_JSON)
    result = mode.ask(services=mode.services(model_rereads=5))
    assert len(mode.server.requests) == 2
    assert content(result) == content(mode.offline())


def test_the_same_request_asks_nobody_again_and_answers_the_same(mode: Mode) -> None:
    mode.server.then(oracle(GOLD, plan=PLAN))
    first = mode.ask()
    mode.known(0.2)
    second = mode.ask(services=mode.services())
    assert len(mode.server.requests) == 2
    assert content(first) == content(second)
    assert all(a.remembered and a.calls == 0 for a in second.advice)


def test_another_task_another_file_another_model_are_other_questions(mode: Mode, tmp_path: Path) -> None:
    mode.server.then(oracle(GOLD))
    mode.ask()
    mode.ask(f"{TASK} Soon.")
    mode.ask(services=mode.services(model="other"))
    write_files(tmp_path / "copy", {**FILES, GOLD: FILES[GOLD].replace("too long", "too long, says a customer")})
    retrieve(TASK, tmp_path / "copy", services=mode.services())
    assert len(mode.server.requests) == 8


def test_a_failed_reply_is_not_remembered(mode: Mode) -> None:
    mode.server.then(Status(500), Status(500), oracle(GOLD))
    assert mode.ask().advice[0].outcome == "failed"
    assert mode.ask().ranked[0] == GOLD


def test_measured_agreement_is_remembered_by_model(mode: Mode) -> None:
    mode.server.then(oracle(GOLD, "shop/carts.py"))
    for number in range(3):
        mode.ask(f"{TASK} {number}")
    assert mode.memory.agreements("m") == [1.0, 1.0, 1.0]
    assert mode.memory.agreements("other") == []


def test_a_memory_that_cannot_be_used_is_told_and_costs_nothing_else(mode: Mode, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    mode.memory = SqlAdviceMemory(tmp_path / "file" / "advice.sqlite")
    mode.server.then(oracle(GOLD))
    result = mode.ask()
    assert result.ranked[0] == GOLD
    assert "cannot be remembered" in result.advice[0].detail


def test_genes_at_zero_take_the_models_out(mode: Mode) -> None:
    mode.known(0.9)
    mode.server.then(oracle(GOLD, plan=PLAN))
    mute = default_retrieval().model_copy(update={"llm_planner": 0.0, "llm_evaluator": 0.0, "llm_rubric": 0.0})
    result = mode.ask(services=mode.services(genome=mute))
    assert result.ranked.index(GOLD) >= mode.offline().ranked.index(GOLD) - 1


def test_roles_may_have_models_of_their_own(mode: Mode) -> None:
    mode.known(0.9, model="judge")
    mode.server.then(oracle(GOLD, plan=PLAN))
    result = mode.ask(services=mode.services(model=None, model_planner="cheap", model_evaluator="judge"))
    assert [r.body["model"] for r in mode.server.requests] == ["cheap", "judge"]
    assert [a.model for a in result.advice] == ["cheap", "judge"]


def test_a_planner_alone_plans(mode: Mode) -> None:
    mode.server.then(oracle(GOLD, plan=PLAN))
    result = mode.ask(services=mode.services(model=None, model_planner="cheap"))
    assert [a.role for a in result.advice] == ["planner"]
    assert result.ranked.index(GOLD) < mode.offline().ranked.index(GOLD)


def test_watchers_hear_of_advice(mode: Mode) -> None:
    mode.server.then(oracle(GOLD))
    heard: list[Progress] = []
    result = mode.ask(progress=heard.append)
    assert [e.advice for e in heard if isinstance(e, Advised)] == result.advice


def test_demanding_a_model_where_none_is_configured_says_what_to_set(mode: Mode) -> None:
    services = Services(mode.workspaces, mode.services().genomes)
    with pytest.raises(CallerError, match="IR_MODEL"):
        mode.ask(services=services, llm=True)
    assert mode.ask(services=services).advice == []


def test_the_answer_survives_json(mode: Mode) -> None:
    mode.server.then(oracle(GOLD))
    result = mode.ask()
    assert json.loads(result.model_dump_json())["advice"][0]["model"] == "m"


def test_a_thread_serves_several_requests_each_with_advice_of_its_own(mode: Mode) -> None:
    mode.server.then(oracle(GOLD))
    graph = build_retrieval_graph(mode.services(), InMemorySaver(serde=checkpoint_serializer()))
    thread: RunnableConfig = {"configurable": {"thread_id": "1"}}
    for task in (TASK, f"{TASK} Soon."):
        package = graph.invoke(RetrievalInput(task=task, root=str(mode.root)), thread)["package"]
        assert [a.role for a in package.advice] == ["evaluator"]
        assert graph.get_state(thread).values["spent"].calls == 2
    package = graph.invoke(RetrievalInput(task=TASK, root=str(mode.root), llm=False), thread)["package"]
    assert package.advice == []
    assert graph.get_state(thread).values["spent"].calls == 0
