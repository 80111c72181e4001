"""A model's draft of an answer: read, checked against the chunks, and settled so that only what holds remains."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...state.answer import Answer, AnswerSource, SentenceSupport
from ...state.documents import StoredChunk
from ...state.errors import ModelUnreadable
from ...state.postprocess import PostprocessGenome
from ..tokens import count_tokens
from .claims import (
    Claim,
    claims,
    odd_references,
    references,
    rewrite_marks,
    without,
    without_odd_references,
)
from .messages import message
from .quotes import MAX_QUOTE, MIN_QUOTE, find_quote, source_of, squeezed
from .support import support

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

_CHARACTERS = 12
"""Characters of an answer that are read for each token it may have; the longest words take nine, blank included."""
_SOURCES = 100
_QUOTE_LENGTH = 4 * MAX_QUOTE
"""Characters of a quote that are read; what stands behind them would be cut from the source anyway."""
_POINTS = 10
_POINT_LENGTH = 400
"""Characters above which a key point is left out: half of a sentence may say something else."""
_WARNINGS = 5
_WARNING_LENGTH = 300
_SHOWN = 200
"""Characters of a sentence that a problem or a warning names."""
_ROUNDS = 8
"""Times a draft is taken down and read again; most are settled after one or two."""


@dataclass(frozen=True, slots=True)
class DraftSource:
    """A source as a model gives it. chunk: number of a shown chunk, from 1."""

    number: int
    chunk: int
    quote: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A reply of the right shape and a bounded length; nothing of it is checked yet. cut: whether it was longer."""

    answer: str
    key_points: tuple[str, ...]
    sources: tuple[DraftSource, ...]
    warnings: tuple[str, ...]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """What remains of a draft, and what was wrong with it, each problem in a line for its author.

    An answer with a text has a source, every sentence of it is supported, and every source is referred to.
    """

    answer: Answer
    problems: list[str]


