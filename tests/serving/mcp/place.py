"""What the MCP servers of the tests serve: a shop under git, a link out of it, a secret outside, a handbook."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from iterative_retrieval.graph.ask import index_documents
from iterative_retrieval.graph.docsearch_services import open_docsearch_services
from iterative_retrieval.graph.settings import Settings
from tests.graph.handbook import write
from tests.repositories import GitRepo
from tests.serving.conftest import FILES


@dataclass(frozen=True)
class Place:
    """A folder with everything."""

    folder: Path

    @property
    def shop(self) -> Path:
        """The repository that is searched."""
        return self.folder / "open" / "shop"

    @property
    def outside(self) -> Path:
        """A folder that nobody may search."""
        return self.folder / "outside"

    @property
    def settings(self) -> Settings:
        """Words only, everything in this folder."""
        return Settings(data_dir=self.folder / "data", cache_dir=self.folder / "cache", embedder="none")

    @property
    def environment(self) -> dict[str, str]:
        """The same for a process of its own."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("IR_", "OPENAI_"))}
        own = {"IR_DATA_DIR": "data", "IR_CACHE_DIR": "cache", "XDG_CONFIG_HOME": "config"}
        return kept | {name: str(self.folder / value) for name, value in own.items()} | {"IR_EMBEDDER": "none"}


def make_place(folder: Path) -> Place:
    """The place, made on the spot."""
    place = Place(folder)
    shop = GitRepo(place.shop)
    shop.path.mkdir(parents=True)
    shop.git("init", "--quiet")
    shop.git("config", "user.name", "Ada")
    shop.git("config", "user.email", "ada@example.org")
    shop.commit(dict(FILES))
    place.outside.mkdir()
    (place.outside / "secret.py").write_text("def authenticate_token_expiry() -> str:\n    return 'hidden'\n")
    os.symlink(place.outside, place.shop.parent / "link")
    services = open_docsearch_services(place.settings)
    index_documents("handbook", [str(write(folder / "docs"))], services=services)
    return place
