"""Writes docs/conformance.md: which door does what, and the test that proves it. ``python docs/make_conformance.py``.

A test fails while page and table differ, and when a test that is named here does not exist.
"""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parent / "conformance.md"

FEATURES = {
    "invoke": "one request, one result",
    "stream": "the steps or the parts of the answer as they come",
    "progress": "the events of the loop: routed, dispatched, evaluated, learned, decided",
    "interrupt": "a run waits for a person, or for somebody's answer",
    "resume": "it goes on with the answer, also after a restart",
    "continue": "a search goes on from an earlier result with what it lacks",
    "cancel": "who gives up ends the work; nothing is lost, the next request is served",
    "errors": "bad input and a broken world are told in words that help",
}

RETRIEVAL_ASKS_NOBODY = "no person is asked in a retrieval or a documentation question; evolution is not offered here"

DOORS: dict[str, dict[str, str]] = {
    "Python": {
        "invoke": "tests/graph/test_worked_examples.py::test_token_expiry_finds_auth_and_tokens_in_the_first_cycle",
        "stream": "-a function gives one result; `progress=` tells what happens meanwhile",
        "progress": "tests/graph/test_retrieval_graph.py::test_progress_arrives_in_order",
        "interrupt": "tests/graph/test_evolution.py::test_a_better_genome_waits_for_a_person",
        "resume": "tests/graph/test_evolution.py::test_approval_makes_it_active_and_ends_the_cycle",
        "continue": "tests/graph/test_continuing.py::test_a_gap_brings_the_file_that_was_missing",
        "cancel": "tests/graph/test_cancelling.py::test_a_cancelled_aretrieve_ends_at_once",
        "errors": "tests/graph/test_api.py::test_a_missing_root_is_named",
    },
    "Command line": {
        "invoke": "tests/serving/test_cli_process.py::test_json_prints_one_object_and_nothing_else",
        "stream": "tests/serving/test_cli_process.py::test_a_task_in_a_pipe_gives_cycles_and_report_in_plain_text",
        "progress": "tests/serving/test_cli_views.py::test_the_live_view_shows_cycles_and_takes_its_bar_away",
        "interrupt": "tests/serving/test_cli_evolve.py::test_a_person_sees_what_waits_and_who_asked",
        "resume": "tests/serving/test_cli_evolve.py::test_a_run_first_finishes_what_a_crash_left",
        "continue": "tests/serving/test_cli_previous.py::test_a_search_goes_on_from_a_file",
        "cancel": "tests/serving/test_cli_process.py::test_interrupting_ends_with_130_and_no_traceback",
        "errors": "tests/serving/test_cli_process.py::test_bad_input_ends_with_2_and_a_message",
    },
    "Graph": {
        "invoke": "tests/graph/test_retrieval_graph.py::test_the_output_is_the_package_alone",
        "stream": "tests/graph/test_streaming.py::test_a_retrieval_streams_each_step_and_its_progress",
        "progress": "tests/graph/test_streaming.py::test_a_question_streams_each_step_and_its_progress",
        "interrupt": "tests/graph/test_evolution.py::test_a_refused_answer_asks_again",
        "resume": "tests/graph/test_evolution.py::test_an_answer_to_the_interrupt_is_a_decision",
        "continue": "tests/graph/test_continuing.py::test_the_graph_takes_an_earlier_package_as_input",
        "cancel": "tests/graph/test_cancelling.py::test_a_stream_that_nobody_reads_to_its_end_ends",
        "errors": "tests/graph/test_evolution.py::test_new_input_on_a_waiting_thread_is_refused",
    },
    "Node of a parent": {
        "invoke": "tests/graph/test_embedding.py::test_a_node_reads_and_writes_the_keys_it_is_told",
        "stream": "tests/graph/test_embedding.py::test_a_stream_with_subgraphs_shows_the_loop_and_its_progress",
        "progress": "tests/graph/test_embedding.py::test_a_stream_with_subgraphs_shows_the_loop_and_its_progress",
        "interrupt": "tests/graph/test_embedding.py::test_several_interrupts_wait_and_are_answered_by_their_ids",
        "resume": "tests/graph/test_embedding.py::test_questions_wait_in_a_file_until_another_process_answers",
        "continue": "tests/graph/test_embedding.py::test_a_node_goes_on_from_the_parents_package",
        "cancel": "tests/graph/test_cancelling.py::test_a_parent_that_was_cancelled_in_the_retrieval_goes_on_with_it",
        "errors": "tests/graph/test_embedding.py::test_errors_reach_the_parent_as_they_are",
    },
    "Tool of an agent": {
        "invoke": "tests/graph/test_tools.py::test_content_is_for_the_model_and_the_artifact_for_the_program",
        "stream": "tests/graph/test_tools.py::test_the_agents_stream_shows_the_loop_inside_the_tool",
        "progress": "tests/graph/test_tools.py::test_the_agents_stream_shows_the_loop_inside_the_tool",
        "interrupt": f"-{RETRIEVAL_ASKS_NOBODY}",
        "resume": "tests/graph/test_tools.py::test_an_agent_goes_on_in_another_process_from_its_checkpoint",
        "continue": "tests/graph/test_tools.py::test_an_agent_asks_again_for_what_it_lacks",
        "cancel": "tests/graph/test_cancelling.py::test_a_tool_call_can_be_cancelled",
        "errors": "tests/graph/test_tools.py::test_what_a_model_can_mend_is_told_to_it",
    },
    "LangServe": {
        "invoke": "tests/serving/http/test_langserve.py::test_invoke_answers",
        "stream": "tests/serving/http/test_langserve.py::test_events_hold_every_step_and_the_progress",
        "progress": "tests/serving/http/test_langserve.py::test_a_stream_tells_progress_and_then_the_answer",
        "interrupt": "tests/serving/http/test_session.py::test_an_interrupted_cycle_asks_with_all_that_a_person_needs",
        "resume": "tests/serving/http/test_session.py::test_a_reviewer_approves_once_and_the_cycle_ends",
        "continue": "tests/serving/http/test_langserve.py::test_a_search_goes_on_from_an_earlier_answer",
        "cancel": "tests/serving/http/test_limits.py::test_a_client_that_leaves_makes_room",
        "errors": "tests/serving/http/test_errors.py::test_every_error_has_its_status",
    },
    "MCP": {
        "invoke": "tests/serving/mcp/test_tools.py::test_a_task_brings_files_with_reasons_and_their_code",
        "stream": "-a tool call has one result by the protocol; progress notifications tell what happens meanwhile",
        "progress": "tests/serving/mcp/test_tools.py::test_progress_tells_the_cycles_as_they_happen",
        "interrupt": f"-{RETRIEVAL_ASKS_NOBODY}",
        "resume": f"-{RETRIEVAL_ASKS_NOBODY}",
        "continue": "tests/serving/mcp/test_tools.py::test_a_search_goes_on_from_an_earlier_result",
        "cancel": "tests/serving/mcp/test_processes.py::test_a_call_that_is_given_up_ends_and_the_next_one_is_served",
        "errors": "tests/serving/mcp/test_refusals.py::test_what_cannot_be_served_is_refused_with_words_that_help",
    },
    "LangGraph Server": {
        "invoke": "tests/serving/test_langgraph_server.py::test_a_documentation_question_is_answered",
        "stream": "tests/serving/test_langgraph_server.py::test_a_stream_brings_updates_and_progress",
        "progress": "tests/serving/test_langgraph_server.py::test_a_stream_brings_updates_and_progress",
        "interrupt": (
            "tests/serving/test_langgraph_server.py::test_a_cancelled_cycle_goes_on_asks_a_person_and_is_resumed"
        ),
        "resume": "tests/serving/test_langgraph_server.py::test_a_cancelled_cycle_goes_on_asks_a_person_and_is_resumed",
        "continue": "tests/serving/test_langgraph_server.py::test_a_run_goes_on_from_an_earlier_package",
        "cancel": "tests/serving/test_langgraph_server.py::test_a_cancelled_cycle_goes_on_asks_a_person_and_is_resumed",
        "errors": (
            "tests/serving/test_langgraph_server.py::test_bad_input_is_refused_in_words_and_the_thread_can_be_looked_at"
        ),
    },
}
"""Door -> feature -> id of the test that proves it, or "-" and why the door does not have it."""

