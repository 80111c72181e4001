from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serving.mcp.place import Place, make_place
from tests.serving.mcp.sessions import NEWER, OLDER, Session, http_server, session, stdio


@pytest.fixture(scope="package")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A repository, a collection, and what lies outside."""
    return make_place(tmp_path_factory.mktemp("place"))


@pytest.fixture(scope="package")
def url(place: Place) -> Iterator[str]:
    """A server over HTTP that may search what lies in "open"."""
    with http_server(place, "--allow-root", str(place.shop.parent)) as address:
        yield address


@pytest.fixture(scope="package", params=[f"stdio {OLDER}", f"stdio {NEWER}", f"http {OLDER}", f"http {NEWER}"])
def agent(request: pytest.FixtureRequest, place: Place, url: str) -> Iterator[Session]:
    """A coding agent that offers the shop as its root, over each transport and revision."""
    transport, mode = request.param.split()
    with session(url if transport == "http" else stdio(place), mode, [place.shop]) as connected:
        yield connected
