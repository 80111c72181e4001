"""The tutorial for subagents runs as it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from iterative_retrieval.graph.services import default_services
from tests.blocks import run_blocks
from tests.repositories import write_files
from tests.samples import TOKEN_EXPIRY


def test_the_page_for_subagents_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(tmp_path / "shop", TOKEN_EXPIRY)
    monkeypatch.chdir(tmp_path / "shop")
    monkeypatch.setenv("IR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("IR_DATA_DIR", str(tmp_path / "data"))
    default_services.cache_clear()
    try:
        left = run_blocks("subagents.md", {})
    finally:
        default_services.cache_clear()
    assert {f.path for f in left["second"].files if not f.known} == {"src/billing/invoice.ts"}
    assert {f.path for f in left["state"]["context"].files if not f.known} == {"src/billing/invoice.ts"}
    assert [p.files[0].path for p in left["packages"]] == ["src/tokens.ts", "src/billing/invoice.ts"]
    assert "class Authenticator" in left["prompt"]
    assert "src/billing/invoice.ts new" in capsys.readouterr().out
