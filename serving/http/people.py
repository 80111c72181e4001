"""Who asks: a person of the panel's file, told by HTTP Basic."""

from __future__ import annotations

import base64
import binascii
import math
import time
from dataclasses import dataclass, field

import anyio
import anyio.to_thread
from starlette.requests import Request

from ..admin.passwords import hashed, matches
from ..admin.people import PeopleFile, Person, plain
from ..admin.throttle import Throttle
from .refusals import Refused

_NOBODY = hashed("nobody", bytes(16))
"""Compared with when a name is unknown, so that it takes as long as a known one."""
_AT_ONCE = 2  # each comparison takes 32 MiB


@dataclass
class Identities:
    """Tells people apart.

    Args:
        people: the file; None when the deployment names nobody.
    """

    people: PeopleFile | None
    _throttle: Throttle = field(default_factory=lambda: Throttle(time.monotonic))
    _hashing: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(_AT_ONCE))

    async def of(self, request: Request) -> Person | None:
        """Whoever sends name and password; None when neither is sent.

        Raises:
            Refused: they are wrong, or were tried too often.
        """
        given = _credentials(request.headers.get("authorization", ""))
        if given is None or self.people is None:
            return None
        name, password = plain(given[0][:200]), given[1][:1000]
        address = request.client.host if request.client else ""
        wait = self._throttle.attempt(name, address)
        if wait:
            message = "too many wrong passwords; wait, then try again"
            raise Refused(429, "TooManyAttempts", message, {"Retry-After": str(math.ceil(wait))})
        person = self.people.find(name)
        stored = person.password if person else _NOBODY
        right = await anyio.to_thread.run_sync(matches, password, stored, limiter=self._hashing)
        if person is None or not right:
            raise unknown_person("name or password is wrong")
        self._throttle.clear(name, address)
        return person


def unknown_person(why: str) -> Refused:
    """A refusal that asks for name and password."""
    message = f"{why}; send name and password of a person of IR_ADMIN_USERS by HTTP Basic (curl -u NAME)"
    return Refused(401, "PersonNeeded", message, {"WWW-Authenticate": 'Basic realm="iterative-retrieval"'})


def _credentials(header: str) -> tuple[str, str] | None:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        text = base64.b64decode(encoded.strip(), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        raise unknown_person("the header Authorization cannot be read") from None
    name, _, password = text.partition(":")
    return name, password
