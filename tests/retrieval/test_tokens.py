import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.tokens import count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("hello world", 2),
        ("internationalization", 3),
        ("12345678", 4),
        ("x = foo(1)\n", 7),
        ("中文", 2),
    ],
)
def test_count(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_text_costs_at_most_its_parts(a: str, b: str) -> None:
    assert count_tokens(a + b) <= count_tokens(a) + count_tokens(b)


@given(st.text(max_size=80))
def test_a_text_has_at_most_a_token_a_character(text: str) -> None:
    assert 0 <= count_tokens(text) <= len(text)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["a", " ", "\n", "-", "_", "1", "é", "a "])
def test_a_long_line_is_counted(piece: str) -> None:
    assert count_tokens(piece * 200_000) > 0
