"""``python -m tests.llm``: prepare a packaged model, and serve it unless only that is wanted."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tests.llm.packaged_models import MODELS, SMOLLM
from tests.llm.running import prepare, running

HERE = Path(__file__).parents[2] / ".llm"
"""Where everything is kept unless LLM_DIR names another folder."""


def folder() -> Path:
    """Where models and their environment are kept."""
    return Path(os.environ.get("LLM_DIR") or HERE).expanduser().resolve()


def main() -> None:
    """Read the arguments and do it."""
    parser = argparse.ArgumentParser(prog="python -m tests.llm", description=__doc__)
    parser.add_argument("--model", choices=sorted(MODELS), default=SMOLLM.name)
    parser.add_argument("--prepare", action="store_true", help="fetch and build only")
    parser.add_argument("--port", type=int, default=8399)
    parser.add_argument("--context", type=int, default=8192, help="tokens of prompt and reply")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--log", type=Path, help="keep every call in this file, one JSON object a line")
    chosen = parser.parse_args()
    model, wheel = MODELS[chosen.model], os.environ.get("LLAMA_WHEEL")
    prepare(model, folder(), Path(wheel).expanduser() if wheel else None)
    if not chosen.prepare:
        with running(model, folder(), chosen.port, chosen.context, chosen.threads, chosen.log) as server:
            print(f"IR_MODEL={server.name} OPENAI_BASE_URL={server.url}   (Ctrl-C ends it)", flush=True)
            _wait()


def _wait() -> None:
    import signal

    try:
        signal.pause()
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
