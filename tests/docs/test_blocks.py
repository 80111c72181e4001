"""Every block of every page is run or checked by a test that is named here."""

from __future__ import annotations

import json
import tomllib
from collections import Counter

import pytest

from tests.docs.pages import PAGES, REPOSITORY, blocks
from tests.docs.proofs import missing

COMMANDS = "tests/docs/test_commands.py::test_every_command_line_can_be_called"
WELL_FORMED = "tests/docs/test_blocks.py::test_data_blocks_are_well_formed"
PICTURE = "tests/docs/test_site.py::test_every_flowchart_is_drawn"
RUNS = "tests/docs/test_running_blocks.py"
HTTP = "tests/serving/http/test_guide.py"
MCP = "tests/serving/mcp/test_guide.py"
TRACE = "tests/docs/test_thinking.py::test_the_traces_of_the_page_are_those_of_the_runs"

CLAIMS: dict[tuple[str, str], list[str]] = {
    ("README.md", "python"): [f"{RUNS}::test_the_readme_runs"] * 3,
    ("README.md", "json"): [f"{MCP}::test_the_command_of_every_entry_starts_a_server_that_answers"],
    ("docs/admin.md", "python"): ["tests/serving/admin/test_guide.py::test_the_example_runs"],
    ("docs/cli.md", "json"): ["tests/serving/test_cli_json.py::test_errors_have_kind_and_message"],
    ("docs/decisions/0007-embedded-model.md", "python"): [f"{RUNS}::test_the_endpoint_of_the_decision_embeds"],
    ("docs/documentation.md", "python"): [f"{RUNS}::test_the_page_of_documentation_runs"],
    ("docs/domains.md", "json"): [
        "tests/evolution/test_domain_files.py::test_the_worked_example_of_the_documentation_is_a_domain"
    ]
    * 6,
    ("docs/domains.md", "python"): [f"{RUNS}::test_the_domain_of_the_page_routes"],
    ("docs/evolving.md", "json"): [f"{RUNS}::test_the_query_of_the_guide_is_one"],
    ("docs/evolving.md", "sh"): [f"{RUNS}::test_the_guide_for_the_admin_runs"] * 4,
    ("docs/langgraph.md", "python"): [
        "tests/serving/test_langgraph_server.py::test_the_page_for_langgraph_runs",
        "tests/serving/test_langgraph_server.py::test_the_page_for_langgraph_runs",
        "tests/serving/test_langgraph_server.py::test_the_page_for_langgraph_runs",
        "tests/serving/test_langgraph_server.py::test_a_cancelled_cycle_goes_on_asks_a_person_and_is_resumed",
    ],
    ("docs/mcp.md", "json"): [f"{MCP}::test_the_command_of_every_entry_starts_a_server_that_answers"] * 5
    + [f"{MCP}::test_entries_over_http_name_the_default_address"],
    ("docs/mcp.md", "toml"): [
        f"{MCP}::test_the_command_of_every_entry_starts_a_server_that_answers",
        f"{MCP}::test_entries_over_http_name_the_default_address",
    ],
    ("docs/serve.md", "python"): [
        f"{HTTP}::test_the_python_examples_work",
        f"{HTTP}::test_the_python_examples_work",
        f"{HTTP}::test_the_python_examples_work",
        f"{HTTP}::test_a_session_of_evolution_works",
        f"{HTTP}::test_the_application_of_the_guide_serves",
    ],
    ("docs/serve.md", "ini"): [f"{HTTP}::test_the_unit_is_well_formed"],
    ("docs/serve.md", "nginx"): [f"{HTTP}::test_the_proxy_lets_streams_through_and_waits_longer_than_the_server"],
    ("docs/start.md", "sh"): [f"{RUNS}::test_the_first_steps_run"] * 6,
    ("docs/start.md", "python"): [f"{RUNS}::test_the_first_steps_run"] * 2,
    ("docs/subagents.md", "python"): ["tests/graph/test_subagents_page.py::test_the_page_for_subagents_runs"] * 6,
    ("docs/thinking.md", "console"): [TRACE] * 2,
    ("docs/tune.md", "python"): ["tests/graph/test_tune.py::test_the_page_runs"],
    ("docs/tune.md", "sh"): ["tests/graph/test_tune.py::test_the_page_runs"],
    ("docs/thinking.md", "python"): [f"{RUNS}::test_the_block_about_watching_runs"],
}
"""(page, language) -> the test of each block, in order. Shell blocks are claimed by COMMANDS, Mermaid by PICTURE."""

EXCEPTIONS: dict[tuple[str, str], str] = {
    ("docs/evolution-with-a-model.md", "text"): "what a real model said; it is run by hand, with `make llm-server`",
    ("docs/llm-mode.md", "text"): "what a real model said; it is run by hand, with `make llm-server`",
}
"""(page, language) -> why no test runs or checks those blocks."""

GENERAL = {"console": COMMANDS, "sh": COMMANDS, "mermaid": PICTURE}


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_claimed(page: str) -> None:
    for language, count in Counter(block.language for block in blocks(page)).items():
        claims = CLAIMS.get((page, language))
        if claims is None:
            assert language in GENERAL or (page, language) in EXCEPTIONS, f"{page}: no test for its {language} blocks"
        else:
            assert len(claims) == count, f"{page}: {count} blocks of {language}, and claims for {len(claims)}"


def test_every_claim_is_of_a_block_and_a_test_that_exist() -> None:
    assert missing([*GENERAL.values(), *(test for tests in CLAIMS.values() for test in tests)]) == []
    assert [key for key in (*CLAIMS, *EXCEPTIONS) if not blocks(*key)] == []


def test_data_blocks_are_well_formed() -> None:
    seen = 0
    for page in PAGES:
        for block in blocks(page):
            if block.language == "toml":
                seen += bool(tomllib.loads(block.code))
            elif block.language == "json":
                seen += bool(_read_json(block.code))
    assert seen >= 16


def test_every_fence_says_what_it_holds() -> None:
    assert [(b.page, b.line) for page in PAGES for b in blocks(page) if not b.language] == []


def test_no_fence_is_left_open() -> None:
    for page in PAGES:
        lines = (REPOSITORY / page).read_text(encoding="utf-8").splitlines()
        assert sum(line.lstrip().startswith("```") for line in lines) == 2 * len(blocks(page)), page


def _read_json(code: str) -> object:
    """One value, or one a line."""
    try:
        return json.loads(code)
    except ValueError:
        return [json.loads(line) for line in code.splitlines()]
