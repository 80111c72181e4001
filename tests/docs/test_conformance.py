"""docs/conformance.md: the table of doors and features."""

from __future__ import annotations

from docs.make_conformance import DOORS, FEATURES, PAGE, page, proofs
from tests.docs.proofs import missing


def test_every_test_that_is_named_exists() -> None:
    assert missing(proofs()) == []
    assert missing(["tests/docs/test_conformance.py::test_nobody_wrote", "tests/none.py::test_x"]) != []


def test_every_door_has_a_word_on_every_feature() -> None:
    for door, cells in DOORS.items():
        assert set(cells) == set(FEATURES), door
        assert all(len(cell) > 20 for cell in cells.values()), "what a door does not have needs a reason"


def test_the_page_is_made_from_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python docs/make_conformance.py"