def read_draft(reply: Mapping[str, Any], max_tokens: int) -> Draft:
    """The draft in a reply, cut to what an answer of ``max_tokens`` can need.

    Raises:
        ModelUnreadable: a field is missing or of another type.
    """
    try:
        answer = _text(reply["answer"])
        kept = _cut(answer, _CHARACTERS * max_tokens)
        points, warnings = (_texts(reply[name]) for name in ("key_points", "warnings"))
        return Draft(
            answer=kept,
            key_points=tuple([p for p in points if p.strip() and len(p) <= _POINT_LENGTH][:_POINTS]),
            sources=tuple(
                DraftSource(int(s["number"]), int(s["chunk"]), _text(s["quote"])[:_QUOTE_LENGTH])
                for s in reply["sources"][:_SOURCES]
            ),
            warnings=tuple([w[: 2 * _WARNING_LENGTH] for w in warnings if w.strip()][:_WARNINGS]),
            cut=len(kept) < len(answer),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        problem = f"{type(error).__name__} {error}"[:_WARNING_LENGTH]
        raise ModelUnreadable(f"the reply does not follow the contract: {problem}") from error


def settle(
    draft: Draft,
    chunks: Sequence[StoredChunk],
    question: str,
    language: str,
    genome: PostprocessGenome,
    author: str,
) -> Settled:
    """The draft without what does not hold: invented sources, altered quotes, sentences that no source supports.

    chunks: as numbered in the prompt, the first is 1. author: the model's name. When nothing is left the answer is
    empty, and the problems say why.
    """
    sources, problems = _sources(draft, chunks)
    final = _final(draft, sources, chunks, question, language, genome.max_tokens)
    problems += [f'the sentence "{s.sentence[:_SHOWN]}": {s.problem}' for s in final.wrong]
    problems += _unknown(draft.answer, {s.number for s in sources})
    if draft.answer.strip() and not final.text:
        problems.append("no sentence of the answer stands with a source that supports it")
    if not draft.answer.strip() and not draft.warnings:
        problems.append("neither an answer nor a warning that says what is missing")
    warnings = _warnings(draft, final.wrong, language)
    if final.text and (final.cut or draft.cut):
        warnings.append(message("short", language, tokens=genome.max_tokens))
    if _translated(final.sources, chunks, language):
        warnings.append(message("translated", language))
    answer = Answer(
        answer=final.text,
        sources=final.sources,
        warnings=list(dict.fromkeys(warnings)),
        language=language,
        support=1.0 if final.text else None,
        composed_by=author,
    )
    return Settled(answer.model_copy(update={"key_points": _key_points(draft, answer, chunks)}), problems)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text expected, not {type(value).__name__}")
    return value.replace("\x00", "")


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        raise TypeError(f"a list expected, not {type(value).__name__}")
    return [_text(item) for item in value]


def _cut(text: str, most: int) -> str:
    """At most ``most`` characters of a text, to the last mark among them when there is one."""
    if len(text) <= most:
        return text
    return text[: max(text.rfind(bracket, 0, most) for bracket in "]】］") + 1 or most]


@dataclass(frozen=True, slots=True)
class _Final:
    """A text that holds, "" when none does. wrong: the sentences left out of it. cut: whether others were too many."""

    text: str
    sources: list[AnswerSource]
    wrong: list[SentenceSupport]
    cut: bool


def _final(
    draft: Draft,
    sources: list[AnswerSource],
    chunks: Sequence[StoredChunk],
    question: str,
    language: str,
    most: int,
) -> _Final:
    """The draft's text taken down until all that is left holds as it will be read.

    Every change is read again: without a sentence its neighbours may refer, or mean, something else.
    """
    wrong: list[SentenceSupport] = []
    cut = False
    text, kept = draft.answer, sources
    for order in range(_ROUNDS):
        if order:  # the first look is at the author's own numbers
            text, kept = _renumbered(text, kept)
        checked = support(Answer(answer=text, sources=kept, language=language), chunks, question)
        if not checked:
            break
        if bad := [i for i, s in enumerate(checked) if s.problem]:
            wrong += [checked[i] for i in bad]
            text = without(text, language, bad)
            continue
        fitted = _fitted(text, language, most)
        if order and fitted == text:
            return _Final(text, kept, wrong, cut)
        cut = cut or fitted != text
        text = fitted
    return _Final("", [], wrong, cut)


def _unknown(text: str, known: Collection[int]) -> list[str]:
    """A problem for each reference that leads nowhere."""
    problems = [f"the answer refers to {odd}: no such source" for odd in odd_references(text)]
    unknown = [n for n in references(text) if n not in known]
    return problems + [f"the answer refers to [{n}]: no such source, or its quote was refused" for n in unknown]


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


def _fitted(text: str, language: str, most: int) -> str:
    """The text, cut after the last sentence that fits ``most`` tokens; its first sentence always stays."""
    if count_tokens(text) <= most:
        return text
    count = len(claims(text, language))
    places = range(1, count)

    def first(keep: int) -> str:
        return without(text, language, range(keep, count))

    fitting = bisect_right(places, most, key=lambda keep: count_tokens(first(keep)))
    return first(max(1, fitting))


def _renumbered(text: str, sources: Sequence[AnswerSource]) -> tuple[str, list[AnswerSource]]:
    """The text with its sources numbered in order of first use; sources that are not used go."""
    text = without_odd_references(text)
    known = {s.number: s for s in sources}
    order = {old: new for new, old in enumerate((n for n in references(text) if n in known), start=1)}

    def renumber(numbers: list[int]) -> str:
        kept = "".join(f"[{order[n]}]" for n in numbers if n in order)
        return f" {kept}" if kept else ""

    shown = rewrite_marks(text, renumber)
    return shown.strip(), [known[old].model_copy(update={"number": new}) for old, new in order.items()]


def _warnings(draft: Draft, wrong: Sequence[SentenceSupport], language: str) -> list[str]:
    said = [" ".join(w.split())[:_WARNING_LENGTH] for w in draft.warnings]
    return said + [message("removed", language, sentence=s.sentence[:_SHOWN], problem=s.problem) for s in wrong]


def _translated(sources: Sequence[AnswerSource], chunks: Sequence[StoredChunk], language: str) -> bool:
    languages = {c.key: c.language for c in chunks}
    return any(languages.get(s.chunk) not in ("", None, language) for s in sources)


def _key_points(draft: Draft, answer: Answer, chunks: Sequence[StoredChunk]) -> list[str]:
    """The draft's key points that the answer's sources support, else the answer's first sentences."""
    if not answer.answer:
        return []
    marks = "".join(f"[{s.number}]" for s in answer.sources)
    points = [" ".join(rewrite_marks(p, lambda _: "").split()) for p in draft.key_points]
    held = [p for p in points if _holds(answer.model_copy(update={"answer": f"{p} {marks}"}), chunks)]
    return (held or _first(claims(answer.answer, answer.language)))[:5]


def _holds(answer: Answer, chunks: Sequence[StoredChunk]) -> bool:
    checked = support(answer, chunks)
    return bool(checked) and not any(s.problem for s in checked)


def _first(said: Sequence[Claim]) -> list[str]:
    return [c.text for c in said if not c.code][:3]
