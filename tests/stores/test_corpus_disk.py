"""What a corpus of files on disk holds: tracked, changed and untracked files, each with git's blob id."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from iterative_retrieval.state.source import FileEntry
from iterative_retrieval.stores.corpus import Corpus, open_corpus
from iterative_retrieval.stores.git import blob_id
from tests.repositories import MakeRepo, write_files


def paths(corpus: Corpus) -> list[str]:
    return [entry.path for entry in corpus.files]


def texts(corpus: Corpus) -> dict[str, str]:
    return {entry.path: content.decode() for entry, content in corpus.read_many(corpus.files)}


def entry_of(corpus: Corpus, path: str) -> FileEntry:
    return next(entry for entry in corpus.files if entry.path == path)


def test_tracked_and_untracked_files_are_listed_by_path(make_repo: MakeRepo) -> None:
    repo = make_repo({"b.py": "b", "pkg/a.py": "a"})
    repo.write({"a.py": "new"})
    corpus = open_corpus(repo.path)
    assert paths(corpus) == ["a.py", "b.py", "pkg/a.py"]
    assert corpus.commit == repo.commits[-1]
    assert corpus.git_dir == str(repo.path / ".git")
    assert (corpus.root, corpus.ref, corpus.prefix) == (str(repo.path), None, "")


def test_an_unmodified_file_keeps_gits_blob_id(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "x = 1\n"})
    entry = entry_of(open_corpus(repo.path), "a.py")
    assert entry == FileEntry("a.py", repo.git("rev-parse", "HEAD:a.py"), 6)


def test_modified_and_untracked_files_have_the_blob_id_git_would_give(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "old"})
    repo.write({"a.py": "new", "b.py": "added"})
    corpus = open_corpus(repo.path)
    for path in ("a.py", "b.py"):
        assert entry_of(corpus, path).blob == repo.git("hash-object", path)


def test_a_sha256_repository_gets_sha256_ids(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"}, object_format="sha256")
    repo.write({"b.py": "b"})
    corpus = open_corpus(repo.path)
    assert {entry.path: entry.blob for entry in corpus.files} == {
        "a.py": repo.git("rev-parse", "HEAD:a.py"),
        "b.py": repo.git("hash-object", "b.py"),
    }
    assert texts(open_corpus(repo.path, "HEAD")) == {"a.py": "a"}


def test_a_deleted_file_is_not_listed(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a", "b/c.py": "c", "kept.py": "k"})
    repo.write({"a.py": None, "b/c.py": None})
    (repo.path / "b").rmdir()
    corpus = open_corpus(repo.path)
    assert paths(corpus) == ["kept.py"]
    assert corpus.explain("a.py") == "does not exist"
    assert corpus.explain("b/c.py") == "does not exist"


def test_a_renamed_file_is_listed_under_its_new_name_only(make_repo: MakeRepo) -> None:
    repo = make_repo({"old.py": "same"})
    repo.git("mv", "old.py", "new.py")
    assert paths(open_corpus(repo.path)) == ["new.py"]


def test_a_change_within_the_tick_of_the_index_is_noticed(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "one"})
    before = os.stat(repo.path / "a.py")
    repo.git("add", "a.py")
    (repo.path / "a.py").write_text("two")  # same size
    os.utime(repo.path / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert texts(open_corpus(repo.path)) == {"a.py": "two"}
    assert entry_of(open_corpus(repo.path), "a.py").blob == blob_id(b"two")


def test_an_assume_unchanged_file_is_still_looked_at(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "old"})
    repo.git("update-index", "--assume-unchanged", "a.py")
    repo.write({"a.py": "changed"})
    assert entry_of(open_corpus(repo.path), "a.py").blob == blob_id(b"changed")


def test_files_outside_a_sparse_checkout_are_not_listed(make_repo: MakeRepo) -> None:
    repo = make_repo({"in/a.py": "a", "out/b.py": "b", "top.py": "t"})
    repo.git("sparse-checkout", "set", "in")
    assert paths(open_corpus(repo.path)) == ["in/a.py", "top.py"]


def test_a_file_present_despite_the_sparse_checkout_is_listed(make_repo: MakeRepo) -> None:
    repo = make_repo({"in/a.py": "a", "out/b.py": "b"})
    repo.git("sparse-checkout", "set", "in")
    repo.write({"out/b.py": "here"})
    assert texts(open_corpus(repo.path)) == {"in/a.py": "a", "out/b.py": "here"}


def test_an_intent_to_add_file_has_its_real_content(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    repo.write({"b.py": "planned"})
    repo.git("add", "--intent-to-add", "b.py")
    assert entry_of(open_corpus(repo.path), "b.py") == FileEntry("b.py", blob_id(b"planned"), 7)


def test_a_merge_conflict_lists_the_file_once_with_its_markers(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "base\n"})
    repo.git("switch", "--quiet", "--create", "other")
    repo.commit({"a.py": "theirs\n"})
    repo.git("switch", "--quiet", "main")
    repo.commit({"a.py": "ours\n"})
    with pytest.raises(AssertionError):
        repo.git("merge", "other")
    corpus = open_corpus(repo.path)
    assert paths(corpus) == ["a.py"]
    assert "<<<<<<<" in texts(corpus)["a.py"]


def test_what_is_staged_between_two_listings_is_in_the_second(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    assert paths(open_corpus(repo.path)) == ["a.py"]
    repo.write({"b.py": "b"})
    repo.git("add", "b.py")
    assert paths(open_corpus(repo.path)) == ["a.py", "b.py"]
    repo.git("rm", "--quiet", "--cached", "a.py")
    repo.write({"a.py": None})
    assert paths(open_corpus(repo.path)) == ["b.py"]


def test_a_repository_without_commits_lists_its_files(make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.write({"a.py": "a", "staged.py": "s"})
    repo.git("add", "staged.py")
    corpus = open_corpus(repo.path)
    assert paths(corpus) == ["a.py", "staged.py"]
    assert corpus.commit is None
    assert corpus.git_dir == str(repo.path / ".git")


def test_an_empty_folder_is_an_empty_corpus(tmp_path: Path) -> None:
    corpus = open_corpus(tmp_path)
    assert (corpus.files, corpus.left_out, corpus.ignored(), corpus.git_dir) == ([], {}, 0, None)


def test_a_sub_folder_root_lists_its_own_files_by_paths_relative_to_it(make_repo: MakeRepo) -> None:
    repo = make_repo({"top.py": "t", "pkg/a.py": "a", "pkg/sub/b.py": "b", ".gitignore": "*.log\n"})
    repo.write({"pkg/new.py": "n", "pkg/x.log": "ignored", "pkg/a.py": "changed"})
    corpus = open_corpus(repo.path / "pkg")
    assert texts(corpus) == {"a.py": "changed", "new.py": "n", "sub/b.py": "b"}
    assert (corpus.prefix, corpus.commit) == ("pkg/", repo.commits[-1])
    assert corpus.ignored() == 1
    assert corpus.explain("../top.py") == f"not below the root {repo.path / 'pkg'}; nothing outside is read"


def test_a_linked_work_tree_shares_the_git_directory(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo({"a.py": "a"})
    repo.git("worktree", "add", "--quiet", "-b", "feature", str(tmp_path / "linked"))
    write_files(tmp_path / "linked", {"b.py": "b"})
    corpus = open_corpus(tmp_path / "linked")
    assert paths(corpus) == ["a.py", "b.py"]
    assert corpus.git_dir == str(repo.path / ".git")
    assert entry_of(corpus, "a.py").blob == repo.git("rev-parse", "HEAD:a.py")


def test_a_root_reached_through_a_link_is_the_real_folder(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo({"pkg/a.py": "a"})
    (tmp_path / "alias").symlink_to(repo.path / "pkg")
    corpus = open_corpus(tmp_path / "alias")
    assert (corpus.root, corpus.prefix, paths(corpus)) == (str(repo.path / "pkg"), "pkg/", ["a.py"])


def test_equal_content_has_an_equal_fingerprint(make_repo: MakeRepo) -> None:
    files = {"a.py": "a", "b/c.py": "c"}
    first, second = make_repo(files, name="one"), make_repo({}, files, name="two")
    assert open_corpus(first.path).fingerprint == open_corpus(second.path).fingerprint
    second.write({"a.py": "changed"})
    assert open_corpus(first.path).fingerprint != open_corpus(second.path).fingerprint
    first.git("mv", "a.py", "d.py")
    assert open_corpus(first.path).fingerprint != open_corpus(first.path, "HEAD").fingerprint
