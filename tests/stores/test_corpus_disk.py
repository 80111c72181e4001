"""What a corpus of files on disk holds: tracked, changed, untracked, ignored, linked, odd."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from iterative_retrieval.state.errors import FileVanished, UnknownRoot
from iterative_retrieval.state.source import FileEntry, LeftOutReason
from iterative_retrieval.stores.corpus import Corpus, open_corpus
from iterative_retrieval.stores.exclusions import MAX_DATA_BYTES, MAX_FILE_BYTES
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


def test_links_are_left_out_and_never_followed(make_repo: MakeRepo, tmp_path: Path) -> None:
    write_files(tmp_path / "outside", {"secret.py": "s"})
    repo = make_repo({"real/a.py": "a"})
    for name, target in {
        "out": "../outside",
        "in": "real",
        "loop": "loop",
        "file.py": "real/a.py",
        "gone": "no",
    }.items():
        (repo.path / name).symlink_to(target)
    repo.git("add", "file.py")
    corpus = open_corpus(repo.path)
    assert paths(corpus) == ["real/a.py"]
    assert corpus.left_out == dict.fromkeys(["file.py", "gone", "in", "loop", "out"], LeftOutReason.LINK)
    assert corpus.explain("out/secret.py") == "behind the link out; links are not followed"


def test_a_tracked_folder_replaced_by_a_link_is_not_entered(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo({"data/a.py": "a", "b.py": "b", ".gitignore": "/data\n"})
    repo.git("add", "--force", "data/a.py")
    (repo.path / "data").rename(tmp_path / "moved")  # the files keep all their times
    (repo.path / "data").symlink_to(tmp_path / "moved")
    assert paths(open_corpus(repo.path)) == [".gitignore", "b.py"]


def test_a_file_replaced_by_a_folder_gives_the_folders_files(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "file"})
    repo.write({"a": None})
    repo.write({"a/b.py": "b"})
    corpus = open_corpus(repo.path)
    assert (paths(corpus), corpus.left_out) == (["a/b.py"], {})


def test_pipes_and_sockets_neither_block_nor_appear(make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make_repo({"a.py": "a", "was_file.py": "x"})
    repo.write({"was_file.py": None})
    os.mkfifo(repo.path / "was_file.py")
    monkeypatch.chdir(repo.path)  # a socket's path may not be long
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("listening")
        corpus = open_corpus(repo.path)
        assert paths(corpus) == ["a.py"]
        assert corpus.left_out == {"was_file.py": LeftOutReason.NOT_A_FILE}
        assert corpus.explain("listening") == "not a regular file (a pipe, socket or device)"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_left_out(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a", "closed.py": "c"})
    repo.write({"hidden/b.py": "b", "new.py": "n"})
    closed = [repo.path / "closed.py", repo.path / "new.py", repo.path / "hidden"]
    for path in closed:
        path.chmod(0)
    try:
        corpus = open_corpus(repo.path)
        assert paths(corpus) == ["a.py"]
        assert corpus.left_out == dict.fromkeys(["closed.py", "hidden", "new.py"], LeftOutReason.UNREADABLE)
        with pytest.raises(UnknownRoot, match="permissions"):
            open_corpus(repo.path / "hidden")
    finally:
        for path in closed:
            path.chmod(0o700)


def test_odd_names_are_listed_and_read(make_repo: MakeRepo) -> None:
    names = [
        "a b.py",
        "ünï.py",
        "日本.py",
        "line\nend.py",
        "tab\there.py",
        "-dash.py",
        'quo"te.py',
        ":(top)x.py",
        "*.py",
    ]
    repo = make_repo(dict.fromkeys(names[:5], "tracked"))
    repo.write(dict.fromkeys(names[5:], "new"))
    corpus = open_corpus(repo.path)
    assert paths(corpus) == sorted(names)
    assert [entry.path for entry, _ in corpus.read_many(corpus.files)] == sorted(names)


def test_a_name_that_is_no_utf8_goes_in_and_out(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    name = os.fsdecode(b"caf\xe9.py")
    (repo.path / name).write_text("tracked")
    repo.git("add", "--all")
    repo.commit({})
    on_disk = open_corpus(repo.path)
    assert on_disk.read(name) == b"tracked"
    assert on_disk.fingerprint == open_corpus(repo.path, "HEAD").fingerprint
    assert on_disk.explain(os.fsdecode(b"na\xefve.py")) == "does not exist"


def test_secrets_binaries_and_large_files_are_left_out_by_name_and_size(make_repo: MakeRepo) -> None:
    repo = make_repo(
        {
            ".env": "KEY=1",
            ".env.example": "KEY=",
            "logo.png": b"\x89PNG",
            "big.py": b"#" * (MAX_FILE_BYTES + 1),
            "rather_big.py": b"#" * (MAX_DATA_BYTES + 1),
            "big.json": b"1" * (MAX_DATA_BYTES + 1),
        }
    )
    repo.write({"certs/server.key": "KEY", "big.csv": b"1" * (MAX_DATA_BYTES + 1)})
    for corpus in (open_corpus(repo.path), open_corpus(repo.path, "HEAD")):
        assert paths(corpus) == [".env.example", "rather_big.py"]
    corpus = open_corpus(repo.path)
    assert corpus.left_out == {
        ".env": LeftOutReason.SECRET,
        "certs/server.key": LeftOutReason.SECRET,
        "logo.png": LeftOutReason.BINARY,
        "big.py": LeftOutReason.TOO_LARGE,
        "big.json": LeftOutReason.TOO_LARGE,
        "big.csv": LeftOutReason.TOO_LARGE,
    }
    assert corpus.explain(".env") == "its name says that it holds a secret; secrets are never read"
    assert corpus.explain("logo.png") == "binary by name (.png)"
    assert corpus.explain("big.csv") == "larger than 200,000 bytes, the limit for files of this kind"
    with pytest.raises(FileVanished, match="secret"):
        corpus.read(".env")


def test_equal_content_has_an_equal_fingerprint(make_repo: MakeRepo) -> None:
    files = {"a.py": "a", "b/c.py": "c"}
    first, second = make_repo(files, name="one"), make_repo({}, files, name="two")
    assert open_corpus(first.path).fingerprint == open_corpus(second.path).fingerprint
    second.write({"a.py": "changed"})
    assert open_corpus(first.path).fingerprint != open_corpus(second.path).fingerprint
    first.git("mv", "a.py", "d.py")
    assert open_corpus(first.path).fingerprint != open_corpus(first.path, "HEAD").fingerprint


@pytest.mark.parametrize("root", ["missing", "file.py", "file.py/below", "loop", "nul\0"])
def test_a_root_that_is_no_folder_is_unknown(tmp_path: Path, root: str) -> None:
    write_files(tmp_path, {"file.py": "x"})
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UnknownRoot, match="folder"):
        open_corpus(f"{tmp_path}/{root}")


def test_a_file_as_root_is_told_its_folder(tmp_path: Path) -> None:
    write_files(tmp_path, {"file.py": "x"})
    with pytest.raises(UnknownRoot, match=f"is a file; give its folder, {tmp_path}"):
        open_corpus(tmp_path / "file.py")
