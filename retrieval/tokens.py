"""Token counts without a tokenizer: an estimate.

Byte-pair tokenizers cut code into words, pieces of long words, digit groups and punctuation. Counting those pieces
needs no download. On 25 files each of nine repositories in nine languages the estimate was 0.92 to 1.10 times the
cl100k count, 1.03 on average (docs/experiments.md).
"""

from __future__ import annotations

import math
import re

_PIECES = re.compile(r"[A-Za-z]+|\d{1,3}|[^\x00-\x7f]|[^\w\s]+|_+|\n\s*|[ \t]{2,}")

_SHRINK = 0.94


def count_tokens(text: str) -> int:
    """Estimated tokens of ``text``."""
    total = 0
    for match in _PIECES.finditer(text):
        piece = match.group(0)
        first = piece[0]
        if first.isalpha() and piece.isascii():
            total += 1 + (len(piece) - 1) // 8
        elif first in "\n \t":
            total += 1
        else:
            total += (len(piece) + 1) // 2
    return math.ceil(total * _SHRINK)
