"""A corpus at a git ref: read from the object store, without a checkout."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from iterative_retrieval.state.errors import FileVanished, UnknownRef, UnknownRoot
from iterative_retrieval.state.source import FileEntry, LeftOutReason
from iterative_retrieval.stores.corpus import Corpus, open_corpus
from iterative_retrieval.stores.git import blob_id
from tests.repositories import GitRepo, MakeRepo


def texts(corpus: Corpus) -> dict[str, str]:
    return {entry.path: content.decode() for entry, content in corpus.read_many(corpus.files)}


@pytest.fixture
def repo(make_repo: MakeRepo) -> GitRepo:
    """Two commits, a tag, a branch, and a work tree that differs from all of them."""
    repo = make_repo({"a.py": "one", "pkg/b.py": "b"}, {"a.py": "two", "pkg/c.py": "c"})
    repo.git("tag", "--annotate", "--message", "first", "v1", repo.commits[0])
    repo.write({"a.py": "three", "untracked.py": "u"})
    return repo


@pytest.mark.parametrize("ref", ["v1", "HEAD~1", "main^", "refs/tags/v1", "HEAD^{/commit 1}"])
def test_a_ref_gives_the_files_of_its_commit(repo: GitRepo, ref: str) -> None:
    corpus = open_corpus(repo.path, ref)
    assert texts(corpus) == {"a.py": "one", "pkg/b.py": "b"}
    assert (corpus.ref, corpus.commit, corpus.git_dir) == (ref, repo.commits[0], str(repo.path / ".git"))
    assert corpus.ignored() == 0


def test_a_short_commit_id_is_a_ref(repo: GitRepo) -> None:
    assert open_corpus(repo.path, repo.commits[0][:8]).commit == repo.commits[0]


def test_entries_carry_blob_and_size(repo: GitRepo) -> None:
    assert open_corpus(repo.path, "v1").files[0] == FileEntry("a.py", blob_id(b"one"), 3)


def test_the_same_content_has_the_same_fingerprint_on_disk_and_at_a_ref(repo: GitRepo) -> None:
    repo.write({"a.py": "two", "untracked.py": None})
    assert open_corpus(repo.path).fingerprint == open_corpus(repo.path, "HEAD").fingerprint


@pytest.mark.parametrize("ref", ["", "nope", "-", "--all", "--output=x", "v1:a.py", "HEAD~99", "0" * 40, "a\0b", "a b"])
def test_a_ref_that_names_no_commit_is_unknown(repo: GitRepo, ref: str) -> None:
    with pytest.raises(UnknownRef, match="names no commit"):
        open_corpus(repo.path, ref)
    assert not (repo.path / "x").exists()


def test_a_ref_outside_git_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(UnknownRef, match="not in a git repository"):
        open_corpus(tmp_path, "main")


def test_a_sub_folder_root_sees_its_sub_tree_only(repo: GitRepo) -> None:
    corpus = open_corpus(repo.path / "pkg", "main")
    assert texts(corpus) == {"b.py": "b", "c.py": "c"}
    assert corpus.prefix == "pkg/"


def test_a_folder_that_the_commit_lacks_is_an_unknown_root(repo: GitRepo) -> None:
    (repo.path / "new").mkdir()
    with pytest.raises(UnknownRoot, match="has no folder new/"):
        open_corpus(repo.path / "new", "v1")


def test_a_bare_repository_reads_the_ref_or_its_head(repo: GitRepo, tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", "--bare", str(repo.path), str(tmp_path / "bare.git")], check=True)
    at_tag, at_head = open_corpus(tmp_path / "bare.git", "v1"), open_corpus(tmp_path / "bare.git")
    assert texts(at_tag) == {"a.py": "one", "pkg/b.py": "b"}
    assert texts(at_head) == {"a.py": "two", "pkg/b.py": "b", "pkg/c.py": "c"}
    assert (at_head.ref, at_head.commit, at_head.git_dir) == (None, repo.commits[1], str(tmp_path / "bare.git"))
    assert texts(open_corpus(repo.path / ".git", "v1")) == texts(at_tag)


def test_an_empty_bare_repository_is_an_empty_corpus(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", str(tmp_path / "bare.git")], check=True)
    corpus = open_corpus(tmp_path / "bare.git")
    assert (corpus.files, corpus.commit) == ([], None)
    assert corpus.explain("a.py") == "the repository has no commit yet"
    with pytest.raises(FileVanished, match="no commit yet"):
        corpus.read("a.py")


def test_a_linked_work_tree_knows_every_branch(repo: GitRepo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "--quiet", "-b", "feature", str(tmp_path / "linked"), "v1")
    assert open_corpus(tmp_path / "linked", "main").commit == repo.commits[1]
    assert open_corpus(tmp_path / "linked").commit == repo.commits[0]


def test_absent_paths_are_explained_by_the_commit(repo: GitRepo) -> None:
    corpus = open_corpus(repo.path, "v1")
    assert corpus.explain("pkg/c.py") == f"does not exist at commit {repo.commits[0][:12]}"
    assert corpus.explain("pkg") == "a folder; name one of its files"
    assert corpus.explain("./pkg//b.py") is None
    with pytest.raises(FileVanished, match=r"pkg/c\.py: does not exist"):
        corpus.read("pkg/c.py")


def test_links_in_a_commit_are_left_out(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    (repo.path / "link").symlink_to("/etc/passwd")
    repo.commit({})
    assert open_corpus(repo.path, "HEAD").left_out == {"link": LeftOutReason.LINK}


def test_many_blobs_stream_without_a_deadlock(make_repo: MakeRepo) -> None:
    big = b"x" * 150_000
    repo = make_repo({f"f{number:04}.py": b"%d" % number + big for number in range(40)})
    corpus = open_corpus(repo.path, "HEAD")
    entries = corpus.files * 200  # 8,000 questions fill the pipe to git long before its 1.2 GB of answers are read
    sizes = [len(content) for _, content in itertools.islice(corpus.read_many(entries), 1_000)]
    assert sizes == [entry.size for entry in entries[:1_000]]


def test_a_reader_that_stops_early_leaves_nothing_running(make_repo: MakeRepo) -> None:
    corpus = open_corpus(make_repo({f"f{n}.py": "x" * 100_000 for n in range(50)}).path, "HEAD")
    before, children = threading.active_count(), _children()
    reading = corpus.read_many(corpus.files)
    next(reading)
    assert isinstance(reading, Generator)
    reading.close()
    assert threading.active_count() == before
    assert _children() <= children


def _children() -> set[str]:
    """Process ids of this process's children, those that ended without being waited for included."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            parent = stat.read_text().rpartition(")")[2].split()[1]
            if int(parent) == os.getpid():
                found.add(stat.parent.name)
    return found


