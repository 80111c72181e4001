from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.answers.citations import check_citations
from iterative_retrieval.retrieval.answers.claims import claims
from iterative_retrieval.retrieval.answers.extract import extract
from iterative_retrieval.retrieval.answers.layout import AnswerFormat
from iterative_retrieval.retrieval.answers.quotes import MAX_QUOTE, find_quote
from iterative_retrieval.retrieval.answers.support import support
from iterative_retrieval.retrieval.tokens import count_tokens
from iterative_retrieval.state.answer import Answer
from iterative_retrieval.state.documents import StoredChunk
from iterative_retrieval.state.postprocess import PostprocessGenome
from tests.retrieval.answers.chunks import CHINESE, GERMAN, LOGGING, RETRIES, RUSSIAN, TIMEOUTS, chunk, scored

ENGLISH = [RETRIES, TIMEOUTS, LOGGING]


def ask(
    question: str, *chunks: StoredChunk, language: str = "en", form: AnswerFormat = "prose", **genes: object
) -> Answer:
    return extract(question, chunks, scored(*chunks), PostprocessGenome.model_validate(genes), form, language)


@pytest.mark.parametrize(
    ("question", "chunks", "language", "said"),
    [
        ("How many times does the client retry failed requests?", ENGLISH, "en", "up to three times by default. [1]"),
        ("How do I change the limit of retries?", ENGLISH, "en", "Set `max_retries` to change the limit:"),
        ("What is a timeout?", ENGLISH, "en", "A timeout is the longest time a request may take. [1]"),
        ("Which flag hides log messages?", ENGLISH, "en", "Pass `--quiet` to hide them. [1]"),
        ("Wie oft wiederholt der Client fehlgeschlagene Anfragen?", [GERMAN], "de", "standardmäßig dreimal. [1]"),
        ("Что такое тонкий клиент?", [RUSSIAN], "ru", "Тонкий клиент — это приложение"),
        ("重试之间等待多久？", [CHINESE], "zh", "每次重试之间等待2秒。 [1]"),
    ],
)
def test_the_sentence_that_answers_is_in_the_answer(
    question: str, chunks: list[StoredChunk], language: str, said: str
) -> None:
    answer = ask(question, *chunks, language=language)
    assert said in answer.answer
    assert (answer.language, answer.composed_by, answer.support, answer.warnings) == (language, "extractive", 1.0, [])
    assert 1 <= len(answer.key_points) <= 5


def test_a_source_names_chunk_document_heading_exact_lines_quote_and_hash() -> None:
    answer = ask("What does the client do with requests refused with status 400?", RETRIES, TIMEOUTS)
    source = next(s for s in answer.sources if "status 400" in s.quote)
    assert (source.chunk, source.document, source.heading) == ("retries.md#0", "retries.md", ["Client", "Retries"])
    assert source.last == 18
    assert source.sha256 == RETRIES.sha256
    lines = RETRIES.text.split("\n")[source.first - RETRIES.first : source.last - RETRIES.first + 1]
    assert source.quote in "\n".join(lines)


def test_a_code_block_comes_with_its_sentence() -> None:
    answer = ask("How do I change the limit of retries?", *ENGLISH).answer
    assert "limit: [1]\n```python\nclient = Client(max_retries=5)\n```" in answer


def test_a_list_comes_whole_with_its_lead_in_line() -> None:
    answer = ask("How are timeouts set?", TIMEOUTS).answer
    assert (
        "Timeouts are set per client or per request: [1]\n"
        "- `timeout` of the client holds for every request. [1]\n"
        "- `timeout` of a request holds for that request only. [1]\n"
        "- `None` waits forever. [1]"
    ) in answer


def test_steps_are_numbered_in_the_order_of_the_document() -> None:
    page = chunk(
        "To install the tool:\n\n1. Download the archive.\n2. Unpack the archive.\n3. Run the installer of the tool.",
        heading=("Install the tool",),
    )
    answer = ask("How do I install the tool?", page, form="steps").answer
    assert re.findall(r"(\d)\. (\w+)", answer) == [("1", "Download"), ("2", "Unpack"), ("3", "Run")]


