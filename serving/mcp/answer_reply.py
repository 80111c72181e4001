"""An answer as a tool's reply, within a number of tokens, as values and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.answer_markdown import render_answer
from ...retrieval.tokens import count_tokens
from ...state.answer import Answer
from .replies import AnswerReply, RouteReply, SourceReply

if TYPE_CHECKING:
    from ...graph.ask import AskResult

DEFAULT_TOKENS = 4_000

_SHORT_QUOTE = 160
_CUT = "the reply is cut at max_tokens; ask with a larger one"


def answer_reply(result: AskResult, request_id: str, max_tokens: int) -> tuple[AnswerReply, str]:
    """The reply and its text; both forms hold at most ``max_tokens``.

    First key points go, then quotes are shortened, then the answer is cut; every number keeps its source.
    """
    answer = result.answer
    for shorter in (_same, _without_points, _short_quotes, *(_cut_to(share) for share in (0.5, 0.25, 0.1, 0.0))):
        shown = shorter(answer)
        reply, text = _reply(result, shown, request_id), _text(result.question, shown, request_id)
        if max(count_tokens(text), count_tokens(reply.model_dump_json())) <= max_tokens:
            break
    return reply, text


def _reply(result: AskResult, answer: Answer, request_id: str) -> AnswerReply:
    fields = ("number", "document", "heading", "first", "last", "quote")
    return AnswerReply(
        request_id=request_id,
        collection=result.collection,
        found=bool(result.answer.answer),
        answer=answer.answer,
        key_points=answer.key_points,
        sources=[SourceReply(**{name: getattr(s, name) for name in fields}) for s in answer.sources],
        warnings=answer.warnings,
        support=answer.support,
        composed_by=answer.composed_by,
        cached=result.lookup.hit,
        route=RouteReply(
            query_type=result.route.query_type,
            profile=result.route.profile,
            confidence=round(result.route.confidence, 3),
            reason=result.route.reason,
        ),
    )


def _text(question: str, answer: Answer, request_id: str) -> str:
    return f"{render_answer(question[:300], answer)}\nrequest_id: {request_id}"


def _same(answer: Answer) -> Answer:
    return answer


def _without_points(answer: Answer) -> Answer:
    return answer.model_copy(update={"key_points": []})


def _short_quotes(answer: Answer) -> Answer:
    sources = [
        s.model_copy(update={"quote": s.quote if len(s.quote) <= _SHORT_QUOTE else f"{s.quote[:_SHORT_QUOTE]} [...]"})
        for s in answer.sources
    ]
    return _without_points(answer).model_copy(update={"sources": sources})


def _cut_to(share: float) -> Any:
    """Cuts the answer to a share of its length; at 0 its later sources go too."""

    def cut(answer: Answer) -> Answer:
        short = _short_quotes(answer)
        text = f"{short.answer[: int(len(short.answer) * share) or 400]} [...]"
        sources = [s for s in short.sources if f"[{s.number}]" in text][:10]
        return short.model_copy(update={"answer": text, "sources": sources, "warnings": [*short.warnings[:3], _CUT]})

    return cut
