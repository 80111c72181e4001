"""The real model, once for all tests of this folder. They run by `make test-llm` only, which prepares it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.llm.__main__ import folder
from tests.llm.packaged_models import MODELS, SMOLLM
from tests.llm.running import RunningModel, running


@pytest.fixture(scope="session")
def real_model() -> Iterator[RunningModel]:
    """The model that LLM_MODEL names, SmolLM2 unless it is set, behind an OpenAI-compatible endpoint."""
    chosen = MODELS[os.environ.get("LLM_MODEL") or SMOLLM.name]
    with running(chosen, folder()) as server:
        yield server


@pytest.fixture(scope="session")
def small_window() -> Iterator[RunningModel]:
    """The same model with a context window of 512 tokens."""
    chosen = MODELS[os.environ.get("LLM_MODEL") or SMOLLM.name]
    with running(chosen, folder(), context=512) as server:
        yield server
