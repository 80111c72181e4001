"""A program that indexes under a limit on file sizes, which stops writers in the middle, as a full disk does."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from iterative_retrieval.state.errors import StoreUnavailable
from tests.stores.collections.killed import AFTER
from tests.stores.collections.shelf import index, opened

if __name__ == "__main__":
    most = int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    try:
        collections = opened(Path(sys.argv[1]))
        index(collections, AFTER)
    except StoreUnavailable as error:
        sys.exit(str(error))
