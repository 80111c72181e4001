"""The ChatModel port over any OpenAI-compatible endpoint, by langchain-openai.

How JSON is asked for differs between servers, so the ways are tried from the strictest to the loosest, and the first
that a server takes is kept: a JSON Schema as response format, a forced function call, JSON mode, plain text. Whatever
comes back is read tolerantly and checked against the schema here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from ..state.errors import ModelUnavailable, ModelUnreadable
from .replies import check_schema, read_object

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, AIMessageChunk
    from langchain_openai import ChatOpenAI

Way = Literal["json_schema", "function_calling", "json_object", "text"]
WAYS: tuple[Way, ...] = ("json_schema", "function_calling", "json_object", "text")
"""How JSON is asked for, strictest first."""

OnToken = Callable[[str], None]


class OpenAIChatModel:
    """A model behind an OpenAI-compatible endpoint.

    Args:
        base_url: the endpoint, with its ``/v1``; None for OpenAI's own.
        api_key: the key; '' for a server that wants none. It appears in no message and no repr.
        model: the model's name.
        timeout: seconds that one request may take.
        max_retries: further attempts after 429, 5xx, a time-out or a lost connection; Retry-After is honoured.
        max_tokens: most tokens of a reply.
        temperature: 0 for replies that can be repeated; None for models that refuse the parameter.
        rereads: further attempts after a reply that cannot be read, each told what was wrong.
    """

    def __init__(
        self,
        base_url: str | None,
        api_key: str,
        model: str,
        timeout: float = 60.0,
        max_retries: int = 2,
        max_tokens: int = 2048,
        temperature: float | None = 0.0,
        rereads: int = 1,
    ) -> None:
        self._base_url, self._key, self._model = base_url, api_key, model
        self._timeout, self._max_retries, self._max_tokens = timeout, max_retries, max_tokens
        self._temperature, self._rereads = temperature, rereads
        self._way = 0  # the strictest way this server has not refused; a race only asks once more

    def __repr__(self) -> str:
        return f"OpenAIChatModel(model={self._model!r}, host={self._host!r})"

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    def structured(
        self, system: str, user: str, schema: Mapping[str, Any], on_token: OnToken | None = None
    ) -> dict[str, Any]:
        """One reply that follows ``schema`` (an object with a "title").

        on_token: receives the reply's JSON as it is written, of the first attempt only.

        Raises:
            ModelUnavailable: not reachable, too slow, over its limits, or it refused.
            ModelUnreadable: no reply follows the schema.
        """
        wrong = ""
        for attempt in range(self._rereads + 1):
            reply = self._reply(system, _with_complaint(user, wrong), schema, None if attempt else on_token)
            try:
                found = read_object(reply)
                check_schema(found, schema)
                return found
            except ModelUnreadable as error:
                wrong = str(error)
        raise ModelUnreadable(f"{self._model}: {self._scrubbed(wrong)}")

    def _reply(self, system: str, user: str, schema: Mapping[str, Any], on_token: OnToken | None) -> str:
        """The text of one reply, by the strictest way that the server takes."""
        while True:
            way = WAYS[self._way]
            try:
                return self._sent(way, system, user, schema, on_token)
            except _WayRefused as refused:
                if way == WAYS[-1]:
                    raise ModelUnavailable(f"{self._model} at {self._host}: {refused}") from None
                self._way = WAYS.index(way) + 1

    def _sent(self, way: Way, system: str, user: str, schema: Mapping[str, Any], on_token: OnToken | None) -> str:
        import openai

        messages = [("system", _with_schema(system, schema, way)), ("human", user)]
        try:
            return self._received(way, messages, schema, on_token)
        except openai.APIStatusError as error:
            said = self._scrubbed(_said(error))
            if _refuses_way(error.status_code, said):
                raise _WayRefused(said) from None
            # "from None" here and below: the client's own error may quote the key
            raise ModelUnavailable(f"{self._model} at {self._host}: {_hint(error.status_code)}{said}") from None
        except openai.APITimeoutError:
            raise ModelUnavailable(f"{self._model} at {self._host}: no reply within {self._timeout:g} s") from None
        except openai.APIConnectionError:
            raise ModelUnavailable(f"{self._model} at {self._host}: not reachable, or the connection broke") from None
        except (ModelUnavailable, ModelUnreadable):
            raise
        except Exception as error:  # connections break in the terms of whichever HTTP client lies below
            said = f"{type(error).__name__}: {self._scrubbed(str(error))}"
            raise ModelUnavailable(f"{self._model} at {self._host}: {said}") from None

    def _received(
        self, way: Way, messages: list[tuple[str, str]], schema: Mapping[str, Any], on_token: OnToken | None
    ) -> str:
        runnable = self._client.bind(**self._asking(way, schema))
        if on_token is None:
            return _text_of(runnable.invoke(messages))
        try:
            return _streamed(runnable.stream(messages), on_token)
        except _StreamCut:
            return _text_of(runnable.invoke(messages))  # what was shown cannot be taken back; it is not shown twice

    def _asking(self, way: Way, schema: Mapping[str, Any]) -> dict[str, Any]:
        """What a request carries besides its messages."""
        body: dict[str, Any] = {}
        if not self._is_openai:  # compatible servers know the older name of this parameter
            body["max_tokens"] = self._max_tokens
        # response_format goes into the body as it is: given as an argument, the client would parse the reply itself
        # and raise its own errors on a reply cut short.
        if way == "json_schema":
            wanted = {"name": _name(schema), "schema": dict(schema), "strict": _is_closed(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        if way == "json_object":
            body["response_format"] = {"type": "json_object"}
        asking: dict[str, Any] = {"extra_body": body} if body else {}
        if way == "function_calling":
            asking["tools"] = [{"type": "function", "function": {"name": _name(schema), "parameters": dict(schema)}}]
            asking["tool_choice"] = {"type": "function", "function": {"name": _name(schema)}}
        return asking

    @cached_property
    def _client(self) -> ChatOpenAI:
        from langchain_openai import ChatOpenAI  # takes a second to import; only those who have a model pay it
        from pydantic import SecretStr

        more: dict[str, Any] = {"max_tokens": self._max_tokens} if self._is_openai else {}
        return ChatOpenAI(
            base_url=self._base_url,
            api_key=SecretStr(self._key or "unused"),
            model=self._model,
            timeout=self._timeout,
            max_retries=self._max_retries,
            temperature=self._temperature,
            use_responses_api=False,
            **more,
        )

    @property
    def _is_openai(self) -> bool:
        return self._base_url is None or self._host.endswith("api.openai.com")

    @property
    def _host(self) -> str:
        """The host and port, without path and without a user's name or password."""
        parts = urlsplit(self._base_url or "https://api.openai.com/v1")
        return f"{parts.hostname}:{parts.port}" if parts.port else f"{parts.hostname}"

    def _scrubbed(self, text: str) -> str:
        """A short text without anything that looks like a key."""
        text = text.replace(self._key, "***") if self._key else text
        return _SECRET.sub("***", " ".join(text.split()))[:300]


