"""Support of an answer's sentences by the chunks they refer to, without a model.

Containment of stemmed words and pairs of words in the best one to three sentences of a cited chunk; numbers,
versions and identifiers must be there exactly, negations and opposites must agree, nobody may change places with
anybody, and a copied sentence may not have a word exchanged. What cannot be checked counts as unsupported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...state.answer import Answer, SentenceSupport
from ...state.documents import StoredChunk
from .claims import Claim, claims, odd_references
from .facts import holds_name, identifiers, numbers
from .mismatch import added, altered, facts_differ, polarity_differs, swapped
from .passages import content_of
from .quotes import squeezed
from .windows import Source, best_window, sequence_of

LEAST_WORDS = 0.65
"""Least share of a sentence's words that its source must hold."""
LEAST = 0.5
"""Least mean of the shares of words and of pairs of words."""


def support(answer: Answer, chunks: Sequence[StoredChunk], question: str = "") -> list[SentenceSupport]:
    """Support of each sentence of ``answer`` by the chunks behind its sources.

    chunks: the retrieved chunks. question: when given, a sentence that only repeats it is not supported.
    """
    named = {s.chunk for s in answer.sources}
    by_key = {c.key: Source.of(c) for c in chunks if c.key in named}
    cited = {s.number: by_key[s.chunk] for s in answer.sources if s.chunk in by_key}
    asked = content_of(question, answer.language)
    return [_of(claim, cited, asked, answer.language) for claim in claims(answer.answer, answer.language)]


def support_share(supports: Sequence[SentenceSupport]) -> float | None:
    """Share of the sentences that are supported; None without a sentence."""
    if not supports:
        return None
    return sum(1 for s in supports if not s.problem) / len(supports)


def _of(claim: Claim, cited: Mapping[int, Source], asked: frozenset[str], language: str) -> SentenceSupport:
    sources = {n: cited[n] for n in claim.numbers if n in cited}
    unknown = [n for n in claim.numbers if n not in cited]
    if unknown:
        return _unsupported(claim, f"no source {', '.join(map(str, unknown))}")
    if odd := odd_references(claim.text):
        return _unsupported(claim, f"no source {', '.join(odd)}")
    if not sources:
        return _unsupported(claim, "names no source")
    if claim.code:
        return _code(claim, sources)
    judged = {n: _judge(claim.text, s, asked, language) for n, s in sources.items()}
    good = [n for n, (_, problem) in judged.items() if not problem]
    score, problem = max(judged.values(), key=lambda j: (not j[1], j[0]))
    return SentenceSupport(sentence=claim.text, score=score, sources=good, problem=problem)


def _unsupported(claim: Claim, problem: str) -> SentenceSupport:
    return SentenceSupport(sentence=claim.text, score=0.0, problem=problem)


def _code(claim: Claim, sources: Mapping[int, Source]) -> SentenceSupport:
    """A code block is supported when every line of it stands in its source."""
    lines = [s for line in claim.text.split("\n") if (s := line.strip()) and not s.startswith(("```", "~~~"))]
    for number, source in sources.items():
        held = {line.strip() for line in source.chunk.text.split("\n")}
        if all(line in held for line in lines):
            return SentenceSupport(sentence=claim.text, score=1.0, sources=[number])
    return _unsupported(claim, "code differs from its source")


def _judge(text: str, source: Source, asked: frozenset[str], language: str) -> tuple[float, str]:
    """(score, problem) of a sentence beside one source."""
    if text.rstrip().endswith(("?", "？")):
        return 0.0, "a question, not a statement"
    text = _without_prefix(text, source)
    if text in source.texts:
        return 1.0, ""
    sequence = sequence_of(text, source.chunk.language)
    if not sequence:
        return (1.0, "") if squeezed(text) in source.whole else (0.0, "no source says this")
    window, score, share = best_window(text, sequence, source)
    if _is_translated(language, source, share):
        return _anchored(text, source)
    problem = (
        facts_differ(text, window, source)
        or added(sequence, source)
        or ("no source says this" if share < LEAST_WORDS or score < LEAST else "")
        or polarity_differs(text, window, source.chunk.language)
        or altered(sequence, window, source)
        or swapped(text, sequence, window)
        or (
            "repeats the question"
            if asked and frozenset(sequence) <= asked and squeezed(text) not in source.whole
            else ""
        )
    )
    return (min(score, 0.49), problem) if problem else (score, "")


def _without_prefix(text: str, source: Source) -> str:
    """The sentence without a heading or a table's head in brackets, when the chunk holds it."""
    if not text.startswith("[") or "] " not in text:
        return text
    prefix, _, rest = text[1:].partition("] ")
    known = (*source.chunk.heading, *(s.text for s in source.sentences))
    return rest if prefix in known else text


def _is_translated(language: str, source: Source, share: float) -> bool:
    other = source.chunk.language
    return bool(language and other and language != other and share < LEAST_WORDS)


def _anchored(text: str, source: Source) -> tuple[float, str]:
    """A sentence in another language than its source: only names and numbers can be compared."""
    names, figures = identifiers(text), numbers(text)
    if missing := [
        *sorted(n for n in names if not holds_name(n, source.whole)),
        *sorted(figures - numbers(source.whole)),
    ]:
        return 0.0, f"not in the source: {', '.join(missing)}"
    if not names and not figures:
        return 0.0, "in another language than its source, without a name or number to check it by"
    return 0.75, ""
