"""Answers from documents of every format, as they were read: nothing is rewritten, everything has its source."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.answers.citations import check_citations
from iterative_retrieval.retrieval.answers.claims import claims
from iterative_retrieval.retrieval.answers.extract import extract
from iterative_retrieval.retrieval.answers.layout import AnswerFormat
from iterative_retrieval.retrieval.answers.support import support
from iterative_retrieval.retrieval.documents import read_document
from iterative_retrieval.retrieval.tokens import count_tokens
from iterative_retrieval.state.answer import Answer
from iterative_retrieval.state.documents import DocumentChunk, StoredChunk
from iterative_retrieval.state.postprocess import PostprocessGenome
from tests.retrieval.answers.chunks import chunk, scored


def stored(name: str, text: str) -> list[StoredChunk]:
    """The chunks of a document, as a collection would keep them."""
    read = read_document(name, text.encode())
    return [StoredChunk(**{f.name: getattr(c, f.name) for f in fields(DocumentChunk)}, sha256="0") for c in read]


def ask(question: str, *chunks: StoredChunk, language: str = "en", form: AnswerFormat = "prose") -> Answer:
    """An answer that keeps the contract."""
    answer = extract(question, chunks, scored(*chunks), PostprocessGenome(), form, language)
    assert all(c.verdict == "supported" for c in check_citations(answer, chunks))
    assert all(not s.problem for s in support(answer, chunks))
    assert all(c.numbers for c in claims(answer.answer, language))
    return answer


CODE_WORDS = "The method __init__ sets up the pool. The variable NO_COLOR must be set to 1*2*3 in tests."


@pytest.mark.parametrize("name", ["py.txt", "py.md", "py.rst", "py.html", "py"])
def test_words_of_code_are_not_rewritten(name: str) -> None:
    answer = ask("Which method sets up the pool, and what must NO_COLOR be set to in tests?", *stored(name, CODE_WORDS))
    assert "The method __init__ sets up the pool. [1]" in answer.answer
    assert "must be set to 1*2*3 in tests. [1]" in answer.answer


def test_plain_text_keeps_every_mark() -> None:
    said = "> 0.5 is the *alarm* threshold of the detector whenever >0=__NOMAGIC__ is set, as _all_ tests have it."
    text = f"About it.\n\n{said}\n"
    answer = ask("What is the alarm threshold of the detector?", *stored("a.txt", text))
    assert answer.answer == f"{said} [1]"
    assert answer.key_points == [said]


MANUAL = """USERADD(8)

DESCRIPTION
       The useradd command creates a new user account.

OPTIONS
       -M, --no-create-home
           Do not create the user's home directory, even if the system wide
           setting (CREATE_HOME) is set to yes.

       --dry-run  Only print what would be done.

EXIT STATUS
       0      Success.
       4      The user id is already in use.