_SECRET = re.compile(r"\b(?:sk|pk|key)-[\w*-]{6,}|(?<=Bearer )\S+|(?<=://)[^/@\s]+@")


class _WayRefused(Exception):
    """The server does not take this way of asking for JSON."""


class _StreamCut(Exception):
    """A stream broke off."""


@dataclass
class _Stream:
    """What a stream has brought so far."""

    text: str = ""
    reason: str = ""

    def add(self, chunk: AIMessageChunk, on_token: OnToken) -> None:
        piece = chunk.text + "".join(c["args"] or "" for c in chunk.tool_call_chunks)
        self.reason = chunk.response_metadata.get("finish_reason") or self.reason
        self.text += piece
        if piece:
            on_token(piece)


def _streamed(chunks: Any, on_token: OnToken) -> str:
    """The whole text of a stream. Raises _StreamCut when it does not come to its end."""
    import openai

    got = _Stream()
    try:
        for chunk in chunks:
            got.add(chunk, on_token)
    except (openai.APIStatusError, openai.APITimeoutError):
        raise
    except Exception as error:  # see _sent: the HTTP client below is not ours to name
        if not got.text:
            raise
        raise _StreamCut(type(error).__name__) from None
    if not got.reason:
        raise _StreamCut("no end")
    return _finished(got.text, got.reason)


def _text_of(message: AIMessage) -> str:
    """The JSON of a reply, from its text or its function call. Raises ModelUnavailable on a refusal."""
    if refusal := message.additional_kwargs.get("refusal"):
        raise ModelUnavailable(f"the model refused: {' '.join(str(refusal).split())[:200]}")
    calls = [json.dumps(c["args"]) for c in message.tool_calls] + [c["args"] or "" for c in message.invalid_tool_calls]
    text = calls[0] if calls else message.text
    return _finished(text, str(message.response_metadata.get("finish_reason") or ""))


def _finished(text: str, reason: str) -> str:
    if reason == "content_filter":
        raise ModelUnavailable("the reply was stopped by a content filter")
    if reason == "length" and not text.rstrip().endswith("}"):
        raise ModelUnreadable("the reply was cut at the token limit; raise max_tokens or ask for less")
    return text


_ABOUT_WAY = re.compile(
    r"response_format|json_schema|json_object|json mode|structured output|\btools?\b|tool_choice|function.?call|schema",
    re.IGNORECASE,
)


def _refuses_way(status: int, said: str) -> bool:
    """Whether an error says that the server does not know this way; some answer 500 to an unknown format."""
    return status in (400, 404, 405, 415, 422, 500, 501) and bool(_ABOUT_WAY.search(said))


def _said(error: Any) -> str:
    body = error.body
    inner = body.get("message") if isinstance(body, dict) else None
    return f"HTTP {error.status_code}: {inner or error.message}"


def _hint(status: int) -> str:
    return {
        401: "the key is refused; set OPENAI_API_KEY; ",
        403: "the key may not use this model; ",
        404: "no such model or endpoint; check OPENAI_BASE_URL and the model's name; ",
        429: "over its rate limit or quota; ",
    }.get(status, "")


def _with_complaint(user: str, wrong: str) -> str:
    if not wrong:
        return user
    return f"{user}\n\nYour last reply could not be used: {wrong}. Reply again with the whole JSON object only."


def _with_schema(system: str, schema: Mapping[str, Any], way: Way) -> str:
    """The system text; where the request cannot carry the schema, with the schema."""
    if way in ("json_schema", "function_calling"):
        return system
    return f"{system}\n\nReply with one JSON object that follows this JSON Schema:\n{json.dumps(schema)}"


def _name(schema: Mapping[str, Any]) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", str(schema.get("title") or "reply"))[:64]


def _is_closed(schema: Mapping[str, Any]) -> bool:
    """Whether every object names all its properties, as strict mode demands."""
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties):
            return False
        return all(map(_is_closed, properties.values()))
    return _is_closed(schema["items"]) if "items" in schema else True


__all__ = ["OpenAIChatModel"]
