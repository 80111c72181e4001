"""Plots and word differences."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.evolution.prompt_diff import prompt_diff
from iterative_retrieval.serving.admin.plots import HEIGHT, LEFT, RIGHT, TOP, WIDTH, difference_plot, generations
from iterative_retrieval.state.evolution import GenomeRecord, GenomeStatus, PairedDifference, QueryOutcome

SCORES = st.floats(-10, 10)


def outcomes(pairs: list[tuple[float, float]]) -> list[QueryOutcome]:
    return [
        QueryOutcome(query_id=f"q{n}", query=f"query {n}", active_score=a, candidate_score=c)
        for n, (a, c) in enumerate(pairs)
    ]


def difference(mean: float, low: float, high: float) -> PairedDifference:
    return PairedDifference(mean=mean, low=low, high=high, p=0.5, n=3, sd=1.0)


@given(st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=60), SCORES)
def test_every_bar_lies_in_the_picture_and_ends_at_zero(pairs: list[tuple[float, float]], mean: float) -> None:
    plot = difference_plot(outcomes(pairs), difference(mean, mean - 1, mean + 1))
    assert plot is not None and len(plot.bars) == len(pairs)
    assert [bar.difference for bar in plot.bars] == sorted(bar.difference for bar in plot.bars)
    assert plot.high < plot.mean < plot.low, "heights grow downwards"
    for bar in plot.bars:
        assert bar.x >= LEFT and bar.x + bar.width <= WIDTH - RIGHT + 0.01
        assert bar.y >= TOP - 1 and bar.y + bar.height <= HEIGHT
        end = bar.y + bar.height if bar.kind == "won" else bar.y
        assert abs(end - plot.zero) <= 1.6
    assert 2 <= len(plot.ticks) <= 12


def test_nothing_is_drawn_of_nothing() -> None:
    assert difference_plot([], difference(0, 0, 0)) is None
    assert difference_plot(outcomes([(1, 2)]), difference(float("nan"), 0, 0)) is None


def test_equal_scores_draw_a_flat_line() -> None:
    plot = difference_plot(outcomes([(1, 1), (2, 2)]), difference(0, 0, 0))
    assert plot is not None and {bar.kind for bar in plot.bars} == {"even"}


def record(number: int, *parents: int) -> GenomeRecord:
    return GenomeRecord(
        id=number,
        layer="routing",
        domain="d",
        status=GenomeStatus.CANDIDATE,
        genome={},
        genome_hash=f"h{number}",
        parents=[f"h{parent}" for parent in parents],
    )


def test_a_generation_is_one_more_than_that_of_the_youngest_parent() -> None:
    genomes = [record(1), record(2, 1), record(3, 1), record(4, 2, 1), record(5, 99)]
    assert generations(genomes) == {1: 0, 2: 1, 3: 1, 4: 2, 5: 0}


WORDS = st.lists(st.sampled_from(["a", "the", "source", "cite.", "\n", "！", "Quelle", " ", "  "]), max_size=40).map(
    " ".join
)


@settings(max_examples=200)
@given(WORDS | st.text(max_size=80), WORDS | st.text(max_size=80))
def test_the_runs_hold_every_letter_of_both_prompts(old: str, new: str) -> None:
    runs = prompt_diff(old, new)
    assert "".join(run.text for run in runs if run.kind != "added") == old
    assert "".join(run.text for run in runs if run.kind != "removed") == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (". " * 4000, "! . " * 2000),
        ("a " * 4000, "b a " * 2000),
        ("\n" * 8000, "x\n\n" * 2600),
        ("a" * 8000, "b" * 8000),
    ],
)
@pytest.mark.timeout(60)
def test_a_prompt_that_repeats_itself_does_not_take_hours(old: str, new: str) -> None:
    runs = prompt_diff(old, new)
    assert "".join(run.text for run in runs if run.kind != "added") == old


def test_only_the_changed_words_of_a_long_prompt_are_marked() -> None:
    old = " ".join(f"Rule {n}: cite source number {n} of the list." for n in range(150))
    new = old.replace("Rule 3: cite", "Rule 3: name").replace("Rule 140: cite", "Rule 140: quote") + " Be brief."
    marked = [(run.kind, run.text) for run in prompt_diff(old, new) if run.kind != "same"]
    assert marked == [
        ("removed", "cite"),
        ("added", "name"),
        ("removed", "cite"),
        ("added", "quote"),
        ("added", " Be brief."),
    ]
