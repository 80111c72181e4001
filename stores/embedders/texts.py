"""What is done to a text before a model sees it, and to the numbers that come back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...state.document_ports import Vectors


def clean(text: str, most: int) -> str:
    """At most ``most`` characters of a text, without what native tokenizers stumble over: NUL, lone surrogates."""
    return text[:most].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def unit(matrix: NDArray[np.floating]) -> Vectors:
    """The rows at length 1, as float32.

    Args:
        matrix: (n, dimension).

    Raises:
        ValueError: a row holds a number that is not finite, or nothing but zeros; the message names the row.
    """
    rows = np.asarray(matrix, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    bad = ~np.isfinite(lengths[:, 0]) | (lengths[:, 0] == 0.0)
    if bad.any():
        raise ValueError(f"vector {int(bad.argmax())} has no direction (not finite, or all zeros)")
    vectors: Vectors = (rows / lengths).astype(np.float32)
    return vectors
