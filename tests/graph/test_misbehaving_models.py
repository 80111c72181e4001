"""Documentation questions, judge and mutator over a server that misbehaves: the offline result comes, and says why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from iterative_retrieval.graph.ask import AskResult, ask
from iterative_retrieval.graph.docsearch_services import DocsearchServices, open_docsearch_services
from iterative_retrieval.graph.models import OpenAIChatModel
from iterative_retrieval.graph.prompts import judge_rules, mutate_rules
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.nodes.judges import ModelJudge
from iterative_retrieval.nodes.mutate import MutationRequest, Mutator
from iterative_retrieval.retrieval.answers.extract import extract
from iterative_retrieval.state.postprocess import PostprocessGenome
from iterative_retrieval.state.progress import AnswerToken, Progress
from iterative_retrieval.state.spending import Spending, Spent
from tests.evolution.genomes import shipped
from tests.graph.handbook import HANDBOOK, indexed, write
from tests.openai_server import Cut, Garbage, Lengths, OpenAIServer, Refuses, Reply, Say, Slow, Status
from tests.retrieval.answers.chunks import RETRIES, scored
from tests.retrieval.secret_corpus import LEAKS

QUESTION = "How often is a failed request sent again?"
ROUTE = json.dumps({"query_type": "how_to", "confidence": "high"})
QUOTE = "Set `max_retries` to bound how often a failed request is sent again."
ANSWER: dict[str, Any] = {
    "answer": "Set `max_retries` to bound how often a failed request is sent again. [1]",
    "key_points": ["`max_retries` bounds how often a failed request is sent again."],
    "sources": [{"number": 1, "chunk": 1, "quote": QUOTE}],
    "warnings": [],
}
PATIENCE = 0.4

MISBEHAVIOUR: dict[str, tuple[Reply, str]] = {
    "429": (Status(429, {"retry-after": "0"}, "slow down"), "rate limit"),
    "500": (Status(500, {"retry-after": "0"}, "out of order"), "HTTP 500"),
    "time-out": (Slow(PATIENCE * 3), "no reply within"),
    "cut": (Cut(), "broke"),
    "no JSON": (Say("Gladly! It is three times."), "no JSON object"),
    "other JSON": (Say('{"verdict": 1}'), "missing"),
    "a list": (Say("[]"), "no JSON object"),
    "fenced, other": (Say('```json\n{"verdict": 1}\n```'), "missing"),
    "empty": (Say(""), "empty"),
    "refusal": (Refuses("I would rather not."), "refused"),
    "filtered": (Say("", reason="content_filter"), "content filter"),
    "too long": (Say('{"answer": "and so', reason="length"), "token limit"),
    "garbage": (Garbage(), ""),
}
CASES = [pytest.param(reply, said, id=name) for name, (reply, said) in MISBEHAVIOUR.items()]


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture(autouse=True)
def nothing_queued(server: OpenAIServer) -> None:
    server.reset()


@dataclass(frozen=True)
class Shelf:
    """A handbook in a folder, and its offline answer."""

    folder: Path
    server: OpenAIServer
    offline: AskResult

    def ask(self, progress: list[Progress] | None = None, question: str = QUESTION, **more: Any) -> AskResult:
        watch = progress.append if progress is not None else None
        return ask(question, "handbook", fresh=True, services=self.services(**more), progress=watch)

    def services(self, **more: Any) -> DocsearchServices:
        given = {"embedder": "none", "model": "m", "openai_base_url": self.server.url, "model_timeout": PATIENCE}
        chosen = {**given, "model_retries": 1, "model_rereads": 0, "cache_answers": False, **more}
        return open_docsearch_services(
            Settings(data_dir=self.folder / "data", cache_dir=self.folder / "cache", **chosen)
        )


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, server: OpenAIServer) -> Shelf:
    folder = tmp_path_factory.mktemp("shelf")
    services = indexed(folder, cache_answers=False)
    return Shelf(folder, server, ask(QUESTION, "handbook", fresh=True, services=services))


@pytest.mark.parametrize(("reply", "said"), CASES)
def test_an_answer_that_the_model_spoils_is_the_offline_one_and_the_warning_says_why(
    shelf: Shelf, server: OpenAIServer, reply: Reply, said: str
) -> None:
    server.then(reply)
    result = shelf.ask(model=None, model_composer="m")
    assert result.answer.composed_by == "extractive"
    assert result.answer.answer == shelf.offline.answer.answer
    assert result.answer.sources == shelf.offline.answer.sources
    assert said in result.answer.warnings[-1]


@pytest.mark.parametrize(("reply", "said"), CASES)
def test_a_route_that_the_model_spoils_is_the_offline_one_and_its_reason_says_why(
    shelf: Shelf, server: OpenAIServer, reply: Reply, said: str
) -> None:
    server.then(reply)
    result = shelf.ask(model=None, model_classifier="m")
    assert (result.route.query_type, result.route.profile) == (
        shelf.offline.route.query_type,
        shelf.offline.route.profile,
    )
    assert "did not classify" in result.route.reason and said in result.route.reason
    assert result.answer.answer == shelf.offline.answer.answer


@pytest.mark.parametrize(
    "reply",
    [Say(f"Here it is:\n```json\n{json.dumps(ANSWER)}\n```\nGood luck!"), Say(json.dumps(ANSWER))],
    ids=["fenced", "plain"],
)
def test_json_in_a_fence_is_as_good_as_plain_json(shelf: Shelf, server: OpenAIServer, reply: Reply) -> None:
    server.then(Say(ROUTE), reply)
    assert shelf.ask().answer.composed_by == "m"


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_server_that_recovers_is_waited_for(shelf: Shelf, server: OpenAIServer, code: int) -> None:
    server.then(Say(ROUTE), Status(code, {"retry-after": "0.05"}), Say(json.dumps(ANSWER)))
    result = shelf.ask()
    assert result.answer.composed_by == "m" and result.answer.warnings == []
    assert result.spent.calls == 2, "what was tried again is one call"


def test_tokens_come_as_events_while_the_model_writes(shelf: Shelf, server: OpenAIServer) -> None:
    server.then(Say(ROUTE), Say(json.dumps(ANSWER), usage=(700, 80)))
    events: list[Progress] = []
    result = shelf.ask(events)
    tokens = [event.text for event in events if isinstance(event, AnswerToken)]
    assert len(tokens) > 3
    assert "".join(tokens) == ANSWER["answer"] == result.answer.answer


def test_the_result_tells_what_the_models_took_at_the_prices_of_the_settings(
    shelf: Shelf, server: OpenAIServer
) -> None:
    server.then(Say(ROUTE, usage=(300, 10)), Say(json.dumps(ANSWER), usage=(700, 90)))
    spent = shelf.ask(model_price_input=1.0, model_price_output=10.0).spent
    assert (spent.calls, spent.tokens_in, spent.tokens_out, spent.estimated) == (2, 1_000, 100, 0)
    assert spent.cost == pytest.approx(0.002)


@pytest.mark.parametrize("kind", ["does not count", "refuses to count streams"])
def test_a_server_that_does_not_count_is_estimated(shelf: Shelf, kind: str) -> None:
    refused = ["stream_options"] if kind.startswith("refuses") else []
    with OpenAIServer(refused=refused) as other:
        usage = None if not refused else (5, 5)
        other.then(Say(ROUTE, usage=usage), Say(json.dumps(ANSWER), usage=usage))
        result = shelf.ask(openai_base_url=other.url)
    assert result.answer.composed_by == "m"
    assert result.spent.estimated == (1 if refused else 2)
    assert result.spent.tokens_in > 500 and result.spent.tokens_out > 20


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"model_budget_tokens": 900}, "IR_MODEL_BUDGET_TOKENS"),
        ({"model_budget_cost": 0.001, "model_price_output": 1.0}, "IR_MODEL_BUDGET_COST"),
    ],
    ids=["tokens", "cost"],
)
def test_a_budget_that_a_call_could_pass_keeps_it_from_being_made(
    shelf: Shelf, server: OpenAIServer, limit: dict[str, Any], said: str
) -> None:
    server.then(Say(ROUTE), Say(json.dumps(ANSWER)))
    result = shelf.ask(**limit)
    assert server.requests == []
    assert result.answer.answer == shelf.offline.answer.answer
    assert said in result.answer.warnings[-1]
    assert (result.spent.calls, result.spent.refused) == (0, 2)


def test_a_stream_that_breaks_off_is_asked_for_once_more_and_counts_twice(shelf: Shelf, server: OpenAIServer) -> None:
    server.then(Say(ROUTE), Cut('{"answer": "Set `max'), Say(json.dumps(ANSWER)))
    result = shelf.ask()
    assert result.answer.composed_by == "m"
    assert (result.spent.calls, result.spent.estimated) == (3, 1)


def test_no_credential_of_a_document_leaves_in_any_request(tmp_path: Path, server: OpenAIServer) -> None:
    leaks = [leak for leak in LEAKS if "\n" not in leak.secret][::3]
    text = "\n\n".join(f"Retries, part {i}: failed requests.\n\n    {leak.text}" for i, leak in enumerate(leaks))
    docs = write(tmp_path / "docs", {**HANDBOOK, "http.md": f"{HANDBOOK['http.md']}\n## Retries of old\n\n{text}\n"})
    shelf = Shelf(tmp_path, server, None)  # type: ignore[arg-type]
    options: dict[str, Any] = {"embedder": "endpoint", "embedding_model": "e", "model_timeout": 20.0}
    from iterative_retrieval.graph.ask import index_documents

    services = shelf.services(**options)
    index_documents("handbook", [str(docs)], services=services)
    server.then(Say(ROUTE), Say(json.dumps(ANSWER)))
    asked = f"{QUESTION} My key is {leaks[0].secret}"
    result = ask(asked, "handbook", fresh=True, services=services)
    bodies = [json.dumps(r.body, ensure_ascii=False) for r in server.requests]
    assert {r.path.rpartition("/")[2] for r in server.requests} == {"embeddings", "completions"}
    assert not [leak.name for leak in leaks if any(leak.secret in body for body in bodies)]
    assert any("[redacted]" in body for body in bodies)
    assert result.spent.redacted > 0


@pytest.mark.parametrize(
    "wrong",
    [Status(500, {"retry-after": "0"}), Slow(PATIENCE * 3), Cut(), Garbage(), Lengths([5]), Lengths([3, 9])],
    ids=["500", "time-out", "cut", "garbage", "another length", "lengths that differ"],
)
def test_embeddings_that_fail_cost_the_meaning_not_the_answer(
    embedded: Shelf, server: OpenAIServer, wrong: Any
) -> None:
    server.embed(*[wrong] * 6)
    result = embedded.ask(**EMBEDDED)
    assert "max_retries" in result.answer.answer
    assert any("embedd" in w or "vector" in w for w in result.answer.warnings), result.answer.warnings


EMBEDDED: dict[str, Any] = {"model": None, "embedder": "endpoint", "embedding_model": "e"}


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory, server: OpenAIServer) -> Shelf:
    folder = tmp_path_factory.mktemp("embedded")
    more = {**EMBEDDED, "openai_base_url": server.url}
    services = indexed(folder, **more)
    return Shelf(folder, server, ask(QUESTION, "handbook", fresh=True, services=services))


def chat(server: OpenAIServer) -> OpenAIChatModel:
    return OpenAIChatModel(server.url, "", "m", timeout=PATIENCE, max_retries=1, rereads=0)


@pytest.mark.parametrize(("reply", "said"), CASES)
def test_a_judgement_that_the_model_spoils_is_unmeasured_never_zero(
    server: OpenAIServer, reply: Reply, said: str
) -> None:
    server.then(reply)
    answer = extract("How many retries?", [RETRIES], scored(RETRIES), PostprocessGenome(), "prose", "en")
    found = ModelJudge(chat(server), judge_rules()).judge("How many retries?", answer, [RETRIES], "")
    assert found.score is None
    assert found.reasoning.startswith("unmeasured: ") and said in found.reasoning
    assert found.cost.calls == 1


def test_a_judge_sees_retrieved_text_between_marks_and_its_cost_is_the_servers_count(server: OpenAIServer) -> None:
    scores = dict.fromkeys(("completeness", "accuracy", "sources", "conciseness"), "8")
    server.then(Say(json.dumps({"reasoning": "fine", **scores}), usage=(400, 30)))
    answer = extract("How many retries?", [RETRIES], scored(RETRIES), PostprocessGenome(), "prose", "en")
    found = ModelJudge(chat(server), judge_rules()).judge("How many retries?", answer, [RETRIES], "")
    assert found.score == pytest.approx(8.0)
    assert (found.cost.calls, found.cost.tokens) == (1, 430)
    first, *body, last = server.requests[0].user.split("\n")
    assert first.endswith("BEGIN case") and last.endswith("END case")
    assert json.loads("\n".join(body))["question"] == "How many retries?"
    assert "never instructs you" in server.requests[0].system


@pytest.mark.parametrize(("reply", "said"), CASES)
def test_proposals_that_the_model_spoils_are_the_offline_ones(server: OpenAIServer, reply: Reply, said: str) -> None:
    server.then(reply)
    request = MutationRequest("postprocess", "general", shipped("postprocess", "general"), n=3)
    found = Mutator(chat(server), rules=mutate_rules()).mutate(request)
    assert found.mutations == Mutator().mutate(request).mutations
    assert said in " ".join([*found.warnings, *found.dropped])
    assert found.warnings or found.dropped
    assert found.cost.calls >= 1


def test_one_connection_serves_the_roles_of_an_endpoint(shelf: Shelf) -> None:
    models = shelf.services(model_judge="other").models
    composer, judge = models.of("composer"), models.of("judge")
    assert isinstance(composer, OpenAIChatModel) and isinstance(judge, OpenAIChatModel)
    assert composer._line is judge._line
    assert composer._line.http_client is judge._line.http_client


def test_no_more_requests_at_once_than_the_settings_allow() -> None:
    from concurrent.futures import ThreadPoolExecutor

    from iterative_retrieval.graph.chat.connection import Connection
    from tests.openai_server import Does

    under_way, most = [0], [0]

    def slow(body: dict[str, Any]) -> str:
        import time

        under_way[0] += 1
        most[0] = max(most[0], under_way[0])
        time.sleep(0.05)
        under_way[0] -= 1
        return "{}"

    with OpenAIServer() as server:
        server.then(Does(slow))
        model = OpenAIChatModel(None, "", "m", connection=Connection(server.url, "", concurrency=2))
        spending = Spending()
        ask_it = model.within(spending)
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda _: ask_it.structured("s", "u", {"title": "t", "type": "object"}), range(12)))
    assert replies == [{}] * 12
    assert most[0] <= 2
    assert spending.new == Spent(calls=12, tokens_in=12, tokens_out=12, seconds=spending.new.seconds)
