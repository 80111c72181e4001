"""Candidates for an answer: sentences, and lists with their lead-in line, each measured against the question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..passages.words import words
from .asked import Asked, Want
from .blocks import BlockKind
from .cues import Cue, shows, subject_of
from .passages import Passage, Statement, Terms

Weights = Mapping[Want, float]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What may enter the answer: a sentence, or a lead-in line with its list.

    passage, units: where it stands (indices, ascending). content: its terms that say something. covers: the wants it
    holds. score: how likely it carries the answer, higher is better. length: words.
    """

    passage: int
    units: tuple[int, ...]
    content: Terms
    covers: frozenset[Want]
    score: float
    length: int


@dataclass(frozen=True, slots=True)
class Mix:
    """Weights of the signals of a sentence.

    cover: share of the question it holds. heading: that its heading holds. near: that its neighbours hold. prior: of
    the chunk. cue: it looks like the kind of answer asked for. definition: its subject is what is to be defined.
    opening: stands early. central: says what other passages say too. number: share of the question's numbers it holds.
    answer: stands below a question of the document.
    """

    cover: float = 1.0
    heading: float = 0.5
    near: float = 0.3
    prior: float = 0.6
    cue: float = 0.05
    definition: float = 0.3
    opening: float = 0.2
    central: float = 0.2
    number: float = 0.5
    answer: float = 0.4

    def score(self, signals: Sequence[float]) -> float:
        """The weighted sum of ``signals``, in the order of the fields."""
        return sum(float(getattr(self, name)) * value for name, value in zip(self.__slots__, signals, strict=True))


MIX = Mix()
LIST_WORDS = 110
"""Longest list, in words, that enters an answer whole."""
TOUCH = 0.1
"""Least share of the question in or near a sentence that may answer it."""
UNNUMBERED = 0.6
"""Worth of a statement without the number a question names, beside those that hold it."""
FEW = 12
"""Most items of such a list."""


_LEAST = 2  # words; "Run make." may be the whole answer, and a short one pays in its shape


def weigh(asked: Asked, passages: Sequence[Passage]) -> dict[Want, float]:
    """Want -> weight: rare among the sentences at hand weighs more."""
    held = [s.terms for p in passages for s in p.statements]
    return {w: math.log(1 + (len(held) + 1) / (1 + sum(1 for terms in held if w & terms))) for w in asked.wants}


def gather(
    asked: Asked, passages: Sequence[Passage], weights: Weights, foreign: bool = False, mix: Mix = MIX
) -> list[Evidence]:
    """Every sentence and every short list that could enter the answer; no text twice.

    foreign: the documents are in another language than the question, so that no common word is asked of a sentence.
    """
    common = Counter(t for p in passages for s in p.statements for t in s.content)
    numbered = any(_numbered(asked, s) for p in passages for s in p.statements)
    found: list[Evidence] = []
    seen: set[str] = set()
    for number, passage in enumerate(passages):
        signals = _signals(asked, passage, weights, common)
        scores = [mix.score(s) if foreign or _touches(s) else 0.0 for s in signals]
        if numbered and len(asked.parts) == 1:
            pairs = zip(scores, passage.statements, strict=True)
            scores = [score * (1.0 if _numbered(asked, s) else UNNUMBERED) for score, s in pairs]
        for i, statement in enumerate(passage.statements):
            if statement.text in seen or not _usable(passage, i):
                continue
            seen.add(statement.text)
            found.append(_single(asked, number, i, statement, scores[i] * _shape(statement)))
        found.extend(_lists(asked, number, passage, scores))
    return found


def _touches(signals: Sequence[float]) -> bool:
    """Whether a sentence, its neighbours or its heading hold anything of the question."""
    cover, heading, near, *_, asking = signals
    return max(cover, heading, near / 2, asking) >= TOUCH


def _single(asked: Asked, passage: int, i: int, statement: Statement, score: float) -> Evidence:
    covers = _covers(asked, statement.terms)
    return Evidence(passage, (i,), statement.content, covers, score, statement.length)


def _lists(asked: Asked, number: int, passage: Passage, scores: Sequence[float]) -> list[Evidence]:
    """Lead-in lines with the short lists below them."""
    found: list[Evidence] = []
    for i, lead in enumerate(passage.statements):
        items = passage.led_by(i) if lead.leads else []
        chosen = (i, *items)
        length = sum(passage.statements[k].length for k in chosen)
        if not 2 <= len(items) <= FEW or length > LIST_WORDS:
            continue
        score = max(scores[i], *(scores[k] for k in items)) + 0.1
        terms = frozenset(t for k in chosen for t in passage.statements[k].terms)
        content = frozenset(t for k in chosen for t in passage.statements[k].content)
        found.append(Evidence(number, chosen, content, _covers(asked, terms), score, length))
    return found


def _covers(asked: Asked, terms: Terms) -> frozenset[Want]:
    return frozenset(w for w in asked.wants if w & terms)


