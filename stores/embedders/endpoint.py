"""Any server that speaks the OpenAI embeddings API: a hosted one, or vLLM, llama.cpp, Ollama or TEI on your machine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlsplit

import numpy as np

from ...retrieval.redaction import redacted
from ...state.document_ports import Vectors
from ...state.errors import EmbedderUnavailable
from .lazy import Lazy
from .packages import imported
from .texts import clean, unit

PREFIX = "endpoint/"
"""What the names of these embedders begin with; the rest is the model's name."""

_CHARACTERS = 100_000  # the server truncates or refuses by its own measure; this only bounds a request
_PROBE = "dimension"
_TOLD = 200  # characters of a server's own words in our message


class Line(Protocol):
    """A connection that several share. slots: held while a request is under way, so that there are not too many."""

    @property
    def http_client(self) -> Any:
        """A pool of connections, as the openai package takes it."""

    @property
    def slots(self) -> AbstractContextManager[Any]:
        """Entered for a request."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask for vectors, and how.

    Args:
        base_url: up to and without ``/embeddings``: ``http://127.0.0.1:11434/v1``.
        model: as the server calls it.
        api_key: None for a server that wants none.
        dimensions: length to ask for, of models that can shorten their vectors; None takes what comes.
        timeout: seconds to wait for an answer.
        retries: further attempts after time-outs, 429 and server errors, with growing pauses.
        batch: texts a request.
        document_prefix: put before each chunk; some models want one ("search_document: ").
        question_prefix: put before each question ("search_query: ").
        line: the connection that it shares with others; one of its own when None.
    """

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    dimensions: int | None = None
    timeout: float = 30.0
    retries: int = 2
    batch: int = 64
    document_prefix: str = ""
    question_prefix: str = ""
    line: Line | None = field(default=None, repr=False, compare=False)


class EndpointEmbedder:
    """Vectors of an endpoint, at unit length. Safe to share between threads.

    What looks like a credential is replaced in every text before it is sent.

    Args:
        endpoint: where to ask.

    Raises:
        EmbedderUnavailable: from its methods; not reachable, too slow, refused, or the answer is not what was asked
            for. No message holds the key.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client = Lazy(partial(_client, endpoint))
        self._dimension = Lazy(self._ask_dimension)

    @property
    def name(self) -> str:
        """The model, and what changes its vectors: the length asked for, the prefixes."""
        return endpoint_name(self._endpoint)

    @property
    def multilingual(self) -> bool:
        """Taken for granted: most served models read several languages."""
        return True

    @property
    def dimension(self) -> int:
        """Length of a vector; the server is asked once when the settings do not say."""
        return self._dimension.get()

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of document chunks."""
        return self._vectors(texts, self._endpoint.document_prefix)

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions."""
        return self._vectors(texts, self._endpoint.question_prefix)

    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        dimension, batch = self.dimension, max(1, self._endpoint.batch)
        prepared = [clean(prefix + redacted(text)[0], _CHARACTERS) for text in texts]
        parts = [self._ask(prepared[start : start + batch]) for start in range(0, len(texts), batch)]
        for part in parts:
            if part.shape[1] != dimension:
                self._dimension = Lazy(self._ask_dimension)  # whichever of the two was wrong, ask anew
                raise EmbedderUnavailable(
                    f"{_who(self._endpoint)} answered vectors of length {part.shape[1]}, not {dimension}; "
                    "correct the dimensions in the settings, or if the server's model was changed, index again"
                )
        return np.concatenate([np.empty((0, dimension), np.float32), *parts])

    def _ask_dimension(self) -> int:
        return self._endpoint.dimensions or self._ask([_PROBE]).shape[1]

    def _ask(self, texts: list[str]) -> Vectors:
        """Vectors of one request (len(texts), any length)."""
        client, who = self._client.get(), _who(self._endpoint)
        # Some servers refuse an empty text.
        with self._endpoint.line.slots if self._endpoint.line else nullcontext():
            answer = _or_unavailable(
                partial(client.embed_documents, [t if t.strip() else " " for t in texts]), self._endpoint
            )
        if len(answer) != len(texts):
            raise EmbedderUnavailable(f"{who} answered {len(answer)} vectors for {len(texts)} texts; {_UPDATE}")
        try:
            return unit(np.array(answer, dtype=np.float64).reshape(len(texts), -1))
        except (TypeError, ValueError) as error:  # ragged, not numbers, or without direction
            raise EmbedderUnavailable(f"{who} answered unusable vectors ({error}); {_UPDATE}") from error


def endpoint_name(endpoint: Endpoint) -> str:
    """The name of an endpoint's embedder: ``endpoint/MODEL``, and ``@LENGTH`` and a digest of prefixes where given."""
    length = f"@{endpoint.dimensions}" if endpoint.dimensions else ""
    prefixes = f"{endpoint.document_prefix}\0{endpoint.question_prefix}"
    digest = f"+{hashlib.sha256(prefixes.encode()).hexdigest()[:8]}" if prefixes != "\0" else ""
    return f"{PREFIX}{endpoint.model}{length}{digest}"


