"""Which folders a client may have searched."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from mcp_types import RootsListChangedNotification

from iterative_retrieval.serving.mcp.roots import RootPolicy, RootRefused, local_folders
from iterative_retrieval.serving.roots import AllowedRoots
from tests.repositories import GitRepo
from tests.serving.conftest import TASK
from tests.serving.mcp.place import Place
from tests.serving.mcp.sessions import OLDER, Session, session, stdio


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Folders a, a/inner and b, and a link from a to b."""
    (tmp_path / "a" / "inner").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    os.symlink(tmp_path / "b", tmp_path / "a" / "link")
    return tmp_path


def test_a_clients_own_roots_may_be_searched(folders: Path) -> None:
    policy = RootPolicy(base=str(folders))
    assert policy.of([str(folders / "b")]).folders == [str(folders / "b")]


def test_a_client_that_knows_no_roots_searches_where_the_server_was_started(folders: Path) -> None:
    assert RootPolicy(base=str(folders)).of(None).folders == [str(folders)]


def test_a_client_that_offers_no_root_searches_nothing(folders: Path) -> None:
    for offered in ([], [str(folders / "gone")]):
        with pytest.raises(RootRefused, match="--allow-root"):
            RootPolicy(base=str(folders)).of(offered)


def test_an_allow_list_confines_what_clients_offer(folders: Path) -> None:
    policy = RootPolicy(AllowedRoots([folders / "a"]))
    assert policy.of([str(folders)]).folders == [str(folders / "a")]
    assert policy.of([str(folders / "a" / "inner")]).folders == [str(folders / "a" / "inner")]
    with pytest.raises(RootRefused):
        policy.of([str(folders / "b")])


def test_a_root_that_is_a_link_counts_as_where_it_leads(folders: Path) -> None:
    with pytest.raises(RootRefused):
        RootPolicy(AllowedRoots([folders / "a"])).of([str(folders / "a" / "link")])


def test_only_local_files_are_roots() -> None:
    uris = ["file:///srv/a%20b", "https://example.org/x", "file://elsewhere/srv", "file:///srv/%00"]
    assert local_folders(uris) == ["/srv/a b"]


def test_folders_outside_are_refused_whether_they_exist_or_not(agent: Session, place: Place) -> None:
    for root in (str(place.outside), "../link", "..", "/", str(place.folder / "nowhere")):
        assert "not below a folder that may be searched" in agent.refusal("retrieve_context", task=TASK, root=root)
        assert "not below" in agent.refusal("explain_file", task=TASK, root=root, path="secret.py")


def test_a_repository_whose_objects_lie_outside_is_refused(agent: Session, place: Place) -> None:
    hidden = GitRepo(place.outside / "hidden")
    hidden.path.mkdir()
    hidden.git("init", "--quiet")
    trap = place.shop / "trap"
    trap.mkdir()
    (trap / ".git").write_text(f"gitdir: {hidden.path}/.git\n")
    try:
        for tool, more in (("retrieve_context", {}), ("explain_file", {"path": "secret.py"})):
            assert "git objects of this root lie outside" in agent.refusal(tool, task=TASK, root="trap", **more)
    finally:
        shutil.rmtree(trap)
        shutil.rmtree(hidden.path)


def test_a_folder_inside_is_searched_by_its_relative_path(agent: Session, place: Place) -> None:
    found = agent.values("retrieve_context", task=TASK, root="src")
    assert found["root"] == str(place.shop / "src")
    assert "auth.py" in {f["path"] for f in found["files"]}


def test_roots_that_change_have_effect_at_the_next_call(agent: Session, place: Place) -> None:
    name = agent.values("retrieve_context", task=TASK)["request_id"]
    before = list(agent.roots)
    agent.roots[:] = [place.shop / "src"]
    try:
        if agent.client.protocol_version < "2026":  # later revisions have no such notification: they are always asked
            agent.do(lambda: agent.client.session.send_notification(RootsListChangedNotification()))
        assert agent.values("retrieve_context", task=TASK)["root"] == str(place.shop / "src")
        again = agent.refusal("retrieve_context", task=TASK, previous_request_id=name, gap="the user")
        assert "not below a folder" in again
    finally:
        agent.roots[:] = before


def test_a_client_without_roots_gets_the_servers_own_folder(place: Place) -> None:
    with session(stdio(place), OLDER) as plain:
        assert plain.values("retrieve_context", task=TASK)["root"] == str(place.shop)
        assert "not below" in plain.refusal("retrieve_context", task=TASK, root=str(place.outside))
