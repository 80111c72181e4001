"""What was asked lately, so that feedback and further searches can name it by an id."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...state.errors import CallerError
from ...state.package import ContextPackage


@dataclass(frozen=True)
class Asked:
    """One call and what it gave back; see ``FeedbackRecord``. package: of a search in code."""

    tool: Literal["retrieve_context", "search_docs"]
    text: str
    collection: str = ""
    domain: str = ""
    query_type: str = ""
    returned: Sequence[str] = ()
    package: ContextPackage | None = None


@dataclass(frozen=True)
class RecentCalls:
    """The latest calls of all clients; ids cannot be guessed.

    Args:
        most: how many are remembered.
    """

    most: int = 200
    _held: OrderedDict[str, Asked] = field(default_factory=OrderedDict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def remember(self, asked: Asked) -> str:
        """The id of a call."""
        name = secrets.token_hex(8)
        with self._lock:
            self._held[name] = asked
            while len(self._held) > self.most:
                self._held.popitem(last=False)
        return name

    def of(self, name: str) -> Asked:
        """A call by its id.

        Raises:
            CallerError: it is not known (any more).
        """
        with self._lock:
            found = self._held.get(name)
        if found is None:
            raise CallerError(
                "request_id: this server does not know it (any more); give the request_id out of a result of this "
                "session, or make the call again"
            )
        return found
