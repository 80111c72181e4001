"""Which folders a server's clients may search."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from iterative_retrieval.serving.roots import AllowedRoots, ConfinedWorkspaces
from iterative_retrieval.state.errors import CallerError, UnknownRoot
from iterative_retrieval.stores.workspace import CachedWorkspaces
from tests.repositories import MakeRepo

FILES = {"a.py": "def secret_token() -> None: ...\n"}


@pytest.fixture
def roots(tmp_path: Path) -> AllowedRoots:
    (tmp_path / "allowed" / "shop" / "src").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "allowed-too").mkdir()
    return AllowedRoots([tmp_path / "allowed", tmp_path / "other"])


def test_a_folder_below_an_allowed_one_may_be_searched(roots: AllowedRoots, tmp_path: Path) -> None:
    shop = str(tmp_path / "allowed" / "shop")
    assert roots.place(shop) == roots.place("shop") == roots.place("shop/src/..") == roots.place(shop + "/") == shop
    assert roots.place(".") == roots.place("") == str(tmp_path / "allowed")
    assert roots.place(str(tmp_path / "other")) == str(tmp_path / "other")


@pytest.mark.parametrize("root", ["..", "../other/..", "/", "/etc", "shop/../../allowed-too", "~", "~root", "a\0b"])
def test_everything_else_may_not(roots: AllowedRoots, root: str) -> None:
    if root.startswith("~"):  # taken by its letters: no such folder below the allowed one, and nobody's home
        assert roots.place(root).endswith(f"/allowed/{root}")
        return
    with pytest.raises(UnknownRoot):
        roots.place(root)


def test_a_link_counts_as_where_it_leads(roots: AllowedRoots, tmp_path: Path) -> None:
    os.symlink(tmp_path / "allowed-too", tmp_path / "allowed" / "out")
    os.symlink(tmp_path / "allowed" / "shop", tmp_path / "allowed" / "in")
    with pytest.raises(UnknownRoot):
        roots.place("out")
    assert roots.place("in") == str(tmp_path / "allowed" / "shop")


def test_whether_a_forbidden_folder_exists_is_not_told(roots: AllowedRoots, tmp_path: Path) -> None:
    messages = []
    for name in ("allowed-too", "nothing"):
        with pytest.raises(UnknownRoot) as caught:
            roots.place(str(tmp_path / name))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_a_folder_to_allow_must_exist(tmp_path: Path) -> None:
    with pytest.raises(UnknownRoot, match="name an existing one"):
        AllowedRoots([tmp_path / "nothing"])
    with pytest.raises(CallerError, match="at least one"):
        AllowedRoots([])


def test_a_file_must_lie_there_too(roots: AllowedRoots, tmp_path: Path) -> None:
    assert roots.file("log.jsonl") == str(tmp_path / "allowed" / "log.jsonl")
    with pytest.raises(CallerError, match="this file"):
        roots.file("/etc/passwd")


def test_a_repository_must_keep_its_objects_inside(make_repo: MakeRepo, roots: AllowedRoots, tmp_path: Path) -> None:
    hidden = make_repo(FILES, name="hidden")
    allowed = tmp_path / "allowed"
    traps: dict[str, Callable[[Path], object]] = {
        "file": lambda place: (place / ".git").write_text(f"gitdir: {hidden.path}/.git\n"),
        "link": lambda place: (place / ".git").symlink_to(hidden.path / ".git"),
        "objects": lambda place: (_empty_git(place / ".git") / "objects").symlink_to(hidden.path / ".git" / "objects"),
        "alternates": lambda place: _borrow(_empty_git(place / ".git"), str(hidden.path / ".git" / "objects")),
        "common": lambda place: (_empty_git(place / ".git") / "commondir").write_text(f"{hidden.path}/.git\n"),
        "bare": lambda place: _borrow(_empty_git(place), str(hidden.path / ".git" / "objects")),
        "pack": lambda place: _pack_link(_empty_git(place / ".git"), hidden.path / ".git" / "objects"),
    }
    for name, spring in traps.items():
        place = allowed / name
        place.mkdir()
        spring(place)
        for root in (place, place / "deep"):
            with pytest.raises(UnknownRoot, match="git objects"):
                roots.place(str(root))


def test_borrowing_inside_the_allowed_folders_is_fine(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo(FILES, name="allowed/main")
    repo.git("worktree", "add", "--quiet", "../linked", "--detach")
    repo.git("clone", "--quiet", "--shared", "--bare", ".", "../shared.git")
    roots = AllowedRoots([tmp_path / "allowed"])
    assert roots.place("linked") and roots.place("shared.git")


def test_what_the_operator_names_is_trusted_with_its_repository(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo(FILES, name="main")
    repo.git("worktree", "add", "--quiet", "../linked", "--detach")
    roots = AllowedRoots([tmp_path / "linked"])
    workspaces = ConfinedWorkspaces(CachedWorkspaces(tmp_path / "cache"), roots)
    assert workspaces.open(".", "HEAD").searchable("a.py")


def test_confined_workspaces_open_nothing_else(make_repo: MakeRepo, tmp_path: Path) -> None:
    make_repo(FILES, name="allowed/shop")
    make_repo(FILES, name="hidden")
    roots = AllowedRoots([tmp_path / "allowed"])
    workspaces = ConfinedWorkspaces(CachedWorkspaces(tmp_path / "cache"), roots)
    opened = workspaces.open("shop")
    assert opened.searchable("a.py")
    assert workspaces.opened(opened.root, None, opened.fingerprint) is opened
    for root in (str(tmp_path / "hidden"), "../hidden"):
        with pytest.raises(UnknownRoot):
            workspaces.open(root)
        with pytest.raises(UnknownRoot):
            workspaces.opened(root, None, "")


def _empty_git(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "refs").mkdir()
    return folder


def _borrow(git_dir: Path, objects: str) -> None:
    (git_dir / "objects" / "info").mkdir(parents=True)
    (git_dir / "objects" / "info" / "alternates").write_text(objects + "\n")


def _pack_link(git_dir: Path, objects: Path) -> None:
    (git_dir / "objects" / "pack").mkdir(parents=True)
    (git_dir / "objects" / "pack" / "pack-1.pack").symlink_to(objects / "pack-1.pack")
