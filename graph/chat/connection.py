"""A connection to one endpoint: its HTTP client, and how many requests it takes at once."""

from __future__ import annotations

import re
import threading
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import urlsplit

_OPENAI = "https://api.openai.com/v1"
_SECRET = re.compile(r"\b(?:sk|pk|key)-[\w*-]{6,}|(?<=Bearer )\S+|(?<=://)[^/@\s]+@")


class Connection:
    """An endpoint that several models share. It shows its key in no message and no repr.

    Args:
        base_url: with its ``/v1``; None for OpenAI's own.
        api_key: '' for a server that wants none.
        concurrency: requests at once; others wait.
    """

    def __init__(self, base_url: str | None = None, api_key: str = "", concurrency: int = 4) -> None:
        self.base_url, self.api_key = base_url, api_key
        self.slots = threading.BoundedSemaphore(concurrency)

    def __repr__(self) -> str:
        return f"Connection({self.host!r})"

    @cached_property
    def http_client(self) -> Any:
        """One pool of connections for whoever asks this endpoint."""
        from openai import DefaultHttpxClient  # takes a second to import; only those who have a model pay it

        return DefaultHttpxClient(verify=_certificates())

    @property
    def host(self) -> str:
        """The host and port, without path and without a user's name or password."""
        parts = urlsplit(self.base_url or _OPENAI)
        return f"{parts.hostname}:{parts.port}" if parts.port else f"{parts.hostname}"

    @property
    def is_openai(self) -> bool:
        """Whether it is OpenAI's own; compatible servers know some parameters by older names."""
        return self.base_url is None or self.host.endswith("api.openai.com")

    def scrubbed(self, text: str) -> str:
        """A short text without anything that looks like a key."""
        text = text.replace(self.api_key, "***") if self.api_key else text
        return _SECRET.sub("***", " ".join(text.split()))[:300]


@lru_cache(maxsize=1)
def _certificates() -> Any:
    """The certificates that servers are checked by; reading them takes longer than opening a connection."""
    from httpx2 import create_ssl_context  # what openai's client is made of

    return create_ssl_context()


__all__ = ["Connection"]
