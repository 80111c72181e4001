"""Reading a repository's past for tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from iterative_retrieval.state.errors import CallerError, UnknownRef, UnknownRoot
from iterative_retrieval.stores.fix_commits import past_commits
from tests.repositories import GitRepo, MakeRepo


def test_the_past_is_read_from_the_newest_on_with_parents_authors_and_what_changed(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1", "b.py": "1"}, {"a.py": "2", "b.py": None, "ü c.py": "1"})
    newest, first = past_commits(str(repo.path)).commits
    assert newest.id == repo.commits[1] and newest.parents == [repo.commits[0]]
    assert newest.message.strip() == "commit 2" and newest.author == "Ada <ada@example.org>"
    assert newest.changed == [("M", "a.py"), ("D", "b.py"), ("A", "ü c.py")]
    assert first.parents == [] and newest.time - first.time == 86_400


def test_a_folder_has_the_past_of_what_lies_below_it(make_repo: MakeRepo) -> None:
    repo = make_repo({"web/a.py": "1", "api/b.py": "1"}, {"api/b.py": "2"}, {"web/a.py": "2", "api/b.py": "3"})
    [newest, first] = past_commits(str(repo.path / "web")).commits
    assert [newest.id, first.id] == [repo.commits[2], repo.commits[0]]
    assert newest.changed == [("M", "a.py")]


def test_a_bare_repository_has_a_past_too(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo({"a.py": "1"}, {"a.py": "2"})
    repo.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    assert [c.id for c in past_commits(str(tmp_path / "bare")).commits] == repo.commits[::-1]


def test_merges_are_left_out_and_their_sides_are_not(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1"})
    repo.git("switch", "--quiet", "--create", "side")
    side = repo.commit({"b.py": "1"})
    repo.git("switch", "--quiet", "main")
    own = repo.commit({"a.py": "2"})
    repo.git("merge", "--quiet", "--no-ff", "--message", "join", "side")
    assert {c.id for c in past_commits(str(repo.path)).commits} == {repo.commits[0], side, own}


def test_an_older_ref_knows_nothing_of_what_came_later(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "1"}, {"a.py": "2"}, {"a.py": "3"})
    past = past_commits(str(repo.path), "HEAD~1")
    assert past.tip == repo.commits[1] and [c.id for c in past.commits] == repo.commits[1::-1]


def test_more_commits_than_one_call_of_git_takes(make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make_repo(*({"a.py": str(n)} for n in range(5)))
    monkeypatch.setattr("iterative_retrieval.stores.fix_commits._BATCH", 2)
    assert [c.id for c in past_commits(str(repo.path)).commits] == repo.commits[::-1]


def test_a_place_without_a_past_says_so(make_repo: MakeRepo, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(CallerError, match="no git repository"):
        past_commits(str(tmp_path / "plain"))
    with pytest.raises(UnknownRoot):
        past_commits(str(tmp_path / "nowhere"))
    empty: GitRepo = make_repo(name="empty")
    with pytest.raises(UnknownRef, match="commit something first"):
        past_commits(str(empty.path))
