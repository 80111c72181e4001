"""What remains of a model's draft: everything that is read in the end holds, or there is no answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.answers.citations import check_citations
from iterative_retrieval.retrieval.answers.claims import references
from iterative_retrieval.retrieval.answers.drafts import Settled, read_draft, settle
from iterative_retrieval.retrieval.answers.support import support
from iterative_retrieval.retrieval.tokens import count_tokens
from iterative_retrieval.state.errors import ModelUnreadable
from iterative_retrieval.state.postprocess import PostprocessGenome
from tests.retrieval.answers.chunks import LOGGING, RETRIES, TIMEOUTS

CHUNKS = [TIMEOUTS, RETRIES, LOGGING]
QUESTION = "How long does a request wait?"
TRUE = "The default timeout is 30 seconds."
FALSE = "Bob eats fish."
SOURCES = [
    {"number": 1, "chunk": 1, "quote": TRUE},
    {"number": 2, "chunk": 2, "quote": "It waits two seconds between tries."},
    {"number": 3, "chunk": 3, "quote": "Log messages go to standard output."},  # altered
]


def reply(answer: str, **changed: Any) -> dict[str, Any]:
    """A reply with this answer and three sources, of which the last is wrong."""
    return {"answer": answer, "key_points": [], "sources": SOURCES, "warnings": [], **changed}


def settled(answer: str, max_tokens: int = 1024, **changed: Any) -> Settled:
    """What remains of a reply with this answer."""
    draft = read_draft(reply(answer, **changed), max_tokens)
    return settle(draft, CHUNKS, QUESTION, "en", PostprocessGenome(max_tokens=max_tokens), "small-1")


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (f"{TRUE} {FALSE} [1]", f"{TRUE} [1]"),
        (f"{TRUE} {FALSE} [1]x", f"{TRUE} [1]"),
        (f"{TRUE} [1]x", f"{TRUE} [1]"),
        (f"{TRUE} It waits two seconds between tries. [1][2]", f"{TRUE} It waits two seconds between tries. [1][2]"),
        (f"- {TRUE}\n- {FALSE} [1]", f"- {TRUE} [1]"),
        (f"{TRUE} {FALSE} [1] It waits two seconds between tries. [2]", None),
        (f"{TRUE} [1] [?]", f"{TRUE} [1]"),
        (f"[9] {TRUE} [2, 1]", f"{TRUE} [1][2]"),
    ],
)
def test_a_sentence_that_goes_leaves_its_citation_to_its_run(said: str, left: str | None) -> None:
    found = settled(said).answer
    assert found.answer == (left or f"{TRUE} [1] It waits two seconds between tries. [2]")
    assert found.support == 1.0
    assert found.sources


@pytest.mark.parametrize(
    "said", ["[" * 3000, "...", "[1]", "- [1]\n- [2]", TRUE, f"{FALSE} [1]", f"{TRUE} [3]", "[?]", "```"]
)
def test_nothing_that_holds_is_no_answer_and_a_problem(said: str) -> None:
    found = settled(said, warnings=["The chunks leave it open."])
    assert (found.answer.answer, found.answer.sources, found.answer.support) == ("", [], None)
    assert found.answer.key_points == []
    assert found.problems


def test_no_answer_with_a_warning_is_no_problem() -> None:
    found = settled("", sources=[], warnings=["The chunks do not speak of bread."])
    assert found.problems == []
    assert found.answer.warnings == ["The chunks do not speak of bread."]


WAITS = "It waits two seconds between tries."
RUNS = st.sampled_from(
    [
        f" {TRUE} [1] ",
        f" {TRUE} {WAITS} [1][2] ",
        f"\n- {TRUE}\n- {FALSE} [1]\n",
        f" {FALSE} [1]",
        f"{WAITS}[2]",
        f"{TRUE} ",
    ]
)
CODE = "```python\nclient = Client(max_retries=5)\n```"
RUBBLE = st.sampled_from(
    [
        *(FALSE, "Log messages go to standard error.", "x", "Is it so?", "`None` waits forever.", CODE, f"\n{CODE}\n"),
        *("```", "\n```\n", "`", "``", "    ", "[1]", "[2]", "[3]", "[9]", "[1][2]", "[2, 1]", "[1-3]", "[1](#a)"),
        *("[doc-1]", "[?]", "[", "]", "(", " ", "\n", "\n\n", "\n- ", "\n1. ", "\n# ", "\n> ", "| ", "\n---\n", "**"),
        *("。", "默认超时30。", "\x00"),
    ]
)
PIECES = RUNS | RUNS | RUBBLE


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join), st.sampled_from([64, 1024]))
@example(f"{TRUE} {FALSE} [1]", 1024)
@example(f"{TRUE} It waits two seconds between tries. " * 8 + "[2, 1]", 64)
def test_an_answer_holds_as_it_is_read(said: str, max_tokens: int) -> None:
    found = settled(said, max_tokens)
    answer = found.answer
    if not answer.answer:
        assert (answer.sources, answer.support, answer.key_points) == ([], None, [])
        assert found.problems
        return
    assert answer.sources
    assert answer.support == 1.0
    checked = support(answer, CHUNKS, QUESTION)
    assert checked
    assert [s for s in checked if s.problem] == []
    assert sorted(references(answer.answer)) == [s.number for s in answer.sources]
    assert {c.verdict for c in check_citations(answer, CHUNKS)} == {"supported"}
    assert len(checked) == 1 or count_tokens(answer.answer) <= max_tokens


def test_a_cut_answer_keeps_its_citations_and_says_so() -> None:
    found = settled(f"{TRUE} " * 20 + "[1]", 64).answer
    assert found.answer.endswith(f"{TRUE} [1]")
    assert count_tokens(found.answer) <= 64 < count_tokens(f"{found.answer} {TRUE}")
    assert found.warnings == ["The answer was cut to 64 tokens; there is more in the sources."]


def test_a_reply_is_read_up_to_what_an_answer_can_need() -> None:
    long = reply(
        f"{TRUE} [1] " * 1000,
        key_points=[*["x" * 9999] * 20, *[TRUE] * 20],
        sources=[{"number": 1, "chunk": 1, "quote": TRUE * 1000}] * 1000,
        warnings=["w" * 9999] * 1000,
    )
    draft = read_draft(long, 64)
    assert draft.cut
    assert draft.answer.endswith("[1]")
    assert len(draft.answer) <= 64 * 12
    assert draft.key_points == (TRUE,) * 10
    assert (len(draft.sources), len(draft.sources[0].quote)) == (100, 1200)
    assert [len(w) for w in draft.warnings] == [600] * 5
    assert not read_draft(reply(f"{TRUE} [1]"), 64).cut


@pytest.mark.parametrize(
    "changed",
    [
        {"answer": 1},
        {"key_points": "text"},
        {"key_points": [1]},
        {"sources": None},
        {"sources": ["text"]},
        {"sources": [{"number": float("inf"), "chunk": 1, "quote": TRUE}]},
        {"sources": [{"number": "1" * 5000, "chunk": 1, "quote": TRUE}]},
        {"sources": [{"number": "y" * 5000, "chunk": 1, "quote": TRUE}]},
        {"warnings": {}},
    ],
)
def test_a_reply_of_another_shape_is_unreadable(changed: dict[str, Any]) -> None:
    with pytest.raises(ModelUnreadable, match="does not follow the contract") as raised:
        read_draft({**reply(""), **changed}, 64)
    assert len(str(raised.value)) < 500


@pytest.mark.timeout(20)
@pytest.mark.parametrize("max_tokens", [1024, 8192])
@pytest.mark.parametrize(
    "said",
    [f"{TRUE} [1] " * 3000, f"{FALSE} [1] " * 3000, f"{TRUE} " * 3000 + "[1]", f"{TRUE} [1]" + " " * 100_000 + "x"],
)
def test_a_long_answer_is_settled(said: str, max_tokens: int) -> None:
    found = settled(said, max_tokens).answer
    assert found.support in (None, 1.0)
    assert count_tokens(found.answer) <= max_tokens
    assert (found.answer == "") == (TRUE not in said or found.sources == [])


@pytest.mark.timeout(20)
def test_an_answer_of_brackets_is_refused() -> None:
    assert settled("[" * 100_000).answer.answer == ""
