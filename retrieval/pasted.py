"""Logs pasted into a task: a run of stamped lines is taken out, what it complains about is kept."""

from __future__ import annotations

import re

_STAMPED = re.compile(
    r"^[ \t>]{0,8}(?:[\w.-]{1,40}[ \t]*\|[ \t]*)?"  # a container's name may stand before
    r"(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|\[?\d\d:\d\d:\d\d[.,]\d{3}|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )"
)
_COMPLAINT = re.compile(r"\b(?:ERROR|CRITICAL|FATAL|SEVERE|PANIC)\b")
_NUMBERS = re.compile(r"\d+")
LEAST_LINES = 150
"""About three pages; fewer stamped lines are part of the question: an example, or the lines that matter."""
_MOST_COMPLAINTS = 20


def without_log(text: str) -> tuple[str, str]:
    """``text`` without the stamped lines of a pasted log, and the log's different complaints, at most twenty.

    Lines that bear no stamp stay, so a stack trace inside the log is still read as one. Without a log the text is as it
    was, and there are no complaints.
    """
    lines = text.split("\n")
    stamped = [bool(_STAMPED.match(line)) for line in lines]
    if sum(stamped) < LEAST_LINES:
        return text, ""
    complaints = {_kind(line): line for line, is_log in zip(lines, stamped, strict=True) if is_log and _complains(line)}
    kept = [line for line, is_log in zip(lines, stamped, strict=True) if not is_log]
    return "\n".join(kept), "\n".join(list(complaints.values())[:_MOST_COMPLAINTS])


def _complains(line: str) -> bool:
    return _COMPLAINT.search(line) is not None


def _kind(line: str) -> str:
    """The line without its numbers: repeats of one complaint differ in nothing else."""
    return _NUMBERS.sub("0", line)[:300]
