import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.text import content_terms
from iterative_retrieval.retrieval.thesaurus import related_words


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("rate limiting", "throttle"),
        ("rate limiting", "middleware"),
        ("Authentication fails", "jwt"),
        ("token expiry", "refresh"),
        ("delete the user", "remove"),
        ("serialise: to json", "encode"),
    ],
)
def test_other_words_for_the_same_thing(said: str, meant: str) -> None:
    assert meant in related_words(said)


def test_a_phrase_speaks_louder_than_a_word() -> None:
    words = related_words("rate limit by semver")
    assert words.index("throttle") < words.index("release")


def test_half_a_phrase_says_nothing() -> None:
    assert related_words("rate") == []


def test_a_text_without_known_words_has_no_relatives() -> None:
    assert related_words("unicorn") == []


@given(st.lists(st.sampled_from(["rate", "limit", "token", "delete", "url", "x"]), max_size=5).map(" ".join))
def test_nothing_that_was_said_is_repeated(text: str) -> None:
    words = related_words(text, limit=15)
    said = set(content_terms(text).parts)
    assert len(words) == len(set(words)) <= 15
    assert all(not set(content_terms(w).parts) <= said for w in words if content_terms(w).parts)
