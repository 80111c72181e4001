"""``python -m iterative_retrieval`` and the console script."""

from __future__ import annotations

import sys


def main() -> int:
    """The exit code of one run of the command line."""
    try:
        from .serving.cli import main as run  # here, so that an early Ctrl-C ends quietly too
    except KeyboardInterrupt:
        return 130
    return run()


if __name__ == "__main__":
    sys.exit(main())
