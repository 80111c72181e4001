"""The answer's text out of the JSON that a model streams, as it grows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

_FIELD = re.compile(r'\{\s*"answer"\s*:\s*"')


class AnswerStream:
    """Takes pieces of a JSON reply and hands on what the string ``answer`` gains; anything else stays silent."""

    def __init__(self, on_token: Callable[[str], None]) -> None:
        self._on_token = on_token
        self._json = ""
        self._at = -1  # where the string goes on; -1 before it begins, -2 behind it

    def __call__(self, piece: str) -> None:
        """The next piece of the reply."""
        self._json += piece
        if self._at == -1 and (found := _FIELD.search(self._json)):
            self._at = found.end()
        if self._at < 0:
            return
        end = self._complete()
        if end > self._at:
            text = json.loads(f'"{self._json[self._at : end]}"', strict=False)
            self._at = end
            self._on_token(text)
        if self._json[end : end + 1] == '"':
            self._at = -2

    def _complete(self) -> int:
        """The end of what can be decoded: before the closing quote, or before an escape that is not all there."""
        at = self._at
        while at < len(self._json) and self._json[at] != '"':
            width = _escape_width(self._json, at)
            if at + width > len(self._json):
                break
            at += width
        return at


def _escape_width(text: str, at: int) -> int:
    """Characters of the one or escaped character at ``at``; a surrogate pair is one character."""
    if text[at] != "\\":
        return 1
    if text[at + 1 : at + 2] != "u":
        return 2
    high = text[at + 2 : at + 4].lower()
    return 12 if len(high) < 2 or high in ("d8", "d9", "da", "db") else 6
