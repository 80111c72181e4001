"""Finding documents on a disk: folders, globs, single files, and what is left out."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from iterative_retrieval.retrieval.documents import CHUNKING_VERSION
from iterative_retrieval.state.documents import Skipped, SkipReason
from iterative_retrieval.state.errors import DocumentSkipped, NoDocuments
from iterative_retrieval.stores.document_files import FileSource, document_sources

TEXT = "# Guide\n\nThe client retries a failed request.\n"


def write(root: Path, *paths: str) -> None:
    for path in paths:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(TEXT)


def names(found: tuple[list[FileSource], list[Skipped]]) -> list[str]:
    return [source.document for source in found[0]]


def reasons(skipped: Sequence[Skipped]) -> dict[str, SkipReason]:
    return {entry.document: entry.reason for entry in skipped}


def skip_of(source: FileSource) -> DocumentSkipped:
    with pytest.raises(DocumentSkipped) as caught:
        source.chunks()
    return caught.value


def test_a_folder_gives_its_documents_and_sources(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "deep/er/b.rst", "c.html", "d.txt", "e.py", "README", "f.json", "g.png", "h.min.js")
    found = document_sources([str(tmp_path)])
    assert names(found) == ["README", "a.md", "c.html", "d.txt", "deep/er/b.rst", "e.py"]
    assert found[1] == []


def test_hidden_folders_dependencies_and_environments_are_not_entered(tmp_path: Path) -> None:
    write(tmp_path, "a.md", ".git/b.md", ".cache/c.md", "node_modules/d/e.md", "venv/f.md", "web/node_modules/g.md")
    write(tmp_path, "myenv/pyvenv.cfg", "myenv/lib/h.py", "x/__pycache__/i.py", ".hidden.md")
    assert names(document_sources([str(tmp_path)])) == ["a.md"]


def test_a_glob_finds_at_any_depth(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "docs/x/y/b.md", "docs/c.rst", "docs/.git/d.md", "e.md", "docs/f.odd")
    pattern = str(tmp_path / "docs" / "**")
    assert names(document_sources([f"{pattern}/*.md"])) == ["a.md", "x/y/b.md"]
    assert names(document_sources([f"{pattern}/*.{{md,rst}}"])) == ["a.md", "c.rst", "x/y/b.md"]
    assert names(document_sources([pattern])) == ["a.md", "c.rst", "x/y/b.md"]
    assert names(document_sources([f"{pattern}/*.odd"])) == ["f.odd"]


def test_a_glob_that_matches_a_folder_means_what_is_in_it(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "docs/x/b.md", "docs/x/y/c.md", "docs/x/d.png")
    assert names(document_sources([str(tmp_path / "docs" / "*")])) == ["a.md", "x/b.md", "x/y/c.md"]


def test_a_file_named_by_itself_is_taken_whatever_it_is_called(tmp_path: Path) -> None:
    write(tmp_path, "notes.odd", "node_modules/readme.md", ".hidden", "weird[1].md")
    for path in ("notes.odd", "node_modules/readme.md", ".hidden", "weird[1].md"):
        (source,), skipped = document_sources([str(tmp_path / path)])
        assert source.document == Path(path).name
        assert source.chunks()
        assert skipped == []


def test_ids_do_not_depend_on_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "docs/x/a.md", "docs/b.md")
    monkeypatch.chdir(tmp_path)
    here = document_sources(["docs"])
    monkeypatch.chdir(tmp_path / "docs" / "x")
    there = document_sources([".."])
    assert names(here) == names(there) == ["b.md", "x/a.md"]
    assert [source.sha256 for source in here[0]] == [source.sha256 for source in there[0]]


def test_ids_are_relative_to_what_all_have_in_common(tmp_path: Path) -> None:
    write(tmp_path, "project/docs/a.md", "project/src/b.py", "project/README.md", "project/other.md")
    paths = [str(tmp_path / "project" / name) for name in ("docs", "src/*.py", "README.md")]
    assert names(document_sources(paths)) == ["README.md", "docs/a.md", "src/b.py"]


def test_a_base_decides_what_ids_are_relative_to(tmp_path: Path) -> None:
    write(tmp_path, "project/docs/a.md", "elsewhere/b.md")
    base = tmp_path / "project"
    assert names(document_sources([str(base / "docs")], base)) == ["docs/a.md"]
    assert names(document_sources([str(base / "docs"), str(tmp_path / "elsewhere")], base)) == [
        "../elsewhere/b.md",
        "docs/a.md",
    ]


def test_what_is_named_twice_is_taken_once(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    assert names(document_sources([str(tmp_path), str(tmp_path / "*.md"), str(tmp_path / "a.md")])) == ["a.md", "b.md"]


def test_the_hash_is_of_the_bytes_that_were_chunked(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    ((source,), _) = document_sources([str(tmp_path)])
    assert source.sha256 == hashlib.sha256(f"{CHUNKING_VERSION}\0{TEXT}".encode()).hexdigest()
    changed = TEXT + "More.\n"
    (tmp_path / "a.md").write_text(changed)
    assert "More." in source.chunks()[0].text
    assert source.sha256 == hashlib.sha256(f"{CHUNKING_VERSION}\0{changed}".encode()).hexdigest()


def test_nothing_is_read_before_it_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    sources, skipped = document_sources([str(tmp_path)])
    (tmp_path / "a.md").unlink()
    assert skipped == []
    skipped_now = skip_of(sources[0])
    assert (skipped_now.document, skipped_now.reason) == ("a.md", SkipReason.UNREADABLE)
    assert "gone" in skipped_now.detail
    with pytest.raises(DocumentSkipped, match="gone"):
        _ = sources[0].sha256
    assert sources[1].chunks()


@pytest.fixture
def nobody() -> Iterator[None]:
    """An ordinary user for the time of a test: root may read everything."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65_534)
    yield
    os.seteuid(user)


