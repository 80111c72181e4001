"""Whatever a client sends, it gets an error of the tool that says what to do."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.serving.conftest import TASK
from tests.serving.mcp.place import Place
from tests.serving.mcp.sessions import Session

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("retrieve_context", {"task": ""}, "say in plain words"),
    ("retrieve_context", {"task": " \n"}, "say in plain words"),
    ("retrieve_context", {"task": "Fix \x1b[31mred"}, "U\\+001B at position 4"),
    ("retrieve_context", {"task": "Fix \x00"}, "U\\+0000"),
    ("retrieve_context", {"task": "word " * 30_000}, "150,000 characters are too many .at most 100,000"),
    ("retrieve_context", {"task": TASK, "root": "src\n"}, "no tab or line end"),
    ("retrieve_context", {"task": TASK, "root": "s\x07rc"}, "U\\+0007"),
    ("retrieve_context", {"task": TASK, "root": "none"}, "none"),
    ("retrieve_context", {"task": TASK, "ref": "no-such-branch"}, "no-such-branch"),
    ("retrieve_context", {"task": TASK, "ref": "--output=/tmp/x"}, "--output"),
    ("retrieve_context", {"task": TASK, "patterns": ["a\x02"]}, "U\\+0002"),
    ("retrieve_context", {"task": TASK, "max_cycles": 9}, "less than or equal to 3"),
    ("retrieve_context", {"task": TASK, "gap": "the user"}, "go together"),
    ("retrieve_context", {"task": TASK, "previous_request_id": "x", "gap": "the user"}, "does not know it"),
    ("retrieve_context", {}, "Field required"),
    ("search_docs", {"question": "???"}, "no word to search for"),
    ("search_docs", {"question": "why " * 10_000}, "one question at a time"),
    ("search_docs", {"question": "How?\x9b"}, "U\\+009B"),
    ("search_docs", {"question": "How long?", "collection": "nope"}, "no collection named 'nope'; there are handbook"),
    ("search_docs", {"question": "How long?", "domain": "bsl"}, "of domain 'bsl'; there are handbook .general"),
    ("explain_file", {"task": TASK, "path": "../outside/secret.py"}, "no file inside"),
    ("explain_file", {"task": TASK, "path": "/etc/passwd"}, "no file inside"),
    ("explain_file", {"task": TASK, "path": "a\tb"}, "no tab or line end"),
    ("record_feedback", {"request_id": "nope", "verdict": "complete"}, "make the call again"),
    ("record_feedback", {"request_id": "nope", "verdict": "good"}, "'complete', 'partial' or 'useless'"),
    (
        "record_feedback",
        {"request_id": "x", "verdict": "complete", "files": ["a.py"]},
        "argument files; .*needed_f",
    ),
    ("retrieve_context", {"task": TASK, "budget": 100}, "no argument budget; .*max_tokens"),
    ("no_such_tool", {}, "no_such_tool"),
]


@pytest.mark.parametrize(("tool", "arguments", "words"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_served_is_refused_with_words_that_help(
    agent: Session, tool: str, arguments: dict[str, Any], words: str
) -> None:
    told = agent.refusal(tool, **arguments)
    assert re.search(words, told), told
    assert "Traceback" not in told and len(told) < 1_500


def test_a_refusal_hurts_no_later_call(agent: Session, place: Place) -> None:
    agent.refusal("retrieve_context", task="\x00")
    assert agent.values("retrieve_context", task=TASK)["files"]


def test_files_outside_cannot_even_be_asked_for(agent: Session, place: Place) -> None:
    there = agent.refusal("explain_file", task=TASK, path="../../outside/secret.py")
    not_there = agent.refusal("explain_file", task=TASK, path="../../outside/nothing.py")
    assert there.replace("secret", "nothing") == not_there


def test_answers_cannot_be_rated_by_files(agent: Session) -> None:
    name = agent.values("search_docs", question="How long is a time-out?")["request_id"]
    told = agent.refusal("record_feedback", request_id=name, verdict="partial", needed_files=["http.md"])
    assert "retrieve_context" in told
