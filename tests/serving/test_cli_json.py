from __future__ import annotations

import json

from iterative_retrieval.serving.as_json import dumps, package_object
from iterative_retrieval.serving.exits import error_object
from tests.serving.examples import NOT_UTF8, empty_package, file_context, package

PROMISED = {
    "task", "root", "ref", "query_type", "profile", "files", "ranked", "functions", "gaps", "cycles", "stopped_by",
    "sufficient", "tokens", "budget", "seconds", "left_out", "warnings", "gap", "fingerprint", "advice",
}  # fmt: skip


def test_the_promised_keys_are_there_and_no_others() -> None:
    assert set(package_object(package(), 0.5)) == PROMISED


def test_a_file_carries_score_reason_and_spans_as_pairs() -> None:
    [first, _] = json.loads(dumps(package_object(package(), 0.5)))["files"]
    assert first == {
        "path": "src/auth.ts",
        "relevance": 0.9,
        "probability": 0.71,
        "band": "high",
        "role": "source",
        "cycle": 1,
        "reason": "defines checkExpiry, named in the task",
        "missing_context": [],
        "spans": [[10, 42], [60, 60]],
        "symbols": ["checkExpiry", ""],
        "known": [],
    }


def test_gaps_and_cycles_are_plain_objects() -> None:
    told = json.loads(dumps(package_object(package(), 0.5)))
    assert told["gaps"][1]["kind"] == "symbol"
    assert told["gaps"][1]["critical"] is True
    assert told["cycles"][0]["query"]["keywords"] == ["token", "auth", "expiry"]
    assert "ranking" not in told["cycles"][0]
    assert told["stopped_by"] == "sufficient"


def test_a_name_that_is_not_utf8_survives_the_round_trip() -> None:
    text = dumps(package_object(package(files=[file_context(NOT_UTF8)], ranked=[NOT_UTF8]), 0.5))
    assert text.isascii()
    path = json.loads(text)["files"][0]["path"]
    assert path.encode("utf-8", "surrogateescape") == b"caf\xe9.py"


def test_an_empty_package_is_an_object_too() -> None:
    told = json.loads(dumps(package_object(empty_package(), 0.5)))
    assert (told["files"], told["sufficient"], told["gaps"][0]["kind"]) == ([], False, "no_match")


def test_errors_have_kind_and_message() -> None:
    assert error_object("UnknownRoot", "no such folder") == {
        "error": {"kind": "UnknownRoot", "message": "no such folder"}
    }
