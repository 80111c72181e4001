"""Odd files and odd roots: links, pipes, names, secrets, sizes, permissions."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from iterative_retrieval.state.errors import FileVanished, UnknownRoot
from iterative_retrieval.state.source import LeftOutReason
from iterative_retrieval.stores.corpus import Corpus, open_corpus
from iterative_retrieval.stores.exclusions import MAX_DATA_BYTES, MAX_FILE_BYTES
from tests.repositories import MakeRepo, write_files


def paths(corpus: Corpus) -> list[str]:
    return [entry.path for entry in corpus.files]


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
    assert corpus.explain("in/a.py") == f"below in: {corpus.explain('in')}"
    assert "links are not followed" in str(corpus.explain("in"))


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


def test_a_name_that_is_no_utf8_is_left_out_and_explained(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    name = os.fsdecode(b"caf\xe9.py")
    (repo.path / name).write_text("tracked")
    repo.git("add", "--all")
    repo.commit({})
    on_disk = open_corpus(repo.path)
    assert [e.path for e in on_disk.files] == ["a.py"]
    assert on_disk.left_out[name] is LeftOutReason.UNDECODABLE_NAME
    assert "no UTF-8" in str(on_disk.explain(name))
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
