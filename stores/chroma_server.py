"""A Chroma server: asked again when it does not answer, and left alone for a while when it still does not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

import chromadb
import httpx

from ..state.errors import StoreUnavailable
from .vectors import Spaces, is_trouble, settings

T = TypeVar("T")

_PAUSES = (0.1, 0.4)  # seconds between three tries
_REST = 15.0  # seconds during which an unreachable server is not asked again by readers
_TIMEOUT = 30.0  # seconds for one request


class VectorsUnreachable(StoreUnavailable):
    """The server does not answer."""


class ServerVectors:
    """A Chroma server.

    Args:
        url: such as http://127.0.0.1:8000.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise StoreUnavailable(f"{url!r} is no address of a Chroma server; write http://host:8000")
        self.name = f"{parts.scheme}://{parts.hostname}:{parts.port or 8000}"
        self._where = parts.hostname, parts.port or 8000, parts.scheme == "https"
        self._spaces: Spaces | None = None
        self._rests_until = 0.0
        self._lock = threading.Lock()

    def ask(self, work: Callable[[Spaces], T]) -> T:
        """What ``work`` reads; tried three times."""
        return self._tried(work)

    def change(self, work: Callable[[Spaces], object], settle: Callable[[], int]) -> None:
        """Run ``work``, tried three times, then ``settle``."""
        self._tried(work)
        settle()

    def reachable(self, patient: bool = False) -> bool:
        """Whether the server answers."""
        if patient:
            self._rests_until = 0.0
        try:
            self._tried(lambda _: self._heartbeat())
        except VectorsUnreachable:
            return False
        return True

    def close(self) -> None:
        """Close the connections."""
        self._forget()

    def _tried(self, work: Callable[[Spaces], T]) -> T:
        last: BaseException | None = None
        for pause in (*_PAUSES, None):
            if time.monotonic() < self._rests_until:
                break
            try:
                return work(self._opened())
            except Exception as error:
                if not is_trouble(error):
                    raise
                last = error
                self._forget()
            if pause is not None:
                time.sleep(pause)
        else:
            self._rests_until = time.monotonic() + _REST
        raise VectorsUnreachable(
            f"the Chroma server {self.name} does not answer ({last or 'nor did it a moment ago'}); start it"
        ) from last

    def _opened(self) -> Spaces:
        with self._lock:
            if self._spaces is None:
                self._heartbeat()  # Chroma's client itself would wait for ever
                host, port, ssl = self._where
                client = chromadb.HttpClient(host, port, ssl, settings=settings())
                session = getattr(getattr(client, "_server", None), "_session", None)
                if isinstance(session, httpx.Client):
                    session.timeout = httpx.Timeout(_TIMEOUT)
                self._spaces = Spaces(client)
            return self._spaces

    def _heartbeat(self) -> None:
        httpx.get(f"{self.name}/api/v2/heartbeat", timeout=_TIMEOUT / 6).raise_for_status()

    def _forget(self) -> None:
        with self._lock:
            self._spaces = None
