"""The git executable: asked for facts, never allowed to run a program of the repository or to reach the network."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..state.errors import GitUnavailable

# With fsmonitor off, no index written and no file content handed to git, none of our commands runs a hook, a filter or
# any other program a repository configures; so another owner's repository is safe to list. Git heeds safe.* on the
# command line from 2.38 on.
_OPTIONS = (
    "--no-optional-locks",
    *("-c", "core.fsmonitor=false"),
    *("-c", "submodule.recurse=false"),
    *("-c", "safe.directory=*"),
    *("-c", "safe.bareRepository=all"),
)

# A caller inside a git hook has these set; they would override the root that we were given.
_FOREIGN = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE"),
    *("GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS"),
)

SHA1_DIGITS = 40
SHA256_DIGITS = 64

GitProcess = subprocess.Popen[bytes]

_LOCATION = (
    *("--git-common-dir", "--is-bare-repository", "--git-path", "index", "--is-inside-work-tree", "--show-cdup"),
    *("--show-object-format", "HEAD^{commit}"),
)
# The fixed words between the paths tell them apart even when a path holds a line end.
_LOCATION_ANSWER = re.compile(
    r"(?P<git_dir>.+)\n(?:true|false)\n(?P<index>.+)\n(?P<work_tree>true|false)\n"
    r"(?:(?P<up>.*?)\n)?"  # '../' for each level; outside a work tree absent or an absolute path
    r"(?P<format>sha1|sha256)\n"
    r"(?:(?P<commit>[0-9a-f]{40}(?:[0-9a-f]{24})?)\n)?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class GitAnswer:
    """What one git command said. code: its exit code. errors: standard error, decoded."""

    code: int
    output: bytes
    errors: str

    @property
    def text(self) -> str:
        """Standard output as text; bytes that are no UTF-8 become surrogates, as in file names."""
        return os.fsdecode(self.output)

    def required(self, folder: str) -> GitAnswer:
        """This answer, if the command succeeded.

        Raises:
            GitUnavailable: it failed; the message holds git's own words.
        """
        if self.code == 0:
            return self
        raise GitUnavailable(_failure(folder, self.errors))


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a folder's repository is, all paths absolute.

    folder: the folder itself. git_dir: the common git directory, which linked work trees share. index: the index file.
    work_tree: whether the folder lies in the checked-out tree (not in a bare repository or inside ``.git``). prefix:
    the folder's path inside the work tree with a trailing slash, or ''. id_digits: hex digits of its object ids.
    commit: full id of HEAD's commit, None before the first one.
    """

    folder: str
    git_dir: str
    index: str
    work_tree: bool
    prefix: str
    id_digits: int
    commit: str | None


def start_git(folder: str, *arguments: str, git_dir: str | None = None, objects: str | None = None) -> GitProcess:
    """A running ``git`` in ``folder``, its three streams piped.

    Args:
        folder: where it runs; also its work tree when ``git_dir`` is given.
        arguments: the command and its options.
        git_dir: use this git directory instead of looking for one.
        objects: read objects from this directory instead of the git directory's own.

    Raises:
        GitUnavailable: there is no git executable.
    """
    place = [f"--git-dir={git_dir}", f"--work-tree={folder}"] if git_dir else []
    command = ["git", "-C", folder, *_OPTIONS, *place, *arguments]
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=_environment(objects))
    except FileNotFoundError as error:
        raise GitUnavailable("the git executable was not found; install git and put it on PATH") from error


def finish_git(process: GitProcess, stdin: bytes = b"") -> GitAnswer:
    """The answer of a started command, after feeding it ``stdin``."""
    output, errors = process.communicate(stdin)
    return GitAnswer(process.returncode, output, os.fsdecode(errors))


def ask_git(folder: str, *arguments: str, stdin: bytes = b"", git_dir: str | None = None) -> GitAnswer:
    """The answer of ``git arguments`` run in ``folder``; failing is an answer too (see ``GitAnswer.required``)."""
    return finish_git(start_git(folder, *arguments, git_dir=git_dir), stdin)


def run_git(folder: str, arguments: Sequence[str], stdin: bytes = b"") -> bytes:
    """The output of a git command that has no reason to fail.

    Raises:
        GitUnavailable: git is missing, or the command failed; the message holds git's own words.
    """
    return ask_git(folder, *arguments, stdin=stdin).required(folder).output


def find_repository(folder: str) -> Repository | None:
    """The repository that holds ``folder`` (an absolute real path), or None outside git.

    Raises:
        GitUnavailable: git is missing, or refuses the repository.
    """
    answer = ask_git(folder, "rev-parse", *_LOCATION)
    if match := _LOCATION_ANSWER.match(answer.text):
        return _repository(folder, match)
    if "not a git repository" in answer.errors or "invalid gitfile format" in answer.errors:
        return None
    raise GitUnavailable(_failure(folder, answer.errors))


@contextmanager
def empty_git_dir(id_digits: int = SHA1_DIGITS) -> Iterator[str]:
    """A temporary, empty git directory: git's matcher and object reader without any repository's configuration.

    Args:
        id_digits: hex digits of an object id, which tell a SHA-256 repository.
    """
    with tempfile.TemporaryDirectory(prefix="iterative-retrieval-") as scratch:
        git_dir = os.path.join(scratch, ".git")  # the one name that git never lists, should the root hold the scratch
        for folder in ("", "objects", "refs"):
            os.mkdir(os.path.join(git_dir, folder))
        _write(os.path.join(git_dir, "HEAD"), "ref: refs/heads/none\n")
        _write(os.path.join(git_dir, "config"), _CONFIG if id_digits == SHA1_DIGITS else _CONFIG_SHA256)
        yield git_dir


def blob_id(content: bytes, id_digits: int = SHA1_DIGITS) -> str:
    """Git's id of a blob: hex SHA-1 (40 digits) or SHA-256 (64 digits) of ``blob <size>\\0<content>``."""
    sha = hashlib.sha1 if id_digits == SHA1_DIGITS else hashlib.sha256
    digest = sha(b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


_CONFIG = "[core]\n\trepositoryformatversion = 0\n"
_CONFIG_SHA256 = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"


def _repository(folder: str, match: re.Match[str]) -> Repository:
    work_tree = match["work_tree"] == "true"
    depth = (match["up"] or "").count("../") if work_tree else 0
    parts = folder.split(os.sep)
    return Repository(
        folder=folder,
        git_dir=os.path.realpath(os.path.join(folder, match["git_dir"])),
        index=os.path.normpath(os.path.join(folder, match["index"])),
        work_tree=work_tree,
        prefix="".join(part + "/" for part in parts[len(parts) - depth :]),
        id_digits=SHA1_DIGITS if match["format"] == "sha1" else SHA256_DIGITS,
        commit=match["commit"],
    )


def _environment(objects: str | None) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    # A partial clone would fetch missing objects on its own; older gits know only the second way to forbid it.
    environment |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
    return environment | ({"GIT_OBJECT_DIRECTORY": objects} if objects else {})


def _failure(folder: str, errors: str) -> str:
    if "dubious ownership" in errors or "unsafe repository" in errors:
        return (
            f"git refuses {folder} because another user owns it; if you trust it, run "
            f"`git config --global --add safe.directory {folder}`, or use git 2.38 or newer"
        )
    return f"git failed in {folder}: {errors.strip() or 'it gave no reason'}; `git status` there may tell more"


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
