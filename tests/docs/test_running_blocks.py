"""The blocks of README and pages that need no server run, in a folder with a small project and a handbook."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.labelled_answers import labelled_answers
from iterative_retrieval.graph.docsearch_services import default_docsearch_services
from iterative_retrieval.graph.evolution_services import default_evolution_services, open_evolution_services
from iterative_retrieval.graph.services import default_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.serving.cli import main
from iterative_retrieval.state.caching import CachePolicyGenome
from iterative_retrieval.state.evolution_run import QuerySource
from tests.docs.pages import REPOSITORY, blocks
from tests.docs.test_commands import lines
from tests.graph.handbook import write
from tests.openai_server import OpenAIServer
from tests.repositories import write_files
from tests.samples import RATE_LIMITING, TOKEN_EXPIRY

_KEPT = (default_services, default_docsearch_services, default_evolution_services)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the blocks run: ``shop``, the same as ``path/to/project``, and ``docs``."""
    write_files(tmp_path / "shop", TOKEN_EXPIRY)
    write_files(tmp_path / "path" / "to" / "project", TOKEN_EXPIRY)
    write(tmp_path / "docs")
    shutil.copy(REPOSITORY / "docs" / "glossary.md", tmp_path / "docs")
    for name in ("cache", "data"):
        monkeypatch.setenv(f"IR_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv("IR_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    for services in _KEPT:
        services.cache_clear()
    yield tmp_path
    for services in _KEPT:
        services.cache_clear()


def run(page: str, names: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the Python blocks of a page leave behind, run in order in one namespace."""
    space: dict[str, Any] = {"__name__": "page", **(names or {})}
    for block in blocks(page, "python"):
        exec(compile("\n" * block.line + block.code, page, "exec", dont_inherit=True), space)
    return space


def test_the_readme_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    left = run("README.md")
    assert {"src/auth.ts", "src/tokens.ts"} <= {file.path for file in left["result"].files}
    assert "isTokenExpired" in left["prompt"]
    assert left["more"].gap == "Where are refresh tokens stored?"
    assert "retries" in left["answer"].answer


def test_the_first_steps_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for block in blocks("docs/start.md", "sh"):
        for words in lines(block):
            assert main(words[1:]) == 0, capsys.readouterr().err
            printed.append(capsys.readouterr().out)
            if "--json" in words:
                (folder / "result.json").write_text(printed[-1])
    assert len(printed) == 8
    assert "src/auth.ts" in printed[0] and "src/ui/button.ts" in printed[1]
    assert "src/billing/invoice.ts" in printed[4] and "30 seconds" in printed[6]
    left = run("docs/start.md")
    assert "src/billing/invoice.ts" in {file.path for file in left["more"].files if not file.known}
    assert "30 seconds" in left["answer"].answer


def test_the_block_about_watching_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(folder / "api", RATE_LIMITING)
    monkeypatch.chdir(folder / "api")
    left = run("docs/thinking.md")
    assert left["result"].sufficient and "throttle" in left["result"].cycles[0].learned
    assert "cycle_evaluated" in capsys.readouterr().out


def test_the_page_of_documentation_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    left = run("docs/documentation.md")
    assert left["result"].answer.sources and "glossary.md" in capsys.readouterr().out


def test_the_domain_of_the_page_routes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = folder / "domains" / "finance"
    place.mkdir(parents=True)
    names = ("domain.json", "routing.json", "cues.json", "examples.jsonl", "postprocess.json", "cache_policy.json")
    for name, block in zip(names, blocks("docs/domains.md", "json"), strict=True):
        (place / name).write_text(block.code, encoding="utf-8")
    run("docs/domains.md")
    assert capsys.readouterr().out.startswith("account_lookup account_lookup")


def test_the_endpoint_of_the_decision_embeds(folder: Path) -> None:
    [block] = blocks("docs/decisions/0007-embedded-model.md", "python")
    with OpenAIServer() as server:
        space: dict[str, Any] = {}
        exec(block.code.replace("http://127.0.0.1:11434/v1", server.url), space)
        assert space["embedder"].documents(["a page"]).shape[0] == 1


def test_the_guide_for_the_admin_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IR_DOMAIN_FOLDERS", str(folder / "domains"))
    shutil.copytree(REPOSITORY / "evolution" / "domains" / "general", folder / "domains" / "strict")
    strict = CachePolicyGenome(min_sources_count=4)  # refuses good answers
    (folder / "domains" / "strict" / "cache_policy.json").write_text(strict.model_dump_json())
    labelled_answers(folder / "log.jsonl")
    told: list[str] = []
    genome = ""
    for block in blocks("docs/evolving.md", "sh"):
        for words in lines(block):
            assert main([word.replace("$GENOME", genome) for word in words[1:]]) == 0, capsys.readouterr().err
            told.append(capsys.readouterr().out)
            genome = genome or re.findall(r"[Gg]enome (\d+) waits", told[0])[-1]
    ran, listed, shown, approved, rolled_back, exported = told
    assert f"evolve approve {genome}" in shown and genome in listed, ran
    assert "approve" in approved and "rollback" in rolled_back
    rows = [json.loads(line) for line in exported.splitlines()]
    assert len(rows) > 10 and "no wrong one more" in exported and "stale answers were kept" in exported


def test_the_query_of_the_guide_is_one(folder: Path) -> None:
    [block] = blocks("docs/evolving.md", "json")
    (folder / "log.jsonl").write_text(block.code)
    services = open_evolution_services(Settings(data_dir=folder / "data", embedder="none"))
    [query] = services.trials.of("cache_policy", "general", QuerySource(queries="log.jsonl")).queries()
    assert query.text == "How is a retry configured?"
