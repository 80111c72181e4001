import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import resources

import pytest

from iterative_retrieval.retrieval import structure
from iterative_retrieval.retrieval.structure import grammars, structure_of

GARBAGE = {
    "open brackets": ("(" * 200_000, ["py", "js", "cpp", "rs", "java"]),
    "closed brackets": (")" * 200_000, ["py", "cpp", "go"]),
    "mixed brackets": ("%w(" * 50_000, ["cpp", "java", "rb", "rs"]),
    "type arguments": ("a<\n" * 50_000, ["java", "cs", "ts"]),
    "arrows": ("a => " * 50_000, ["java", "c", "js"]),
    "open comments": ("/* " * 50_000, ["c", "js", "go"]),
    "raw strings": ('r#"' * 50_000, ["rs"]),
    "heredocs": ("<<A " * 20_000, ["rb", "php"]),
    "keywords": ("lambda: " * 100_000, ["py"]),
    "class heads": ("class A_B " * 50_000, ["cpp", "c"]),
    "nul and invalid": ("\x00\ud800\xff" * 30_000, ["py", "js", "php"]),
}


@pytest.mark.parametrize(("text", "ending"), [(t, e) for t, endings in GARBAGE.values() for e in endings])
def test_garbage_neither_crashes_nor_hangs(text: str, ending: str) -> None:
    started = time.thread_time()
    found = structure_of(f"a.{ending}", text)
    assert time.thread_time() - started < 10
    assert found.chunks[0].first == 1 and found.chunks[-1].last == len(text.split("\n")) - text.endswith("\n")


def test_a_huge_file_is_read_as_text() -> None:
    found = structure_of("a.py", "x = 1\n" * 400_000)
    assert not found.parsed and found.symbols == () and len(found.chunks) > 1_000


def test_deep_but_written_nesting_is_still_parsed() -> None:
    found = structure_of("a.py", "x = " + "[" * 150 + "]" * 150 + "\ndef after(): pass\n")
    assert found.parsed and [s.qualified for s in found.symbols] == ["x", "after"]


def test_a_missing_grammar_leaves_chunks_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)  # what an absent wheel looks like to an import
    grammars.grammar_of.cache_clear()
    try:
        found = structure_of("a.go", "package a\n\nfunc F() {}\n")
    finally:
        grammars.grammar_of.cache_clear()
    assert (found.language, found.parsed, found.symbols) == ("go", False, ())
    assert [(c.first, c.last) for c in found.chunks] == [(1, 3)]


def test_grammars_and_queries_can_be_released() -> None:
    """Checked in a process of its own: a query that releases an object twice ends its process, not a test."""
    program = """
import gc
from iterative_retrieval.retrieval import structure
from iterative_retrieval.retrieval.structure import grammars, structure_of
for _ in range(5):
    for ending in "py js ts tsx rb rs go java php c cpp cs".split():
        structure_of("a." + ending, "class A { f() {} }\\nrequire_relative 'a'\\nmod b;\\n")
    grammars.grammar_of.cache_clear()
    gc.collect()
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=120).returncode == 0


def test_several_threads_get_the_answers_of_one() -> None:
    endings = ("js", "java", "py")
    texts = [(f"a{n}.{e}", f"class A{n} {{ m{n}() {{}} }}\n" * 30) for n in range(40) for e in endings]
    alone = [structure_of(path, text) for path, text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda item: structure_of(*item), texts))
    assert together == alone


def test_no_query_uses_the_directive_that_breaks_memory() -> None:
    queries = list((resources.files(structure) / "queries").iterdir())
    assert len(queries) > 10
    assert not [query.name for query in queries if "#set!" in query.read_text(encoding="utf-8")]
