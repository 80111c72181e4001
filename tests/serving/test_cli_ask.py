"""The commands for documentation, each run as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.graph.handbook import write

Ask = Callable[..., "subprocess.CompletedProcess[str]"]
RETRIES = "How often is a failed request sent again?"


@pytest.fixture
def command(tmp_path: Path, environment: dict[str, str]) -> Ask:
    """Runs the command line in a folder that holds the handbook; words only, so that nothing is converted."""
    write(tmp_path / "docs")
    own = {"IR_DATA_DIR": str(tmp_path / "data"), "IR_EMBEDDER": "none"}

    def run(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "iterative_retrieval", *args],
            cwd=tmp_path,
            env=environment | own | env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


@pytest.fixture
def indexed(command: Ask) -> Ask:
    """The same, with the collection ``handbook``."""
    done = command("index", "handbook", "docs")
    assert done.returncode == 0, done.stderr
    return command


def test_indexing_says_what_it_did(command: Ask) -> None:
    first, again = command("index", "handbook", "docs"), command("index", "handbook", "docs")
    assert "3 added" in first.stdout and "words only" in first.stdout
    assert "3 unchanged" in again.stdout


def test_an_answer_is_readable_and_names_its_sources(indexed: Ask) -> None:
    done = indexed("ask", RETRIES, "-c", "handbook")
    assert done.returncode == 0, done.stderr
    assert "[1] http.md" in done.stdout
    assert "Cycle 1:" in done.stdout
    assert "cached: yes (admitted)" in done.stdout


def test_json_is_one_object_with_the_documented_keys(indexed: Ask) -> None:
    told = json.loads(indexed("ask", RETRIES, "--json").stdout)
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
    assert {key for key in (*told, *told["sources"][0]) if f"`{key}`" not in page} == set()
    assert told["lookup"]["hit"] is False
    assert json.loads(indexed("ask", RETRIES, "--json").stdout)["lookup"]["reason"] == "exact"


def test_markdown_is_the_answer_alone(indexed: Ask) -> None:
    done = indexed("ask", RETRIES, "--markdown")
    assert done.stdout.startswith(f"# {RETRIES}")
    assert "## Sources" in done.stdout


def test_no_answer_gives_exit_code_1(indexed: Ask) -> None:
    done = indexed("ask", "Which invoices are overdue in Portugal?")
    assert done.returncode == 1
    assert "No answer was found" in done.stdout


def test_the_only_collection_need_not_be_named(indexed: Ask) -> None:
    assert indexed("ask", RETRIES, "-q").returncode == 0
    indexed("index", "other", "docs")
    done = indexed("ask", RETRIES)
    assert done.returncode == 2 and "handbook, other" in done.stderr


def test_a_skipped_document_is_named_and_the_exit_code_tells(command: Ask, tmp_path: Path) -> None:
    (tmp_path / "docs" / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    done = command("index", "handbook", "docs")
    assert done.returncode == 4
    assert "skipped broken.pdf" in done.stdout
    assert "3 added" in done.stdout


def test_errors_say_what_to_do(command: Ask) -> None:
    for args, words in (
        (("ask", RETRIES), "make one: iterative-retrieval index NAME PATH"),
        (("ask", RETRIES, "-c", "nowhere"), "nowhere"),
        (("index", "handbook", "nothing-here"), "nothing-here"),
        (("index", "hand book", "docs"), "name"),
        (("index", "handbook"), "brings none of its own"),
        (("index", "handbook", "docs", "--domain", "poetry"), "bsl"),
    ):
        done = command(*args)
        assert done.returncode == 2, (args, done.stdout, done.stderr)
        assert words in done.stderr
        assert "Traceback" not in done.stderr


def test_the_cache_can_be_looked_into_and_emptied(indexed: Ask) -> None:
    indexed("ask", RETRIES)
    assert indexed("cache", "explain", RETRIES).returncode == 0
    assert json.loads(indexed("cache", "stats", "--json").stdout)["entries"] == 1
    assert "1 cached answers deleted" in indexed("cache", "purge").stdout
    assert indexed("cache", "explain", RETRIES).returncode == 1


def test_the_log_can_be_shown_and_erased(indexed: Ask) -> None:
    indexed("ask", RETRIES)
    assert RETRIES in indexed("log", "show").stdout
    assert "0 logged questions erased" in indexed("log", "erase", "--collection", "other").stdout
    assert "1 logged questions erased" in indexed("log", "erase").stdout


def test_indexing_again_keeps_the_domain(command: Ask) -> None:
    command("index", "handbook", "docs", "--domain", "python")
    assert "(domain python)" in command("index", "handbook", "docs").stdout


def test_a_collection_can_be_listed_and_removed(indexed: Ask) -> None:
    assert "handbook: 3 documents" in indexed("collections").stdout
    assert indexed("index", "handbook", "--remove").returncode == 0
    assert "No collection yet" in indexed("collections").stdout
