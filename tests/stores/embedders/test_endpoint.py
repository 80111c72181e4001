from __future__ import annotations

import json
import logging
import math
import traceback
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from iterative_retrieval.state.errors import EmbedderUnavailable
from iterative_retrieval.stores.embedders import Endpoint, EndpointEmbedder
from tests.stores.embedders.server import DIMENSION, Reply, Server, running, vector

KEY = "sk-test-0123456789abcdef"
TEXTS = ["one chunk", "another chunk", "a third chunk"]


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as state:
        yield state


@pytest.fixture
def endpoint(server: Server) -> Endpoint:
    return Endpoint(server.url, "small-model", KEY, dimensions=DIMENSION, timeout=10.0, retries=0)


def refused(endpoint: Endpoint, texts: list[str] = TEXTS) -> str:
    """The message of the error, after making sure that the key is nowhere in what a log would show."""
    with pytest.raises(EmbedderUnavailable) as caught:
        EndpointEmbedder(endpoint).documents(texts)
    assert KEY not in "".join(traceback.format_exception(caught.value))
    return str(caught.value)


def test_vectors_have_unit_length_and_the_server_s_direction(endpoint: Endpoint) -> None:
    found = EndpointEmbedder(endpoint).documents(TEXTS)
    raw = np.array([vector(text) for text in TEXTS])
    assert found.dtype == np.float32
    assert np.allclose(found, raw / np.linalg.norm(raw, axis=1, keepdims=True), atol=1e-6)


def test_texts_are_sent_as_texts_with_the_key(endpoint: Endpoint, server: Server) -> None:
    EndpointEmbedder(endpoint).documents(TEXTS)
    (asked,) = server.requests
    assert (asked["path"], asked["input"], asked["model"]) == ("/v1/embeddings", TEXTS, "small-model")
    assert (asked["dimensions"], asked["encoding_format"]) == (DIMENSION, "float")
    assert server.keys == [f"Bearer {KEY}"]