def _usable(passage: Passage, i: int) -> bool:
    """Whether a statement may stand in an answer by itself: no heading, question, code, lead-in or fragment."""
    statement = passage.statements[i]
    if statement.unit.kind is BlockKind.CODE:
        return passage.chunk.kind == "code"
    if statement.unit.kind is BlockKind.HEADING or statement.asks or _looks_like_code(statement.text):
        return False
    if statement.leads and not _leads_to_code(passage, i):
        return False
    if statement.text in passage.chunk.heading or statement.unit.heads:
        return False
    return statement.length >= _LEAST or any(c.isdigit() for c in statement.text)


def _leads_to_code(passage: Passage, i: int) -> bool:
    after = passage.statements[i + 1 : i + 2]
    return bool(after) and after[0].unit.kind is BlockKind.CODE


def _looks_like_code(text: str) -> bool:
    """Whether a line of running text is code that lost its fence; what stands in ticks does not count."""
    bare = _TICKED.sub("", text)
    return len(_SYMBOL.findall(bare)) * 14 > len(bare) + 14


def _signals(asked: Asked, passage: Passage, weights: Weights, common: Counter[str]) -> list[tuple[float, ...]]:
    """The signals of every statement of a passage, in the order of the fields of ``Mix``."""
    total = sum(weights.values()) or 1.0
    covers = [_cover(asked, s.terms, weights, total) for s in passage.statements]
    above = passage.heading
    asking = 0.0  # coverage of the document's own question above
    found: list[tuple[float, ...]] = []
    for i, statement in enumerate(passage.statements):
        if statement.unit.kind is BlockKind.HEADING:
            above = passage.heading | statement.terms
        heading = _cover(asked, above, weights, total)
        asking = covers[i] if statement.asks else asking * 0.8
        near = max(covers[max(0, i - 2) : i] + covers[i + 1 : i + 2], default=0.0)
        cues = min(2, sum(shows(cue, statement.text) for cue in asked.cues))
        defines = _defines(asked, statement, passage.chunk.language, weights, total)
        central, number = _central(statement, common), _numbered(asked, statement)
        found.append((covers[i], heading, near, passage.prior, cues, defines, 1 / (1 + i), central, number, asking))
    return found


def _cover(asked: Asked, terms: Terms, weights: Weights, total: float) -> float:
    """Weighted share of the question's words, or of its best part, that ``terms`` hold."""
    whole = sum(w for want, w in weights.items() if want & terms) / total
    if len(asked.parts) == 1:
        return whole
    return max(whole, *(0.9 * part_cover(p.wants, terms, weights) for p in asked.parts))


def part_cover(wants: Sequence[Want], terms: Terms, weights: Weights) -> float:
    """Weighted share of some wants that ``terms`` hold; 1 when there are none."""
    total = sum(weights[w] for w in wants)
    return sum(weights[w] for w in wants if w & terms) / total if total else 1.0


def _defines(asked: Asked, statement: Statement, language: str, weights: Weights, total: float) -> float:
    """How much of a question for a definition the subject of a defining sentence names."""
    subject = subject_of(statement.text) if Cue.DEFINITION in asked.cues else ""
    return _cover(asked, frozenset(words(subject, language)), weights, total) if subject else 0.0


def _numbered(asked: Asked, statement: Statement) -> float:
    """Share of the question's numbers that a statement holds beside another of its words; numbers are sharp."""
    numbers = [want for want in asked.wants if is_number(want)]
    if not numbers or not any(want & statement.terms for want in asked.wants if want not in numbers):
        return 0.0
    return sum(bool(want & statement.terms) for want in numbers) / len(numbers)


def is_number(want: Want) -> bool:
    """Whether a want is a number."""
    return all(term.isdigit() for term in want)


def _central(statement: Statement, common: Counter[str]) -> float:
    """How much of what a sentence says is said elsewhere in the passages too, 0 to 1."""
    if not statement.content:
        return 0.0
    return sum(1 - 1 / common[t] for t in statement.content) / len(statement.content)


_GLUED = re.compile(r"[a-z][A-Z][a-z]")
_SYMBOL = re.compile(r"[{}\[\]()=<>;\\/|$#]|\"(?=\s*[:,\]}])")
_TICKED = re.compile(r"`[^`]*`|https?://\S+")
_CLOSED = re.compile(r"[.!?:\u2026\u3002\uff01\uff1f\uff1a\uff1b][\"'\u201d\u2019\u00bb)*_`]*$")


def _shape(statement: Statement) -> float:
    """Fragments, run-on lines and menus are worth less than sentences."""
    length, text = statement.length, statement.text
    worth = 0.7 if length < 5 else 1.0 if length <= 45 else max(0.5, 1 - (length - 45) / 120)
    if len(_GLUED.findall(text)) * 8 > length:
        worth *= 0.5
    if statement.unit.kind is BlockKind.PARAGRAPH and not _CLOSED.search(text):
        worth *= 0.8
    return worth
