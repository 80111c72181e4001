"""What a client's texts must be before anything is done with them."""

from __future__ import annotations

import posixpath
import unicodedata

from ...state.errors import CallerError, EmptyQuestion, EmptyTask

LONGEST_TASK = 100_000
LONGEST_QUESTION = 20_000
LONGEST_PATH = 4_000
_SPACES = "\t\n\r"


def checked_task(task: str) -> str:
    """The task.

    Raises:
        EmptyTask, CallerError: it is empty, too long, or holds a control character.
    """
    if not task.strip():
        raise EmptyTask("task: it is empty; say in plain words what is to be done or found")
    return _checked("task", task, LONGEST_TASK, "give the part that says what is to be done")


def checked_question(question: str) -> str:
    """The question.

    Raises:
        EmptyQuestion, CallerError: it is empty, too long, or holds a control character.
    """
    if not question.strip():
        raise EmptyQuestion("question: it is empty; ask one question in plain words")
    return _checked("question", question, LONGEST_QUESTION, "ask one question at a time")


def checked_text(name: str, text: str, longest: int) -> str:
    """Any other text.

    Raises:
        CallerError: it is too long, or holds a control character.
    """
    return _checked(name, text, longest, "say it shorter")


def checked_path(name: str, path: str) -> str:
    """A path as it was given.

    Raises:
        CallerError: it is too long, or holds a control character or a line end.
    """
    _checked(name, path, LONGEST_PATH, "no path is that long")
    if any(char in path for char in _SPACES):
        raise CallerError(f"{name}: a path has no tab or line end in it; give one path")
    return path


def inner_path(name: str, path: str, root: str) -> str:
    """A path inside the root, relative to it, with slashes.

    Raises:
        CallerError: it is empty or leads out of the root.
    """
    clean = posixpath.normpath(checked_path(name, path).strip())
    if clean.startswith(root.rstrip("/") + "/"):
        clean = clean[len(root.rstrip("/")) + 1 :]
    if clean in (".", "") or clean.startswith(("../", "/")) or clean == "..":
        raise CallerError(f"{name}: '{path}' is no file inside {root}; give its path relative to that folder")
    return clean


def _checked(name: str, text: str, longest: int, advice: str) -> str:
    if len(text) > longest:
        raise CallerError(f"{name}: {len(text):,} characters are too many (at most {longest:,}); {advice}")
    for place, char in enumerate(text):
        if unicodedata.category(char) in ("Cc", "Cs") and char not in _SPACES:
            raise CallerError(
                f"{name}: holds the control character U+{ord(char):04X} at position {place}; send plain text without it"
            )
    return text
