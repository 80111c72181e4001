from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.advice.listing import Row, listing_of, one_line

ROWS = [Row(f"src/file{i}.py", [f"symbol{i}"], [(i + 1, f"line of {i}")]) for i in range(50)]
_HEAD = re.compile(r"^[A-Z]{2}: ", re.MULTILINE)


def test_the_same_request_is_shown_in_the_same_way() -> None:
    assert listing_of("task", ROWS).text == listing_of("task", list(reversed(ROWS))).text


def test_another_task_another_line_another_order_shuffle_anew() -> None:
    first = listing_of("task", ROWS)
    others = [
        listing_of("another task", ROWS),
        listing_of("task", [*ROWS[:-1], Row("src/file49.py", ["symbol49"], [(50, "changed")])]),
        listing_of("task", ROWS, order=1),
    ]
    for other in others:
        assert [r.path for r in other.rows] != [r.path for r in first.rows]
        assert other.codes != first.codes


def test_codes_are_unique_and_say_nothing() -> None:
    codes = listing_of("task", ROWS).codes
    assert len(set(codes)) == len(ROWS)
    assert all(re.fullmatch("[BCDFGHJKLMNPQRSTVWXZ]{2}", code) and code[0] != code[1] for code in codes)


def test_places_do_not_follow_the_ranking() -> None:
    places = [[r.path for r in listing_of(f"task {t}", ROWS).rows].index("src/file0.py") for t in range(200)]
    assert 20 < sum(places) / len(places) < 29, "the best file stands in the middle on average"


@given(st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=8, unique=True), st.text(max_size=300))
def test_no_name_and_no_line_can_pose_as_a_row(paths: list[str], line: str) -> None:
    listing = listing_of("t", [Row(path, [line], [(1, line)]) for path in paths])
    assert len(_HEAD.findall(listing.text)) <= len(paths)
    assert len(listing.text.split("\n")) <= 3 * len(paths)


def test_replies_can_only_be_codes_that_were_shown() -> None:
    listing = listing_of("task", ROWS[:5])
    picks = listing.schema["properties"]["picks"]
    assert picks["items"]["enum"] == sorted(listing.codes)
    assert (picks["minItems"], picks["maxItems"]) == (1, 5)
    assert listing.schema["additionalProperties"] is False


def test_picks_are_places_each_once() -> None:
    listing = listing_of("task", ROWS[:5])
    a, b = listing.codes[3], listing.codes[0]
    assert listing.picked({"picks": [a, b, a]}) == [3, 0]


def test_picking_nearly_everything_counts_as_picking_half() -> None:
    listing = listing_of("task", ROWS[:10])
    assert listing.picked({"picks": listing.codes[:8]}) == [0, 1, 2, 3, 4]


def test_control_characters_and_long_texts_are_tamed() -> None:
    assert one_line("a\x1b[2J\nb\u2028c\u202e", 100) == "a [2J b c"
    assert one_line("x" * 200, 20) == "x" * 17 + "..."
