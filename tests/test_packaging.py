"""What people install: built offline from a copy of this repository, by way of the sdist."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

import iterative_retrieval

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "iterative_retrieval"
FOLDERS = sorted(link.name for link in PACKAGE.iterdir() if link.is_symlink())
LEFT_BEHIND = (".*", "build", "dist", "*.egg-info", "tests", "benchmarks", "docs")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel built from it."""
    copy = tmp_path_factory.mktemp("source") / "copy"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", str(copy)], capture_output=True, text=True, cwd=copy
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return copy / "dist"


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    """The wheel."""
    [path] = built.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what the wheel installs."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


_SHIPPED = {".py", ".json", ".jsonl", ".md", ".scm", ".mako", ".html", ".css", ".svg"}


def expected_files() -> set[str]:
    """Every file of the tree that an installed copy needs, as it is named there."""
    own = [path for path in PACKAGE.iterdir() if path.is_file()]
    linked = [path for folder in FOLDERS for path in (PACKAGE / folder).rglob("*")]
    wanted = [path for path in own + linked if path.suffix in _SHIPPED or path.name == "py.typed"]
    return {path.relative_to(PACKAGE.parent).as_posix() for path in wanted}


def test_the_wheel_holds_every_module_and_data_file(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert len(expected_files()) > 20
    assert expected_files() - names == set()


def test_the_wheel_holds_nothing_outside_the_package(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert tops == {"iterative_retrieval", f"iterative_retrieval-{iterative_retrieval.__version__}.dist-info"}


def test_the_wheel_holds_no_compiled_leftovers(wheel: Path) -> None:
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if "__pycache__" in name or name.endswith(".pyc")]


def test_the_sdist_holds_real_files_where_the_tree_has_links(built: Path) -> None:
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        members = {member.name.partition("/src/")[2]: member for member in archive.getmembers()}
    assert expected_files() - set(members) == set()
    assert all(members[name].isreg() for name in expected_files())


def test_every_module_of_the_wheel_imports_without_the_checkout(unpacked: Path, tmp_path: Path) -> None:
    script = (
        "import importlib, pkgutil, sys; sys.path.insert(0, sys.argv[1]); import iterative_retrieval as p\n"
        "for m in pkgutil.walk_packages(p.__path__, p.__name__ + '.'):\n"
        "    if not m.name.endswith('__main__') and '.migrations.' not in m.name:\n"
        "        print(importlib.import_module(m.name).__file__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, str(unpacked)], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    wanted = [name for name in expected_files() if name.endswith(".py") and "/migrations/" not in name]  # Alembic's own
    assert len(done.stdout.splitlines()) >= len(wanted) - 2
    assert all(Path(file).is_relative_to(unpacked) for file in done.stdout.splitlines())


def test_the_wheel_offers_the_command(unpacked: Path) -> None:
    [entry_points] = unpacked.glob("*.dist-info/entry_points.txt")
    assert "iterative-retrieval = iterative_retrieval.__main__:main" in entry_points.read_text()


@pytest.mark.parametrize("name", FOLDERS)
def test_no_folder_becomes_a_top_level_module(name: str, tmp_path: Path) -> None:
    script = "import importlib.util, sys; print(getattr(importlib.util.find_spec(sys.argv[1]), 'origin', None))"
    done = subprocess.run([sys.executable, "-I", "-c", script, name], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(ROOT) not in done.stdout


@pytest.mark.parametrize("name", FOLDERS)
def test_the_links_are_relative_so_that_a_clone_works_anywhere(name: str) -> None:
    assert os.readlink(PACKAGE / name) == os.path.join("..", "..", name)


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {path.parent for folder in FOLDERS for path in (PACKAGE / folder).rglob("*.py")}
    assert {folder for folder in folders if not (folder / "__init__.py").is_file()} == set()
    assert {name for name in FOLDERS if not (PACKAGE / name / "__init__.py").is_file()} == set()


def test_every_library_that_is_imported_is_declared() -> None:
    declared = {_canonical(requirement) for requirement in metadata.requires("iterative-retrieval") or []}
    providers = metadata.packages_distributions()
    missing = {
        name: providers.get(name)
        for name in sorted(imported_names())
        if name not in sys.stdlib_module_names and not declared & {_canonical(dist) for dist in providers.get(name, [])}
    }
    assert missing == {}


def imported_names() -> set[str]:
    """The top-level names that the package's modules import absolutely."""
    names: set[str] = set()
    for folder in FOLDERS:
        for path in (PACKAGE / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    names |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                    names.add(node.module.partition(".")[0])
    return names


def _canonical(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement)[0].lower().replace("_", "-")
