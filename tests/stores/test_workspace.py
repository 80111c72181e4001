from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from iterative_retrieval.retrieval.analysis import analyse_file
from iterative_retrieval.state.errors import FileVanished, StoreUnavailable, UnknownRef
from iterative_retrieval.state.ports import Clause, Workspace, Workspaces
from iterative_retrieval.state.progress import IndexProgress, Progress
from iterative_retrieval.state.source import FileEntry
from iterative_retrieval.stores import pieces
from iterative_retrieval.stores.corpus import Corpus
from iterative_retrieval.stores.snapshot import REBUILT
from iterative_retrieval.stores.workspace import CachedWorkspaces, repository_key
from tests.repositories import GitRepo, MakeRepo, write_files
from tests.stores.snapshots import PROJECT, answers, child, digest, fresh_answers, module, opened_answers, project

MANY = 400  # files: enough for several segments


@pytest.fixture
def many(make_repo: MakeRepo, tmp_path: Path) -> GitRepo:
    """A repository of many files."""
    return make_repo(project(MANY), name="many")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that were analysed so far."""
    paths: list[str] = []

    def spy(path: str, data: bytes) -> object:
        paths.append(path)
        return analyse_file(path, data)

    monkeypatch.setattr(pieces, "analyse_file", spy)
    return paths


def search(workspace: Workspace, word: str) -> list[str]:
    return [hit.path for hit in workspace.search([Clause("body", word, 1.0)], 10)]


def segment_files(cache: Path) -> list[Path]:
    return list(cache.glob("*/lexical/*/*.idx"))


# Opening.


def test_a_workspace_keeps_the_contract(cache: Path, many: GitRepo) -> None:
    workspaces: Workspaces = CachedWorkspaces(cache)
    workspace = workspaces.open(str(many.path))
    assert workspace.root == str(many.path) and workspace.commit == many.commits[-1]
    assert workspace.size == len(workspace.paths) == MANY
    assert workspace.languages == {"python": 1.0} and workspace.mean_length > 10
    assert list(workspace.warnings) == []
    path = sorted(workspace.paths)[0]
    assert workspace.searchable(path) and workspace.explain_absence(path) is None
    assert not workspace.searchable("nowhere.py") and "does not exist" in (
        workspace.explain_absence("nowhere.py") or ""
    )
    assert workspace.text(path) == (many.path / path).read_text()
    assert workspace.analyses([path, path, "nowhere.py"]).keys() == {path}
    assert workspace.history.ids == many.commits


def test_an_unchanged_root_gives_the_open_workspace(cache: Path, many: GitRepo, analysed: list[str]) -> None:
    workspaces = CachedWorkspaces(cache)
    first = workspaces.open(many.path)
    count = len(analysed)
    assert workspaces.open(many.path) is first
    assert workspaces.opened(first.root, None, first.fingerprint) is first
    assert len(analysed) == count == MANY


def test_a_new_process_reads_no_file_again(
    cache: Path, many: GitRepo, analysed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    CachedWorkspaces(cache).open(many.path)
    analysed.clear()
    monkeypatch.setattr(Corpus, "read_many", lambda *_: pytest.fail("a file was read"))
    assert opened_answers(cache, many.path)[0]["size"] == MANY
    assert analysed == []


def test_progress_is_told_from_nothing_to_all(cache: Path, many: GitRepo) -> None:
    events: list[Progress] = []
    CachedWorkspaces(cache).open(many.path, report=events.append)
    told = [(e.done, e.total) for e in events if isinstance(e, IndexProgress)]
    assert told[0] == (0, MANY) and told[-1] == (MANY, MANY)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert len(told) > 2
    events.clear()
    CachedWorkspaces(cache).open(many.path, report=events.append)
    assert events == []


def test_left_out_files_are_counted_and_explained(cache: Path, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "x = 1\n", "data.xyz": b"\0\1\2" * 50, ".env": "KEY=1", ".gitignore": "build/\n"})
    repo.write({"build/out.py": "y = 1\n"})
    workspace = CachedWorkspaces(cache).open(repo.path)
    assert workspace.left_out() == {"binary": 1, "ignored": 1, "secret": 1}
    assert "binary" in (workspace.explain_absence("data.xyz") or "")
    assert workspace.analyses(["data.xyz", "a.py"]).keys() == {"a.py"}


def test_an_ignored_file_more_is_counted_though_no_content_changed(cache: Path, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "x = 1\n"})
    workspaces = CachedWorkspaces(cache)
    assert workspaces.open(repo.path).left_out() == {}
    repo.write({"logo.png": b"\x89PNG"})
    assert workspaces.open(repo.path).left_out() == {"binary": 1}


def test_a_folder_outside_git_and_empty_ones_are_searched(cache: Path, tmp_path: Path, make_repo: MakeRepo) -> None:
    plain, empty = tmp_path / "plain", tmp_path / "empty"
    write_files(plain, {"a.py": "token = 1\n"})
    empty.mkdir()
    workspaces = CachedWorkspaces(cache)
    assert search(workspaces.open(plain), "token") == ["a.py"]
    for root in (empty, make_repo(name="unborn").path):
        workspace = workspaces.open(root)
        assert workspace.size == 0 and search(workspace, "token") == []
        assert answers(workspace)["analyses"] == {}


def test_a_ref_and_the_working_tree_of_the_same_content_stay_apart(cache: Path, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "x = 1\n", ".gitignore": "*.log\n"})
    repo.write({"b.log": "ignored"})
    workspaces = CachedWorkspaces(cache)
    disk, commit = workspaces.open(repo.path), workspaces.open(repo.path, "HEAD")
    assert disk.fingerprint == commit.fingerprint
    assert (disk.left_out(), commit.left_out()) == ({"ignored": 1}, {})
    assert workspaces.opened(disk.root, None, disk.fingerprint) is disk
    assert workspaces.opened(disk.root, "HEAD", disk.fingerprint) is commit


def test_two_commits_of_equal_content_keep_their_own_past(cache: Path, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1\n"}, {"a.py": "2\n"}, {"a.py": "1\n"})
    workspaces = CachedWorkspaces(cache)
    new, old = workspaces.open(repo.path, "HEAD"), workspaces.open(repo.path, "HEAD~2")
    assert new.fingerprint == old.fingerprint
    assert len(new.history.ids) == 3 and len(old.history.ids) == 1


def test_a_bare_repository_and_a_part_of_a_root_are_searched(cache: Path, many: GitRepo, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", many.path, bare], check=True)
    assert answers(CachedWorkspaces(cache).open(bare)) == answers(CachedWorkspaces(cache).open(many.path, "HEAD"))
    folder = sorted(p for p in many.path.iterdir() if p.is_dir() and p.name != ".git")[0]
    part = CachedWorkspaces(cache).open(folder)
    assert part.size == len(list(folder.iterdir()))


def test_linked_work_trees_share_a_cache(cache: Path, many: GitRepo, tmp_path: Path, analysed: list[str]) -> None:
    CachedWorkspaces(cache).open(many.path)
    analysed.clear()
    many.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    CachedWorkspaces(cache).open(tmp_path / "linked")
    assert analysed == [] and len(list(cache.iterdir())) == 1


def test_the_oldest_workspaces_leave_memory(cache: Path, tmp_path: Path) -> None:
    workspaces = CachedWorkspaces(cache, keep=2)
    for name in "abc":
        write_files(tmp_path / name, {"a.py": f"{name} = 1\n"})
        workspaces.open(tmp_path / name)
    assert len(workspaces._open) == 2 and len(workspaces._stores) == 2
    again = workspaces.opened(str(tmp_path / "a"), None, "some older fingerprint")
    assert search(again, "a") == ["a.py"]


def test_closed_workspaces_can_be_opened_again(cache: Path, many: GitRepo) -> None:
    workspaces = CachedWorkspaces(cache)
    before = answers(workspaces.open(many.path))
    workspaces.close()
    assert answers(workspaces.open(many.path)) == before


def test_fifty_threads_hear_what_one_hears(cache: Path, many: GitRepo, tmp_path: Path) -> None:
    expected = digest(fresh_answers(tmp_path / "fresh", many.path))
    workspaces = CachedWorkspaces(cache)
    heard: list[str] = []
    threads = [
        threading.Thread(target=lambda: heard.append(digest(answers(workspaces.open(many.path))))) for _ in range(50)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == [expected] * 50
    assert len(workspaces._open) == 1


# Content-addressed.


def test_a_small_edit_analyses_only_what_changed(
    cache: Path, many: GitRepo, analysed: list[str], tmp_path: Path
) -> None:
    workspaces = CachedWorkspaces(cache)
    workspaces.open(many.path)
    analysed.clear()
    edited = sorted(project(MANY))[::80]
    many.write(dict.fromkeys(edited, module(9_999)))
    workspace = workspaces.open(many.path)
    assert set(analysed) <= set(edited) and len(analysed) >= 1
    assert answers(workspace) == fresh_answers(tmp_path / "fresh", many.path)


def test_another_branch_analyses_only_what_is_new(
    cache: Path, many: GitRepo, analysed: list[str], tmp_path: Path
) -> None:
    CachedWorkspaces(cache).open(many.path, "HEAD")
    many.git("checkout", "--quiet", "-b", "other")
    gone, new = sorted(project(MANY))[3], {"new/one.py": module(5_000), "new/two.py": module(5_001)}
    many.commit({**new, gone: None}, "another branch")
    analysed.clear()
    workspace = CachedWorkspaces(cache).open(many.path, "other")
    assert sorted(analysed) == sorted(new)
    assert answers(workspace) == fresh_answers(tmp_path / "fresh", many.path, "other")


def test_moved_and_copied_files_are_not_analysed_again(cache: Path, many: GitRepo, analysed: list[str]) -> None:
    CachedWorkspaces(cache).open(many.path)
    analysed.clear()
    path = sorted(project(MANY))[0]
    text = (many.path / path).read_text()
    many.write({path: None, "moved/here.py": text, "copied/there.py": text})
    assert search(CachedWorkspaces(cache).open(many.path), "account")
    assert analysed == []


def test_unchanged_segments_are_hard_links(cache: Path, many: GitRepo) -> None:
    workspaces = CachedWorkspaces(cache)
    workspaces.open(many.path)
    before = {f.stat().st_ino for f in segment_files(cache)}
    assert len(before) > 1
    many.write({sorted(project(MANY))[0]: "changed = 1\n"})
    workspaces.open(many.path)
    shared = [f for f in segment_files(cache) if f.stat().st_nlink == 2]
    assert len(shared) == 2 * (len(before) - 1)


def test_deleting_files_writes_no_document_of_another_segment(
    cache: Path, many: GitRepo, analysed: list[str], tmp_path: Path
) -> None:
    CachedWorkspaces(cache).open(many.path)
    analysed.clear()
    many.write(dict.fromkeys(sorted(project(MANY))[:150]))
    found, _ = opened_answers(cache, many.path)
    assert analysed == [] and found["size"] == MANY - 150
    assert found == fresh_answers(tmp_path / "fresh", many.path)


@pytest.mark.parametrize("seed", range(4))
def test_after_any_past_the_same_tree_gives_the_same_answer(
    cache: Path, many: GitRepo, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    workspaces = CachedWorkspaces(cache)
    for step in range(5):
        paths = sorted(p.relative_to(many.path).as_posix() for p in many.path.rglob("*.py"))
        changed = chance.sample(paths, chance.choice((1, 3, 20, 150)))
        many.write({p: None if chance.random() < 0.2 else module(chance.randrange(300)) for p in changed})
        many.write({f"extra/{step}_{n}.py": module(chance.randrange(300)) for n in range(chance.choice((0, 2, 60)))})
        if chance.random() < 0.3:
            many.commit({}, f"step {step}")
        workspaces.open(many.path, "HEAD" if chance.random() < 0.3 else None)
    assert answers(workspaces.open(many.path)) == fresh_answers(tmp_path / "fresh", many.path)
    assert answers(workspaces.open(many.path, "HEAD")) == fresh_answers(tmp_path / "fresh2", many.path, "HEAD")
    assert len(list(next(cache.glob("*/lexical")).iterdir())) <= 6


# Line ends and filters.


@pytest.fixture
def crlf(make_repo: MakeRepo) -> GitRepo:
    """A repository whose files have other line ends on disk than in git."""
    repo = make_repo({".gitattributes": "*.py text eol=crlf\n"} | project(40), name="crlf")
    for path in repo.path.rglob("*.py"):
        path.unlink()
    repo.git("checkout", "--quiet", "--", ".")
    assert b"\r\n" in next(repo.path.rglob("*.py")).read_bytes()
    touch_index(repo)
    return repo


def touch_index(repo: GitRepo) -> None:
    """Make git certain of the times it noted."""
    repo.git("update-index", "-q", "--really-refresh")
    index = repo.path / ".git" / "index"
    os.utime(index, (index.stat().st_atime + 5, index.stat().st_mtime + 5))


def test_files_with_other_line_ends_on_disk_are_not_read_on_every_open(
    cache: Path, crlf: GitRepo, analysed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = CachedWorkspaces(cache).open(crlf.path)
    assert first.fingerprint == CachedWorkspaces(cache).open(crlf.path, "HEAD").fingerprint
    analysed.clear()
    monkeypatch.setattr(Corpus, "read_many", lambda *_: pytest.fail("a file was read"))
    found, warnings = opened_answers(cache, crlf.path)
    assert found["size"] == 41 and warnings == [] and analysed == []


def test_line_ends_change_no_answer(cache: Path, crlf: GitRepo) -> None:
    disk, commit = opened_answers(cache, crlf.path)[0], opened_answers(cache, crlf.path, "HEAD")[0]
    assert disk == commit


def test_an_edit_among_files_with_other_line_ends_reads_that_file_alone(
    cache: Path, crlf: GitRepo, analysed: list[str], tmp_path: Path
) -> None:
    CachedWorkspaces(cache).open(crlf.path)
    analysed.clear()
    path = sorted(project(40))[0]
    crlf.write({path: "changed_router = 1\r\n"})
    found, _ = opened_answers(cache, crlf.path)
    assert analysed == [path]
    assert found == fresh_answers(tmp_path / "fresh", crlf.path)


def test_a_filtered_file_is_searched_as_it_stands_on_disk(cache: Path, make_repo: MakeRepo) -> None:
    repo = make_repo({".gitattributes": "*.txt filter=swap\n", "b.txt": "voucher\n"})
    repo.git("config", "filter.swap.clean", "sed s/router/voucher/")
    repo.git("config", "filter.swap.smudge", "sed s/voucher/router/")
    (repo.path / "b.txt").unlink()
    repo.git("checkout", "--quiet", "--", ".")
    touch_index(repo)
    for _ in range(2):  # whichever was indexed first
        workspaces = CachedWorkspaces(cache)
        assert search(workspaces.open(repo.path), "router") == ["b.txt"]
        assert search(workspaces.open(repo.path, "HEAD"), "voucher") == ["b.txt"]
        assert (
            search(workspaces.open(repo.path), "voucher") == search(workspaces.open(repo.path, "HEAD"), "router") == []
        )


# Files that change while they are read.

Change = Callable[[], None]


@pytest.fixture
def while_reading(monkeypatch: pytest.MonkeyPatch) -> Callable[[Change, Change | None], None]:
    """Runs something before the files are read for the first time, and something after."""

    def arrange(before: Change, after: Change | None = None) -> None:
        original = Corpus.read_many
        calls: list[int] = []

        def read_many(self: Corpus, entries: Iterable[FileEntry]) -> Iterator[tuple[FileEntry, bytes]]:
            if calls:
                yield from original(self, entries)
                return
            calls.append(1)
            before()
            yield from original(self, entries)
            if after:
                after()

        monkeypatch.setattr(Corpus, "read_many", read_many)

    return arrange


def test_a_file_that_changed_after_the_listing_never_poisons_the_cache(
    cache: Path, make_repo: MakeRepo, while_reading: Callable[..., None]
) -> None:
    repo = make_repo({"a.py": "old_router = 1\n", "b.py": "voucher = 1\n"})
    while_reading(lambda: repo.write({"a.py": "new_ticket = 1\n"}))
    during = CachedWorkspaces(cache).open(repo.path)
    assert search(during, "ticket") == ["a.py"] and search(during, "router") == []
    assert during.analyses(["a.py"]).keys() == {"a.py"}
    repo.git("checkout", "--quiet", "--", ".")
    after = CachedWorkspaces(cache).open(repo.path)
    assert after.fingerprint != during.fingerprint
    assert search(after, "router") == ["a.py"] and search(after, "ticket") == []


def test_a_file_that_changed_back_after_it_was_read_never_poisons_the_cache(
    cache: Path, make_repo: MakeRepo, while_reading: Callable[..., None], tmp_path: Path
) -> None:
    repo = make_repo({"a.py": "old_router = 1\n", "b.py": "voucher = 1\n"})
    touch_index(repo)
    original = repo.path / "a.py"
    kept = tmp_path / "kept.py"

    def swap() -> None:  # with its times, so that git sees no change
        os.rename(original, kept)
        original.write_text("new_ticket = 1\n")

    while_reading(swap, lambda: os.replace(kept, original))
    during = CachedWorkspaces(cache).open(repo.path)
    assert search(during, "ticket") == ["a.py"]
    found, _ = opened_answers(cache, repo.path)
    assert found == fresh_answers(tmp_path / "fresh", repo.path)
    assert search(CachedWorkspaces(cache).open(repo.path), "router") == ["a.py"]


def test_a_file_that_vanished_after_the_listing_is_missing_once(
    cache: Path, make_repo: MakeRepo, while_reading: Callable[..., None]
) -> None:
    repo = make_repo({"a.py": "old_router = 1\n", "b.py": "voucher = 1\n"})
    while_reading((repo.path / "a.py").unlink)
    during = CachedWorkspaces(cache).open(repo.path)
    assert during.size == 1 and "a.py" not in during.paths
    repo.git("checkout", "--quiet", "--", ".")
    assert search(CachedWorkspaces(cache).open(repo.path), "router") == ["a.py"]


def test_text_of_a_file_that_is_gone_is_an_error_that_says_so(cache: Path, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "old_router = 1\n", "b.py": "voucher = 1\n"})
    workspace = CachedWorkspaces(cache).open(repo.path)
    (repo.path / "a.py").unlink()
    (repo.path / "b.py").write_bytes(bytes(range(256)))
    for path in ("a.py", "b.py", "never.py"):
        with pytest.raises(FileVanished, match=path):
            workspace.text(path)
    assert workspace.analyses(["a.py"]).keys() == {"a.py"}


# Damage.


def databases(cache: Path) -> list[Path]:
    return [f for f in cache.glob("*/analyses.sqlite*") if f.suffix != ".lock" and f.stat().st_size]


def overwrite(file: Path, begin: float, end: float) -> None:
    """Overwrite a share of a file in place."""
    size = file.stat().st_size
    with open(file, "r+b") as opened:
        opened.seek(int(size * begin))
        opened.write(os.urandom(int(size * end) - int(size * begin)))


def each(cache: Path, pattern: str, damage: Callable[[Path], object]) -> None:
    found = list(cache.glob(pattern))
    assert found
    for file in found:
        damage(file)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "sqlite header": lambda c: each(c, "*/analyses.sqlite", lambda f: overwrite(f, 0, 0.01)),
    "sqlite middle": lambda c: each(c, "*/analyses.sqlite", lambda f: overwrite(f, 0.3, 0.7)),
    "sqlite cut": lambda c: each(c, "*/analyses.sqlite", lambda f: os.truncate(f, f.stat().st_size // 2)),
    "sqlite text": lambda c: each(c, "*/analyses.sqlite", lambda f: f.write_text("not a database, just a text")),
    "segment file gone": lambda c: each(c, "*/lexical/*/*.term", lambda f: f.unlink()),
    "segment file overwritten": lambda c: each(c, "*/lexical/*/*.idx", lambda f: overwrite(f, 0.4, 0.6)),
    "segment file cut": lambda c: each(c, "*/lexical/*/*.fieldnorm", lambda f: os.truncate(f, 3)),
    "meta garbage": lambda c: each(c, "*/lexical/*/meta.json", lambda f: f.write_bytes(b"\x00\xff{")),
    "manifest garbage": lambda c: each(c, "*/lexical/*/manifest.json", lambda f: f.write_bytes(b"[[[")),
    "slot empty": lambda c: each(c, "*/lexical/*/*", lambda f: f.unlink()),
    "everything": lambda c: each(c, "*/**/*.*", lambda f: f.is_file() and f.write_bytes(os.urandom(5000))),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damage_is_noticed_mended_and_told(
    cache: Path, many: GitRepo, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    expected, warnings = opened_answers(cache, many.path)
    assert warnings == []
    damage(cache)
    found, warnings = opened_answers(cache, many.path)
    assert found == expected
    assert warnings == [REBUILT]
    assert opened_answers(cache, many.path) == (expected, [])


def test_without_the_database_the_index_still_stands(cache: Path, many: GitRepo) -> None:
    expected, _ = opened_answers(cache, many.path)
    for file in databases(cache):
        file.unlink()
    assert opened_answers(cache, many.path) == (expected, [])


def test_without_the_log_of_the_database_nothing_is_wrong(cache: Path, many: GitRepo) -> None:
    keeping = CachedWorkspaces(cache)
    expected = answers(keeping.open(many.path))
    copy = cache.with_name("copy")
    shutil.copytree(cache, copy)
    for file in copy.glob("*/analyses.sqlite-*"):
        file.unlink()
    assert opened_answers(copy, many.path)[0] == expected


@pytest.mark.parametrize("ref", [None, "HEAD"])
def test_analyses_that_become_unreadable_while_open_are_made_again(cache: Path, many: GitRepo, ref: str | None) -> None:
    expected, _ = opened_answers(cache, many.path, ref)
    workspace = CachedWorkspaces(cache).open(many.path, ref)
    for file in databases(cache):
        overwrite(file, 0, 1)
    assert answers(workspace) == expected
    assert workspace.warnings in ([], [REBUILT])  # SQLite may have held some pages in memory
    assert opened_answers(cache, many.path, ref)[0] == expected


def test_analyses_come_in_the_order_in_which_they_are_asked_for(cache: Path, many: GitRepo) -> None:
    workspace = CachedWorkspaces(cache).open(many.path)
    paths = sorted(workspace.paths)
    workspace.analyses(paths[5:10])
    assert list(workspace.analyses(paths[::-1])) == paths[::-1]
    for file in databases(cache):
        overwrite(file, 0, 1)
    assert list(CachedWorkspaces(cache).open(many.path).analyses(paths[::-7])) == paths[::-7]


def test_an_index_that_becomes_unreadable_while_open_is_built_again(cache: Path, many: GitRepo) -> None:
    expected, _ = opened_answers(cache, many.path)
    workspaces = CachedWorkspaces(cache)
    workspace = workspaces.open(many.path)
    for file in cache.glob("*/lexical/*/*.*"):
        if file.suffix in (".term", ".idx", ".fast", ".fieldnorm"):
            with open(file, "r+b") as opened:
                opened.write(b"\xff" * (file.stat().st_size - 8))
    assert answers(workspaces.open(many.path)) == expected  # noticed by the time of change
    assert answers(workspace) == expected  # noticed by the engine, and mended


def test_an_index_that_was_written_into_is_not_trusted_by_the_next_request(cache: Path, many: GitRepo) -> None:
    expected, _ = opened_answers(cache, many.path)
    workspaces = CachedWorkspaces(cache)
    workspaces.open(many.path)
    for file in cache.glob("*/lexical/*/*.fieldnorm"):  # lengths of documents: the engine believes whatever they say
        overwrite(file, 0, 0.8)
    workspace = workspaces.open(many.path)
    assert workspace.warnings == [REBUILT]
    assert answers(workspace) == expected


def test_an_index_of_files_that_changed_meanwhile_asks_to_try_again(cache: Path, many: GitRepo) -> None:
    workspace = CachedWorkspaces(cache).open(many.path)
    for file in cache.glob("*/lexical/*/*.*"):
        if file.suffix in (".term", ".idx", ".fast"):
            with open(file, "r+b") as opened:
                opened.write(b"\xff" * (file.stat().st_size - 8))
    for path in many.path.rglob("*.py"):
        path.write_text("changed = 1\n")
    with pytest.raises(StoreUnavailable, match="ask again"):
        answers(workspace)


def test_lost_analyses_of_a_file_that_changed_are_left_out(cache: Path, make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "old = 1\n", "b.py": "voucher = 1\n"})
    workspace = CachedWorkspaces(cache).open(repo.path)
    for file in databases(cache):
        overwrite(file, 0, 1)
    repo.write({"a.py": "new = 1\n"})
    assert set(workspace.analyses(["a.py", "b.py"])) >= {"b.py"}
    assert all(found.lines == 2 for found in workspace.analyses(["a.py", "b.py"]).values())


def test_a_cache_that_is_deleted_while_open_is_made_again(cache: Path, many: GitRepo, tmp_path: Path) -> None:
    workspaces = CachedWorkspaces(cache)
    before = answers(workspaces.open(many.path))
    shutil.rmtree(cache)
    assert answers(workspaces.open(many.path)) == before
    many.write({sorted(project(MANY))[0]: "changed = 1\n"})
    assert answers(workspaces.open(many.path)) == fresh_answers(tmp_path / "fresh", many.path)


# A cache that cannot be written.


def test_a_file_in_place_of_the_cache_folder_names_the_setting(cache: Path, many: GitRepo) -> None:
    cache.write_text("in the way")
    with pytest.raises(StoreUnavailable, match="IR_CACHE_DIR"):
        CachedWorkspaces(cache).open(many.path)


@pytest.mark.parametrize("name", ["lexical", "analyses.sqlite"])
def test_a_part_of_the_cache_that_is_something_else_names_the_setting(cache: Path, many: GitRepo, name: str) -> None:
    corpus = CachedWorkspaces(cache).open(many.path).corpus
    place = cache / repository_key(corpus) / name
    if place.is_dir():
        shutil.rmtree(place)
        place.write_text("in the way")
    else:
        for file in databases(cache):
            file.unlink()
        place.mkdir()
    with pytest.raises(StoreUnavailable, match="IR_CACHE_DIR"):
        CachedWorkspaces(cache).open(many.path)


@pytest.mark.parametrize("most", [0, 2_000, 20_000, 60_000, 200_000])
def test_a_full_disk_names_the_setting_and_leaves_no_wrong_slot(cache: Path, many: GitRepo, most: int) -> None:
    """A limit on file sizes stops writers in the middle, as a full disk does."""
    code = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))\n"
        "from iterative_retrieval.state.errors import StoreUnavailable\n"
        "from tests.stores.snapshots import main\n"
        "try:\n"
        f"    main({str(cache)!r}, {str(many.path)!r}, None)\n"
        "except StoreUnavailable as error:\n"
        "    sys.exit(str(error))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "IR_CACHE_DIR" in run.stderr and "Traceback" not in run.stderr
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    assert not list(cache.glob("*/lexical/disk-*"))
    run = subprocess.run(child(cache, many.path, None), cwd=PROJECT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == digest(fresh_answers(cache.with_name("fresh"), many.path))


def test_an_unknown_ref_costs_no_index(cache: Path, many: GitRepo) -> None:
    with pytest.raises(UnknownRef):
        CachedWorkspaces(cache).open(many.path, "nowhere")
    assert not cache.exists()
