"""Chroma's files in a folder of this machine, made safe for processes that share it."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import chromadb
from chromadb.api.shared_system_client import SharedSystemClient

from ..state.errors import StoreUnavailable
from .vectors import Spaces, is_trouble, settings

T = TypeVar("T")


class LocalVectors:
    """Chroma's files in a folder.

    Chroma takes no care of processes that share them: so writers keep everybody else out while they write, and a
    reader whose client was opened before somebody wrote opens it again.

    Args:
        folder: Chroma's; created when first needed.
        changes: gives the number of changes by any process since the beginning.
    """

    def __init__(self, folder: Path, changes: Callable[[], int]) -> None:
        self.name = str(folder)
        self._folder = folder
        self._changes = changes
        self._client = _shared_client(folder)

    def ask(self, work: Callable[[Spaces], T]) -> T:
        """What ``work`` reads; asked a second time with a new client when the first one fails."""
        with self._client.lock, self._alone(fcntl.LOCK_SH):
            try:
                return work(self._client.spaces(self._changes()))
            except Exception as error:
                if not is_trouble(error):
                    raise
            self._client.close()
            with self._told_what_to_do():
                return work(self._client.spaces(self._changes()))

    def change(self, work: Callable[[Spaces], object], settle: Callable[[], int]) -> None:
        """Run ``work``, then ``settle``, while nobody else reads or writes."""
        with self._client.lock, self._alone(fcntl.LOCK_EX), self._told_what_to_do():
            work(self._client.spaces(self._changes()))
            self._client.seen = settle()

    def reachable(self, patient: bool = False) -> bool:
        """Files always are."""
        return True

    def close(self) -> None:
        """Close the files; other users of the folder in this process open them again."""
        with self._client.lock:
            self._client.close()

    @contextmanager
    def _alone(self, how: int) -> Iterator[None]:
        """A lock between processes. Readers pass a gate that a waiting writer closes, or it would wait for ever."""
        with ExitStack() as files:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                gate, room = (files.enter_context(open(f"{self._folder}.{k}.lock", "ab")) for k in ("gate", "room"))
            except OSError as error:
                raise StoreUnavailable(
                    f"cannot write beside {self._folder}: {error}; see to its permissions"
                ) from error
            fcntl.flock(gate, how)
            fcntl.flock(room, how)
            if how == fcntl.LOCK_SH:
                fcntl.flock(gate, fcntl.LOCK_UN)
            yield

    @contextmanager
    def _told_what_to_do(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self._client.close()  # whatever state it is in; an interrupt goes on
            if not is_trouble(error):
                raise
            raise StoreUnavailable(
                f"cannot use the vectors in {self._folder}: {error}; make room, or, when it is damaged, delete that "
                "folder: the next indexing fills it again without computing a vector"
            ) from error


class _SharedClient:
    """Chroma's client of one folder; one for all users in this process, since Chroma shares its files among them."""

    def __init__(self, folder: Path) -> None:
        self.lock = threading.RLock()
        self.seen = -1
        self._folder = folder
        self._process = os.getpid()
        self._client: Any = None  # its type lacks close()
        self._spaces: Spaces | None = None

    def spaces(self, changes: int) -> Spaces:
        """The spaces as they are after that many changes."""
        if self._process != os.getpid():  # Chroma's threads do not live on in a fork
            self._client = self._spaces = None
            self._process = os.getpid()
            SharedSystemClient.clear_system_cache()
        if changes != self.seen:
            self.close()
        if self._spaces is None:
            self._client = _open_client(self._folder)
            self._spaces = Spaces(self._client)
            self.seen = changes
        return self._spaces

    def close(self) -> None:
        """Close the files."""
        client, self._client, self._spaces = self._client, None, None
        if client is not None and self._process == os.getpid():
            client.close()


def _open_client(folder: Path) -> Any:
    """Chroma's client of a folder.

    Raises:
        OSError: it cannot be opened, whatever the reason: Chroma's own way of failing is an AttributeError.
    """
    try:
        return chromadb.PersistentClient(folder, settings=settings())
    except Exception as error:
        raise OSError(f"Chroma cannot open its files: {error.__context__ or error}") from error


_clients: dict[str, _SharedClient] = {}
_clients_lock = threading.Lock()


def _shared_client(folder: Path) -> _SharedClient:
    with _clients_lock:
        return _clients.setdefault(os.path.realpath(folder), _SharedClient(folder))
