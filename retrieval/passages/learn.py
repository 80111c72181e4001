"""What the documents call the question's subject: words to search with in the next cycle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ..text import unique
from ..thesaurus import related_words
from .question import Question
from .views import ChunkView
from .words import words

_COMMON = 0.2  # a term in more than this share of the chunks separates nothing
_SHORTEST = 4  # a shorter beginning has too many continuations


def meanings_of(
    question: Question,
    frequency: Callable[[str], int],
    with_prefix: Callable[[str], Sequence[str]],
    size: int,
    limit: int,
) -> list[str]:
    """Other words for the question that the documents hold, but not everywhere: synonyms, longer and shorter forms.

    Args:
        question: the question.
        frequency: number of chunks that hold a term.
        with_prefix: terms of the collection that begin so.
        size: number of chunks.
        limit: most words.
    """
    synonyms = related_words(question.text) if question.language in ("en", "") else []
    missing = [t for t in question.weights if not frequency(t) and len(t) >= _SHORTEST]
    forms = [form for t in missing for form in with_prefix(t[: max(_SHORTEST, len(t) - 2)])[:3]]
    held = [
        w
        for w in unique([*forms, *synonyms])
        if (terms := list(words(w, question.language))) and 0 < max(map(frequency, terms)) <= _COMMON * size
    ]
    return [w for w in held if not set(words(w, question.language)) <= set(question.weights)][:limit]


def names_of(question: Question, high: Sequence[ChunkView], frequency: Callable[[str], int], limit: int) -> list[str]:
    """Words of the relevant chunks' headings that the question does not say, the most shared first, then the rarest."""
    votes = Counter(t for view in high for t in set(view.heading) if t not in question.weights and len(t) > 2)
    return sorted(votes, key=lambda t: (-votes[t], frequency(t), t))[:limit]
