from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from iterative_retrieval.retrieval.text import content_terms, term_hash
from iterative_retrieval.state.analysis import History
from iterative_retrieval.state.errors import GitUnavailable
from iterative_retrieval.stores.blobs import BlobStore
from iterative_retrieval.stores.git import run_git
from iterative_retrieval.stores.history import MAX_COMMITS, MAX_FILES, read_history
from iterative_retrieval.stores.workspace import CachedWorkspaces
from tests.repositories import GitRepo, MakeRepo


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "cache" / "analyses.sqlite")


def read(store: BlobStore, repo: GitRepo, commit: str = "HEAD", prefix: str = "", limit: int = MAX_COMMITS) -> History:
    """The history, read twice: mined, then from the store."""
    commit = repo.git("rev-parse", commit)
    mined = read_history(store, str(repo.path / ".git"), commit, prefix, limit)
    stored = read_history(store, str(repo.path / ".git"), commit, prefix, limit)
    for name in ("ids", "files", "subjects"):
        assert getattr(mined, name) == getattr(stored, name)
    for name in ("times", "terms", "ends"):
        assert np.array_equal(getattr(mined, name), getattr(stored, name))
    return mined


def keys(text: str) -> list[int]:
    found = content_terms(text)
    return [term_hash(t) for t in (*found.parts, *found.wholes)]


