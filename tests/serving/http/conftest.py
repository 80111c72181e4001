from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serving.http.place import Place, make_place
from tests.serving.http.server import serving


@pytest.fixture(scope="package")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Folders, a repository, a collection, a domain."""
    return make_place(tmp_path_factory.mktemp("place"))


@pytest.fixture(scope="package")
def url(place: Place) -> Iterator[str]:
    """A server without key and without people."""
    with serving(place.app()) as address:
        yield address