"""


@pytest.mark.parametrize("name", ["useradd.txt", "useradd.8"])
@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "Which option does not create the home directory?",
            "- -M, --no-create-home: Do not create the user's home directory, even if the system wide setting "
            "(CREATE_HOME) is set to yes. [1]",
        ),
        ("What does --dry-run do?", "- --dry-run: Only print what would be done. [1]"),
        ("What does the useradd command do?", "The useradd command creates a new user account. [1]"),
        ("What does exit code 4 mean?", "- 4: The user id is already in use. [1]"),
    ],
)
def test_indented_text_of_a_manual_page_is_chosen_and_cited(name: str, question: str, said: str) -> None:
    answer = ask(question, *stored(name, MANUAL))
    assert said in answer.answer
    assert "```" not in answer.answer


def test_code_that_comes_with_a_sentence_names_its_source() -> None:
    text = "Set `max_retries` to change the limit:\n\n```\na = 1\n\nb = 2\n```\n"
    assert ask("How do I change the limit?", chunk(text)).answer.endswith("b = 2\n```\n[1]")


def test_a_definition_of_a_page_keeps_its_term() -> None:
    page = (
        "<h1>Glossary</h1><dl><dt>Tenant</dt><dd>A customer with its own data.</dd><dt>Seat</dt><dd>A user.</dd></dl>"
    )
    answer = ask("What is a tenant?", *stored("a.html", page))
    assert answer.answer.startswith("Tenant: A customer with its own data. [1]")


MARKDOWN_TABLE = (
    "# Plans\n\n| Plan | Requests per minute | Price |\n|---|---|---|\n| Free | 60 | 0 EUR |\n| Team | 600 | 20 EUR |\n"
)
PAGE_TABLE = (
    "<h1>Plans</h1><table><tr><th>Plan</th><th>Requests per minute</th><th>Price</th></tr>"
    "<tr><td>Free</td><td>60</td><td>0 EUR</td></tr><tr><td>Team</td><td>600</td><td>20 EUR</td></tr></table>"
)


@pytest.mark.parametrize(("name", "text"), [("a.md", MARKDOWN_TABLE), ("a.html", PAGE_TABLE)])
def test_the_head_of_a_table_counts_for_its_rows(name: str, text: str) -> None:
    answer = ask("How many requests per minute does the Team plan allow?", *stored(name, text))
    assert "- Plan: Team; Requests per minute: 600; Price: 20 EUR [1]" in answer.answer
    assert answer.key_points[0] == "Plan: Team; Requests per minute: 600; Price: 20 EUR"
    assert answer.warnings == []
    assert "Team | 600 | 20 EUR" in answer.sources[0].quote


def test_the_first_row_of_a_cut_table_is_no_head() -> None:
    answer = ask("What does Team cost?", chunk("| Free | 0 EUR |\n| Team | 20 EUR |", heading=("Cost",)))
    assert "- Team | 20 EUR [1]" in answer.answer


RESET = "1. Open the settings page.\n2. Click Security, then Renew.\n\n   ```sh\n   run x\n   ```\n\n3. Copy it."


@pytest.mark.parametrize("form", ["prose", "steps"])
def test_every_step_comes_in_order(form: AnswerFormat) -> None:
    answer = ask("How do I reset the token?", chunk(RESET, heading=("Reset the token",)), form=form).answer
    places = [answer.index(step) for step in ("1. Open", "2. Click", "run x", "3. Copy")]
    assert places == sorted(places)


def test_steps_end_where_the_length_does() -> None:
    steps = "\n".join(f"{n}. Step {n} about the token {'word ' * 12}ends." for n in range(1, 31))
    answer = ask("How do I reset the token?", chunk(steps, heading=("Reset the token",))).answer
    assert "1. Step 1" in answer
    assert "30. Step" not in answer
    assert len(answer.split()) < 200


def test_steps_end_where_the_token_limit_does() -> None:
    steps = "\n".join(f"{n}. Do step {n} of the reset of the token now, please." for n in range(1, 9))
    page = chunk(steps, heading=("Reset the token",))
    answer = extract("How do I reset the token?", [page], scored(page), PostprocessGenome(max_tokens=64), "prose", "en")
    assert "1. Do step 1" in answer.answer
    assert count_tokens(answer.answer) <= 64
    assert "The answer was cut to 64 tokens; there is more in the sources." in answer.warnings


POLICY = (
    "# Travel policy\n\nIt holds for all.\n\n## Hotels\n\nHotels may cost up to 120 EUR per night.\n\n"
    "## Cost centres\n\nUse cost centre 4711 for hotels.\n\n"
    "## Planes\n\nonly beyond 600 km\n\n## Trains\n\nsecond class\n"
)


def test_a_source_names_the_heading_its_quote_stands_below() -> None:
    answer = ask("How much may a hotel cost per night?", *stored("a.md", POLICY))
    assert answer.sources[0].heading == ["Travel policy", "Hotels"]
    assert not any("#" in s.quote for s in answer.sources)


def test_a_fragment_of_joined_sections_names_its_own_heading() -> None:
    assert "[Planes] only beyond 600 km [1]" in ask("When are planes allowed?", *stored("a.md", POLICY)).answer


def test_no_heading_stands_in_a_quote_or_key_point() -> None:
    joined = chunk("Restore a backup with bk load.\n\n## Cost of a backup\n\nEvery backup costs 3 EUR to restore.")
    answer = ask("What does it cost to restore a backup with bk load?", joined)
    assert len(answer.sources) == 2
    assert not any("## Cost" in text for text in (*answer.key_points, *(s.quote for s in answer.sources)))


def test_a_note_is_said_without_its_directive() -> None:
    text = "Pool\n====\n\n.. note:: The pool is closed\n   when the process ends.\n"
    answer = ask("When is the pool closed?", *stored("a.rst", text))
    assert answer.answer == "The pool is closed when the process ends. [1]"
    assert answer.key_points == ["The pool is closed when the process ends."]


def test_an_answer_without_the_sharpest_words_is_refused_or_names_them() -> None:
    logs = chunk("Logs are kept for 30 days. After 90 days backups get deleted.", heading=("Logs",))
    trial = chunk("The trial ends after 14 days. You get mail.", document="trial.md", heading=("Trial",))
    answer = ask("How many days of holiday do employees get?", logs, trial)
    assert answer.answer == ""
    assert "holiday, employees" in answer.warnings[0]


def test_common_words_alone_do_not_pass_for_an_answer_without_a_warning() -> None:
    pages = [
        chunk("You get days of use when you pay the fee for the year.", document="a.md", heading=("Fees",)),
        chunk("The holiday calendar lists dates.", document="b.md", heading=("Calendar",)),
    ]
    answer = ask("How many days of paid sabbatical do employees get per year?", *pages)
    assert not answer.answer or any("sabbatical" in w and "employees" in w for w in answer.warnings)


CODES = (
    "| Code | Meaning |\n|---|---|\n| 3 | Permission denied |\n| 4 | Network down |\n| 5 | Timeout |\n\n"
    "The exit code is set when the program ends, and exit codes mean something. Code 4 is retried."
)


@pytest.mark.parametrize(
    ("question", "language"), [("What does exit code 4 mean?", "en"), ("Was bedeutet Exit-Code 4?", "de")]
)
def test_what_holds_the_number_asked_for_is_preferred(question: str, language: str) -> None:
    answer = ask(question, chunk(CODES, heading=("Exit codes",)), language=language)
    assert "- Code: 4; Meaning: Network down [1]" in answer.answer
    assert all("4" in point for point in answer.key_points[:2])
    assert "Code: 3" not in answer.answer


_LINES = [
    "The client retries failed requests.",
    "OPTIONS",
    "    -r, --retries N",
    "        How often the client retries. It waits.",
    "    --fail  Fail requests at once.",
    "2      Requests failed.",
    "> 0.5 of the requests *must* not fail __ever__.",
    ".. note:: Failed requests cost.",
    "   :class: wide",
    "Retries",
    "-------",
    "a | b",
    "--- | ---",
    "retries | 3",
    "| retries | 3 |",
    "1. Send requests.",
    "- retries: many",
    "$ retry",
    "",
    "",
]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(_LINES), min_size=1, max_size=14),
    st.sampled_from(["a.md", "a.txt", "a.rst", "a.html", "a.8", "page"]),
    st.sampled_from(["prose", "steps"]),
)
def test_the_contract_holds_for_every_format(lines: list[str], name: str, form: AnswerFormat) -> None:
    ask("How do clients retry failed requests?", chunk("\n".join(["Text.", *lines]), document=name), form=form)