def test_commits_come_newest_first_with_their_paths_terms_and_times(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.commit({"a.py": "1", "b/c.py": "1"}, "Add TokenStore\n\nIt expires tokens.")
    repo.commit({"b/c.py": "2"}, "Fix the expiry")
    repo.commit({"a.py": None}, "Remove a")
    history = read(store, repo)
    assert history.ids == repo.commits[::-1]
    assert history.files == [["a.py"], ["b/c.py"], []]  # the root commit names no file
    assert history.subjects == ["Remove a", "Fix the expiry", "Add TokenStore"]
    assert history.terms[history.ends[1] :].tolist() == keys("Add TokenStore\n\nIt expires tokens.")
    assert np.diff(history.times).tolist() == [-86_400, -86_400]
    assert history.by_path["a.py"] == [0]


def test_a_commit_on_another_branch_is_never_seen(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1"}, {"a.py": "2"})
    repo.git("checkout", "--quiet", "-b", "other", "HEAD~1")
    repo.commit({"secret.py": "future"}, "The fix of the future")
    assert "secret.py" in read(store, repo, "other").by_path
    assert read(store, repo, "main").ids == [repo.commits[1], repo.commits[0]]
    assert read(store, repo, repo.commits[0]).ids == [repo.commits[0]]


def test_both_sides_of_a_merge_count_and_the_merge_itself_does_not(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1"})
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit({"side.py": "1"}, "on the side")
    repo.git("checkout", "--quiet", "main")
    repo.commit({"main.py": "1"}, "on main")
    repo.git("merge", "--quiet", "--no-ff", "-m", "Merge the side", "side")
    history = read(store, repo)
    assert sorted(history.subjects) == ["commit 1", "on main", "on the side"]
    assert sorted(history.by_path) == ["main.py", "side.py"]


def test_a_rename_touches_both_names(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo({"old.py": "a long enough text\n" * 10})
    repo.commit({"old.py": None, "new.py": "a long enough text\n" * 10}, "Rename")
    assert read(store, repo).files[0] == ["new.py", "old.py"]


def test_a_commit_that_touches_a_thousand_files_names_none_of_them(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1"})
    repo.commit({f"f{n}.py": "x" for n in range(1000)}, "A sweep")
    repo.commit({f"f{n}.py": "y" for n in range(MAX_FILES)}, "Just small enough")
    history = read(store, repo)
    assert [len(files) for files in history.files] == [MAX_FILES, 0, 0]
    assert history.subjects[1] == "A sweep"


def test_a_root_commit_names_no_file(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1"}, {"a.py": "2"})
    repo.git("checkout", "--quiet", "--orphan", "second-root")
    repo.commit({"b.py": "1"}, "another beginning")
    repo.git("merge", "--quiet", "--allow-unrelated-histories", "--strategy=ours", "-m", "join", "main")
    assert sorted(map(tuple, read(store, repo).files)) == [(), (), ("a.py",)]


def test_odd_messages_are_read(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo()
    head = None
    tree = repo.git("hash-object", "-t", "tree", "-w", "--stdin")
    messages = [
        b"",
        b"\n\n  \nafter blank lines\n",
        b"latin \xe9\xe8 bytes\n",
        b"control \x1b[31mred\x07 \x08\x7f and \xc2\x9b end\tof\rline\n",
        b"x" * 10_000,
        b"0123456789012345678901234567890123456789\n12345\n",
    ]
    for number, message in enumerate(messages):
        parent = f"parent {head}\n".encode() if head else b""
        body = b"tree " + tree.encode() + b"\n" + parent
        body += f"author A <a@b> {number} +0000\ncommitter A <a@b> {number} +0000\n\n".encode() + message
        head = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=body)
    repo.git("update-ref", "refs/heads/main", str(head))
    history = read(store, repo)
    assert len(history.ids) == len(messages)
    assert history.subjects[::-1][:3] == ["", "after blank lines", "latin \ufffd\ufffd bytes"]
    assert all(subject.isprintable() and len(subject) <= 200 for subject in history.subjects)
    assert "red" in history.subjects[2] and "end of line" in history.subjects[2]
    assert history.files == [[] for _ in messages]


def test_a_message_in_a_declared_encoding_is_understood(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1"})
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1")
    repo.git("config", "i18n.logOutputEncoding", "ISO-8859-1")
    repo.git("commit", "--quiet", "--allow-empty", "--file=-", stdin="Größe der Tür".encode("latin-1"))
    assert read(store, repo).subjects[0] == "Größe der Tür"


def test_odd_paths_are_read(store: BlobStore, make_repo: MakeRepo) -> None:
    names = [
        "0123456789" * 4,
        "12345",
        "\nstarts",
        "tab\tquote\"'.py",
        "caf\udce9.py",
        "ü/ö.py",
    ]
    repo = make_repo()
    repo.commit(dict.fromkeys(names, "1"), "First")
    repo.commit(dict.fromkeys(names, "2"), "Second")
    history = read(store, repo)
    assert [sorted(files) for files in history.files] == [sorted(names), []]
    assert history.subjects == ["Second", "First"]


def test_only_what_lies_below_the_prefix_counts(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo({"lib/a.py": "1", "library/b.py": "1", "c.py": "1"}, {"c.py": "2"}, {"lib/deep/d.py": "1"})
    history = read(store, repo, prefix="lib/")
    assert history.files == [["deep/d.py"], [], []]
    assert len(history.ids) == 3


def test_the_newest_commits_count_up_to_the_limit(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1"}, {"a.py": "2"}, {"a.py": "3"}, {"a.py": "4"})
    assert read(store, repo, limit=2).ids == repo.commits[:1:-1]
    assert read(store, repo).ids == repo.commits[::-1]


def test_six_thousand_commits_are_the_most(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo()
    stream = []
    for number in range(1, MAX_COMMITS + 501):
        stream.append(f"commit refs/heads/main\nmark :{number}\ncommitter A <a@b> {1_700_000_000 + number} +0000")
        stream.append(f"data 8\nc {number:06}\nM 644 inline f{number % 50}.py\ndata 6\n{number:06}")
    repo.git("fast-import", "--quiet", stdin="\n".join([*stream, ""]).encode())
    history = read(store, repo, "main")
    assert len(history.ids) == MAX_COMMITS == 6_000
    assert history.subjects[0] == "c 006500" and history.subjects[-1] == "c 000501"
    assert history.files[0] == ["f0.py"]


def test_the_oldest_commit_of_a_shallow_clone_counts_once_its_parents_are_there(
    store: BlobStore, make_repo: MakeRepo, tmp_path: Path
) -> None:
    repo = make_repo({"a.py": "1", "b.py": "1"}, {"a.py": "2"}, {"a.py": "3"})
    clone = GitRepo(tmp_path / "clone")
    subprocess.run(["git", "clone", "--quiet", "--depth=2", repo.path.as_uri(), clone.path], check=True)
    assert read(store, clone).files == [["a.py"]]
    clone.git("fetch", "--quiet", "--unshallow")
    assert read(store, clone).files == [["a.py"], ["a.py"], []]


def test_a_sha256_repository_has_a_history(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1"}, {"b.py": "1"}, object_format="sha256")
    history = read(store, repo)
    assert history.files == [["b.py"], []] and len(history.ids[0]) == 64


def test_configuration_for_human_eyes_changes_nothing(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo({"lib/a.py": "1"}, {"lib/a.py": None, "lib/b.py": "1"})
    for name, value in (
        *(("log.showRoot", "false"), ("log.showSignature", "true"), ("diff.renames", "copies"), ("color.ui", "always")),
        *(("diff.relative", "true"), ("log.date", "relative"), ("diff.noprefix", "true"), ("format.pretty", "oneline")),
        *(("core.quotePath", "true"), ("log.decorate", "full"), ("gpg.program", "/bin/false"), ("core.pager", "false")),
    ):
        repo.git("config", name, value)
    assert read(store, repo).files == [["lib/a.py", "lib/b.py"], []]


def test_replacement_objects_do_not_change_the_past(store: BlobStore, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1"}, {"a.py": "2"})
    repo.git("checkout", "--quiet", "-b", "other")
    future = repo.commit({"future.py": "1"}, "future")
    repo.git("replace", repo.commits[0], future, "--force")
    repo.git("checkout", "--quiet", "main")
    assert read(store, repo, "main").files == [["a.py"], []]


def test_refs_share_what_was_mined(store: BlobStore, make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make_repo({"a.py": "1"}, {"a.py": "2"})
    read(store, repo)
    repo.git("checkout", "--quiet", "-b", "other")
    repo.commit({"b.py": "1"}, "more")
    asked: list[bytes] = []

    def spy(folder: str, arguments: list[str], stdin: bytes = b"") -> bytes:
        asked.append(stdin)
        return run_git(folder, arguments, stdin)

    monkeypatch.setattr("iterative_retrieval.stores.history.run_git", spy)
    read_history(store, str(repo.path / ".git"), repo.commits[-1])
    assert [line for line in asked if line] == [f"{repo.commits[-1]}\n".encode()]


def test_a_folder_outside_git_and_an_empty_repository_have_no_past(tmp_path: Path, make_repo: MakeRepo) -> None:
    repo = make_repo()
    (repo.path / "a.py").write_text("x = 1\n")
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text("x = 1\n")
    workspaces = CachedWorkspaces(tmp_path / "cache")
    for root in (repo.path, plain):
        assert workspaces.open(root).history.ids == []


def test_a_workspace_reads_the_past_of_its_ref_below_its_root(tmp_path: Path, make_repo: MakeRepo) -> None:
    repo = make_repo({"lib/a.py": "1", "b.py": "1"}, {"lib/a.py": "2"}, {"lib/c.py": "1"})
    workspaces = CachedWorkspaces(tmp_path / "cache")
    assert workspaces.open(repo.path / "lib").history.files == [["c.py"], ["a.py"], []]
    assert workspaces.open(repo.path, "HEAD~1").history.files == [["lib/a.py"], []]


def test_a_clone_without_trees_is_searched_without_a_past(tmp_path: Path, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "token = 1\n"}, {"a.py": "token = 2\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    command = ["git", "clone", "--quiet", "--filter=tree:0", repo.path.as_uri(), str(clone)]
    subprocess.run(command, check=True, env=os.environ)
    workspace = CachedWorkspaces(tmp_path / "cache").open(clone)
    assert workspace.size == 1
    assert workspace.history.ids == []
    assert [w for w in workspace.warnings if "history could not be read" in w]
    with pytest.raises(GitUnavailable):
        read_history(BlobStore(tmp_path / "other.sqlite"), str(clone / ".git"), workspace.commit or "")
