"""An answer as Markdown, with numbered sources."""

from __future__ import annotations

from collections.abc import Iterator

from ..state.answer import Answer, AnswerSource


def render_answer(question: str, answer: Answer) -> str:
    """The answer, its sources with quotes, and the warnings."""
    parts = [f"# {_one_line(question)}", "", answer.answer or "No answer was found in the documents.", ""]
    if len(answer.key_points) > 1:
        parts += ["## Key points", "", *(f"- {_one_line(p)}" for p in answer.key_points), ""]
    if answer.sources:
        parts += ["## Sources", "", *(row for s in answer.sources for row in _source(s)), ""]
    if answer.warnings:
        parts += ["## Warnings", "", *(f"- {_one_line(w)}" for w in answer.warnings), ""]
    return "\n".join(parts)


def place_of(source: AnswerSource) -> str:
    """Document, heading path and lines of a source."""
    heading = f", {' > '.join(source.heading)}" if source.heading else ""
    return f"{source.document}{heading}, lines {source.first}-{source.last}"


def _source(source: AnswerSource) -> Iterator[str]:
    yield f"{source.number}. {_one_line(place_of(source))}"
    yield f"   > {_one_line(source.quote)}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
