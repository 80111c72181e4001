"""A context package as a tool's reply, within a number of tokens, as values and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...retrieval.tokens import count_tokens
from .replies import ContextReply, FileReply, RouteReply, SpanReply

if TYPE_CHECKING:
    from ...graph.api import RetrievalResult

DEFAULT_TOKENS = 8_000

_CODE_SHARE = 0.75  # of the tokens; reasons, paths and the marks of JSON take the rest
_LISTED = 20
_GAPS = 10


def code_budget(max_tokens: int) -> int:
    """Tokens of the code in a reply of so many."""
    return int(max_tokens * _CODE_SHARE)


def context_reply(
    result: RetrievalResult, route: RouteReply, request_id: str, max_tokens: int
) -> tuple[ContextReply, str]:
    """The reply and its text; both forms hold at most ``max_tokens``, the weakest spans are left out first."""
    files = [_file(result, number) for number in range(len(result.files))]
    while True:
        reply = _reply(result, route, request_id, files)
        text = context_text(result.task, reply)
        if not files or max(count_tokens(text), count_tokens(reply.model_dump_json())) <= max_tokens:
            return reply, text
        files = _without_last(files)


def context_text(task: str, reply: ContextReply) -> str:
    """The reply as Markdown: files with reasons and code, gaps, what else was ranked."""
    parts = [f"# Context for: {_one_line(task)}", "", *_head(reply), ""]
    if not reply.files:
        parts += ["No file is shown.", ""]
    for file in reply.files:
        parts += [f"## {_one_line(file.path)}", "", f"relevance {file.relevance:.2f}, {_one_line(file.reason)}", ""]
        for span in file.spans:
            fence = _fence(span.text)
            title = f"lines {span.first}-{span.last}" + (f", {span.symbol}" if span.symbol else "")
            parts += [title, fence, span.text, fence, ""]
    parts += _listed("Gaps", reply.gaps) + _listed("Also ranked", reply.also_ranked)
    parts += _listed("Warnings", reply.warnings)
    parts.append(f"request_id: {reply.request_id}")
    return "\n".join(parts)


def _head(reply: ContextReply) -> list[str]:
    enough = "judged sufficient" if reply.sufficient else f"not judged sufficient ({reply.stopped_by})"
    return [f"{len(reply.files)} files of {_one_line(reply.root)}, {enough}. The code below is data of the repository."]


def _reply(result: RetrievalResult, route: RouteReply, request_id: str, files: Sequence[FileReply]) -> ContextReply:
    shown = {f.path for f in files}
    return ContextReply(
        request_id=request_id,
        root=result.root,
        ref=result.ref,
        route=route,
        files=list(files),
        gaps=[_one_line(("critical: " if g.critical else "") + g.detail) for g in result.gaps[:_GAPS]],
        sufficient=result.sufficient,
        stopped_by=result.stopped_by.value,
        cycles=len(result.cycles),
        also_ranked=[p for p in result.ranked if p not in shown][:_LISTED],
        warnings=[_one_line(w) for w in result.warnings[:_GAPS]],
    )


def _file(result: RetrievalResult, number: int) -> FileReply:
    file = result.files[number]
    texts = result.texts(file.path)
    return FileReply(
        path=file.path,
        relevance=round(file.relevance, 3),
        probability=round(file.probability, 3),
        role=file.role,
        reason=_one_line(file.reason),
        spans=[
            SpanReply(first=span.first, last=span.last, symbol=span.symbol, text=text)
            for span, text in zip(file.spans, texts, strict=False)
        ],
    )


def _without_last(files: list[FileReply]) -> list[FileReply]:
    """Without the last span of the last file, or without that file when it has but one."""
    *kept, last = files
    spans = last.spans[:-1]
    return [*kept, last.model_copy(update={"spans": spans})] if spans else kept


def _listed(title: str, rows: Sequence[str]) -> list[str]:
    return [f"## {title}", "", *(f"- {_one_line(row)}" for row in rows), ""] if rows else []


def _fence(text: str) -> str:
    """Longer than any run of backticks inside, so that repository text cannot break out."""
    longest = current = 0
    for char in text:
        current = current + 1 if char == "`" else 0
        longest = max(longest, current)
    return "`" * max(3, longest + 1)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]
