"""Queries out of feedback: tasks with the files they really took, and questions that somebody rated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...state.errors import CallerError
from ...state.feedback import FeedbackLog, FeedbackRecord

_MOST_READ = 10_000


def rated_tasks(feedback: FeedbackLog, limit: int) -> list[dict[str, Any]]:
    """Localization queries: ``task``, ``root``, ``ref``, ``gold_files``, ``repo``; each task once, as last rated.

    Feedback that names no needed file, or whose folder is gone, says nothing that could be measured.

    Raises:
        CallerError: nothing is left.
    """
    found: dict[str, dict[str, Any]] = {}
    for row in feedback.rows("retrieve_context", _MOST_READ):
        if row.needed and row.text not in found and Path(row.root).is_dir():
            fields = {"task": row.text, "root": row.root, "ref": row.ref, "gold_files": row.needed, "repo": row.root}
            found[row.text] = fields
    if not found:
        raise CallerError(
            "no feedback names needed files of a folder that is still there; agents give it by the MCP tool "
            "record_feedback, or say --queries FILE.jsonl"
        )
    return list(found.values())[:limit]


def rated_questions(feedback: FeedbackLog, collection: str, limit: int) -> list[dict[str, str]]:
    """Questions to one collection: ``question``, ``query_type``, ``cluster``; each once, as last rated.

    Raises:
        CallerError: there are none.
    """
    found: dict[str, FeedbackRecord] = {}
    for row in feedback.rows("search_docs", _MOST_READ):
        if row.collection == collection:
            found.setdefault(row.text, row)
    if not found:
        raise CallerError(f"no feedback on answers out of {collection}; give --queries FILE.jsonl")
    return [
        {"question": row.text, "query_type": row.query_type, "cluster": row.returned[0] if row.returned else ""}
        for row in found.values()
    ][:limit]
