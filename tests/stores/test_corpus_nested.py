"""Nested repositories, submodules and linked work trees: listed once, by their own rules."""

from __future__ import annotations

from pathlib import Path

from iterative_retrieval.state.source import LeftOutReason
from iterative_retrieval.stores.corpus import Corpus, open_corpus
from tests.repositories import MakeRepo, write_files


def paths(corpus: Corpus) -> list[str]:
    return [entry.path for entry in corpus.files]


def test_a_nested_repository_is_listed_by_its_own_rules(make_repo: MakeRepo) -> None:
    outer = make_repo({".gitignore": "*.log\n", "a.py": "a"})
    inner = make_repo({".gitignore": "*.tmp\n", "b.py": "b", "b.log": "kept: the outer rules end here"}, name="repo/in")
    inner.write({"new.py": "n", "c.tmp": "ignored", "b.py": "changed"})
    outer.write({"d.log": "ignored"})
    corpus = open_corpus(outer.path)
    assert paths(corpus) == [".gitignore", "a.py", "in/.gitignore", "in/b.log", "in/b.py", "in/new.py"]
    assert corpus.read("in/b.py") == b"changed"
    assert corpus.ignored() == 2
    assert corpus.explain("in/c.tmp") == "ignored by in/.gitignore:1 (*.tmp)"
    assert corpus.explain("d.log") == "ignored by .gitignore:1 (*.log)"


def test_repositories_nest_to_any_depth_below_a_plain_folder(make_repo: MakeRepo, tmp_path: Path) -> None:
    make_repo({"a.py": "a"}, name="all/one")
    make_repo({"b.py": "b"}, name="all/one/deep/two")
    make_repo(name="all/unborn").write({"c.py": "c"})
    write_files(tmp_path / "all", {"loose.py": "l"})
    corpus = open_corpus(tmp_path / "all")
    assert paths(corpus) == ["loose.py", "one/a.py", "one/deep/two/b.py", "unborn/c.py"]
    assert corpus.git_dir is None


def test_a_submodules_files_are_listed_like_others(make_repo: MakeRepo) -> None:
    library = make_repo({"lib.py": "l"}, name="library")
    repo = make_repo({"a.py": "a"})
    repo.git("submodule", "--quiet", "add", str(library.path), "libs/library")
    repo.commit({})
    write_files(repo.path, {"libs/library/lib.py": "changed", "libs/library/new.py": "n"})
    corpus = open_corpus(repo.path)
    assert paths(corpus) == [".gitmodules", "a.py", "libs/library/lib.py", "libs/library/new.py"]
    assert corpus.read("libs/library/lib.py") == b"changed"
    assert paths(open_corpus(repo.path / ".git" / "modules" / "libs" / "library")) == ["lib.py"]
    assert paths(open_corpus(repo.path / "libs")) == ["library/lib.py", "library/new.py"]


def test_a_submodule_that_is_not_checked_out_has_no_files(make_repo: MakeRepo) -> None:
    library = make_repo({"lib.py": "l"}, name="library")
    repo = make_repo({"a.py": "a"})
    repo.git("submodule", "--quiet", "add", str(library.path), "library")
    repo.commit({})
    repo.git("submodule", "--quiet", "deinit", "--force", "library")
    assert paths(open_corpus(repo.path)) == [".gitmodules", "a.py"]


def test_at_a_ref_a_submodule_is_explained_not_entered(make_repo: MakeRepo) -> None:
    library = make_repo({"lib.py": "l"}, name="library")
    repo = make_repo({"a.py": "a"})
    repo.git("submodule", "--quiet", "add", str(library.path), "library")
    repo.commit({})
    corpus = open_corpus(repo.path, "HEAD")
    assert paths(corpus) == [".gitmodules", "a.py"]
    assert corpus.explain("library/lib.py") == "in the submodule library, whose files are not part of this commit"


def test_a_second_work_tree_inside_the_root_is_not_listed_again(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    repo.git("worktree", "add", "--quiet", "-b", "feature", "trees/feature")
    corpus = open_corpus(repo.path)
    assert paths(corpus) == ["a.py"]
    assert corpus.left_out == {"trees/feature": LeftOutReason.IGNORED}
    assert corpus.explain("trees/feature") == "a second work tree of a repository that is listed already"
    assert corpus.explain("trees/feature/a.py") == f"below trees/feature: {corpus.explain('trees/feature')}"
    assert paths(open_corpus(repo.path / "trees" / "feature")) == ["a.py"]


def test_a_damaged_nested_repository_does_not_spoil_the_rest(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    damaged = make_repo({"b.py": "b"}, name="repo/damaged")
    (damaged.path / ".git" / "index").write_bytes(b"garbage, certainly no index of a repository")
    write_files(repo.path, {"moved/.git": "gitdir: /nowhere/modules/moved\n", "moved/c.py": "c"})
    corpus = open_corpus(repo.path)
    assert paths(corpus) == ["a.py", "moved/c.py"]
    assert corpus.left_out == {"damaged": LeftOutReason.UNREADABLE}


def test_a_link_to_a_repository_is_a_link(make_repo: MakeRepo) -> None:
    other = make_repo({"b.py": "b"}, name="other")
    repo = make_repo({"a.py": "a"})
    (repo.path / "other").symlink_to(other.path)
    corpus = open_corpus(repo.path)
    assert (paths(corpus), corpus.left_out) == (["a.py"], {"other": LeftOutReason.LINK})
