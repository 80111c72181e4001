import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.text import (
    Stream,
    analyse,
    content_terms,
    is_stopword,
    raw_words,
    split_identifier,
    stem,
    stream,
    term_hash,
    unique,
)


@pytest.mark.parametrize(
    ("raw", "parts", "whole"),
    [
        ("camelCase", ("camel", "case"), "camelcase"),
        ("snake_case", ("snake", "case"), "snakecase"),
        ("HTTPResponse", ("http", "respons"), "httpresponse"),
        ("FileUploadHandler", ("file", "upload", "handler"), "fileuploadhandler"),
        ("MAX_SIZE", ("max", "size"), "maxsize"),
        ("__init__", ("init",), ""),
        ("utf8", ("utf",), "utf8"),
        ("3d", ("3d",), ""),
        ("2024", ("2024",), ""),
        ("x", ("x",), ""),
        ("_", (), ""),
        ("parsing", ("pars",), ""),
        ("Größe", ("größe",), ""),
        ("ошибка", ("ошибка",), ""),
        ("Ошибка", ("ошибка",), ""),
        ("令牌过期", ("令牌", "牌过", "过期"), ""),
        ("令", ("令",), ""),
        ("トークン", ("トー", "ーク", "クン"), ""),
    ],
)
def test_an_identifier_gives_its_parts_and_its_whole(raw: str, parts: tuple[str, ...], whole: str) -> None:
    assert split_identifier(raw) == (parts, whole)


@pytest.mark.parametrize("raw", ["a" * 81, "deadbeef" * 100, "я" * 81])
def test_a_very_long_run_is_data_not_a_word(raw: str) -> None:
    assert split_identifier(raw) == ((), "")


def test_eighty_characters_are_still_a_word() -> None:
    assert split_identifier("a" * 80)[0]


def test_prose_and_code_meet_in_parts() -> None:
    assert set(analyse("uploading a file").parts) & set(analyse("FileUploadHandler").parts) == {"upload", "file"}


def test_only_compounds_have_wholes() -> None:
    terms = analyse("HttpResponse http responses")
    assert terms.parts == ["http", "respons", "http", "respons"]
    assert terms.wholes == ["httpresponse"]


def test_short_words_are_not_stemmed() -> None:
    assert (stem("ads"), stem("does")) == ("ads", "doe")


def test_content_terms_leave_out_stop_words_and_bare_numbers() -> None:
    assert content_terms("the bug in line 42 of parse_url").parts == ["line", "pars", "url"]


@pytest.mark.parametrize(
    ("word", "stops"), [("The", True), ("x", True), ("class", False), ("not", False), ("я", False)]
)
def test_stop_words_carry_no_place(word: str, stops: bool) -> None:
    assert is_stopword(word) is stops


@given(st.text(max_size=300))
def test_the_stream_of_a_text_holds_the_keys_of_its_terms(text: str) -> None:
    terms, keyed = analyse(text), stream(text)
    assert keyed.parts == [term_hash(p) for p in terms.parts]
    assert keyed.wholes == [term_hash(w) for w in terms.wholes]
    assert sorted(keyed.text.split()) == sorted([*terms.parts, *terms.wholes])


def test_a_text_without_words_has_an_empty_stream() -> None:
    assert stream(" \n -- ") == Stream("", [], [])


@given(st.text(max_size=100))
def test_term_keys_fit_32_bits(text: str) -> None:
    assert 0 <= term_hash(text) < 2**32


def test_raw_words_are_as_written() -> None:
    assert list(raw_words("Fix `HttpError`: naïve_run")) == ["Fix", "HttpError", "naïve_run"]


@given(st.lists(st.text(max_size=2)))
def test_unique_keeps_the_first_of_each(items: list[str]) -> None:
    kept = unique(items)
    assert sorted(kept) == sorted(set(items))
    assert [items.index(k) for k in kept] == sorted(items.index(k) for k in kept)


@pytest.mark.timeout(20)
def test_a_long_line_without_spaces_is_read() -> None:
    assert stream("ab/" * 70_000).parts[:1] == [term_hash("ab")]
    assert stream("a" * 200_000) == Stream("", [], [])
