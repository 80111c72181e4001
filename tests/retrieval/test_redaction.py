"""What looks like a credential is replaced, what does not stays, and the lines keep their numbers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.redaction import MARK, redacted
from tests.retrieval.secret_corpus import HARMLESS, LEAKS, Leak

BY_NAME = [pytest.param(leak, id=leak.name) for leak in LEAKS]


def _lines(secret: str) -> list[str]:
    return [line for line in secret.split("\n") if line]


@pytest.mark.parametrize("leak", BY_NAME)
def test_a_credential_is_replaced_and_the_lines_stay(leak: Leak) -> None:
    assert leak.secret in leak.text
    text, count = redacted(leak.text)
    assert count >= 1 and MARK in text
    for line in _lines(leak.secret):
        assert line not in text
        assert line[4:-4] not in text
    assert text.count("\n") == leak.text.count("\n")


@pytest.mark.parametrize("leak", BY_NAME)
def test_a_credential_in_a_listing_a_difference_or_a_comment_is_replaced(leak: Leak) -> None:
    for shift in ("    ", "- ", "> ", "+", "# ", "// ", "12: ", " 7 | ", "104|  "):
        text, _ = redacted("\n".join(shift + line for line in leak.text.split("\n")))
        assert not [line for line in _lines(leak.secret) if line in text], shift


@pytest.mark.parametrize("leak", BY_NAME)
def test_a_credential_in_a_text_that_is_quoted_in_json_is_replaced_and_the_json_stays_readable(leak: Leak) -> None:
    text, count = redacted(json.dumps({"chunk": leak.text, "next": [1]}, ensure_ascii=False))
    assert count >= 1
    for line in _lines(leak.secret):
        assert line not in text
    assert json.loads(text)["next"] == [1]


def test_the_corpus_has_enough_of_both_kinds() -> None:
    assert len({leak.name for leak in LEAKS}) >= 100
    assert len(set(HARMLESS)) >= 60


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_credential_stays(text: str) -> None:
    assert redacted(text) == (text, 0)
    around = f"first line\n    {text}\nlast line"
    assert redacted(around) == (around, 0)


def test_what_stands_around_a_credential_stays() -> None:
    secret = LEAKS[0].secret
    text, count = redacted(f'# setup\nclient = connect("{secret}", region="eu")  # ours\nrun(client)\n')
    assert text == f'# setup\nclient = connect("{MARK}", region="eu")  # ours\nrun(client)\n'
    assert count == 1


def test_redacting_twice_changes_nothing_more() -> None:
    everything = "\n".join(leak.text for leak in LEAKS)
    once, count = redacted(everything)
    assert count >= len(LEAKS) - 10
    assert redacted(once)[0] == once


def test_a_key_block_keeps_its_marks_so_that_a_reader_knows_what_was_there() -> None:
    block = next(leak for leak in LEAKS if leak.name == "RSA private key")
    text, _ = redacted(block.text)
    lines = text.split("\n")
    assert lines[0] == "before" and lines[-1] == "after"
    assert lines[1].startswith("-----BEGIN") and lines[-2].startswith("-----END")
    assert set(lines[2:-2]) == {MARK}


def test_the_end_of_a_key_block_is_enough_to_know_it() -> None:
    block = next(leak for leak in LEAKS if leak.name == "RSA private key")
    tail = "\n".join(block.text.split("\n")[4:])
    text, _ = redacted(tail)
    assert all(line not in text for line in _lines(block.secret)[2:])
    assert text.endswith("after")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([leak.text for leak in LEAKS] + HARMLESS + ["", "\t", "x = 1"]), max_size=6), st.text())
def test_the_number_of_lines_never_changes(parts: list[str], odd: str) -> None:
    text = "\n".join([*parts, odd])
    assert redacted(text)[0].count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "password" * 40_000,
        "token=" * 50_000,
        "a" * 300_000,
        "-----BEGIN RSA PRIVATE KEY-----\n" * 3_000,
        "://" * 90_000,
    ],
    ids=["words", "assignments", "one word", "blocks", "addresses"],
)
def test_large_and_hostile_texts_are_read_to_their_end(text: str) -> None:
    assert redacted(text)[0].count("\n") == text.count("\n")
