"""Why a file is not part of a corpus, in a sentence for people."""

from __future__ import annotations

import errno
import os
import stat

from ..state.source import LeftOutReason
from .exclusions import size_limit
from .git import ask_git
from .listing import Part, git_view


def explain_left_out(path: str, reason: LeftOutReason) -> str:
    """What a reason means for one file."""
    match reason:
        case LeftOutReason.SECRET:
            return "its name says that it holds a secret; secrets are never read"
        case LeftOutReason.BINARY:
            return f"binary by name (.{path.rpartition('.')[2]})"
        case LeftOutReason.TOO_LARGE:
            return f"larger than {size_limit(path):,} bytes, the limit for files of this kind"
        case LeftOutReason.LINK:
            return "a symbolic link; links are not followed, their targets inside the root are listed themselves"
        case LeftOutReason.UNREADABLE:
            return "cannot be read; check its permissions, or fetch it if the repository is a partial clone"
        case LeftOutReason.NOT_A_FILE:
            return "not a regular file (a pipe, socket or device)"
        case LeftOutReason.UNDECODABLE_NAME:
            return "its name is no UTF-8, so it cannot be handed over; rename it"
        case LeftOutReason.IGNORED:
            return "a second work tree of a repository that is listed already"
        case LeftOutReason.MINIFIED:
            return "minified"


def explain_on_disk(root: str, path: str) -> str | None:
    """What the file system alone says against ``path`` (normalised, relative to ``root``); None when nothing does."""
    parts = path.split("/")
    for count in range(1, len(parts)):
        place = "/".join(parts[:count])
        if os.path.islink(os.path.join(root, place)):
            return f"behind the link {place}; links are not followed"
    try:
        mode = os.lstat(os.path.join(root, path)).st_mode
    except OSError as error:
        return "does not exist" if error.errno in (errno.ENOENT, errno.ENOTDIR) else str(error.strerror)
    except ValueError:  # a NUL in the name
        return "does not exist"
    if stat.S_ISLNK(mode):
        return explain_left_out(path, LeftOutReason.LINK)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return explain_left_out(path, LeftOutReason.NOT_A_FILE)
    return "git's own data" if ".git" in parts else None


def explain_ignored(part: Part, path: str) -> str | None:
    """The ignore rule that leaves out ``path`` (relative to the part's folder); None when none does."""
    with git_view(part) as git_dir:
        query = b"./" + os.fsencode(path) + b"\0"  # so that a leading ':' is a letter
        answer = ask_git(part.folder, "check-ignore", "--verbose", "-z", "--stdin", stdin=query, git_dir=git_dir)
    source, line, pattern, *_ = [*answer.text.split("\0"), "", "", ""]
    if answer.code != 0 or not pattern or pattern.startswith("!"):
        return None
    return f"ignored by {part.base if not os.path.isabs(source) else ''}{source}:{line} ({pattern})"
