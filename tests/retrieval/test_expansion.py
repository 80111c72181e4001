from collections.abc import Callable

import pytest

from iterative_retrieval.retrieval.expansion import (
    commit_words,
    defined_words,
    longer_forms,
    thesaurus_words,
    vocabulary_of,
)
from iterative_retrieval.retrieval.task import read_task
from iterative_retrieval.retrieval.text import term_hash
from tests.retrieval.builders import analyses_of, history_of, query_of


def holding(**counts: int) -> Callable[[str], int]:
    return lambda term: counts.get(term, 0)


def test_defined_names_that_share_a_part_with_the_task_are_learned_rarest_first() -> None:
    high = analyses_of({"a.py": "def token_store(): pass\n\n\ndef expiry_check(): pass\n\n\ndef other(): pass\n"})
    stems = {"token", "expiri"}
    assert defined_words(high, stems, holding(token=9, expiri=1), 5) == ["expiry_check", "token_store"]
    assert defined_words(high, stems, holding(token=9, expiri=1), 1) == ["expiry_check"]


def test_a_name_that_says_nothing_new_is_not_learned() -> None:
    assert defined_words(analyses_of({"a.py": "def token(): pass\n"}), {"token"}, holding(token=1), 5) == []


def test_a_class_is_learned_before_a_function_of_the_same_rarity() -> None:
    high = analyses_of({"a.py": "def token_alpha(): pass\n\n\nclass TokenZeta:\n    pass\n"})
    assert defined_words(high, {"token"}, holding(token=1), 5) == ["TokenZeta", "token_alpha"]


def test_the_thesaurus_gives_only_words_that_the_code_base_holds() -> None:
    task = read_task("Add rate limiting")
    assert thesaurus_words(task, holding(throttl=2), 50, 10) == ["throttle", "throttling"]
    assert thesaurus_words(task, holding(), 50, 10) == []
    assert thesaurus_words(task, holding(throttl=11), 50, 10) == []


def _history(times: int) -> list[tuple[str, list[str]]]:
    joined = [("upload multipart", ["a.py"])] * times
    return joined + [(f"change number {'abcdefghij'[i % 10]}x", ["b.py"]) for i in range(100)]


QUERY = query_of("upload", {"a.txt": "upload multipart"})
WORDS = vocabulary_of(["multipart", "chang"])


def test_words_that_commits_join_with_the_task_are_learned() -> None:
    assert commit_words(QUERY, history_of(_history(5)), WORDS, 5) == ["multipart"]


def test_two_commits_are_no_habit() -> None:
    assert commit_words(QUERY, history_of(_history(2)), WORDS, 5) == []


def test_a_short_history_teaches_nothing() -> None:
    assert commit_words(QUERY, history_of([("upload multipart", ["a.py"])] * 49), WORDS, 5) == []


@pytest.mark.parametrize(
    ("title", "vocabulary", "found"),
    [
        ("authentication", ["auth", "author"], ["auth"]),
        ("throt", ["throttl"], ["throttl"]),
        ("thr", ["throttl"], []),
    ],
)
def test_longer_and_shorter_forms_of_unknown_words_are_found(
    title: str, vocabulary: list[str], found: list[str]
) -> None:
    def with_prefix(prefix: str) -> list[str]:
        return [w for w in vocabulary if w.startswith(prefix)]

    assert longer_forms(read_task(title), holding(), with_prefix, 5) == found


def test_a_known_word_needs_no_other_form() -> None:
    assert longer_forms(read_task("throt"), holding(throt=1), lambda prefix: ["throttl"], 5) == []


def test_a_vocabulary_is_keyed_by_term() -> None:
    assert vocabulary_of(["a"]) == {term_hash("a"): "a"}
