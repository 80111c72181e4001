from __future__ import annotations

from iterative_retrieval.serving.lines import plain
from iterative_retrieval.serving.trace import activity, search_words, trace_lines
from iterative_retrieval.state.candidate import Gap, GapKind
from iterative_retrieval.state.package import StopReason
from iterative_retrieval.state.progress import CycleEvaluated, CycleRefined, IndexProgress, LoopDecided, Progress
from iterative_retrieval.state.query import Query
from tests.serving.examples import EVENTS, MISSING_STORE, USED_CLOCK


def told(*events: Progress) -> str:
    return "\n".join(plain(row) for event in events for row in trace_lines(event))


def test_the_trace_is_shaped_like_the_worked_example() -> None:
    assert (
        told(*EVENTS)
        == """\
Task read as bug report (0.92), profile thorough: says "bug"

Cycle 1:
  DISPATCH: Search for "token", "auth", "expiry" in src/** (212 candidates)
  EVALUATE: Found src/auth.ts (0.90), src/tokens.ts (0.80), src/user.ts (0.30)
  REFINE:   Add "refresh", "jwt"; exclude 1 path

Cycle 2:
  DISPATCH: Search for "token", "auth", "refresh", "jwt" in src/**, without 1 path (64 candidates)
  EVALUATE: Found src/session-manager.ts (0.95), src/jwt-utils.ts (0.85)
  STOP:     Sufficient context: 4 highly relevant files"""
    )


def test_an_empty_cycle_says_no_matches_and_names_the_gap() -> None:
    gap = Gap(kind=GapKind.NO_MATCH, target="rate", detail='nothing says "rate limit"')
    assert told(CycleEvaluated(cycle=1, gaps=[gap])) == '  EVALUATE: No matches - nothing says "rate limit"'


def test_files_below_the_rubric_are_no_matches() -> None:
    assert told(CycleEvaluated(cycle=1, top=[("a.py", 0.19)])) == "  EVALUATE: No matches"


def test_a_critical_gap_is_told_before_the_others() -> None:
    words = told(CycleEvaluated(cycle=1, top=[("a.py", 0.9)], gaps=[USED_CLOCK, MISSING_STORE]))
    assert words.endswith("no definition of TokenStore, named in the task")
    assert "Clock" not in words


def test_refining_without_a_new_word_says_so() -> None:
    assert told(CycleRefined(cycle=1)) == "  REFINE:   No new word to add"


def test_every_stop_reason_has_words() -> None:
    words = {told(LoopDecided(cycle=1, decision=reason)) for reason in StopReason}
    assert len(words) == len(StopReason)
    assert all(line.startswith("  STOP:     ") for line in words)


def test_going_on_is_not_announced() -> None:
    assert told(LoopDecided(cycle=1, reason="new words")) == ""


def test_a_long_query_is_cut_and_counted() -> None:
    words = search_words(Query(keywords=[f"w{number}" for number in range(20)]))
    assert words.endswith('"w7" and 12 more')


def test_focus_areas_are_named() -> None:
    assert search_words(Query(focus_areas=["TokenStore"])) == "Search, looking for TokenStore"


def test_a_path_with_a_control_sequence_is_defused() -> None:
    assert "\x1b" not in told(CycleEvaluated(cycle=1, top=[("a\x1b[2J.py", 0.9)]))


def test_every_event_has_an_activity() -> None:
    assert all(activity(event) for event in EVENTS)
    assert activity(IndexProgress(done=1, total=2, phase="parsing")) == "indexing: parsing"
