"""An answer out of the documents' own sentences: no word of it is invented, every sentence names its source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...state.answer import Answer
from ...state.documents import StoredChunk
from ...state.postprocess import PostprocessGenome, Verbosity
from ..tokens import count_tokens
from .asked import Asked, Want, missing_names, read_question
from .choose import Limits, choose
from .cues import Cue
from .evidence import Evidence, Weights, gather, part_cover, weigh
from .layout import AnswerFormat, Layout, lay_out, unmarked
from .messages import language_names, listed, message
from .passages import Passage, Terms, open_passages
from .steps import whole_lists
from .support import support, support_share

RELEVANT = 0.3
"""Least weighted share of the question's words that a passage must hold for an answer."""
SPOKEN_OF = 0.34
"""Least such share of a part of the question, below which a warning names the part."""
SHARPEST = 2
"""Most informative words of a question: without any of them an answer must hold more of the rest."""
SURE = 0.7
"""Relevance of the best chunk at which retrieval is believed, whatever words the sentences lack."""

BLUNT = 0.5
"""Least weighted share of a question, or of a part, without its sharpest words, for an answer without a warning."""
WORDS: dict[Verbosity, Limits] = {
    "adaptive": Limits(most=110),
    "comprehensive": Limits(most=350, falloff=0.25),
}
MORE = 25
"""Words that a further part of the question, a list or an explanation may add to an adaptive answer, once."""
KEY_POINTS = 5
KEY_WORDS = 45
"""Longest key point, in words, while there is a shorter one."""


def extract(
    question: str,
    chunks: Sequence[StoredChunk],
    scores: Mapping[str, float],
    genome: PostprocessGenome,
    profile_format: AnswerFormat,
    language: str,
) -> Answer:
    """The extractive answer to ``question`` from ``chunks``.

    scores: chunk key -> relevance, 0 to 1; chunks without one count as the last. language: of the
    question. An empty answer carries a warning that says what was looked for.
    """
    asked = read_question(question, language)
    passages = open_passages(best_chunks(chunks, scores, genome.chunk_count), scores)
    weights = weigh(asked, passages)
    foreign = _foreign(passages, language)
    sure = max((scores.get(p.chunk.key, 0.0) for p in passages), default=0.0) >= SURE
    if not passages or not (foreign or _is_relevant(asked, passages, weights, sure)):
        return _nothing(asked, passages, foreign)
    evidence = gather(asked, passages, weights, bool(foreign))
    limits = _limits(asked, genome.verbosity)
    chosen = whole_lists(asked, passages, choose(evidence, weights, limits), limits)
    if not chosen:
        return _nothing(asked, passages, foreign)
    layout, cut = _fitted(passages, chosen, genome, profile_format)
    warnings = [*_silent(asked, passages, chosen, weights, foreign), *_language_warning(foreign, language)]
    if cut:
        warnings.append(message("short", language, tokens=genome.max_tokens))
    answer = Answer(
        answer=layout.text,
        key_points=_key_points(chosen, passages),
        sources=layout.sources,
        warnings=warnings,
        language=_language(passages, chosen) or language,
    )
    share = support_share(support(answer, chunks))
    return answer.model_copy(update={"support": share})


def best_chunks(chunks: Sequence[StoredChunk], scores: Mapping[str, float], count: int) -> list[StoredChunk]:
    """The ``count`` best chunks by score, ties by key."""
    return sorted(chunks, key=lambda c: (-scores.get(c.key, 0.0), c.key))[:count]


def _is_relevant(asked: Asked, passages: Sequence[Passage], weights: Weights, sure: bool) -> bool:
    """Whether any passage holds enough of the question, or of one of its parts; sure: whether retrieval was."""
    held = frozenset[str]().union(*map(_terms, passages))
    least = RELEVANT if sure or _is_sharp(asked, asked.wants, held, weights) else BLUNT
    return any(
        part_cover(wants, _terms(p), weights) >= least
        for p in passages
        for wants in (asked.wants, *(part.wants for part in asked.parts))
    )


def _is_sharp(asked: Asked, wants: Sequence[Want], held: Terms, weights: Weights) -> bool:
    """Whether ``held`` has one of the most informative wants: the rarest among the sentences at hand.

    Pairs of Chinese characters are rare without being informative, so that nothing is asked of them.
    """
    sharpest = sorted(wants, key=lambda want: -weights[want])[:SHARPEST]
    return asked.language == "zh" or not wants or any(want & held for want in sharpest)