def test_a_partial_clone_misses_blobs_without_the_network(repo: GitRepo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    source, target = f"file://{repo.path}", str(tmp_path / "partial")
    subprocess.run(["git", "clone", "-q", "--no-checkout", "--filter=blob:none", source, target], check=True)
    corpus = open_corpus(target, "HEAD")
    assert corpus.files == []
    assert corpus.left_out == dict.fromkeys(["a.py", "pkg/b.py", "pkg/c.py"], LeftOutReason.UNREADABLE)
    with pytest.raises(UnknownRef):
        open_corpus(target, "1" * 40)
    reads = list(open_corpus(target, "HEAD").read_many([FileEntry("a.py", blob_id(b"two"), 3)]))
    assert reads == []
    have = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch-check"], cwd=target, capture_output=True, check=True
    )
    assert b"blob" not in have.stdout  # nothing was fetched behind our back


def test_a_blob_that_is_lost_is_skipped_and_remembered(repo: GitRepo) -> None:
    corpus = open_corpus(repo.path, "v1")
    blob = corpus.files[0].blob
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert texts(corpus) == {"pkg/b.py": "b"}
    assert corpus.vanished == ["a.py"]
    with pytest.raises(FileVanished, match="since it was listed"):
        corpus.read("a.py")


def test_a_corrupt_blob_is_skipped_and_remembered(repo: GitRepo) -> None:
    corpus = open_corpus(repo.path, "v1")
    blob = corpus.files[0].blob
    path = repo.path / ".git" / "objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(b"garbage")
    assert texts(corpus) == {"pkg/b.py": "b"}
    assert corpus.vanished == ["a.py"]


def test_replacement_objects_do_not_change_what_a_commit_holds(repo: GitRepo) -> None:
    repo.git("replace", repo.commits[0], repo.commits[1])
    assert texts(open_corpus(repo.path, "v1")) == {"a.py": "one", "pkg/b.py": "b"}