def test_a_server_without_a_key_is_asked_without_one_from_the_environment(
    endpoint: Endpoint, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    EndpointEmbedder(replace(endpoint, api_key=None)).documents(TEXTS)
    assert KEY not in server.keys[0]


def test_many_texts_go_in_several_requests_and_keep_their_order(endpoint: Endpoint, server: Server) -> None:
    texts = [f"chunk {i}" for i in range(10)]
    found = EndpointEmbedder(replace(endpoint, batch=4)).documents(texts)
    assert [len(asked["input"]) for asked in server.requests] == [4, 4, 2]
    assert np.allclose(found[9], np.array(vector("chunk 9")) / np.linalg.norm(vector("chunk 9")), atol=1e-6)


def test_no_text_needs_no_request(endpoint: Endpoint, server: Server) -> None:
    assert EndpointEmbedder(endpoint).documents([]).shape == (0, DIMENSION)
    assert server.requests == []


def test_an_empty_text_is_never_sent(endpoint: Endpoint, server: Server) -> None:
    assert EndpointEmbedder(endpoint).documents(["", "\n"]).shape == (2, DIMENSION)
    assert server.requests[0]["input"] == [" ", " "]


def test_the_dimension_is_asked_once_when_the_settings_do_not_say(endpoint: Endpoint, server: Server) -> None:
    embedder = EndpointEmbedder(replace(endpoint, dimensions=None))
    assert (embedder.dimension, embedder.dimension) == (DIMENSION, DIMENSION)
    (asked,) = server.requests
    assert "dimensions" not in asked


def test_prefixes_stand_before_texts_and_change_the_name(endpoint: Endpoint, server: Server) -> None:
    plain = EndpointEmbedder(endpoint)
    embedder = EndpointEmbedder(replace(endpoint, document_prefix="passage: ", question_prefix="query: "))
    embedder.documents(["a"])
    embedder.questions(["b"])
    assert [asked["input"] for asked in server.requests] == [["passage: a"], ["query: b"]]
    assert plain.name == f"endpoint/small-model@{DIMENSION}"
    assert embedder.name.startswith(f"{plain.name}+")


def test_the_name_tells_another_length_from_the_full_one(endpoint: Endpoint) -> None:
    assert EndpointEmbedder(replace(endpoint, dimensions=None)).name == "endpoint/small-model"


def test_vectors_of_another_length_than_before_are_refused(endpoint: Endpoint, server: Server) -> None:
    embedder = EndpointEmbedder(replace(endpoint, dimensions=None))
    embedder.documents(["a"])
    server.answers([1.0, 2.0, 3.0])
    with pytest.raises(EmbedderUnavailable, match=rf"length 3, not {DIMENSION}.*index again"):
        embedder.documents(["a"])


def test_too_few_vectors_are_refused(endpoint: Endpoint, server: Server) -> None:
    server.answers(vector("a"), vector("b"))
    assert "2 vectors for 3 texts" in refused(endpoint)


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize(
    "wrong",
    [
        [math.nan] + [1.0] * (DIMENSION - 1),
        [math.inf] + [1.0] * (DIMENSION - 1),
        [0.0] * DIMENSION,
        [1.0, 2.0],
        ["many", "words"],
        None,
        "text",
    ],
)
def test_vectors_that_are_none_are_refused(endpoint: Endpoint, server: Server, wrong: object) -> None:
    server.answers(vector("a"), wrong, vector("c"))
    assert "is it an embedding model" in refused(endpoint)


@pytest.mark.parametrize(
    "body", [b"", b"<html>It works!</html>", b"[]", b'{"data": null}', b'{"choices": []}', b"\xff"]
)
def test_an_answer_that_is_no_list_of_embeddings_is_refused(endpoint: Endpoint, server: Server, body: bytes) -> None:
    server.replies.append(Reply(200, body))
    assert "check the base URL" in refused(endpoint)


def test_a_slow_server_is_not_waited_for(endpoint: Endpoint, server: Server) -> None:
    server.replies.append(Reply(seconds=30.0))
    assert "did not answer within 0.2 s" in refused(replace(endpoint, timeout=0.2))


def test_a_server_that_is_not_there_is_named(endpoint: Endpoint) -> None:
    with running() as gone:
        address = gone.url
    message = refused(replace(endpoint, base_url=address))
    assert f"{address} (model small-model) cannot be reached" in message


def test_a_password_in_the_address_is_not_told(endpoint: Endpoint, server: Server) -> None:
    server.refuses(404, "no such path")
    message = refused(replace(endpoint, base_url=server.url.replace("//", f"//user:{KEY}@")))
    assert server.url in message


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "smaller chunks may help"),
        (401, "API key; correct it"),
        (403, "another key or model"),
        (404, "most end with /v1"),
        (413, "lower the batch"),
        (418, "the server refused"),
        (422, "does not accept the request"),
        (429, "too many requests"),
        (503, "try again later"),
    ],
)
def test_a_refusal_says_what_to_do_and_never_the_key(
    endpoint: Endpoint, server: Server, status: int, advice: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    server.refuses(status, f"Incorrect API key provided: {KEY}")
    message = refused(endpoint)
    assert f"HTTP {status}" in message
    assert advice in message
    assert KEY not in caplog.text


def test_what_the_server_says_of_a_text_is_passed_on(endpoint: Endpoint, server: Server) -> None:
    server.refuses(400, "input is too long {512}")
    assert "input is too long {512}" in refused(endpoint)


def test_a_busy_server_is_asked_again(endpoint: Endpoint, server: Server) -> None:
    server.refuses(429, "slow down")
    server.refuses(503, "starting")
    found = EndpointEmbedder(replace(endpoint, retries=2)).documents(TEXTS)
    assert found.shape == (3, DIMENSION)
    assert len(server.requests) == 3


def test_a_server_that_stays_busy_is_given_up(endpoint: Endpoint, server: Server) -> None:
    server.refuses(429, "slow down", times=2)
    assert "HTTP 429" in refused(replace(endpoint, retries=1))
    assert len(server.requests) == 2


def test_after_a_failure_the_next_question_tries_again(endpoint: Endpoint, server: Server) -> None:
    embedder = EndpointEmbedder(replace(endpoint, dimensions=None))
    server.refuses(503, "starting")
    with pytest.raises(EmbedderUnavailable):
        embedder.questions(["a"])
    assert embedder.questions(["a"]).shape == (1, DIMENSION)


@pytest.mark.parametrize("url", ["", "127.0.0.1:11434/v1", "ftp://host/v1", "http:///v1"])
def test_an_address_that_is_none_is_refused(endpoint: Endpoint, url: str) -> None:
    assert "must look like http://HOST:PORT/v1" in refused(replace(endpoint, base_url=url))


def test_the_key_is_not_shown_with_the_endpoint(endpoint: Endpoint) -> None:
    assert KEY not in repr(endpoint)


def test_odd_characters_reach_the_server_as_json(endpoint: Endpoint, server: Server) -> None:
    EndpointEmbedder(endpoint).documents(["a\0b", "lone \ud800 surrogate", "数据库"])
    assert json.loads(json.dumps(server.requests[0]["input"])) == ["a b", "lone ? surrogate", "数据库"]
