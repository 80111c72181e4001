"""Ignore rules are git's own, inside and outside of repositories, whatever the user's configuration."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iterative_retrieval.state.errors import GitUnavailable
from iterative_retrieval.stores.corpus import Corpus, open_corpus
from tests.repositories import Files, MakeRepo, write_files

ALLOW_LIST: Files = {
    ".gitignore": "*\n!*/\n!*.go\n!.gitignore\n",
    "main.go": "package main",
    "notes.txt": "no",
    "deep/er/lib.go": "package lib",
    "deep/er/data.bin2": "no",
}
NESTED: Files = {
    ".gitignore": "*.log\nbuild/\n/top.txt\n",
    "a.log": "no",
    "top.txt": "no",
    "sub/top.txt": "yes: the rule is anchored",
    "sub/.gitignore": "!keep.log\nlocal.py\n",
    "sub/keep.log": "yes: negated below",
    "sub/local.py": "no",
    "sub/deeper/local.py": "no",
    "local.py": "yes: the rule is the sub-folder's",
    "build/out.py": "no",
    "build/.gitignore": "!out.py",
}
KEPT = [".gitignore", "local.py", "sub/.gitignore", "sub/keep.log", "sub/top.txt"]


def paths(corpus: Corpus) -> list[str]:
    return [entry.path for entry in corpus.files]


def inside_or_outside(make_repo: MakeRepo, tmp_path: Path, inside: bool, files: Files) -> Path:
    folder = make_repo({}).path if inside else tmp_path / "plain"
    write_files(folder, files)
    return folder


@pytest.mark.parametrize("inside", [True, False], ids=["repository", "plain folder"])
def test_nested_negation_keeps_the_file(make_repo: MakeRepo, tmp_path: Path, inside: bool) -> None:
    corpus = open_corpus(inside_or_outside(make_repo, tmp_path, inside, NESTED))
    assert paths(corpus) == KEPT
    assert corpus.ignored() == 5  # a.log, top.txt, two local.py, and build/ once


@pytest.mark.parametrize("inside", [True, False], ids=["repository", "plain folder"])
def test_an_allow_list_lets_only_its_files_through(make_repo: MakeRepo, tmp_path: Path, inside: bool) -> None:
    corpus = open_corpus(inside_or_outside(make_repo, tmp_path, inside, ALLOW_LIST))
    assert paths(corpus) == [".gitignore", "deep/er/lib.go", "main.go"]


@pytest.mark.parametrize("inside", [True, False], ids=["repository", "plain folder"])
def test_an_ignored_file_is_explained_by_its_rule(make_repo: MakeRepo, tmp_path: Path, inside: bool) -> None:
    corpus = open_corpus(inside_or_outside(make_repo, tmp_path, inside, NESTED))
    assert corpus.explain("a.log") == "ignored by .gitignore:1 (*.log)"
    assert corpus.explain("build/out.py") == "ignored by .gitignore:2 (build/)"
    assert corpus.explain("sub/deeper/local.py") == "ignored by sub/.gitignore:2 (local.py)"
    assert corpus.explain(str(Path(corpus.root) / "a.log")) == "ignored by .gitignore:1 (*.log)"
    assert corpus.explain("sub/keep.log") is None
    assert corpus.explain("sub") == "a folder; name one of its files"
    assert corpus.explain("sub/../../elsewhere") == f"not below the root {corpus.root}; nothing outside is read"
    assert corpus.explain("absent.py") == corpus.explain("nul\0") == "does not exist"


def test_a_tracked_file_is_listed_though_a_rule_matches_it(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.log": "tracked before the rule"}, {".gitignore": "*.log\n"})
    repo.write({"b.log": "ignored"})
    assert paths(open_corpus(repo.path)) == [".gitignore", "a.log"]


@pytest.mark.parametrize("inside", [True, False], ids=["repository", "plain folder"])
def test_global_excludes_are_honoured(make_repo: MakeRepo, tmp_path: Path, isolated_git: Path, inside: bool) -> None:
    excludes = isolated_git.parent / "excludes"
    excludes.write_text("*.swap\n")
    with isolated_git.open("a") as config:
        config.write(f"[core]\n\texcludesFile = {excludes}\n")
    corpus = open_corpus(inside_or_outside(make_repo, tmp_path, inside, {"a.py": "a", "b.swap": "b"}))
    assert paths(corpus) == ["a.py"]
    assert corpus.explain("b.swap") == f"ignored by {excludes}:1 (*.swap)"


def test_the_repositorys_own_exclude_file_is_honoured(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    write_files(repo.path, {".git/info/exclude": "private/\n", "private/b.py": "b"})
    corpus = open_corpus(repo.path)
    assert paths(corpus) == ["a.py"]
    assert corpus.explain("private/b.py") == "ignored by .git/info/exclude:1 (private/)"


def test_a_file_that_appears_later_is_told_from_an_ignored_one(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    corpus = open_corpus(repo.path)
    repo.write({"b.py": "b"})
    assert corpus.explain("b.py") == "it appeared after the files were listed; search again"
    assert corpus.explain(".git/config") == "git's own data"


def test_a_folder_that_its_repository_ignores_is_searched_when_it_is_the_root(make_repo: MakeRepo) -> None:
    repo = make_repo({".gitignore": ".venv/\n", "a.py": "a"})
    package = repo.path / ".venv" / "lib" / "package"
    write_files(package, {"code.py": "c", ".gitignore": "*.tmp\n", "x.tmp": "x"})
    corpus = open_corpus(package)
    assert paths(corpus) == [".gitignore", "code.py"]
    assert (corpus.git_dir, corpus.commit, corpus.prefix) == (None, None, "")
    assert corpus.explain("x.tmp") == "ignored by .gitignore:1 (*.tmp)"


def test_an_empty_folder_of_a_repository_stays_part_of_it(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    (repo.path / "empty").mkdir()
    corpus = open_corpus(repo.path / "empty")
    assert (corpus.files, corpus.prefix, corpus.commit) == ([], "empty/", repo.commits[-1])


def test_the_users_configuration_does_not_change_the_listing(
    make_repo: MakeRepo, isolated_git: Path, tmp_path: Path
) -> None:
    repo = make_repo({"ünï.py": "a", "b.py": "b", "c.py": "c"})
    repo.write({"new ö.py": "n", "b.py": "changed", "c.py": None})
    expected = open_corpus(repo.path)
    witness = tmp_path / "ran"
    with isolated_git.open("a") as config:
        config.write(
            f"[core]\n\tquotePath = true\n\tfsmonitor = touch {witness}\n\tuntrackedCache = true\n"
            "[status]\n\tshowUntrackedFiles = no\n\trelativePaths = false\n\tshort = true\n"
            "[color]\n\tui = always\n[diff]\n\tnoprefix = true\n[submodule]\n\trecurse = true\n"
            "[safe]\n\tbareRepository = explicit\n[pager]\n\tls-files = false\n"
        )
    corpus = open_corpus(repo.path)
    assert (corpus.files, corpus.left_out, corpus.fingerprint) == (
        expected.files,
        expected.left_out,
        expected.fingerprint,
    )
    assert not witness.exists()


def test_no_program_that_a_repository_configures_is_run(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo({"a.py": "a", ".gitattributes": "* filter=spy diff=spy\n"})
    witness = tmp_path / "ran"
    for key in ("core.fsmonitor", "filter.spy.clean", "filter.spy.smudge", "filter.spy.process", "diff.spy.textconv"):
        repo.git("config", key, f"touch {witness}; cat")
    repo.git("config", "core.hooksPath", "hooks")
    write_files(repo.path, {"hooks/post-index-change": f"#!/bin/sh\ntouch {witness}\n", "a.py": "b", "new.py": "n"})
    (repo.path / "hooks/post-index-change").chmod(0o755)
    for corpus in (open_corpus(repo.path), open_corpus(repo.path, "HEAD")):
        list(corpus.read_many(corpus.files))
        corpus.ignored()
        corpus.explain("absent")
    assert not witness.exists()


def test_variables_of_a_git_hook_do_not_redirect_the_root(make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    other, repo = make_repo({"other.py": "o"}, name="other"), make_repo({"a.py": "a"})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git" / "index"))
    assert paths(open_corpus(repo.path)) == ["a.py"]


def test_another_owners_repository_is_listed(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    if subprocess.run(["chown", "-R", "12345", str(repo.path)], capture_output=True, check=False).returncode:
        pytest.skip("only root may give files away")
    repo.write({"b.py": "b"})
    assert paths(open_corpus(repo.path)) == ["a.py", "b.py"]
    assert paths(open_corpus(repo.path, "HEAD")) == ["a.py"]


def test_a_damaged_repository_is_an_error_with_gits_words(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "a"})
    (repo.path / ".git" / "index").write_bytes(b"garbage, certainly no index of a repository")
    with pytest.raises(GitUnavailable, match="index"):
        open_corpus(repo.path)
    (repo.path / ".git" / "config").write_text("[broken")
    with pytest.raises(GitUnavailable, match="config"):
        open_corpus(repo.path)


def test_a_missing_git_is_an_error_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitUnavailable, match="install git"):
        open_corpus(tmp_path)