def test_the_list_format_gives_a_line_per_sentence() -> None:
    answer = ask("How many times does the client retry failed requests?", RETRIES, form="list").answer
    assert answer.startswith("- The client retries failed requests up to three times by default. [1]\n- It waits")


def test_always_cites_every_sentence_and_inline_once_per_run() -> None:
    question = "How many times does the client retry failed requests?"
    always = ask(question, RETRIES, citation_policy="always").answer
    inline = ask(question, RETRIES, citation_policy="inline")
    assert "by default. [1] It waits two seconds between tries. [1]" in always
    assert "by default. It waits two seconds between tries." in inline.answer
    assert inline.answer.count("[1]") == 1
    assert inline.support == 1.0


def test_both_parts_of_a_question_are_answered() -> None:
    answer = ask("What is a timeout and how do I hide log messages?", TIMEOUTS, RETRIES, LOGGING)
    assert "longest time a request may take. [1]" in answer.answer
    assert "`--quiet` to hide them. [2]" in answer.answer
    assert [s.document for s in answer.sources] == ["timeouts.md", "logging.md"]


def test_a_sentence_that_refers_back_takes_its_predecessor_or_its_heading() -> None:
    together = chunk("The cache holds answers. It drops the oldest entries first.", heading=("Cache",))
    assert (
        "The cache holds answers. [1] It drops the oldest"
        in ask("What is dropped first, the oldest entries?", together).answer
    )
    alone = chunk("It drops the oldest entries first.", heading=("Storage", "Cache"))
    assert ask("Which entries are dropped first?", alone).answer == "[Cache] It drops the oldest entries first. [1]"


def test_a_table_row_reads_with_the_names_of_its_columns() -> None:
    table = chunk("| Option | Default |\n|---|---|\n| `retries` | 3 |\n| `timeout` | 30 |", heading=("Options",))
    answer = ask("What is the default of `timeout`?", table)
    assert "- Option: `timeout`; Default: 30 [1]" in answer.answer
    assert "| `timeout` | 30 |" in answer.sources[0].quote
    assert answer.support == 1.0


def test_repetition_is_left_out() -> None:
    again = chunk("The client retries failed requests up to 3 times by default.", document="faq.md", heading=("FAQ",))
    answer = ask("How many times does the client retry failed requests?", RETRIES, again).answer
    assert answer.count("retries failed requests") == 1


def test_footnote_marks_of_a_document_are_no_references_of_the_answer() -> None:
    wiki = chunk("A timeout is the longest time a request may take.[12] The default timeout is 30 seconds.[13]")
    answer = ask("What is a timeout?", wiki)
    assert "[12]" not in answer.answer
    assert [c.verdict for c in check_citations(answer, [wiki])] == ["supported"]
    assert answer.support == 1.0


@pytest.mark.parametrize(
    ("question", "of", "language", "warning"),
    [
        (
            "How do I bake bread?",
            RETRIES,
            "en",
            "Nothing in the documents found answers this; looked for: bake, bread.",
        ),
        (
            "Wie backt man Brot?",
            GERMAN,
            "de",
            "Nichts in den gefundenen Dokumenten beantwortet das; gesucht wurde nach: backt, Brot.",
        ),
        ("Как испечь хлеб?", RUSSIAN, "ru", "В найденных документах нет ответа; искали: испечь, хлеб."),
        ("如何烤面包？", CHINESE, "zh", "找到的文档中没有答案；查找的词：烤面, 面包。"),
    ],
)
def test_nothing_relevant_gives_an_empty_answer_that_says_what_was_looked_for(
    question: str, of: StoredChunk, language: str, warning: str
) -> None:
    answer = ask(question, of, language=language)
    assert (answer.answer, answer.sources, answer.key_points, answer.support) == ("", [], [], None)
    assert answer.warnings == [warning]


def test_no_chunk_at_all_says_so() -> None:
    assert ask("How do I bake bread?").warnings == ["No document was found; looked for: bake, bread."]


def test_a_part_without_a_source_is_named() -> None:
    question = "How many times does the client retry, and what does kubernetes_ingress do with certificates?"
    answer = ask(question, *ENGLISH)
    assert "three times" in answer.answer
    assert answer.warnings == [
        "Not mentioned in the documents found: kubernetes_ingress.",
        "No source speaks of this part of the question: kubernetes_ingress, certificates.",
    ]


