import threading

import pytest

from iterative_retrieval.nodes.scene import Memo


def test_a_result_is_made_once() -> None:
    memo: Memo[int] = Memo(2)
    made = iter([1, 2])
    assert [memo.get(("a",), lambda: next(made)) for _ in range(3)] == [1, 1, 1]


def test_the_least_recently_used_result_is_forgotten() -> None:
    memo: Memo[int] = Memo(2)
    made: list[str] = []

    def ask(key: str) -> None:
        def make() -> int:
            made.append(key)
            return len(made)

        memo.get((key,), make)

    for key in "abacab":
        ask(key)
    assert made == ["a", "b", "c", "b"]


def test_a_failed_computation_is_not_kept() -> None:
    memo: Memo[int] = Memo(2)
    with pytest.raises(ZeroDivisionError):
        memo.get(("a",), lambda: 1 // 0)
    assert memo.get(("a",), lambda: 5) == 5


def test_a_computation_may_use_the_memo_itself() -> None:
    memo: Memo[int] = Memo(2)
    assert memo.get(("a",), lambda: memo.get(("b",), lambda: 1) + 1) == 2


def test_threads_agree_on_a_result() -> None:
    memo: Memo[int] = Memo(4)
    seen: list[int] = []
    threads = [
        threading.Thread(target=lambda: seen.extend(memo.get((k,), lambda: k * k) for k in (1, 2, 3)))  # noqa: B023
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == sorted([1, 4, 9] * 8)


def test_a_memo_can_be_asked_to_hold_more() -> None:
    memo: Memo[int] = Memo(1)
    memo.hold(3)
    memo.hold(2)  # never less than before
    made = iter(range(10))
    assert [memo.get((key,), lambda: next(made)) for key in "abcabc"] == [0, 1, 2, 0, 1, 2]
