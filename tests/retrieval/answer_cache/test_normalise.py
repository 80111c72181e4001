import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.answer_cache.guard import same_question
from iterative_retrieval.retrieval.answer_cache.normalise import normalise


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("How do I limit retries?", "how do i limit   retries"),
        ("Please, how do I limit retries?", "How do I limit retries? Thanks!"),
        ("Hi there, could you tell me how do I limit retries?", "How do I limit retries?"),
        ("HOW DO I LIMIT RETRIES?", "how do I limit retries?"),
        ("What does `x` do?", "what does `x` do"),
        ("What is “max_retries”?", 'What is "max_retries"?'),
        ("Wie begrenze ich Wiederholungen?", "Bitte, wie begrenze ich Wiederholungen"),
        ("Подскажите, пожалуйста, как включить журнал?", "как включить журнал"),
        ("请问如何启用缓存？", "如何启用缓存"),
        ("How do I lim\u00adit\u200b retries?", "How do I limit retries?"),
        ("Ｈow do I limit retries？", "How do I limit retries?"),
    ],
)
def test_courtesy_case_width_and_final_punctuation_say_nothing(a: str, b: str) -> None:
    assert normalise(a) == normalise(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("What is PATH?", "What is path?"),
        ("What does -v do?", "What does -V do?"),
        ("What is maxRetries?", "What is maxretries?"),
        ("What is 10² here?", "What is 102 here?"),
        ('What does "Access Denied" mean?', 'What does "access denied" mean?'),
        ("What does `Set` mean?", "What does `set` mean?"),
        ("What does save! do", "What does save do"),
        ("What is the operator ?", "What is the operator"),
        ("How do I set C++?", "How do I set C?"),
        ("Maße der Box?", "Masse der Box?"),
        ("What does 'please wait' mean?", "What does 'wait' mean?"),
    ],
)
def test_what_can_carry_meaning_is_kept(a: str, b: str) -> None:
    assert normalise(a) != normalise(b)


def test_a_question_of_courtesy_alone_is_not_emptied() -> None:
    assert normalise("please") == "please"
    assert normalise("") == ""


WORDS = st.sampled_from(
    [
        *("please", "how", "do", "I", "Limit", "limit", "PATH", "path", "retries", "3", "three", "max_retries"),
        *("--flag", "Without", "the", "?", "!", ".", "пожалуйста", "Как", "включить", "журнал", "请问", "如何"),
        *("启用", "缓存", "Wie", "bitte", "ein", "aus", "schalte", "x²", "\u200b", "“a”", "`b c`", "can't", "thanks"),
    ]
)


@given(st.lists(WORDS, max_size=9).map(" ".join))
def test_normalising_twice_changes_nothing(question: str) -> None:
    once = normalise(question, "en")
    assert normalise(once, "en") == once


@given(st.lists(WORDS, max_size=6).map(" ".join), st.sampled_from(["?", "", "  ", " ?", "\n"]))
def test_questions_spelled_alike_are_one_for_the_guard_too(question: str, ending: str) -> None:
    other = f"  {question}{ending}"
    if normalise(question, "en") == normalise(other, "en"):
        assert same_question(question, other, "en").agrees


@given(st.text(max_size=80))
def test_any_text_can_be_normalised_and_read(text: str) -> None:
    assert isinstance(normalise(text), str)
    assert same_question(text, text).agrees