_HEAD = """\
# Conformance

Which door does what. Every mark stands for a test that proves it with the door's own client, named below; "n/a" has
its reason there too. Made by `python docs/make_conformance.py`.
"""


def proofs() -> list[str]:
    """The ids of all tests that are named, each once."""
    cells = (cell for door in DOORS.values() for cell in door.values())
    return sorted({cell for cell in cells if not cell.startswith("-")})


def page() -> str:
    """The page."""
    head = ["| | " + " | ".join(FEATURES) + " |", "|---" * (len(FEATURES) + 1) + "|"]
    rows = [
        f"| [{door}](#{_anchor(door)}) | " + " | ".join(map(_mark, cells.values())) + " |" for door, cells in _all()
    ]
    words = ["| feature | what it means |", "|---|---|", *(f"| {name} | {text} |" for name, text in FEATURES.items())]
    parts = [_HEAD, "\n".join([*head, *rows]), "\n".join(words)]
    for door, cells in _all():
        lines = [f"| {feature} | {_proof(cell)} |" for feature, cell in cells.items()]
        parts.append("\n".join([f"## {door}", "| feature | proof |", "|---|---|", *lines]))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _all() -> list[tuple[str, dict[str, str]]]:
    """The doors, their features in the order of FEATURES. Raises KeyError when a door leaves one out."""
    return [(door, {feature: cells[feature] for feature in FEATURES}) for door, cells in DOORS.items()]


def _mark(cell: str) -> str:
    return "n/a" if cell.startswith("-") else "✓"


def _proof(cell: str) -> str:
    return f"n/a: {cell[1:]}" if cell.startswith("-") else f"`{cell}`"


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
