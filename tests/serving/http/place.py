"""What a server serves in the tests: a shop and a bare copy below the allowed folder, secrets outside, a handbook."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from benchmarks.labelled_answers import labelled_answers
from iterative_retrieval.graph.ask import index_documents
from iterative_retrieval.graph.docsearch_services import open_docsearch_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.serving.http.app import create_app
from iterative_retrieval.serving.http.settings import ServeSettings
from tests.graph.handbook import write
from tests.repositories import GitRepo
from tests.serving.conftest import FILES

QUERY = {"task": "Fix the authentication token expiry bug", "root": "shop"}
QUESTION = {"question": "How long is a time-out?", "collection": "handbook", "fresh": True, "log": False}


@dataclass(frozen=True)
class Place:
    """A folder with everything. allowed: what clients may search."""

    folder: Path

    @property
    def allowed(self) -> Path:
        return self.folder / "allowed"

    @property
    def outside(self) -> Path:
        return self.folder / "outside"

    def settings(self, **changes: Any) -> Settings:
        """The package's settings: everything in this folder, words only."""
        own = {
            "data_dir": self.folder / "data",
            "cache_dir": self.folder / "cache",
            "domain_folders": [self.folder / "domains"],
            "embedder": "none",
        }
        return Settings.model_validate(own | changes)

    def app(self, package: dict[str, Any] | None = None, **serve: Any) -> FastAPI:
        """The application over this place."""
        given: Any = {"allow_roots": [self.allowed]} | serve
        return create_app(ServeSettings(**given), package_settings=self.settings(**(package or {})))


def make_place(folder: Path) -> Place:
    """The place, made on the spot."""
    place = Place(folder)
    shop = GitRepo(place.allowed / "shop")
    shop.path.mkdir(parents=True)
    shop.git("init", "--quiet")
    shop.git("config", "user.name", "Ada")
    shop.git("config", "user.email", "ada@example.org")
    shop.commit(dict(FILES))
    shop.git("clone", "--quiet", "--bare", str(shop.path), str(place.allowed / "shop.git"))
    secrets = place.outside / "private"
    secrets.mkdir(parents=True)
    (secrets / "token.py").write_text("def expire_authentication_token() -> None:\n    '''Expires the token.'''\n")
    os.symlink(secrets, place.allowed / "link")
    labelled_answers(place.allowed / "log.jsonl")
    labelled_answers(place.outside / "log.jsonl")
    services = open_docsearch_services(place.settings())
    index_documents("handbook", [str(write(folder / "docs"))], services=services)
    _strict_domain(folder / "domains" / "strict")
    return place


def _strict_domain(folder: Path) -> None:
    """A domain whose cache refuses most right answers, so that nearly any step of evolution is better."""
    folder.mkdir(parents=True)
    (folder / "domain.json").write_text(json.dumps({"title": "Strict", "description": "Admits next to nothing."}))
    (folder / "cache_policy.json").write_text(json.dumps({"min_sources_count": 4}))
