from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.engines import edited, main, query_terms, source_documents
from benchmarks.lexical_engines import ENGINES, Documents, Engine, megabytes
from iterative_retrieval.retrieval.text import stem
from iterative_retrieval.stores.corpus import Corpus, open_corpus
from tests.benchmarks.conftest import Bench
from tests.repositories import MakeRepo

FILES = {
    "src/upload.py": "class FileUploadHandler:\n    def receive(self, chunk: bytes) -> None: ...\n",
    "src/query.py": "class Query:\n    def filter(self, chunk: str) -> None: ...\n",
    "src/views.py": "def show(request): return request\n",
    "tests/test_upload.py": "from src.upload import FileUploadHandler\n",
    "src/bundle.js": "x" * 20_000 + "\n",
}
WORDS = [stem(f"{a}{b}k") for a in "bdfgk" for b in ("ala", "elu", "iro", "umi")]
MakeEngine = Callable[[Path, Corpus], Engine]


@pytest.fixture
def corpus(make_repo: MakeRepo) -> Corpus:
    more = {f"src/part{i}.py": f"def {WORDS[i]}_run(): return part\n" for i in range(20)}
    return open_corpus(make_repo(FILES | more).path, "HEAD")


@pytest.fixture
def documents(corpus: Corpus) -> Documents:
    return source_documents(corpus, {})


def test_only_readable_source_files_are_compared(documents: Documents) -> None:
    assert {"src/upload.py", "src/query.py"} <= set(documents)
    assert not {"tests/test_upload.py", "src/bundle.js"} & set(documents)


@pytest.mark.parametrize("make", ENGINES)
def test_each_engine_finds_the_file_by_its_words(
    make: MakeEngine, corpus: Corpus, documents: Documents, tmp_path: Path
) -> None:
    engine = make(tmp_path / "index", corpus)
    engine.know(documents)
    engine.build(documents)
    title = query_terms("the upload handler of a file")["title"]
    assert engine.search(title, 10)[0] == "src/upload.py"
    assert set(engine.search(["chunk"], 10)) == {"src/upload.py", "src/query.py"}
    assert engine.search(["zzyzx"], 10) == engine.search([], 10) == []
    assert len(engine.search(["part"], 7)) == 7
    engine.close()


@pytest.mark.parametrize("make", ENGINES)
def test_an_update_changes_ten_files_and_loses_nothing(
    make: MakeEngine, corpus: Corpus, documents: Documents, tmp_path: Path
) -> None:
    engine = make(tmp_path / "index", corpus)
    engine.know(documents)
    engine.build(documents)
    changed = edited(documents)
    engine.update({**documents, **changed}, changed)
    assert len(changed) == 10
    for path, document in changed.items():
        [word] = set(document.text.body.split()) & {*WORDS, "request", "receiv", "filter"}
        assert engine.search([word], 5)[0] == path
        assert word not in documents[path].text.body
    assert len(engine.search(["part"], 50)) == 20
    assert megabytes(tmp_path / "index") > 0
    engine.close()


def test_the_table_has_a_line_for_each_engine_and_query(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "engines.md"
    assert main(bench.arguments("--out", str(out))) == 0
    text = out.read_text()
    assert text == capsys.readouterr().out
    cells = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    assert [row[:2] for row in cells[1:]] == [
        [name, part] for name in ("tantivy", "bm25s", "SQLite FTS5") for part in ("title", "issue")
    ]
    for row in cells[1:]:
        assert row[3].startswith("100 "), f"{row[0]} misses a file that its title names"
        assert all(float(number) >= 0 for number in row[5:])
