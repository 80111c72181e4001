import pytest

from iterative_retrieval.retrieval.languages import language_of


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"), ("a.PYI", "python"), ("x.jsx", "javascript"), ("x.d.ts", "typescript"), ("x.tsx", "tsx"),
        ("lib/a.rb", "ruby"), ("Rakefile", "ruby"), ("a/Gemfile", "ruby"), ("x.hpp", "cpp"), ("x.h", "c"),
        ("README.md", "markdown"), ("docs/a.rst", "rst"), ("a.kt", "kotlin"), ("Makefile", "make"),
        ("Dockerfile.dev", "dockerfile"), (".gitignore", "gitignore"), ("a.unknown", ""), ("noextension", ""), ("", ""),
    ],
)  # fmt: skip
def test_names_decide_the_language(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ("#!/usr/bin/env python3\n", "python"), ("#!/usr/bin/python2.7 -u\n", "python"), ("#!/bin/sh\n", "shell"),
        ("#!/usr/bin/env -S node --x\n", "javascript"), ("#! /usr/local/bin/ruby\n", "ruby"), ("#!/bin/strange\n", ""),
        ("import os\n", ""),
    ],
)  # fmt: skip
def test_a_first_line_decides_for_scripts_without_an_ending(head: str, language: str) -> None:
    assert language_of("bin/tool", head) == language


def test_an_ending_counts_more_than_a_first_line() -> None:
    assert language_of("tool.rb", "#!/usr/bin/env python\n") == "ruby"


@pytest.mark.parametrize("head", ["namespace a {\n", "#include <vector>\n", "\ntemplate <class T>\n", "std::pair p;"])
def test_a_header_with_cpp_words_is_cpp(head: str) -> None:
    assert language_of("include/a.h", head) == "cpp"


def test_a_plain_header_is_c() -> None:
    assert language_of("include/a.h", "#include <stdio.h>\nstruct a { int x; };\n") == "c"