_UPDATE = "is it an embedding model, and the server up to date?"
_ADVICE = {
    400: "the server refused the texts: {}; a model with a longer context or smaller chunks may help",
    401: "the server does not accept the API key; correct it in the settings",
    403: "the API key may not use this model; use another key or model",
    404: "there is no such model or address; check model and base URL (most end with /v1): {}",
    413: "the request is too large; lower the batch",
    422: "the server does not accept the request: {}",
    429: "too many requests, or no quota left; wait, lower the batch, or raise the plan",
}


def _client(endpoint: Endpoint) -> Any:
    address = urlsplit(endpoint.base_url)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise EmbedderUnavailable(
            f"the embeddings base URL must look like http://HOST:PORT/v1, not {endpoint.base_url!r}"
        )
    return imported("langchain_openai", "langchain-openai").OpenAIEmbeddings(
        base_url=endpoint.base_url,
        model=endpoint.model,
        api_key=endpoint.api_key or "none",  # the client insists on one
        dimensions=endpoint.dimensions,
        timeout=endpoint.timeout,
        max_retries=max(0, endpoint.retries),
        chunk_size=max(1, endpoint.batch),
        check_embedding_ctx_length=False,  # else it sends token numbers, which only OpenAI's own models understand
        http_client=endpoint.line.http_client if endpoint.line else None,
        model_kwargs={"encoding_format": "float"},  # not every server knows base64
    )


def _or_unavailable(ask: Callable[[], list[list[float]]], endpoint: Endpoint) -> list[list[float]]:
    """What ``ask`` gives; its errors become ours, without a trace of the original, which may quote the key."""
    openai = imported("openai", "openai")
    try:
        return ask()
    except openai.APITimeoutError:
        problem = (
            f"did not answer within {endpoint.timeout:g} s; is it overloaded? Raise the time-out or lower the batch"
        )
    except openai.APIConnectionError:
        problem = "cannot be reached; is it running, and is the base URL right?"
    except openai.APIStatusError as error:
        problem = _refusal(error.status_code, str(error.message), endpoint)
    except (openai.APIError, AttributeError, KeyError, TypeError, ValueError) as error:
        problem = f"answered something that is no list of embeddings ({type(error).__name__}); check the base URL"
    raise EmbedderUnavailable(f"{_who(endpoint)} {problem}")


def _refusal(status: int, words: str, endpoint: Endpoint) -> str:
    shown = words.replace(endpoint.api_key, "***") if endpoint.api_key else words
    advice = _ADVICE.get(status, "the server failed; try again later" if status >= 500 else "the server refused: {}")
    return f"answered HTTP {status}: {advice.format(shown[:_TOLD])}"


def _who(endpoint: Endpoint) -> str:
    """The endpoint for messages: no user name, password or query."""
    address = urlsplit(endpoint.base_url)
    host = f"[{address.hostname}]" if ":" in (address.hostname or "") else address.hostname
    port = f":{address.port}" if address.port else ""
    return f"the embeddings endpoint {address.scheme}://{host}{port}{address.path} (model {endpoint.model})"
