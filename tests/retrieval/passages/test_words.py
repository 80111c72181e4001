from __future__ import annotations

import pytest

from iterative_retrieval.retrieval.passages.words import chunk_words, question_words, says_nothing, words


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "limiting requests", "limit request"),
        ("de", "Verbindungen schließen", "Verbindung schließe"),
        ("ru", "получение значений формы", "получения значения формой"),
        ("zh", "数据库连接", "数据库连接"),
    ],
)
def test_inflected_forms_meet(language: str, one: str, other: str) -> None:
    assert list(words(one, language)) == list(words(other, language))


def test_an_identifier_gives_its_parts_and_itself_in_every_language() -> None:
    for language in ("en", "de", "ru", "zh", ""):
        assert {"get", "connect", "getconnection"} <= set(words("getConnection", language))


def test_a_cyrillic_identifier_gives_its_parts_and_itself() -> None:
    assert list(words("ПолучитьФорму", "ru")) == ["получ", "форм", "получитьформу"]


def test_a_capitalised_russian_word_is_one_word() -> None:
    assert list(words("Справка", "ru")) == list(words("справка", "ru"))


def test_chinese_becomes_overlapping_pairs() -> None:
    assert list(words("跨域请求", "zh")) == ["跨域", "域请", "请求"]


def test_an_english_word_in_a_german_question_meets_english_documents() -> None:
    asked = question_words("Wie begrenze ich die Anzahl der Requests und Retries?", "de")
    assert set(words("requests", "en")) <= set(asked)
    assert set(words("retries", "en")) <= set(asked)


def test_function_words_are_not_asked_for() -> None:
    assert question_words("How do I do this with the other?", "en") == []
    assert question_words("Wie kann ich das mit der machen?", "de") == ["mach", "machen"]
    assert question_words("Как это можно сделать?", "ru") == ["сдела"]


@pytest.mark.parametrize("word", ["не", "без", "not", "ohne", "nicht"])
def test_polarity_is_never_a_function_word(word: str) -> None:
    assert not says_nothing(word)


def test_a_term_is_asked_for_once() -> None:
    assert question_words("cache the cache, caching caches", "en") == ["cach"]


def test_odd_characters_give_no_error() -> None:
    assert chunk_words("\udce9 \x00 … 😀", "en") is not None
    assert chunk_words("", "ru") == ""