def _terms(passage: Passage) -> Terms:
    return passage.heading.union(*(s.terms for s in passage.statements))


def _limits(asked: Asked, verbosity: Verbosity) -> Limits:
    limits = WORDS[verbosity]
    wide = len(asked.parts) > 1 or bool(asked.cues & {Cue.LIST, Cue.COMPARISON, Cue.STEPS})
    more = MORE if verbosity == "adaptive" and wide else 0
    return Limits(limits.most + more, limits.falloff)


def _fitted(
    passages: Sequence[Passage], chosen: Sequence[Evidence], genome: PostprocessGenome, form: AnswerFormat
) -> tuple[Layout, bool]:
    """The layout within the token limit, and whether something had to go: first code blocks, then the last chosen.

    Of a list that is too long by itself its last items go.
    """
    for code in (True, False):
        layout = lay_out(passages, chosen, form, genome.citation_policy, code)
        if count_tokens(layout.text) <= genome.max_tokens:
            return layout, not code
    first = chosen[0]
    fewer = [chosen[:keep] for keep in range(len(chosen) - 1, 0, -1)]
    shorter = [[replace(first, units=first.units[:keep])] for keep in range(len(first.units) - 1, 0, -1)]
    for part in (*fewer, *shorter):
        layout = lay_out(passages, part, form, genome.citation_policy, False)
        if count_tokens(layout.text) <= genome.max_tokens:
            break
    return layout, True


def _nothing(asked: Asked, passages: Sequence[Passage], foreign: Sequence[str]) -> Answer:
    words = listed([w.raw for w in asked.words] or [asked.text.strip()])
    warning = message("nothing" if passages else "empty", asked.language, words=words)
    return Answer(warnings=[warning, *_language_warning(foreign, asked.language)], language=asked.language)


def _foreign(passages: Sequence[Passage], language: str) -> list[str]:
    """Languages of the documents when none is in the question's language; [] otherwise."""
    found = list(dict.fromkeys(p.chunk.language for p in passages if p.chunk.language))
    return found if language and found and language not in found else []


def _language_warning(foreign: Sequence[str], language: str) -> list[str]:
    return [message("language", language, languages=language_names(foreign, language))] if foreign else []


def _language(passages: Sequence[Passage], chosen: Sequence[Evidence]) -> str:
    """The language most of the answer is in."""
    counts = Counter(passages[e.passage].chunk.language for e in chosen)
    return counts.most_common(1)[0][0]


def _silent(
    asked: Asked, passages: Sequence[Passage], chosen: Sequence[Evidence], weights: Weights, foreign: Sequence[str]
) -> list[str]:
    """Warnings that name what no source speaks of: names first, then parts of the question."""
    names = missing_names(asked.names, [f"{p.chunk.text} {' '.join(p.chunk.heading)}" for p in passages])
    warnings = [message("names", asked.language, words=listed(names))] if names else []
    if foreign:  # words of another language cannot be compared
        return warnings
    said = frozenset[str]().union(*(passages[e.passage].heading for e in chosen)) | _said(passages, chosen)
    for part in asked.parts:
        least = SPOKEN_OF if _is_sharp(asked, part.wants, said, weights) else BLUNT
        if part_cover(part.wants, said, weights) < least:
            missing = [w.raw for w in part.words if not any(want & said for want in w.wants)]
            warnings.append(message("part", asked.language, words=listed(missing)))
    return warnings


def _said(passages: Sequence[Passage], chosen: Sequence[Evidence]) -> Terms:
    """The terms of the chosen statements, with those of the heads of their tables and of the headings above them."""
    units = [(passages[e.passage], u) for e in chosen for u in e.units]
    titles = [title.terms for p, u in units if (title := p.title_above(u))]
    return frozenset[str]().union(*titles, *(p.statements[u].terms for p, u in units))


def _key_points(chosen: Sequence[Evidence], passages: Sequence[Passage]) -> list[str]:
    """The one to five best sentences, short ones first choice, that hold what the answer holds of the question."""
    singles = [(e, " ".join(unmarked(passages[e.passage].statements[u].text) for u in e.units)) for e in chosen]
    short = [pair for pair in singles if pair[0].length <= KEY_WORDS] or singles[:1]
    left: set[Want] = {w for e, _ in short for w in e.covers}
    points: list[str] = []
    for evidence, text in short:
        if points and not evidence.covers & left and len(points) >= 3:
            continue
        points.append(text)
        left -= evidence.covers
    return points[:KEY_POINTS]
