"""Logs pasted into a task."""

from __future__ import annotations

import pytest

from iterative_retrieval.retrieval.pasted import LEAST_LINES, without_log
from iterative_retrieval.retrieval.task import read_task

TITLE = "Totals are wrong when a basket holds two `Voucher` objects"
BODY = "It seems that apply_vouchers() forgets the first one."


def _log(lines: int, level: str = "INFO") -> str:
    return "\n".join(f"2026-03-01 04:00:{i % 60:02d},{i % 1000:03d} {level} depot.stock: row {i}" for i in range(lines))


@pytest.mark.parametrize(
    "stamp",
    [
        "2026-03-01 04:00:07,123 INFO",
        "[2026-03-01T04:00:07Z] info",
        "04:00:07.123 [main] DEBUG",
        "Mar  1 04:00:07 host app[12]:",
        "web_1  | 2026/03/01 04:00:07 [notice]",
    ],
)
def test_lines_that_begin_with_a_time_are_a_log(stamp: str) -> None:
    log = "\n".join(f"{stamp} number {i}" for i in range(LEAST_LINES))
    assert without_log(f"{TITLE}\n{log}\n{BODY}") == (f"{TITLE}\n{BODY}", "")


def test_a_few_stamped_lines_belong_to_the_question() -> None:
    text = f"{TITLE}\n{_log(LEAST_LINES - 1)}"
    assert without_log(text) == (text, "")


def test_different_complaints_of_a_log_are_kept_once_each() -> None:
    log = f"{_log(LEAST_LINES, 'ERROR')}\n2026-03-01 05:00:00 FATAL depot.stock: shelf 7 fell"
    _, complaints = without_log(log)
    assert [line.split("stock: ")[1] for line in complaints.split("\n")] == [
        f"row {LEAST_LINES - 1}",
        "shelf 7 fell",
    ]


def test_the_question_is_read_though_a_long_log_stands_before_it() -> None:
    task = read_task(f"{TITLE}\n{_log(1000)}\n{BODY}")
    assert (task.title, task.prose) == (TITLE, BODY)
    assert {"Voucher", "apply_vouchers"} <= set(task.symbols)


def test_a_trace_inside_a_log_is_still_a_trace() -> None:
    trace = 'Traceback (most recent call last):\n  File "shop/basket.py", line 12, in total\nKeyError: 3'
    task = read_task(f"{TITLE}\n{_log(500)}\n{trace}\n{_log(500)}")
    assert [(f.path, f.line) for f in task.frames] == [("shop/basket.py", 12)]
    assert task.errors == ["KeyError: 3"]


def test_complaints_of_a_log_are_code_and_not_prose() -> None:
    task = read_task(f"{TITLE}\n{BODY}\n{_log(500, 'ERROR')}")
    assert task.prose == BODY
    assert "depot.stock" in task.code
