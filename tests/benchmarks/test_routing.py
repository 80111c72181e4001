import json
from collections import Counter

import pytest

from benchmarks.routing import (
    Judged,
    calibration_error,
    confusion,
    half_of,
    judge,
    labelled,
    main,
    sets,
    share,
    summary,
)
from iterative_retrieval.evolution.domain_files import load_domain


def row(gold: str, said: str, confidence: float = 0.9, sure: bool = True) -> Judged:
    return Judged(
        gold=gold,
        language="en",
        said=said,
        cues_alone=said,
        examples_alone=gold,
        majority="a",
        confidence=confidence,
        sure=sure,
    )


def test_a_share_has_its_wilson_interval() -> None:
    assert share([True] * 8 + [False] * 2) == [0.8, 0.4902, 0.9433]
    assert share([]) is None


@pytest.mark.parametrize(
    ("question", "half"),
    [
        ("max upload size?", "tuning"),
        ("What does Array.Find return when nothing matches?", "tuning"),
        ("Is there a free tier?", "test"),
        ("StrSplit syntax", "test"),
    ],
)
def test_a_question_stays_in_its_half(question: str, half: str) -> None:
    assert half_of(question) == half


@pytest.mark.parametrize(("domain", "least"), [("general", 60), ("bsl", 40)])
def test_every_language_has_its_labelled_questions_in_both_halves(domain: str, least: int) -> None:
    rows = labelled(domain, "all")
    counts = Counter(r.language for r in rows)
    assert set(counts) == {"en", "de", "ru", "zh"}
    assert min(counts.values()) >= least
    for half in ("tuning", "test"):
        assert min(Counter(r.language for r in labelled(domain, half)).values()) >= least // 3
    assert len(labelled(domain, "tuning")) + len(labelled(domain, "test")) == len(rows)


@pytest.mark.parametrize("domain", sets())
def test_no_labelled_question_is_a_shipped_example(domain: str) -> None:
    shipped = {e.question.casefold().strip(" ?？") for e in load_domain(domain).examples}
    assert not {r.question.casefold().strip(" ?？") for r in labelled(domain, "all")} & shipped


@pytest.mark.parametrize("domain", sets())
def test_labels_are_query_types_of_the_domain(domain: str) -> None:
    assert {r.query_type for r in labelled(domain, "all")} <= set(load_domain(domain).routing.profiles)


def test_a_summary_counts_what_was_right_and_what_went_to_the_default() -> None:
    rows = [row("a", "a"), row("a", "b"), row("b", "b", 0.4, sure=False), row("b", "a", 0.3, sure=False)]
    numbers = summary(rows)
    assert numbers["n"] == 4
    assert [numbers[k][0] for k in ("accuracy", "default share", "accuracy when confident")] == [0.5, 0.5, 0.5]
    assert [numbers[k][0] for k in ("cues alone", "examples alone", "commonest type")] == [0.5, 1.0, 0.5]


def test_confusion_counts_every_pair() -> None:
    assert confusion([row("a", "a"), row("a", "b"), row("a", "b"), row("b", "b")]) == {
        "a": {"a": 1, "b": 2},
        "b": {"b": 1},
    }


def test_calibration_error_is_zero_when_confidence_is_the_share_that_is_right() -> None:
    assert calibration_error([row("a", "a", 1.0), row("a", "b", 0.0)]) == 0.0
    assert calibration_error([row("a", "b", 1.0)] * 10) == 1.0
    assert calibration_error([]) is None


@pytest.mark.parametrize("domain", sets())
def test_the_shipped_classifier_beats_the_commonest_type_and_its_examples_alone(domain: str) -> None:
    numbers = summary(judge(domain, "test"))
    assert numbers["accuracy"][0] >= 0.85
    assert numbers["accuracy"][0] > max(numbers["examples alone"][0], numbers["commonest type"][0])


def test_the_command_prints_json_with_every_domain(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json", "--half", "tuning"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert sorted(result) == sets()
    assert set(result["bsl"]["languages"]) == {"en", "de", "ru", "zh"}


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--domain", "python"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("test half")
    assert "api_lookup" in text


def test_an_unknown_set_is_an_error_of_the_caller(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--domain", "law"]) == 2
    assert "no labelled set routes.law.jsonl; there are bsl, general, python" in capsys.readouterr().err
