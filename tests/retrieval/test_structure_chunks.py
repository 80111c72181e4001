from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.structure import structure_of

PIECES = [
    "def f():\n", "class C(B):\n", "    def m(self):\n", "        return 1\n", "    pass\n", "@decorator\n", "# note\n",
    "x = 1\n", "\n", "\n\n", "(", ")", "'''", '"', "\\\n", "\t", "\x0c", "if a:\n", "é = 'ß'\n", "import a\n", "}", "{",
    "lambda: ", "async ", "\r", "\u2028", "def ", "    ", "x" * 200, "\n" * 130,
    "cfg! {", "impl A {", "fn f() {}\n", "cfg! { mod m; fn g() {} }\n", "}\n", "class A_B C : D {\n", "<?php ",
    "use a\\{b, c};\n", "use a::{b, c};\n",
]  # fmt: skip
ENDINGS = "py js ts tsx rb rs go java php c cpp cs md rst txt"
PATHS = [f"a.{ending}" for ending in ENDINGS.split()]


def line_count(text: str) -> int:
    return len(text.split("\n")) - text.endswith("\n") if text else 0


def chunks(path: str, text: str) -> list[tuple[int, int, str]]:
    return [(c.first, c.last, c.symbol) for c in structure_of(path, dedent(text).lstrip("\n")).chunks]


def assert_partition(path: str, text: str) -> None:
    found = structure_of(path, text)
    expected = 1
    for chunk in found.chunks:
        assert chunk.first == expected and chunk.last >= chunk.first
        expected = chunk.last + 1
    assert expected == line_count(text) + 1
    assert all(1 <= symbol.first <= symbol.last <= line_count(text) for symbol in found.symbols)


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(PATHS), st.text())
def test_chunks_partition_the_lines_of_any_text(path: str, text: str) -> None:
    assert_partition(path, text)


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(PATHS), st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_chunks_partition_the_lines_of_any_mixture_of_code(path: str, text: str) -> None:
    assert_partition(path, text)


def test_header_functions_and_module_code_become_chunks_of_their_own() -> None:
    assert chunks("a.py", '''
        """The module."""
        import os
        import re

        class Query:
            """A query."""

            alias_prefix = "T"
            compiler = "SQLCompiler"
            subq = 1

            # Explains add_q.
            @lock
            def add_q(self, q):
                a = 1
                b = 2
                c = 3
                return a, b, c

            def split(self):
                a = 1
                b = 2
                c = 3
                return a, b, c

        def helper():
            a = 1
            b = 2
            c = 3
            return a, b, c
        ''') == [
        (1, 4, ""),
        (5, 11, "Query"),
        (12, 19, "Query.add_q"),
        (20, 25, "Query.split"),
        (26, 30, "helper"),
    ]  # fmt: skip


def test_one_line_functions_side_by_side_share_a_chunk() -> None:
    text = "import a\n\n" + "".join(f"def f{n}(): return {n}\n" for n in range(4))
    assert chunks("a.py", text) == [(1, 2, ""), (3, 6, "f0")]


def test_a_short_class_is_one_chunk() -> None:
    text = "class Error(Exception):\n    def __str__(self):\n        return 'x'\n\n" + "x = 1\n" * 8
    assert chunks("a.py", text) == [(1, 3, "Error"), (4, 12, "")]


def test_documentation_comments_belong_to_the_function_below() -> None:
    text = """
        const a = 1;
        const b = 2;
        const c = 3;
        const d = 4;
        const e = 5;

        /**
         * Adds.
         */
        function add(x, y) {
          return x + y;
        }
        """
    assert chunks("a.js", text) == [(1, 6, ""), (7, 12, "add")]


def test_a_comment_behind_code_does_not_drag_the_code_along() -> None:
    text = "int a;\nint b;\nint c;\nint d;\nint e; /* the\nlast */\nint f(void) {\n  return 1;\n}\n"
    assert chunks("a.c", text) == [(1, 6, ""), (7, 9, "f")]


def test_the_line_that_opens_an_impl_goes_with_its_first_method() -> None:
    method = "    fn f(&self) {\n        a();\n        b();\n        c();\n        d();\n    }\n"
    assert chunks("a.rs", f"impl A {{\n{method}}}\n\nimpl B {{\n{method}}}\n") == [(1, 7, "A.f"), (8, 17, "B.f")]


def test_a_long_function_is_cut_at_blank_lines_and_keeps_its_symbol() -> None:
    body = "".join("    x = 1\n" * 9 + "\n" for _ in range(20))
    found = chunks("a.py", "def long():\n" + body)
    assert [symbol for _, _, symbol in found] == ["long"] * 3
    assert all(50 <= last - first + 1 <= 90 for first, last, _ in found)
    assert all(last % 10 == 1 for _, last, _ in found)


def test_functions_inside_a_very_long_function_are_chunks_too() -> None:
    inner = "".join(f"    def inner{n}():\n" + "        pass\n" * 40 for n in range(4))
    found = chunks("a.py", "def outer():\n" + inner)
    assert [symbol for _, _, symbol in found] == ["outer"] + [f"outer.inner{n}" for n in range(4)]


def test_markdown_is_cut_at_headings_but_not_inside_code_fences() -> None:
    text = "# Title\n\n## Install\n" + "text\n" * 6 + "```sh\n# no heading\n```\n" + "## Use\n" + "text\n" * 6
    assert chunks("README.md", text) == [(1, 12, ""), (13, 19, "")]


def test_rst_is_cut_at_underlined_and_overlined_titles() -> None:
    text = "=====\nTitle\n=====\n" + "text\n" * 5 + "Part\n----\n" + "text\n" * 5
    assert chunks("doc.rst", text) == [(1, 8, ""), (9, 15, "")]


def test_other_texts_are_cut_into_windows_at_blank_lines() -> None:
    text = ("line\n" * 9 + "\n") * 20
    found = chunks("notes.txt", text)
    assert len(found) == 4 and all(last % 10 == 0 for _, last, _ in found)
    assert all(40 <= last - first + 1 <= 60 for first, last, _ in found)


@pytest.mark.parametrize("path", PATHS)
def test_an_empty_file_has_no_chunk_and_a_blank_one_has_one(path: str) -> None:
    assert structure_of(path, "").chunks == ()
    assert [(c.first, c.last) for c in structure_of(path, "\n\n").chunks] == [(1, 2)]
