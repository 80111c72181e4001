"""A chat model that says what a test wrote, and the notes of what it was asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr


def call(name: str, number: int = 1, **args: Any) -> AIMessage:
    """A reply that calls a tool."""
    return AIMessage("", tool_calls=[{"name": name, "id": f"call-{number}", "args": args}])


class ScriptedChat(BaseChatModel):
    """Gives its replies in order. tools: names of the tools it was last bound to."""

    replies: list[AIMessage]
    _given: int = PrivateAttr(default=0)
    _tools: list[str] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        self._tools = [getattr(t, "name", "") for t in tools]
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self._given += 1
        return ChatResult(generations=[ChatGeneration(message=self.replies[self._given - 1])])
