from __future__ import annotations

import pytest

from iterative_retrieval.retrieval.passages.definitions import defined_names, enclosing_names


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("def retry(times):", "retry"),
        ("pub fn new_executor(a: A) -> Self {", "new_executor"),
        ("impl<A, B> DiffExecutor<A, B> {", "DiffExecutor"),
        ("impl<T> Deref for Replaceable<T> {", "Replaceable"),
        ("public static void checkState(int x) throws IOException {", "checkState"),
        ("#define MAX_SIZE 10", "MAX_SIZE"),
        ("class Column : public Base {", "Column"),
        ("  bool both_require(const uint8_t *bytes, size_t len) {", "both_require"),
        ("interface Shape {}", "Shape"),
    ],
)
def test_a_definition_is_seen_in_any_language(code: str, name: str) -> None:
    assert name in defined_names(code)


@pytest.mark.parametrize("code", ["if (ready) {", "while (x < 3) {", "for (;;) {", "return f(x);", "x = 3"])
def test_a_statement_defines_nothing(code: str) -> None:
    assert defined_names(code) == []


def test_a_method_chunk_knows_the_type_around_it() -> None:
    chunks = ["class Executor {\n", "  void run() {}\n", "}\nclass Other {\n", "  void stop() {}\n"]
    assert enclosing_names(chunks) == [[], ["Executor"], ["Executor"], ["Executor", "Other"]]


def test_long_lines_take_no_long_time() -> None:
    assert defined_names("a " * 200_000) == []
    assert defined_names("(" * 50_000) == []
