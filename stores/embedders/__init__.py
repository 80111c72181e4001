"""Embedders by name: the packaged ones, and any endpoint. Importing this loads no model and none of their packages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...state.document_ports import Embedder
from ...state.errors import EmbedderUnavailable
from . import minilm, multilingual
from .endpoint import PREFIX, Endpoint, EndpointEmbedder, endpoint_name
from .minilm import MiniLM
from .multilingual import MultilingualE5
from .packages import absent, version_of

__all__ = ["EmbedderInfo", "Endpoint", "EndpointEmbedder", "default_embedder", "embedder_named", "installed"]

_SHORT = {"minilm": minilm.NAME, "multilingual": multilingual.NAME}


@dataclass(frozen=True, slots=True)
class EmbedderInfo:
    """A packaged embedder and whether it can be used here.

    name: as collections record it. short: as settings may say it. package, version: of its model; version is None when
    it is not installed. advice: what to run; "" when it is ready.
    """

    name: str
    short: str
    languages: str
    package: str
    version: str | None
    advice: str

    @property
    def ready(self) -> bool:
        """Whether everything is installed. Its files are checked at first use."""
        return not self.advice


def installed() -> list[EmbedderInfo]:
    """Every packaged embedder, the default first; nothing is loaded."""
    return [
        _info("minilm", "English", minilm.PACKAGE, minilm.VERSION, minilm.HELPERS),
        _info("multilingual", "about a hundred", multilingual.PACKAGE, multilingual.VERSION, ()),
    ]


def default_embedder(cache_dir: Path, threads: int = 2) -> Embedder | None:
    """The packaged default; None when it is not installed, and search is lexical only.

    Args:
        cache_dir: folder for what an embedder computes once.
        threads: most processors at work.
    """
    return MiniLM(cache_dir, threads) if installed()[0].ready else None


def embedder_named(name: str, cache_dir: Path, threads: int = 2, endpoint: Endpoint | None = None) -> Embedder:
    """The embedder whose vectors carry ``name``; "minilm" and "multilingual" mean the newest of that kind.

    Args:
        name: as collections record it, or a short name.
        cache_dir: folder for what an embedder computes once.
        threads: most processors at work.
        endpoint: the endpoint of the settings; None when there is none.

    Raises:
        EmbedderUnavailable: no embedder has that name, its packages are not installed, or the settings name another
            endpoint.
    """
    if name.startswith(PREFIX):
        return _endpoint_named(name, endpoint)
    full = _SHORT.get(name, name)
    info = next((i for i in installed() if i.name == full), None)
    if info is None:
        raise EmbedderUnavailable(
            f"there is no embedder {name!r}; known are {', '.join(_SHORT.values())} and {PREFIX}MODEL. "
            "If an older version made the collection, index it again"
        )
    if not info.ready:
        raise EmbedderUnavailable(f"the embedder {info.name} is not installed; {info.advice}")
    return MiniLM(cache_dir, threads) if full == minilm.NAME else MultilingualE5(threads)


def _endpoint_named(name: str, endpoint: Endpoint | None) -> Embedder:
    if endpoint is None:
        raise EmbedderUnavailable(f"{name} needs the embeddings endpoint; set OPENAI_BASE_URL and IR_EMBEDDING_MODEL")
    if (known := endpoint_name(endpoint)) != name:
        raise EmbedderUnavailable(f"the settings lead to {known}, not to {name}; change them, or index again")
    return EndpointEmbedder(endpoint)


def _info(short: str, languages: str, package: str, wanted: str, helpers: tuple[str, ...]) -> EmbedderInfo:
    version = version_of(package)
    needed = ([] if version == wanted else [f"{package}=={wanted}"]) + absent(helpers)
    advice = f"run: pip install {' '.join(needed)}" if needed else ""
    return EmbedderInfo(_SHORT[short], short, languages, package, version, advice)
