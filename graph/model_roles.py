"""The models of a deployment: one a role, over one connection an endpoint."""

from __future__ import annotations

from functools import cached_property

from ..state.document_ports import ChatModel, ChatModels, Role
from ..state.spending import SpendingLimit
from .chat.connection import Connection
from .settings import Settings

ROLES: tuple[Role, ...] = ("planner", "evaluator", "classifier", "composer", "judge", "mutator")
"""Every role."""


class Models:
    """Gives each role its model, as the settings say; nothing is opened before it is asked for.

    Args:
        settings: endpoint, names, limits and prices.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._held: dict[str, ChatModel] = {}

    @property
    def limit(self) -> SpendingLimit:
        """The most that one request may spend, the number of calls aside."""
        return self._settings.spending_limit

    def of(self, role: Role) -> ChatModel | None:
        """The model of a role; roles with the same model share it. None when the role is played offline."""
        name = self._settings.model_of(role)
        if name is None:
            return None
        if name not in self._held:
            self._held[name] = self._opened(name)
        return self._held[name]

    @cached_property
    def connection(self) -> Connection:
        """The endpoint of the chat models."""
        key = self._settings.openai_api_key
        return Connection(
            self._settings.openai_base_url, key.get_secret_value() if key else "", self._settings.model_concurrency
        )

    @cached_property
    def embedding_connection(self) -> Connection:
        """The endpoint of the embeddings: that of the chat models, unless it has an address or a key of its own."""
        s = self._settings
        if s.embedding_base_url is None and s.embedding_api_key is None:
            return self.connection
        key = s.embedding_api_key or (s.openai_api_key if s.embedding_base_url is None else None)
        return Connection(
            s.embedding_base_url or s.openai_base_url, key.get_secret_value() if key else "", s.model_concurrency
        )

    def _opened(self, name: str) -> ChatModel:
        from .models import OpenAIChatModel  # offline nobody pays for the client's import

        s = self._settings
        return OpenAIChatModel(
            s.openai_base_url,
            self.connection.api_key,
            name,
            timeout=s.model_timeout,
            max_retries=s.model_retries,
            max_tokens=s.model_max_tokens,
            temperature=s.model_temperature,
            rereads=s.model_rereads,
            price=s.price_of(name),
            connection=self.connection,
        )


class OfflineModels:
    """Nobody plays any role."""

    limit = SpendingLimit()

    def of(self, role: Role) -> ChatModel | None:
        """None."""
        return None


OFFLINE_MODELS: ChatModels = OfflineModels()

__all__ = ["OFFLINE_MODELS", "ROLES", "Models"]
