"""Whatever a graph puts into its events becomes JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langgraph.types import Command, Interrupt, Send

from iterative_retrieval.serving.http.serializer import GraphSerializer
from iterative_retrieval.state.package import Span
from iterative_retrieval.state.query import QueryType


class Inside:
    """Something of the server, with a secret in its repr."""

    def __repr__(self) -> str:
        return "<Inside /etc/secret>"


CASES: list[tuple[Any, Any]] = [
    (Send("eval", {"genome": 1}), {"node": "eval", "arg": {"genome": 1}}),
    (Command(goto="next", update={"a": 1}), {"graph": None, "goto": "next", "update": {"a": 1}, "resume": None}),
    (Interrupt(value={"ask": 1}, id="i1"), {"id": "i1", "value": {"ask": 1}, "response_schema": None}),
    ({3, 1, 2}, [1, 2, 3]),
    (Span(first=1, last=2), {"first": 1, "last": 2, "symbol": ""}),
    (QueryType.BUG_REPORT, "bug_report"),
    ({1: (2, 3)}, {"1": [2, 3]}),
    (Inside(), "<Inside>"),
    (ValueError("/etc/secret"), "<ValueError>"),
    ("caf\udce9.py", "caf\\udce9.py"),
    ({"files": [Span(first=1, last=1, symbol="\udc80")]}, {"files": [{"first": 1, "last": 1, "symbol": "\\udc80"}]}),
]


@pytest.mark.parametrize(("value", "written"), CASES, ids=lambda v: type(v).__name__)
def test_a_value_becomes_json(value: Any, written: Any) -> None:
    serializer = GraphSerializer()
    assert json.loads(serializer.dumps({"event": value})) == {"event": written}
    assert serializer.dumpd([value]) == [written]
