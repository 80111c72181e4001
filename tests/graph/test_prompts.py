"""Prompts are files: versioned, declared, and snapshot-tested.

A changed text needs a new name (``compose.v2.md``). After that, add its hash to prompt_versions.json.
"""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from pathlib import Path
from typing import get_type_hints

import pytest

from iterative_retrieval.evolution.patches import MOST_OPERATIONS
from iterative_retrieval.graph import prompts
from iterative_retrieval.graph.prompts import declared, read_prompt
from iterative_retrieval.state.docsearch import DocsearchState
from iterative_retrieval.state.evolution_run import EvolutionState
from iterative_retrieval.state.retrieval import RetrievalState

VERSIONS: dict[str, str] = json.loads(Path(__file__).with_name("prompt_versions.json").read_text())
STATES = {"docsearch": DocsearchState, "evolution": EvolutionState, "retrieval": RetrievalState}


def texts() -> dict[str, str]:
    folder = files(prompts)
    return {
        entry.name.removesuffix(".md"): entry.read_text(encoding="utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(".md")
    }


def test_a_text_that_changed_has_a_new_name() -> None:
    now = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts().items()}
    changed = sorted(name for name in now if VERSIONS.get(name, now[name]) != now[name])
    assert not changed, f"{changed} changed under their old names; give the new texts new names"
    assert now == VERSIONS, "prompt_versions.json lists other prompts than there are"


def test_names_end_in_their_version() -> None:
    assert all(name.rpartition(".v")[2].isdigit() for name in texts())


def test_every_prompt_declares_the_state_keys_it_needs() -> None:
    assert set(declared()) == set(texts())
    for name, declaration in declared().items():
        assert declaration.needs, name
        assert set(declaration.needs) <= set(get_type_hints(STATES[declaration.graph])), name


def test_every_prompt_says_that_what_it_shows_is_data() -> None:
    about = {name: text.lower() for name, text in texts().items()}
    silent = [name for name, text in about.items() if "data" not in text]
    assert silent == []


def test_places_are_filled_and_must_be_those_declared() -> None:
    rules = prompts.mutate_rules()
    assert f"at most {MOST_OPERATIONS} operations" in rules.replace("\n", " ")
    assert not any(f"{{{place}}}" in rules for place in declared()["mutate.v1"].fills)
    with pytest.raises(ValueError, match="places differ"):
        read_prompt("mutate.v1", most_operations="5")
    with pytest.raises(ValueError, match="places differ"):
        read_prompt("judge.v1", surprise="x")


def test_an_undeclared_or_missing_prompt_is_refused() -> None:
    with pytest.raises(FileNotFoundError):
        read_prompt("nobody.v1")


def test_a_prompt_that_needs_a_key_the_state_lost_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = {"judge.v1": prompts.Declaration(graph="evolution", needs=["layer", "gone"])}
    monkeypatch.setattr(prompts, "declared", lambda: lost)
    with pytest.raises(ValueError, match="the state of evolution has no gone"):
        read_prompt("judge.v1")
    with pytest.raises(ValueError, match=r"declared\.json does not say"):
        read_prompt("classify.v1")
