"""The ChatModel port over any OpenAI-compatible endpoint, by langchain-openai.

The first way of asking for JSON that a server takes is kept (see chat/ways.py). Whatever comes back is read tolerantly
and checked against the schema here. What looks like a credential is replaced before anything leaves the process.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..retrieval.redaction import redacted
from ..retrieval.tokens import count_tokens
from ..state.document_ports import ChatModel
from ..state.errors import ModelBudgetSpent, ModelError, ModelUnavailable, ModelUnreadable, PromptTooLong
from ..state.spending import Call, Price, Spending, Usage
from .chat.connection import Connection
from .chat.messages import redacted_messages, tokens_of
from .chat.receiving import OnToken, Received, StreamCut, streamed, whole
from .chat.ways import WAYS, Way, asking, refuses_way, with_schema
from .replies import check_schema, read_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_openai import ChatOpenAI


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
        price: of a million tokens.
        connection: shared with other models of the endpoint; one of its own when None.
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
        price: Price | None = None,
        connection: Connection | None = None,
    ) -> None:
        self._line = connection or Connection(base_url, api_key)
        self._model, self._price = model, price or Price()
        self._timeout, self._max_retries, self._max_tokens = timeout, max_retries, max_tokens
        self._temperature, self._rereads = temperature, rereads
        self._way = 0  # the strictest way this server has not refused; a race only asks once more
        self._counts_streams = True  # until the server refuses to

    def __repr__(self) -> str:
        return f"OpenAIChatModel(model={self._model!r}, host={self._line.host!r})"

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    def within(self, spending: Spending) -> ChatModel:
        """The same model, its calls counted by ``spending`` and refused before they exceed its limits."""
        return _Metered(self, spending)

    def structured(
        self, system: str, user: str, schema: Mapping[str, Any], on_token: OnToken | None = None
    ) -> dict[str, Any]:
        """One reply that follows ``schema`` (an object with a "title").

        on_token: receives the reply's JSON as it is written, of the first attempt only.

        Raises:
            ModelUnavailable: not reachable, too slow, over its limits, or it refused.
            ModelUnreadable: no reply follows the schema.
        """
        return self.counted(Spending(), system, user, schema, on_token)

    def counted(
        self, spending: Spending, system: str, user: str, schema: Mapping[str, Any], on_token: OnToken | None
    ) -> dict[str, Any]:
        """Like ``structured``, on the account of ``spending``."""
        wrong = ""
        for attempt in range(self._rereads + 1):
            request = _Request(system, _with_complaint(user, wrong), schema, spending, None if attempt else on_token)
            try:
                found = read_object(self._reply(request))
                check_schema(found, schema)
                return found
            except ModelUnreadable as error:
                wrong = str(error)
            except ModelBudgetSpent:
                if not attempt:
                    raise
                break  # the account allows no second reading
        raise ModelUnreadable(f"{self._model}: {self._line.scrubbed(wrong)}")

    def turn(
        self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]], spending: Spending
    ) -> AIMessage:
        """The next message of a conversation in which the model may call tools (OpenAI's function schemas).

        Raises:
            ModelBudgetSpent: the account allows no further call.
            ModelUnavailable: not reachable, too slow, it refused, or it takes no tools.
        """
        sent, kept_back = redacted_messages(messages)
        spending.redacted(kept_back)
        told = sum(map(tokens_of, sent)) + count_tokens(json.dumps(tools))
        got = Received()
        try:
            with spending.call(Usage(told, self._max_tokens), self._price) as call:
                with self._line.slots, self._own_errors(call):
                    reply: AIMessage = self._client.bind_tools([dict(tool) for tool in tools]).invoke(sent)
                whole(reply, got)
                call.usage = got.usage or Usage(told, count_tokens(reply.text + got.text), estimated=True)
        except _WayRefused as refused:
            raise ModelUnavailable(f"{self._model} at {self._line.host} takes no tools: {refused}") from None
        if got.refusal:
            raise ModelUnavailable(f"the model refused: {' '.join(got.refusal.split())[:200]}")
        return reply

    def _reply(self, request: _Request) -> str:
        """The text of one reply, by the strictest way that the server takes."""
        while True:
            way = WAYS[self._way]
            try:
                return self._sent(way, request)
            except _WayRefused as refused:
                if way == WAYS[-1]:
                    raise ModelUnavailable(f"{self._model} at {self._line.host}: {refused}") from None
                self._way = WAYS.index(way) + 1
            except _CountRefused:
                self._counts_streams = False
            except StreamCut:
                request = replace(request, on_token=None)  # what was shown cannot be taken back; not shown twice

    def _sent(self, way: Way, request: _Request) -> str:
        system, kept_back = redacted(with_schema(request.system, request.schema, way))
        user, also_kept_back = redacted(request.user)
        request.spending.redacted(kept_back + also_kept_back)
        most = Usage(count_tokens(system) + count_tokens(user), self._max_tokens)
        with request.spending.call(most, self._price) as call, self._line.slots, self._own_errors(call):
            got = Received()
            try:
                self._receive(way, [("system", system), ("human", user)], request, got)
            finally:
                if got.text or got.usage:
                    call.usage = got.usage or Usage(most.tokens_in, count_tokens(got.text), estimated=True)
            return got.finished()

    def _receive(self, way: Way, messages: list[tuple[str, str]], request: _Request, got: Received) -> None:
        body, arguments = asking(way, request.schema)
        if not self._line.is_openai:  # compatible servers know the older name of this parameter
            body["max_tokens"] = self._max_tokens
        if body:
            arguments["extra_body"] = body
        if request.on_token is None:
            return whole(self._client.invoke(messages, **arguments), got)
        streamed(self._client.stream(messages, stream_usage=self._counts_streams, **arguments), got, request.on_token)

    @contextmanager
    def _own_errors(self, call: Call) -> Iterator[None]:
        """The client's errors become ours; "from None", because they may quote the key."""
        import openai

        who = f"{self._model} at {self._line.host}"
        try:
            yield
        except openai.APIStatusError as error:
            said = self._line.scrubbed(_said(error))
            call.free = error.status_code < 500  # refused at the door; nobody worked
            if error.status_code in (400, 422) and "stream_options" in said and self._counts_streams:
                raise _CountRefused(said) from None
            if refuses_way(error.status_code, said):
                call.free = True
                raise _WayRefused(said) from None
            if error.status_code in (400, 413, 422, 500) and _TOO_LONG.search(said):
                raise PromptTooLong(f"{who}: {said}") from None
            raise ModelUnavailable(f"{who}: {_hint(error.status_code)}{said}") from None
        except openai.APITimeoutError:
            call.usage = Usage(call.most.tokens_in, 0, estimated=True)  # it may have read all of it
            raise ModelUnavailable(f"{who}: no reply within {self._timeout:g} s") from None
        except openai.APIConnectionError:
            raise ModelUnavailable(f"{who}: not reachable, or the connection broke") from None
        except (ModelError, StreamCut):
            raise
        except Exception as error:  # connections break in the terms of whichever HTTP client lies below
            raise ModelUnavailable(f"{who}: {type(error).__name__}: {self._line.scrubbed(str(error))}") from None

    @cached_property
    def _client(self) -> ChatOpenAI:
        from langchain_openai import ChatOpenAI  # takes a second to import; only those who have a model pay it
        from pydantic import SecretStr

        more: dict[str, Any] = {"max_tokens": self._max_tokens} if self._line.is_openai else {}
        return ChatOpenAI(
            base_url=self._line.base_url,
            api_key=SecretStr(self._line.api_key or "unused"),
            model=self._model,
            timeout=self._timeout,
            max_retries=self._max_retries,
            temperature=self._temperature,
            use_responses_api=False,
            http_client=self._line.http_client,
            **more,
        )


@dataclass(frozen=True)
class _Metered:
    """A model on somebody's account."""

    model: OpenAIChatModel
    spending: Spending

    @property
    def name(self) -> str:
        return self.model.name

    def within(self, spending: Spending) -> ChatModel:
        return _Metered(self.model, spending)

    def structured(
        self, system: str, user: str, schema: Mapping[str, Any], on_token: OnToken | None = None
    ) -> dict[str, Any]:
        return self.model.counted(self.spending, system, user, schema, on_token)


@dataclass(frozen=True)
class _Request:
    """One attempt at a reply."""

    system: str
    user: str
    schema: Mapping[str, Any]
    spending: Spending
    on_token: OnToken | None


class _WayRefused(Exception):
    """The server does not take this way of asking for JSON."""


class _CountRefused(Exception):
    """The server does not count the tokens of streams."""


_TOO_LONG = re.compile(
    r"context.?(?:length|window|size)|maximum context|too many (?:input )?tokens|(?:prompt|input) is too long",
    re.IGNORECASE,
)


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


__all__ = ["OpenAIChatModel"]
