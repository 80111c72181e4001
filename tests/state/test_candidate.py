import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from iterative_retrieval.state.candidate import Band, Evaluation, band_of

_ORDER = [Band.NONE, Band.LOW, Band.MEDIUM, Band.HIGH]


@pytest.mark.parametrize(
    ("relevance", "band"),
    [
        (0.0, Band.NONE), (0.199, Band.NONE), (0.2, Band.LOW), (0.499, Band.LOW), (0.5, Band.MEDIUM),
        (0.799, Band.MEDIUM), (0.8, Band.HIGH), (1.0, Band.HIGH),
    ],
)  # fmt: skip
def test_the_bands_touch(relevance: float, band: Band) -> None:
    assert band_of(relevance) is band
    assert Evaluation(path="a", score=0, relevance=relevance, probability=0, reason="", cycle=1).band is band


@given(st.floats(0, 1), st.floats(0, 1))
def test_more_relevance_is_never_a_lower_band(one: float, other: float) -> None:
    low, high = sorted([one, other])
    assert _ORDER.index(band_of(low)) <= _ORDER.index(band_of(high))


@pytest.mark.parametrize("wrong", [{"relevance": 1.1}, {"probability": -0.1}, {"cycle": 0}, {"rank": 1}])
def test_an_evaluation_outside_its_bounds_is_refused(wrong: dict[str, float]) -> None:
    fields = {"path": "a", "score": 0, "relevance": 0, "probability": 0, "reason": "", "cycle": 1}
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        Evaluation.model_validate(fields | wrong)
