from typing import Any

import pytest
from pydantic import ValidationError

from iterative_retrieval.state.genome import RetrievalGenome

BOUNDS = {
    name: (low, high)
    for name, field in RetrievalGenome.model_fields.items()
    if (low := next((m.ge for m in field.metadata if hasattr(m, "ge")), None)) is not None
    and (high := next((m.le for m in field.metadata if hasattr(m, "le")), None)) is not None
}


def test_every_number_is_bounded_on_both_sides() -> None:
    numbers = {n for n, f in RetrievalGenome.model_fields.items() if f.annotation in (int, float)}
    assert set(BOUNDS) == numbers


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_are_inclusive_and_hold(name: str) -> None:
    low, high = BOUNDS[name]
    for value in (low, high):
        assert getattr(RetrievalGenome(**{name: value}), name) == value
    for value in (low - 1, high + 1):
        with pytest.raises(ValidationError, match=name):
            RetrievalGenome(**{name: value})


@pytest.mark.parametrize("field", ["calibration", "rubric", "coverage_ceiling"])
@pytest.mark.parametrize(
    "knots", [[[0, 0]], [[0, 0], [0, 1]], [[1, 0], [0, 1]], [[0, 1], [1, 0]], [[0, 0, 0], [1, 1, 1]]]
)
def test_a_curve_that_does_not_rise_is_refused(field: str, knots: list[list[float]]) -> None:
    genes: dict[str, Any] = {field: knots}
    with pytest.raises(ValidationError, match=field):
        RetrievalGenome(**genes)


def test_a_flat_piece_of_a_curve_is_allowed() -> None:
    assert RetrievalGenome(rubric=[[0, 0.5], [1, 0.5]]).rubric == [[0, 0.5], [1, 0.5]]


def test_a_genome_does_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        RetrievalGenome().k1 = 2.0
