import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.analysis import NOTHING, analyse_file
from iterative_retrieval.retrieval.text import analyse, term_hash
from iterative_retrieval.state.source import LeftOutReason

CODE = """import os.path
from app.store import Store as S


class HttpRouter:
    def add(self):
        return Store
"""


def test_terms_are_kept_in_text_order() -> None:
    analysis, _ = analyse_file("a.py", CODE.encode())
    assert analysis.parts.tolist() == [term_hash(p) for p in analyse(CODE).parts]
    assert analysis.wholes.tolist() == [term_hash("httprouter")]
    assert analysis.names.tolist() == [term_hash(t) for t in ("http", "router", "add")]
    assert (analysis.reason, analysis.lines) == (None, 8)


def test_the_index_gets_names_and_imports_in_fields_of_their_own() -> None:
    _, index = analyse_file("a.py", CODE.encode())
    assert index.definitions == "http router httprouter add"
    assert index.symbols == "HttpRouter add"
    assert index.imports.split()[:2] == ["path", "store"]
    assert index.body.split().count("store") == 3


def test_a_binary_file_is_left_out_with_its_reason() -> None:
    analysis, index = analyse_file("a.bin", b"\x00\x01\x02" * 100)
    assert (analysis.reason, index) == (LeftOutReason.BINARY, NOTHING)
    assert len(analysis.parts) == len(analysis.chunk_ends) == 0


def test_an_empty_file_has_no_terms() -> None:
    analysis, index = analyse_file("a.py", b"")
    assert (analysis.reason, analysis.parts.tolist(), index.body) == (None, [], "")


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode), st.sampled_from(["a.py", "b.ts", "c.txt", "d"]))
def test_any_bytes_are_analysed(data: bytes, path: str) -> None:
    analysis, _ = analyse_file(path, data)
    ends = analysis.chunk_ends
    assert len(ends) == len(analysis.structure.chunks)
    assert (np.diff(ends, axis=0, prepend=0) >= 0).all()
    assert (ends[-1].tolist() if len(ends) else [0, 0]) == [len(analysis.parts), len(analysis.wholes)]


@pytest.mark.timeout(20)
def test_a_line_of_two_hundred_kilobytes_is_analysed() -> None:
    analysis, _ = analyse_file("a.txt", b"word " * 40_000)
    assert analysis.reason in (None, LeftOutReason.MINIFIED)
