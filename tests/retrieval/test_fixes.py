"""Past commits as tasks: what is refused, and what a message may not give away."""

from __future__ import annotations

import pytest

from iterative_retrieval.retrieval.fixes import MAX_GOLD, PastCommit, PastTask, spoken, task_of

LEXER = [("M", "src/lex/lines.py"), ("M", "tests/test_lines.py")]


def commit(message: str = "Keep blank lines at the end of a file", **changes: object) -> PastCommit:
    fields = {"id": "c", "parents": ["p"], "author": "Ada <ada@example.org>", "time": 7, "changed": LEXER}
    return PastCommit(message=message, **{**fields, **changes})  # type: ignore[arg-type]


def test_a_fix_becomes_the_task_that_asked_for_it_at_the_commit_before() -> None:
    assert task_of(commit()) == PastTask("c", "p", 7, "Keep blank lines at the end of a file", ["src/lex/lines.py"])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"parents": ["p", "q"]}, "merge"),
        ({"parents": []}, "first commit"),
        ({"author": "dependabot[bot] <x@users.noreply.example>"}, "bot"),
        ({"author": "pre-commit-ci <ci@example.org>"}, "bot"),
        ({"message": 'Revert "Keep blank lines at the end"'}, "revert"),
        ({"message": "v2.34.1"}, "version or upkeep"),
        ({"message": "release version 3.1.3"}, "version or upkeep"),
        ({"message": "update dev dependencies"}, "version or upkeep"),
        ({"message": "Bump serde from 1.0 to 1.1"}, "version or upkeep"),
        ({"message": "cargo fmt"}, "version or upkeep"),
        ({"message": "docs: describe how blank lines are kept"}, "version or upkeep"),
        ({"message": "improve patch"}, "says too little"),
        ({"changed": [("M", "tests/test_lines.py"), ("M", "docs/lines.md")]}, "only tests or docs"),
        ({"changed": [("M", "setup.cfg")]}, "only tests or docs"),
        ({"changed": [("A", "src/lex/blank.py")]}, "only new files"),
        ({"changed": [("M", f"src/m{n}.py") for n in range(MAX_GOLD + 1)]}, "sweep"),
        ({"changed": [*LEXER, *(("M", f"docs/{n}.md") for n in range(40))]}, "sweep"),
    ],
)
def test_what_teaches_nothing_is_refused_with_its_reason(changes: dict[str, object], why: str) -> None:
    assert task_of(commit(**changes)) == why  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "message",
    [
        "Releases of memory are counted twice when a lexer ends",
        "Fix crash when the version header is missing from a request",
        "Bumping into a wall no longer moves the player backwards",
        "Update cached rows after a write to the table",
    ],
)
def test_a_change_that_sounds_like_upkeep_is_a_task(message: str) -> None:
    assert isinstance(task_of(commit(message)), PastTask)


def test_a_removed_file_is_not_what_a_search_should_find() -> None:
    found = task_of(commit(changed=[*LEXER, ("D", "src/lex/old.py"), ("A", "src/lex/new.py")]))
    assert isinstance(found, PastTask) and found.gold == ["src/lex/lines.py"]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("fix(lexer): keep blank lines", "keep blank lines"),
        ("src/lex/lines.py: keep blank lines", "keep blank lines"),
        ("Keep blank lines in lines.py, too", "Keep blank lines in , too"),
        ("Let `lex.lines` keep blank lines", "Let ` ` keep blank lines"),
        ("Keep blank lines (#12)", "Keep blank lines"),
        ("Keep blank lines, fixes #12", "Keep blank lines,"),
        ("Keep blank lines\n\nSigned-off-by: Ada <ada@example.org>\nCo-authored-by: Bob <b@c>", "Keep blank lines"),
        ("Keep blank lines\n\nFixes: https://example.org/7\nChange-Id: I0123456789", "Keep blank lines"),
        ("Keep lines\n\nWhy: they carry meaning.", "Keep lines\n\nWhy: they carry meaning."),
        ("Airlines.py is another file", "Airlines.py is another file"),
    ],
)
def test_a_message_does_not_give_the_answer_away(message: str, expected: str) -> None:
    assert spoken(message, ["src/lex/lines.py"]) == expected
