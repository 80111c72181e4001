"""Token counts without a tokenizer: an estimate.

Byte-pair tokenizers cut code into words, pieces of long words, digit groups and punctuation. Counting those pieces
needs no download. On 25 files each of nine repositories in nine languages the estimate was 0.92 to 1.10 times the
cl100k count, 1.02 on average (docs/experiments.md).
"""

from __future__ import annotations

import math
import re

# words in pieces of eight letters, digits and punctuation in pairs, line breaks with their indentation
_PIECES = re.compile(r"[A-Za-z]{1,8}|\d{1,2}|[^\x00-\x7f]|[^\w\s]{1,2}|_{1,2}|\n\s*|[ \t]{2,}")
_SHRINK = 0.94


def count_tokens(text: str) -> int:
    """Estimated tokens of ``text``."""
    return math.ceil(len(_PIECES.findall(text)) * _SHRINK)
