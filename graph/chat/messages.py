"""Messages of a conversation on their way out of the process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...retrieval.redaction import redacted
from ...retrieval.tokens import count_tokens

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


def tokens_of(message: BaseMessage) -> int:
    """Estimated tokens of a message, with the calls it makes."""
    return count_tokens(message.text) + sum(count_tokens(str(c["args"])) for c in getattr(message, "tool_calls", ()))


def redacted_messages(messages: Sequence[BaseMessage]) -> tuple[list[BaseMessage], int]:
    """The messages without what looks like a credential, and how many such texts were replaced."""
    sent, count = [], 0
    for message in messages:
        text, kept_back = redacted(message.text)
        count += kept_back
        sent.append(message.model_copy(update={"content": text}) if kept_back else message)
    return sent, count
