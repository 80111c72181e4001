"""How often somebody may try to log in."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator

WINDOW = 900.0
"""Seconds over which attempts are counted."""

_MOST_PAIR, _MOST_ADDRESS, _MOST_NAME = 5, 30, 60  # a name alone has the highest: nobody should lock others out
_MOST_KEYS = 20_000


class Throttle:
    """Counts attempts by name, by address, and by both; a success takes its own attempt back.

    Args:
        clock: seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._attempts: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()

    def attempt(self, name: str, address: str) -> float:
        """Seconds to wait before an attempt is possible; 0 when it is, and then it counts as failed until ``clear``.

        Counted before the password is checked, so that many attempts at the same time do not slip through.
        """
        now = self._clock()
        with self._lock:
            limits = list(_limits(name, address))
            wait = max(self._wait(key, most, now) for key, most in limits)
            if wait <= 0:
                for key, _ in limits:
                    self._attempts.setdefault(key, deque()).append(now)
                    self._attempts.move_to_end(key)
                while len(self._attempts) > _MOST_KEYS:
                    self._attempts.popitem(last=False)
        return max(wait, 0.0)

    def clear(self, name: str, address: str) -> None:
        """The last attempt was right: it does not count, and neither do this name's others from this address."""
        with self._lock:
            pair, *others = [key for key, _ in _limits(name, address)]
            self._attempts.pop(pair, None)
            for key in others:
                if self._attempts.get(key):
                    self._attempts[key].pop()

    def _wait(self, key: tuple[str, str], most: int, now: float) -> float:
        times = self._attempts.get(key, deque())
        while times and times[0] <= now - WINDOW:
            times.popleft()
        return times[0] + WINDOW - now if len(times) >= most else 0.0


def _limits(name: str, address: str) -> Iterator[tuple[tuple[str, str], int]]:
    yield (name, address), _MOST_PAIR
    yield ("", address), _MOST_ADDRESS
    yield (name, ""), _MOST_NAME