def test_a_file_without_permission_is_skipped(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    write(tmp_path, "a.md")
    (tmp_path / "a.md").chmod(0)
    ((source,), _) = document_sources([str(tmp_path)])
    request.getfixturevalue("nobody")
    skipped = skip_of(source)
    assert skipped.reason == SkipReason.UNREADABLE
    assert "permission" in skipped.detail


def test_links_that_leave_the_folder_are_named_and_not_read(tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md", "outside/folder/x.md", "docs/a.md", "docs/odd.data")
    (tmp_path / "docs" / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (tmp_path / "docs" / "folder").symlink_to(tmp_path / "outside" / "folder")
    (tmp_path / "docs" / "inside.md").symlink_to("odd.data")
    (tmp_path / "docs" / "nowhere.md").symlink_to("missing.md")
    (tmp_path / "docs" / "loop.md").symlink_to("loop.md")
    sources, skipped = document_sources([str(tmp_path / "docs")])
    assert [source.document for source in sources] == ["a.md", "inside.md"]
    assert set(reasons(skipped)) == {"link.md", "nowhere.md", "loop.md"}
    assert sources[1].chunks()


def test_a_file_replaced_by_a_link_after_the_listing_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "outside.md", "docs/x/a.md")
    ((source,), _) = document_sources([str(tmp_path / "docs")])
    (tmp_path / "docs" / "x" / "a.md").unlink()
    (tmp_path / "docs" / "x" / "a.md").symlink_to(tmp_path / "outside.md")
    assert "link" in skip_of(source).detail


def test_a_link_named_by_itself_is_followed(tmp_path: Path) -> None:
    write(tmp_path, "real/docs/a.md")
    (tmp_path / "docs").symlink_to(tmp_path / "real" / "docs")
    (tmp_path / "b.md").symlink_to(tmp_path / "real" / "docs" / "a.md")
    assert names(document_sources([str(tmp_path / "docs")])) == ["a.md"]
    assert document_sources([str(tmp_path / "b.md")])[0][0].chunks()


def test_a_pipe_is_no_document_and_blocks_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    os.mkfifo(tmp_path / "b.md")
    sources, _ = document_sources([str(tmp_path)])
    assert "no regular file" in skip_of(sources[1]).detail


def test_names_that_are_not_utf8_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/gr\xf6\xdfe.md"))).write_text(TEXT)
    sources, skipped = document_sources([str(tmp_path)])
    assert [source.document for source in sources] == ["a.md"]
    assert reasons(skipped) == {"gr\\xf6\\xdfe.md": SkipReason.UNREADABLE}
    assert "UTF-8" in skipped[0].detail


def test_secrets_large_files_and_unknown_formats_are_named(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "id_rsa.txt.pem", "report.docx", "service-account.md")
    with (tmp_path / "big.txt").open("wb") as file:
        file.truncate(20_000_001)
    write(tmp_path, "keys/.env")
    sources, skipped = document_sources([str(tmp_path), str(tmp_path / "keys" / ".env")])
    assert [source.document for source in sources] == ["a.md", "service-account.md"]
    assert reasons(skipped) == {
        "big.txt": SkipReason.TOO_LARGE,
        "report.docx": SkipReason.UNSUPPORTED,
        "keys/.env": SkipReason.SECRET,
    }


def test_empty_files_are_left_out_of_a_folder_but_not_when_named(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / "__init__.py").touch()
    assert names(document_sources([str(tmp_path)])) == ["a.md"]
    ((source,), _) = document_sources([str(tmp_path / "__init__.py")])
    assert "empty" in skip_of(source).detail


def test_what_leads_to_nothing_is_an_error_that_says_what_was_looked_for(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "pictures/b.png")
    for named in ("missing.md", "no/such/*.md", "pictures", "*.rst"):
        with pytest.raises(NoDocuments) as caught:
            document_sources([str(tmp_path / "a.md"), str(tmp_path / named)])
        assert named in str(caught.value)
    assert ".md" in str(caught.value)
    assert ".py" in str(caught.value)
    with pytest.raises(NoDocuments, match="nothing was named"):
        document_sources([])


def test_order_is_by_id(tmp_path: Path) -> None:
    write(tmp_path, "b/a.md", "a.md", "c.md", "b.md")
    assert names(document_sources([str(tmp_path / "c.md"), str(tmp_path)])) == ["a.md", "b.md", "b/a.md", "c.md"]
