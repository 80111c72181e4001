"""Messages of a conversation on their way out of the process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...retrieval.redaction import redacted

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


def redacted_messages(messages: Sequence[BaseMessage]) -> tuple[list[BaseMessage], int]:
    """The messages without what looks like a credential, and how many such texts were replaced."""
    sent, count = [], 0
    for message in messages:
        text, kept_back = redacted(message.text)
        count += kept_back
        sent.append(message.model_copy(update={"content": text}) if kept_back else message)
    return sent, count
