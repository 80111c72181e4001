"""The model adapter against a real server; each misbehaviour is one test."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from iterative_retrieval.graph.models import OpenAIChatModel
from iterative_retrieval.state.document_ports import ChatModel
from iterative_retrieval.state.errors import ModelUnavailable, ModelUnreadable, PromptTooLong
from tests.openai_server import Cut, Garbage, OpenAIServer, Refuses, Say, Slow, Status

KEY = "sk-test-0123456789abcdef"
SCHEMA: dict[str, Any] = {
    "title": "Verdict",
    "type": "object",
    "additionalProperties": False,
    "required": ["word", "count"],
    "properties": {"word": {"type": "string", "enum": ["yes", "no"]}, "count": {"type": "integer", "minimum": 0}},
}
GOOD = {"word": "yes", "count": 2}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


def model(server: OpenAIServer, **more: Any) -> OpenAIChatModel:
    more = {"timeout": 10.0, "max_retries": 1, **more}
    return OpenAIChatModel(server.url, KEY, "small-1", **more)


def ask(chat: ChatModel, user: str = "Is it?") -> dict[str, Any]:
    return chat.structured("You judge.", user, SCHEMA)


def test_a_reply_that_follows_the_schema_is_returned(server: OpenAIServer) -> None:
    server.say(GOOD)
    assert ask(model(server)) == GOOD
    sent = server.requests[0]
    assert (sent.path, sent.key, sent.way) == ("/v1/chat/completions", KEY, "json_schema")
    assert (sent.system, sent.user) == ("You judge.", "Is it?")
    assert sent.body["response_format"]["json_schema"] == {"name": "Verdict", "schema": SCHEMA, "strict": True}
    assert (sent.body["model"], sent.body["max_tokens"], sent.body["temperature"]) == ("small-1", 2048, 0.0)


def test_an_open_schema_is_not_asked_for_strictly(server: OpenAIServer) -> None:
    server.say({"anything": 1})
    model(server).structured("s", "u", {"title": "Open", "type": "object"})
    assert server.requests[0].body["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, your messages resulted in 6011 tokens.",
        "the request exceeds the available context size, try increasing it",
        "Requested tokens (9311) exceed context window of 8192",
        "prompt is too long: 210000 tokens > 200000 maximum",
    ],
)
def test_a_prompt_beyond_the_window_is_told_apart_from_other_errors(server: OpenAIServer, message: str) -> None:
    server.then(Status(400, message=message))
    with pytest.raises(PromptTooLong, match=re.escape(message[:30])):
        ask(model(server))
    assert len(server.requests) == 1


def test_a_schema_that_a_server_cannot_turn_into_a_grammar_is_asked_for_otherwise(server: OpenAIServer) -> None:
    server.then(Status(400, message="failed to parse grammar"), Say(json.dumps(GOOD)))
    assert ask(model(server)) == GOOD
    assert [r.way for r in server.requests] == ["json_schema", "function_calling"]


@pytest.mark.parametrize("refusal_status", [400, 422, 500])
@pytest.mark.parametrize(
    ("refused", "taken"),
    [
        (["json_schema"], "function_calling"),
        (["json_schema", "function_calling"], "json_object"),
        (["json_schema", "function_calling", "json_object"], "text"),
    ],
)
def test_a_refused_way_of_asking_for_json_gives_way_to_the_next(
    refused: list[str], taken: str, refusal_status: int
) -> None:
    with OpenAIServer(refused=refused, refusal_status=refusal_status) as server:
        server.say(GOOD)
        chat = model(server, max_retries=0)
        assert ask(chat) == GOOD
        assert server.requests[-1].way == taken
        asked = len(server.requests)
        assert ask(chat) == GOOD  # the way that worked is remembered
        assert len(server.requests) == asked + 1


def test_the_schema_is_in_the_prompt_where_the_request_cannot_carry_it() -> None:
    with OpenAIServer(refused=["json_schema", "function_calling", "json_object"]) as server:
        server.say(GOOD)
        ask(model(server))
        assert json.dumps(SCHEMA) in server.requests[-1].system


def test_a_server_that_ignores_the_demanded_function_call_is_read_by_its_text() -> None:
    with OpenAIServer(refused=["json_schema"]) as server:
        server.then(Say(json.dumps(GOOD), deaf=True))
        assert ask(model(server)) == GOOD


def test_a_server_that_refuses_every_way_is_unavailable() -> None:
    with OpenAIServer(refused=["json_schema", "function_calling", "json_object", "text"]) as server:
        with pytest.raises(ModelUnavailable, match="not supported"):
            ask(model(server))
        assert [r.way for r in server.requests] == ["json_schema", "function_calling", "json_object", "text"]


def test_a_rate_limit_is_waited_out(server: OpenAIServer) -> None:
    server.then(Status(429, {"retry-after": "0.05"}), Say(json.dumps(GOOD)))
    assert ask(model(server)) == GOOD
    assert len(server.requests) == 2


def test_a_lasting_rate_limit_is_unavailable_after_bounded_retries(server: OpenAIServer) -> None:
    server.then(Status(429, {"retry-after": "0.05"}, "slow down"))
    with pytest.raises(ModelUnavailable, match=r"rate limit.*slow down"):
        ask(model(server, max_retries=2))
    assert len(server.requests) == 3


def test_a_server_error_is_tried_again(server: OpenAIServer) -> None:
    server.then(Status(500, {"retry-after": "0.05"}), Say(json.dumps(GOOD)))
    assert ask(model(server)) == GOOD


def test_a_lasting_server_error_is_unavailable(server: OpenAIServer) -> None:
    server.then(Status(503, {"retry-after": "0.05"}, "overloaded"))
    with pytest.raises(ModelUnavailable, match="HTTP 503: overloaded"):
        ask(model(server))
    assert len(server.requests) == 2


def test_a_slow_server_is_unavailable(server: OpenAIServer) -> None:
    server.then(Slow(3.0))
    with pytest.raises(ModelUnavailable, match=r"no reply within 0\.2 s"):
        ask(model(server, timeout=0.2, max_retries=0))


def test_a_closed_port_is_unavailable() -> None:
    with OpenAIServer() as gone:
        url = gone.url
    with pytest.raises(ModelUnavailable, match=r"at 127\.0\.0\.1:\d+: not reachable"):
        ask(OpenAIChatModel(url, KEY, "small-1", max_retries=0))


def test_a_connection_cut_in_the_reply_is_unavailable(server: OpenAIServer) -> None:
    server.then(Cut())
    with pytest.raises(ModelUnavailable):
        ask(model(server, max_retries=0))


def test_a_wrong_key_says_what_to_set_and_is_not_repeated(server: OpenAIServer) -> None:
    server.then(Status(401, message=f"Incorrect API key provided: {KEY}."))
    with pytest.raises(ModelUnavailable, match="set OPENAI_API_KEY") as caught:
        ask(model(server))
    assert len(server.requests) == 1
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert "0123456789" not in shown


def test_an_unknown_model_says_what_to_check(server: OpenAIServer) -> None:
    server.then(Status(404, message="The model small-1 does not exist"))
    with pytest.raises(ModelUnavailable, match="check OPENAI_BASE_URL and the model's name"):
        ask(model(server))


def test_invalid_json_is_asked_for_again_with_the_reason(server: OpenAIServer) -> None:
    server.say("Sure! I think yes.", GOOD)
    assert ask(model(server)) == GOOD
    assert "no JSON object" in server.requests[1].user


def test_lasting_invalid_json_is_unreadable(server: OpenAIServer) -> None:
    server.say('{"word": "yes", "count": ')
    with pytest.raises(ModelUnreadable, match="no JSON object"):
        ask(model(server))
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ({"word": "yes"}, "'count' is missing"),
        ({"word": "maybe", "count": 1}, "none of 'yes', 'no'"),
        ({"word": "yes", "count": "two"}, r"reply\.count: integer expected, not str"),
        ({"word": "yes", "count": True}, r"reply\.count: integer expected, not bool"),
        ({"word": "yes", "count": -1}, "out of bounds"),
        ({"word": "yes", "count": 1, "more": 0}, "'more' is not part"),
    ],
)
def test_json_that_breaks_the_schema_is_unreadable(server: OpenAIServer, reply: dict[str, Any], complaint: str) -> None:
    server.say(reply)
    with pytest.raises(ModelUnreadable, match=complaint):
        ask(model(server))


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"word": "yes", "count": 2}\n```',
        'Here you are:\n```\n{"word": "yes", "count": 2}\n```\nAnything else?',
        'Of course. {"word": "yes", "count": 2} I hope this helps.',
        '<think>maybe {"word": "no"}?</think>\n{"word": "yes", "count": 2}',
        '\ufeff{"word": "yes", "count": 2}',
    ],
)
def test_json_in_a_fence_or_among_words_is_read(server: OpenAIServer, text: str) -> None:
    server.say(text)
    assert ask(model(server)) == GOOD
    assert len(server.requests) == 1


def test_raw_line_breaks_in_strings_are_read(server: OpenAIServer) -> None:
    server.say('{"text": "one\ntwo"}')
    schema = {"title": "Text", "type": "object", "properties": {"text": {"type": "string"}}}
    assert model(server).structured("s", "u", schema) == {"text": "one\ntwo"}


@pytest.mark.parametrize("text", ["", "   \n"])
def test_an_empty_reply_is_unreadable(server: OpenAIServer, text: str) -> None:
    server.say(text)
    with pytest.raises(ModelUnreadable, match="empty"):
        ask(model(server))


def test_a_json_list_is_unreadable(server: OpenAIServer) -> None:
    server.say("[1, 2]")
    with pytest.raises(ModelUnreadable):
        ask(model(server))


def test_a_refusal_is_unavailable_and_not_asked_again(server: OpenAIServer) -> None:
    server.then(Refuses("I must not judge."))
    with pytest.raises(ModelUnavailable, match="refused: I must not judge"):
        ask(model(server))
    assert len(server.requests) == 1


def test_a_content_filter_is_unavailable(server: OpenAIServer) -> None:
    server.then(Say('{"word"', reason="content_filter"))
    with pytest.raises(ModelUnavailable, match="content filter"):
        ask(model(server))


def test_a_reply_cut_at_the_token_limit_says_so(server: OpenAIServer) -> None:
    server.then(Say('{"word": "yes", "co', reason="length"))
    with pytest.raises(ModelUnreadable, match="MAX_TOKENS"):
        ask(model(server))


def test_a_body_that_is_no_json_is_unavailable(server: OpenAIServer) -> None:
    server.then(Garbage())
    with pytest.raises(ModelUnavailable):
        ask(model(server, max_retries=0))


@pytest.mark.parametrize("refused", [[], ["json_schema"], ["json_schema", "function_calling"]])
def test_tokens_stream_as_they_are_written(refused: list[str]) -> None:
    with OpenAIServer(refused=refused) as server:
        server.say(GOOD)
        pieces: list[str] = []
        assert model(server).structured("s", "u", SCHEMA, pieces.append) == GOOD
        assert len(pieces) > 1
        assert json.loads("".join(pieces)) == GOOD
        assert server.requests[-1].body["stream"] is True


def test_a_cut_stream_is_asked_for_once_more_without_streaming(server: OpenAIServer) -> None:
    server.then(Cut(), Say(json.dumps(GOOD)))
    pieces: list[str] = []
    assert model(server).structured("s", "u", SCHEMA, pieces.append) == GOOD
    assert "".join(pieces) == Cut().text
    assert [bool(r.body.get("stream")) for r in server.requests] == [True, False]


def test_no_message_or_repr_holds_the_key(server: OpenAIServer) -> None:
    server.then(Status(500, {"retry-after": "0.01"}, f"upstream said: Bearer {KEY} at https://ada:secret@host/"))
    chat = model(server)
    with pytest.raises(ModelUnavailable) as caught:
        ask(chat)
    shown = "".join(traceback.format_exception(caught.value)) + repr(chat)
    assert KEY not in shown
    assert "secret" not in shown


def test_credentials_in_the_address_are_not_shown() -> None:
    chat = OpenAIChatModel("http://ada:secret@127.0.0.1:9/v1", KEY, "small-1", max_retries=0)
    assert repr(chat) == "OpenAIChatModel(model='small-1', host='127.0.0.1:9')"
    with pytest.raises(ModelUnavailable) as caught:
        ask(chat)
    assert "secret" not in "".join(traceback.format_exception(caught.value))


def test_a_server_without_a_key_is_asked_without_one(server: OpenAIServer) -> None:
    server.say(GOOD)
    assert OpenAIChatModel(server.url, "", "local").structured("s", "u", SCHEMA) == GOOD
    assert server.requests[0].key == "unused"


def test_importing_the_module_does_not_import_langchain_openai() -> None:
    code = (
        "import sys, iterative_retrieval.graph.models as m; m.OpenAIChatModel(None, 'k', 'm'); "
        "print(any(n.split('.')[0] in ('langchain_openai', 'openai') for n in sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
