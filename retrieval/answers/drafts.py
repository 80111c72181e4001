"""A model's draft of an answer: read, checked against the chunks, and settled so that only what holds remains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...state.answer import Answer, AnswerSource, SentenceSupport
from ...state.documents import StoredChunk
from ...state.errors import ModelUnreadable
from ...state.postprocess import PostprocessGenome
from ..tokens import count_tokens
from .claims import Claim, claims, odd_references, references, rewrite_marks, without
from .messages import message
from .quotes import MIN_QUOTE, find_quote, source_of, squeezed
from .support import support, support_share

DRAFT_SCHEMA: Mapping[str, Any] = {
    "title": "Answer",
    "description": "An answer with numbered sources.",
    "type": "object",
    "additionalProperties": False,
    "required": ["answer", "key_points", "sources", "warnings"],
    "properties": {
        "answer": {"type": "string", "description": "The answer; every sentence ends with its sources: [1] or [1][2]."},
        "key_points": {"type": "array", "items": {"type": "string"}, "description": "One to five short sentences."},
        "sources": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["number", "chunk", "quote"],
                "properties": {
                    "number": {"type": "integer", "description": "The number used in the answer, from 1."},
                    "chunk": {"type": "integer", "description": "The number of the chunk that is quoted."},
                    "quote": {"type": "string", "description": "12 to 300 characters of the chunk, word for word."},
                },
            },
        },
        "warnings": {
            "type": "array",
            "items": {"type": "string"},
            "description": "What the chunks leave open. Empty when nothing.",
        },
    },
}
"""What a model is asked to reply with."""

_WARNINGS = 5
_WARNING_LENGTH = 300


@dataclass(frozen=True, slots=True)
class DraftSource:
    """A source as a model gives it. chunk: number of a shown chunk, from 1."""

    number: int
    chunk: int
    quote: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A reply that has the right shape; nothing of it is checked yet."""

    answer: str
    key_points: tuple[str, ...]
    sources: tuple[DraftSource, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settled:
    """What remains of a draft, and what was wrong with it, each problem in a line for its author."""

    answer: Answer
    problems: list[str]


def read_draft(reply: Mapping[str, Any]) -> Draft:
    """The draft in a reply.

    Raises:
        ModelUnreadable: a field is missing or of another type.
    """
    try:
        return Draft(
            answer=_text(reply["answer"]),
            key_points=tuple(map(_text, reply["key_points"])),
            sources=tuple(DraftSource(int(s["number"]), int(s["chunk"]), _text(s["quote"])) for s in reply["sources"]),
            warnings=tuple(map(_text, reply["warnings"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelUnreadable(f"the reply does not follow the contract: {type(error).__name__} {error}") from error


def settle(
    draft: Draft,
    chunks: Sequence[StoredChunk],
    question: str,
    language: str,
    genome: PostprocessGenome,
    author: str,
) -> Settled:
    """The draft without what does not hold: invented sources, altered quotes, sentences that no source supports.

    chunks: as numbered in the prompt, the first is 1. author: the model's name.
    """
    sources, problems = _sources(draft, chunks)
    given = Answer(answer=draft.answer, sources=sources, language=language)
    checked = support(given, chunks, question)
    wrong = [s for s in checked if s.problem]
    problems += [f'the sentence "{s.sentence}": {s.problem}' for s in wrong]
    problems += [f"the answer refers to {odd}: no such source" for odd in odd_references(draft.answer)]
    unknown = [n for n in references(draft.answer) if n not in {s.number for s in sources}]
    problems += [f"the answer refers to [{n}]: no such source, or its quote was refused" for n in unknown]
    if not draft.answer.strip() and not draft.warnings:
        problems.append("neither an answer nor a warning that says what is missing")
    text = without(draft.answer, language, {i for i, s in enumerate(checked) if s.problem})
    text, cut = _fitted(text, language, genome.max_tokens)
    text, kept = _renumbered(text, sources)
    warnings = _warnings(draft, wrong, language)
    if cut:
        warnings.append(message("short", language, tokens=genome.max_tokens))
    if _translated(kept, chunks, language):
        warnings.append(message("translated", language))
    answer = Answer(
        answer=text, sources=kept, warnings=list(dict.fromkeys(warnings)), language=language, composed_by=author
    )
    points = _key_points(draft, answer, chunks)
    share = support_share(support(answer, chunks, question))
    return Settled(answer.model_copy(update={"key_points": points, "support": share}), problems)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text expected, not {type(value).__name__}")
    return value


def _sources(draft: Draft, chunks: Sequence[StoredChunk]) -> tuple[list[AnswerSource], list[str]]:
    """The sources that hold, and what is wrong with the others."""
    sources: list[AnswerSource] = []
    problems: list[str] = []
    for source in draft.sources:
        if source.number < 1 or any(s.number == source.number for s in sources):
            problems.append(f"source {source.number}: numbers begin at 1 and are given once")
        elif (made := _source(source, chunks)) is not None:
            sources.append(made)
        else:
            problems.append(f"source {source.number}: {_refusal(source, chunks)}")
    return sources, problems


def _source(source: DraftSource, chunks: Sequence[StoredChunk]) -> AnswerSource | None:
    """The source, when its chunk, or exactly one other chunk, holds its quote."""
    if len(squeezed(source.quote)) < MIN_QUOTE and not any(squeezed(source.quote) == squeezed(c.text) for c in chunks):
        return None
    named = [chunks[source.chunk - 1]] if 1 <= source.chunk <= len(chunks) else []
    holders = [c for c in named if find_quote(source.quote, c.text)]
    holders = holders or [c for c in chunks if find_quote(source.quote, c.text)]
    if len(holders) != 1:
        return None
    place = find_quote(source.quote, holders[0].text)
    assert place is not None
    return source_of(holders[0], source.number, place.start, place.end)


def _refusal(source: DraftSource, chunks: Sequence[StoredChunk]) -> str:
    if len(squeezed(source.quote)) < MIN_QUOTE:
        return f"a quote has at least {MIN_QUOTE} characters"
    if not 1 <= source.chunk <= len(chunks):
        return f"there is no chunk {source.chunk}"
    return f'chunk {source.chunk} does not hold "{source.quote}" word for word'


def _fitted(text: str, language: str, most: int) -> tuple[str, bool]:
    """The text cut after the last sentence that fits ``most`` tokens, and whether it was cut."""
    count = len(claims(text, language))
    keep = count
    while keep > 1 and count_tokens(text) > most:
        keep -= 1
        text = without(text, language, {keep})
    return text, keep < count


def _renumbered(text: str, sources: Sequence[AnswerSource]) -> tuple[str, list[AnswerSource]]:
    """The text with its sources numbered in order of first use; sources that are not used go."""
    known = {s.number: s for s in sources}
    order = {old: new for new, old in enumerate((n for n in references(text) if n in known), start=1)}

    def renumber(numbers: list[int]) -> str:
        kept = "".join(f"[{order[n]}]" for n in numbers if n in order)
        return f" {kept}" if kept else ""

    shown = rewrite_marks(text, renumber)
    return shown.strip(), [known[old].model_copy(update={"number": new}) for old, new in order.items()]


def _warnings(draft: Draft, wrong: Sequence[SentenceSupport], language: str) -> list[str]:
    said = [" ".join(w.split())[:_WARNING_LENGTH] for w in draft.warnings if w.strip()][:_WARNINGS]
    return said + [message("removed", language, sentence=s.sentence[:200], problem=s.problem) for s in wrong]


def _translated(sources: Sequence[AnswerSource], chunks: Sequence[StoredChunk], language: str) -> bool:
    languages = {c.key: c.language for c in chunks}
    return any(languages.get(s.chunk) not in ("", None, language) for s in sources)


def _key_points(draft: Draft, answer: Answer, chunks: Sequence[StoredChunk]) -> list[str]:
    """The draft's key points that the answer's sources support, else the answer's first sentences."""
    if not answer.answer:
        return []
    marks = "".join(f"[{s.number}]" for s in answer.sources)
    points = [" ".join(rewrite_marks(p, lambda _: "").split()) for p in draft.key_points if p.strip()]
    held = [p for p in points if _holds(answer.model_copy(update={"answer": f"{p} {marks}"}), chunks)]
    return (held or _first(claims(answer.answer, answer.language)))[:5]


def _holds(answer: Answer, chunks: Sequence[StoredChunk]) -> bool:
    checked = support(answer, chunks)
    return bool(checked) and not any(s.problem for s in checked)


def _first(said: Sequence[Claim]) -> list[str]:
    return [c.text for c in said if not c.code][:3]
