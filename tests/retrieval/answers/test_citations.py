from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from iterative_retrieval.retrieval.answers.citations import check_citations
from iterative_retrieval.retrieval.answers.quotes import find_quote, source_of
from iterative_retrieval.state.answer import Answer, AnswerSource
from iterative_retrieval.state.documents import StoredChunk
from tests.retrieval.answers.chunks import CHINESE, GERMAN, RETRIES, RUSSIAN, TIMEOUTS, chunk

ALL = [RETRIES, TIMEOUTS, GERMAN, RUSSIAN, CHINESE]


def source(of: StoredChunk, quote: str = "", /, **changed: Any) -> AnswerSource:
    """Source 1 with a quote of a chunk, and what a test changes about it."""
    place = find_quote(quote, of.text) if quote else None
    made = source_of(of, 1, place.start if place else 0, place.end if place else 80)
    return made.model_copy(update={**({"quote": quote} if quote else {}), **changed})


def verdict(of: AnswerSource, text: str = "It is so. [1]") -> tuple[str, str]:
    """(verdict, detail) of the only source of an answer."""
    (found,) = check_citations(Answer(answer=text, sources=[of]), ALL)
    return found.verdict, found.detail


@pytest.mark.parametrize("of", ALL)
def test_a_verbatim_quote_is_supported(of: StoredChunk) -> None:
    assert verdict(source(of)) == ("supported", "")


def test_white_space_may_differ_and_nothing_else() -> None:
    assert verdict(source(RETRIES, "by default. It\n   waits two seconds"))[0] == "supported"
    assert verdict(source(RETRIES, "by default. It waits two Seconds"))[0] == "altered_quote"


@pytest.mark.parametrize(
    ("of", "quote", "detail"),
    [
        (RETRIES, "The client retries failed requests up to five times by default.", "'five' stands for 'three'"),
        (RETRIES, "Requests that were refused with status 400 are retried.", ""),
        (GERMAN, "Anfragen mit Status 400 werden immer wiederholt.", "'immer' stands for 'nicht'"),
        (RUSSIAN, "Клиент повторяет удачные запросы три раза", "'удачные' stands for 'неудачные'"),
        (CHINESE, "客户端默认重试失败的请求五次", "'五' stands for '三'"),
        (RETRIES, "The client retries failed requests ... by default. It waits two seconds between tries.", ""),
    ],
)
def test_a_changed_quote_is_altered(of: StoredChunk, quote: str, detail: str) -> None:
    found = verdict(source(of, quote))
    assert found[0] == "altered_quote"
    assert detail in found[1]


def test_a_look_alike_letter_is_an_alteration() -> None:
    fake = "Клиент повтoряет неудачные запросы"  # a Latin o
    assert verdict(source(RUSSIAN, fake))[0] == "altered_quote"


def test_composed_and_decomposed_accents_are_equal() -> None:
    quote = unicodedata.normalize("NFD", "Zwischen den Versuchen wartet er z. B. zwei")
    assert verdict(source(GERMAN, quote))[0] == "supported"
    apart = chunk(unicodedata.normalize("NFD", "Die Größe heißt Länge über alles."), document="nfd.md")
    made = source_of(apart, 1, 0, len(apart.text)).model_copy(update={"quote": "Die Größe heißt Länge"})
    (found,) = check_citations(Answer(answer="So. [1]", sources=[made]), [apart])
    assert found.verdict == "supported"


def test_a_quote_of_another_chunk_is_misattributed() -> None:
    found = verdict(source(RETRIES, "The default timeout is 30 seconds."))
    assert found == ("misattributed", "timeouts.md#0 holds it")


def test_an_invented_quote_is_fabricated() -> None:
    assert verdict(source(RETRIES, "Bananas are best eaten when yellow."))[0] == "fabricated"


def test_a_chunk_that_was_not_retrieved_is_fabricated() -> None:
    found = verdict(source(chunk("Some other text of a page.", document="x.md")))
    assert found == ("fabricated", "x.md#0 was not retrieved")


def test_a_quote_that_is_too_short_proves_nothing() -> None:
    assert verdict(source(RETRIES, "three times"))[0] == "fabricated"
    short = chunk("Yes, it is.", document="short.md")
    (found,) = check_citations(Answer(answer="So. [1]", sources=[source_of(short, 1, 0, 11)]), [short])
    assert found.verdict == "supported"  # it is all of its chunk


@pytest.mark.parametrize(
    ("changed", "detail"),
    [
        ({"document": "other.md"}, "another document"),
        ({"heading": ["Else"]}, "another heading"),
        ({"sha256": "0" * 64}, "another sha256"),
        ({"first": 11, "last": 11}, "another lines"),
        ({"first": 1, "last": 99}, "another lines"),
    ],
)
def test_the_place_of_a_quote_must_be_true(changed: dict[str, Any], detail: str) -> None:
    found = verdict(source(RETRIES, **changed))
    assert found[0] == "misattributed"
    assert detail in found[1]


def test_a_source_that_no_sentence_refers_to_is_found() -> None:
    assert verdict(source(RETRIES), "It is so.") == ("misattributed", "no sentence refers to it")


def test_references_without_a_source_are_found() -> None:
    answer = Answer(answer="One. [1] Two. [2][3] Three. [doc-99]", sources=[source(RETRIES)])
    checks = check_citations(answer, ALL)
    assert [(c.number, c.verdict) for c in checks] == [
        (1, "supported"),
        (2, "fabricated"),
        (3, "fabricated"),
        (0, "fabricated"),
    ]
    assert "[doc-99]" in checks[-1].detail


def test_numbers_in_code_are_no_references() -> None:
    answer = Answer(answer="Use `argv[2]`. [1]\n\n```\nx[3]\n```\n", sources=[source(RETRIES)])
    assert [c.verdict for c in check_citations(answer, ALL)] == ["supported"]


def test_a_number_given_twice_is_fabricated() -> None:
    answer = Answer(answer="One. [1]", sources=[source(RETRIES), source(TIMEOUTS)])
    assert [c.verdict for c in check_citations(answer, ALL)] == ["fabricated", "fabricated"]


def test_a_short_quote_grows_into_text_rather_than_headings() -> None:
    limits = chunk("## Size\n\n5 GB\nand not more\n\nRate\n----\n\n10\n", document="limits.md")
    start = limits.text.index("5 GB")
    assert source_of(limits, 1, start, start + 4).quote == "5 GB\nand not more"
    start = limits.text.index("and")
    assert source_of(limits, 1, start + 4, start + 12).quote == "and not more"
    between = chunk("## Size\n\n5 GB\n\n## Rate\n\n10 per second of time", document="rates.md")
    start = between.text.index("5 GB")
    assert source_of(between, 1, start, start + 4).quote == "## Size\n\n5 GB"  # nothing else is near