@pytest.mark.parametrize(
    ("language", "question", "warning"),
    [
        ("de", "Wie oft wiederholt der Client Anfragen?", "Die Dokumente sind auf Englisch."),
        ("ru", "Сколько раз клиент повторяет запрос?", "Документы на другом языке: английский."),
        ("zh", "客户端重试几次？", "文档使用的语言：英语。"),
    ],
)
def test_documents_in_another_language_answer_with_a_warning(language: str, question: str, warning: str) -> None:
    answer = ask(question, RETRIES, language=language)
    assert answer.warnings == [warning]
    assert answer.language == "en"
    assert answer.answer


def test_source_code_is_shown_in_a_fence_with_its_source() -> None:
    code = chunk("def retry(times: int) -> None:\n    ...", document="client.py", heading=("retry",), kind="code")
    answer = ask("What does retry take?", code)
    assert answer.answer == "```\ndef retry(times: int) -> None:\n    ...\n```\n[1]"
    assert answer.support == 1.0


def test_comprehensive_says_more_than_adaptive() -> None:
    kinds = [
        "red",
        "blue",
        "green",
        "amber",
        "ivory",
        "coral",
        "olive",
        "azure",
        "beige",
        "khaki",
        "lilac",
        "mauve",
        "ochre",
        "peach",
        "sepia",
        "topaz",
    ]
    page = chunk(
        "\n\n".join(
            f"Retries of {a} requests by the client go to {b} servers near {a} {b} lakes." for a, b in pairwise(kinds)
        ),
        heading=("Retries",),
    )
    question = "Which retries does the client make?"
    short, long = (ask(question, page, verbosity=v).answer.split() for v in ("adaptive", "comprehensive"))
    assert 20 < len(short) < 170
    assert len(short) < len(long)


def test_the_token_limit_holds_and_is_named() -> None:
    answer = ask("What does the client do about retries, timeouts, log messages?", *ENGLISH, max_tokens=64)
    assert 0 < count_tokens(answer.answer) <= 64
    assert "The answer was cut to 64 tokens; there is more in the sources." in answer.warnings


def test_chunk_count_bounds_what_is_read() -> None:
    answer = ask("What is a timeout and how do I hide log messages?", TIMEOUTS, LOGGING, chunk_count=1)
    assert {s.document for s in answer.sources} == {"timeouts.md"}


def test_the_order_of_the_chunks_does_not_matter() -> None:
    scores, genome = scored(*ENGLISH), PostprocessGenome()
    question = "What is a timeout and how do I hide log messages?"
    assert extract(question, ENGLISH, scores, genome, "prose", "en") == extract(
        question, ENGLISH[::-1], scores, genome, "prose", "en"
    )


_PIECES = [
    "The client retries failed requests.",
    "It waits two seconds.",
    "- one item of the list",
    "Set these options:",
    "```\ncode = 1\n```",
    "| a | b |",
    "Is it so?",
    "**Bold** words [here](https://a.b/c) and `code`.",
    "Das ist z. B. so. Это т. е. так. 这是。",
    "",
    "See [3] and args[0].",
    "# Heading",
]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=8), min_size=1, max_size=4),
    st.sampled_from(["prose", "list", "steps"]),
    st.sampled_from(["always", "inline"]),
)
def test_whatever_the_documents_hold_the_contract_holds(
    pages: list[list[str]], form: AnswerFormat, policy: str
) -> None:
    chunks = [chunk("\n\n".join(p), document=f"{i}.md", heading=(f"Part {i}",)) for i, p in enumerate(pages)]
    answer = ask("How does the client retry failed requests?", *chunks, form=form, citation_policy=policy)
    assert [s.number for s in answer.sources] == list(range(1, len(answer.sources) + 1))
    assert all(c.verdict == "supported" for c in check_citations(answer, chunks))
    assert all(not s.problem for s in support(answer, chunks))
    by_key = {c.key: c for c in chunks}
    for source in answer.sources:
        assert find_quote(source.quote, by_key[source.chunk].text)
        assert len(source.quote) <= MAX_QUOTE
    assert all(c.numbers for c in claims(answer.answer))
    assert bool(answer.answer) == bool(answer.sources) == bool(answer.key_points)
