"""The text of a reply, whole or streamed, and the tokens it took."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...state.errors import ModelUnavailable, ModelUnreadable
from ...state.spending import Usage

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, AIMessageChunk
    from langchain_core.messages.ai import UsageMetadata

OnToken = Callable[[str], None]


class StreamCut(Exception):
    """A stream broke off, or brought nothing; the reply has to be asked for as a whole."""


@dataclass
class Received:
    """What has come so far. usage: None when the server gives no count. refusal: the model's own words of refusing."""

    text: str = ""
    reason: str = ""
    refusal: str = ""
    usage: Usage | None = None

    def finished(self) -> str:
        """The whole text.

        Raises:
            ModelUnavailable: the model refused, or a filter stopped it.
            ModelUnreadable: it was cut at the token limit.
        """
        if self.refusal:
            raise ModelUnavailable(f"the model refused: {' '.join(self.refusal.split())[:200]}")
        if self.reason == "content_filter":
            raise ModelUnavailable("the reply was stopped by a content filter")
        if self.reason == "length" and not self.text.rstrip().endswith("}"):
            raise ModelUnreadable("the reply was cut at the token limit; raise IR_MODEL_MAX_TOKENS or ask for less")
        return self.text


def whole(message: AIMessage, got: Received) -> None:
    """Take a whole reply: its text, or the arguments of its function call."""
    calls = [json.dumps(c["args"]) for c in message.tool_calls] + [c["args"] or "" for c in message.invalid_tool_calls]
    got.text = calls[0] if calls else message.text
    got.reason = str(message.response_metadata.get("finish_reason") or "")
    got.refusal = str(message.additional_kwargs.get("refusal") or "")
    got.usage = _usage(message.usage_metadata)


def streamed(chunks: Iterable[AIMessageChunk], got: Received, on_token: OnToken) -> None:
    """Take a stream piece by piece. Raises StreamCut when it breaks off or brings nothing."""
    import openai

    try:
        for chunk in chunks:
            _add(chunk, got, on_token)
    except (openai.APIStatusError, openai.APITimeoutError):
        raise
    except Exception as error:  # connections break in the terms of whichever HTTP client lies below
        if not got.text:
            raise
        raise StreamCut(type(error).__name__) from None
    if not got.reason:
        raise StreamCut("no end")
    if not got.text:  # the client passes over refusals in streams; the whole reply tells
        raise StreamCut("nothing")


def _add(chunk: AIMessageChunk, got: Received, on_token: OnToken) -> None:
    piece = chunk.text + "".join(c["args"] or "" for c in chunk.tool_call_chunks)
    got.reason = chunk.response_metadata.get("finish_reason") or got.reason
    got.usage = _usage(chunk.usage_metadata) or got.usage  # some servers count along; the last count is the whole
    got.text += piece
    if piece:
        on_token(piece)


def _usage(counted: UsageMetadata | None) -> Usage | None:
    """The server's count; zeros are none."""
    if not counted or not counted["input_tokens"] + counted["output_tokens"]:
        return None
    return Usage(counted["input_tokens"], counted["output_tokens"])


__all__ = ["OnToken", "Received", "StreamCut", "streamed", "whole"]
