from __future__ import annotations

from iterative_retrieval.serving.lines import plain
from iterative_retrieval.serving.report import report_lines, span_words, summary
from iterative_retrieval.state.package import ContextPackage, Span, StopReason
from tests.serving.examples import NOT_UTF8, empty_package, file_context, package


def reported(found: ContextPackage) -> str:
    return "\n".join(plain(row) for row in report_lines(found, seconds=0.84))


def test_the_report_lists_files_spans_reasons_gaps_and_the_price() -> None:
    assert (
        reported(package())
        == """\
Result:
   1. src/auth.ts  0.90 high, probability 0.71
      lines 10-42 (checkExpiry), 60
      defines checkExpiry, named in the task
   2. tests/auth.test.ts  0.60 medium, probability 0.71, test
      lines 10-42 (checkExpiry), 60
      defines checkExpiry, named in the task
Also ranked: src/user.ts
Gaps:
  - critical: no definition of TokenStore, named in the task
  - Clock is defined nowhere (wanted by src/auth.ts)

2 files, 2,410 of 8,000 tokens, 2 cycles, 0.8 s, sufficient context; left out: 42 ignored, 1 too large"""
    )


def test_an_empty_package_says_so_and_names_the_gap() -> None:
    words = reported(empty_package())
    assert "Result: nothing relevant found" in words
    assert "critical: nothing matches quux" in words


def test_no_gaps_is_said_not_left_open() -> None:
    assert "Gaps: none" in reported(package(gaps=[]))


def test_warnings_are_shown() -> None:
    assert "Warning: history unreadable" in reported(package(warnings=["history unreadable"]))


def test_missing_context_of_a_file_is_shown() -> None:
    assert "missing: Clock" in reported(package(files=[file_context(missing_context=["Clock"])]))


def test_names_that_are_not_utf8_reach_the_report_as_escapes() -> None:
    assert r"caf\udce9.py" in reported(package(files=[file_context(NOT_UTF8)]))


def test_one_file_and_one_cycle_are_singular() -> None:
    found = package(files=[file_context()], cycles=package().cycles[:1])
    assert summary(found, 1.0).startswith("1 file, 2,410 of 8,000 tokens, 1 cycle, 1.0 s")


def test_every_stop_reason_is_told_in_the_summary() -> None:
    told = {summary(package(stopped_by=reason), 1.0) for reason in StopReason}
    assert len(told) == len(StopReason)


def test_without_spans_the_whole_file_is_meant() -> None:
    assert span_words([]) == "whole file"


def test_many_spans_are_cut_and_counted() -> None:
    assert span_words([Span(first=n, last=n + 1) for n in range(1, 10)]).endswith("6-7 and 3 more")
