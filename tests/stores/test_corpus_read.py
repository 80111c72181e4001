"""Reading a corpus: the ids never lie, and nothing outside the root is read, whatever happens after the listing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from iterative_retrieval.state.errors import FileVanished
from iterative_retrieval.state.source import FileEntry
from iterative_retrieval.stores.corpus import Corpus, open_corpus
from iterative_retrieval.stores.exclusions import MAX_DATA_BYTES
from iterative_retrieval.stores.git import blob_id
from tests.repositories import MakeRepo, write_files


def read_all(corpus: Corpus) -> list[tuple[FileEntry, bytes]]:
    return list(corpus.read_many(corpus.files))


def test_entries_come_back_in_the_order_asked(make_repo: MakeRepo) -> None:
    repo = make_repo({"a/x.py": "1", "b/y.py": "2", "a/z/w.py": "3", "c.py": "4"})
    for corpus in (open_corpus(repo.path), open_corpus(repo.path, "HEAD")):
        asked = [corpus.files[place] for place in (3, 0, 2, 1, 0)]
        assert [entry for entry, _ in corpus.read_many(asked)] == asked


def test_a_file_changed_after_the_listing_comes_with_its_true_id(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "one", "b.py": "b"})
    corpus = open_corpus(repo.path)
    repo.write({"a.py": "changed"})
    assert read_all(corpus)[0] == (FileEntry("a.py", blob_id(b"changed"), 7), b"changed")
    assert corpus.vanished == []


def test_line_ends_that_git_converts_give_the_id_of_the_bytes_on_disk(make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.git("config", "core.autocrlf", "true")
    repo.commit({"a.py": "x\r\ny\r\n"})
    corpus = open_corpus(repo.path)
    assert repo.git("status", "--porcelain") == ""
    assert read_all(corpus) == [(FileEntry("a.py", blob_id(b"x\r\ny\r\n"), 6), b"x\r\ny\r\n")]
    assert open_corpus(repo.path).fingerprint == corpus.fingerprint


def test_vanished_files_are_skipped_and_remembered(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a", "b.py": "b", "pkg/c.py": "c"})
    corpus = open_corpus(repo.path)
    repo.write({"a.py": None, "pkg/c.py": None})
    (repo.path / "pkg").rmdir()
    assert [entry.path for entry, _ in read_all(corpus)] == ["b.py"]
    assert corpus.vanished == ["a.py", "pkg/c.py"]
    with pytest.raises(FileVanished, match=r"a\.py: .*search again"):
        corpus.read("a.py")


def test_a_file_that_vanishes_while_others_are_read_is_skipped(make_repo: MakeRepo) -> None:
    repo = make_repo({f"{name}.py": name for name in "abc"})
    corpus = open_corpus(repo.path)
    reading = corpus.read_many(corpus.files)
    assert next(reading)[0].path == "a.py"
    repo.write({"b.py": None})
    assert [entry.path for entry, _ in reading] == ["c.py"]
    assert corpus.vanished == ["b.py"]


def test_a_root_that_vanishes_leaves_nothing_to_read(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    corpus = open_corpus(repo.path)
    repo.path.rename(repo.path.with_name("away"))
    assert (read_all(corpus), corpus.vanished) == ([], ["a.py"])


def test_a_file_replaced_by_a_link_is_not_read(make_repo: MakeRepo, tmp_path: Path) -> None:
    write_files(tmp_path, {"outside.py": "secret"})
    repo = make_repo({"a.py": "a"})
    corpus = open_corpus(repo.path)
    (repo.path / "a.py").unlink()
    (repo.path / "a.py").symlink_to(tmp_path / "outside.py")
    assert (read_all(corpus), corpus.vanished) == ([], ["a.py"])


@pytest.mark.parametrize("folder", ["pkg", "pkg/sub"])
def test_a_folder_replaced_by_a_link_is_not_entered(make_repo: MakeRepo, tmp_path: Path, folder: str) -> None:
    repo = make_repo({"a.py": "a", "pkg/sub/b.py": "b", "z.py": "z"})
    corpus = open_corpus(repo.path)
    outside = tmp_path / "outside"
    (repo.path / folder).rename(outside)
    write_files(outside, {"b.py": "secret", "sub/b.py": "secret"})
    (repo.path / folder).symlink_to(outside)
    assert [content for _, content in read_all(corpus)] == [b"a", b"z"]
    assert corpus.vanished == ["pkg/sub/b.py"]


def test_a_file_replaced_by_a_pipe_does_not_block(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    corpus = open_corpus(repo.path)
    repo.write({"a.py": None})
    os.mkfifo(repo.path / "a.py")
    assert (read_all(corpus), corpus.vanished) == ([], ["a.py"])


def test_a_file_that_outgrew_the_limit_is_not_read(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.csv": "1"})
    corpus = open_corpus(repo.path)
    repo.write({"a.csv": "1" * (MAX_DATA_BYTES + 1)})
    assert (read_all(corpus), corpus.vanished) == ([], ["a.csv"])


def test_only_listed_files_can_be_read(make_repo: MakeRepo, tmp_path: Path) -> None:
    write_files(tmp_path, {"outside.py": "secret"})
    corpus = open_corpus(make_repo({"a.py": "a", ".env": "KEY=1"}).path)
    assert corpus.read("a.py") == b"a"
    for path in ("../outside.py", str(tmp_path / "outside.py"), ".env", ".git/config", "absent.py", ""):
        with pytest.raises(FileVanished):
            corpus.read(path)


def test_many_paths_are_read_at_once_and_what_is_gone_is_missing(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1", "b/y.py": "2", "c.py": "3"})
    for corpus in (open_corpus(repo.path), open_corpus(repo.path, "HEAD")):
        wanted = ["c.py", "no/such.py", "../outside.py", "a.py", "c.py"]
        assert dict(corpus.read_paths(wanted)) == {"a.py": b"1", "c.py": b"3"}
    corpus = open_corpus(repo.path)
    repo.write({"a.py": None})
    assert dict(corpus.read_paths(["a.py", "c.py"])) == {"c.py": b"3"}
