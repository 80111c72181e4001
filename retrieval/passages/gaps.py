"""What the evidence of a question lacks: identifiers nobody mentions, parts nobody speaks of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ...state.candidate import Gap, GapKind
from .question import Question
from .views import ChunkView
from .words import words

_SHARE = 0.18  # of the question's information that a term must carry to be a part of its own


def passage_gaps(question: Question, relevant: Sequence[ChunkView], frequency: Callable[[str], int]) -> list[Gap]:
    """What is missing from the relevant chunks, critical gaps first.

    Args:
        question: the question.
        relevant: the chunks that are relevant so far.
        frequency: number of chunks of the collection that hold a term.
    """
    held = {t for view in relevant for t in (*view.body, *view.heading)}
    gaps = [g for name in question.identifiers if (g := _identifier_gap(name, question, held, frequency))]
    named = {t for name in question.identifiers for t in words(name, question.language)}
    heavy = [t for t, w in question.weights.items() if w / question.total >= _SHARE and t not in named]
    gaps += [_topic_gap(t, frequency) for t in heavy if t not in held]
    return sorted(gaps, key=lambda g: not g.critical)


def nothing_gap(question: Question, chunks: int, documents: int) -> Gap:
    """That nothing relevant was found."""
    terms = ", ".join(list(question.weights)[:6]) or "no word of its own"
    return Gap(
        kind=GapKind.NO_MATCH,
        target=question.text[:80],
        detail=f"nothing in {documents} documents ({chunks} chunks) answers; looked for {terms}",
        critical=True,
    )


def _identifier_gap(
    name: str, question: Question, held: Collection[str], frequency: Callable[[str], int]
) -> Gap | None:
    terms = list(words(name, question.language))
    if not terms or terms[-1] in held:  # the last term of a compound is the whole
        return None
    known = frequency(terms[-1])
    detail = (
        f"'{name}' stands in {known} chunks, none of them relevant so far" if known else f"no document holds '{name}'"
    )
    return Gap(kind=GapKind.SYMBOL, target=name, detail=detail, critical=True)


def _topic_gap(term: str, frequency: Callable[[str], int]) -> Gap:
    known = frequency(term)
    detail = f"no relevant chunk speaks of '{term}'" if known else f"no document speaks of '{term}'"
    return Gap(kind=GapKind.TOPIC, target=term, detail=detail)
