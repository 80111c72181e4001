"""What a question asks for: its words, its parts, and the kind of answer it expects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..passages.words import question_words, says_nothing
from ..text import raw_words, split_identifier
from .cues import Cue, cues_of

Want = frozenset[str]
"""Terms of which one is enough: the German and the English stem of the same word."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question as written, and the wants it stands for."""

    raw: str
    wants: tuple[Want, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A sub-question: "... and how do I limit them?"."""

    text: str
    words: tuple[Word, ...]

    @property
    def wants(self) -> list[Want]:
        """Every want of the part once."""
        return list(dict.fromkeys(want for word in self.words for want in word.wants))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart.

    parts: at least one. cues: kinds of answer it expects. names: identifiers, versions and quoted strings it names.
    """

    text: str
    language: str
    parts: tuple[Part, ...]
    cues: frozenset[Cue]
    names: tuple[str, ...]

    @property
    def words(self) -> list[Word]:
        """Every word that says something, once, in order."""
        return list(dict.fromkeys(word for part in self.parts for word in part.words))

    @property
    def wants(self) -> list[Want]:
        """Every want once, in order."""
        return list(dict.fromkeys(want for word in self.words for want in word.wants))


_JOINT = re.compile(
    r"(?:[,;]\s*|\s+)(?:and|or|und|oder|sowie)\s+(?=(?:also\s+|auch\s+)?(?:how|what|which|when|where|why|who|can|do|"
    r"does|is|are|wie|was|welche\w*|wann|wo|warum|wer|kann|ist|sind)\b)"
    r"|(?:[,;]\s*|\s+)(?:и|или|а также|а)\s+(?=(?:как|что|какой|какая|какие|какое|каким|когда|где|почему|зачем|"
    r"сколько|можно|чем)\b)"
    r"|[，,；;]\s*(?:以及|并且|和|还有|而且)?\s*(?=如何|怎么|怎样|什么|哪|为什么|何时|是否|能否)"
    r"|(?<=[?？])\s*(?=\S)",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"`([^`]+)`|\"([^\"]{2,80})\"|„([^“]{2,80})“|«([^»]{2,80})»|“([^”]{2,80})”"
    r"|((?<![\w-])--?[A-Za-z][\w-]+)|\b([A-Za-z]\w*(?:[_.:]+\w+)+(?:\(\))?)|\b(v?\d+(?:\.\d+)+)\b|\b([a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b"
)


def read_question(text: str, language: str) -> Asked:
    """The question taken apart. language: en, de, ru, zh, or '' for any."""
    pieces = [p.strip() for p in _JOINT.split(text) if p.strip()] or [text]
    parts = [Part(piece, _words(piece, language)) for piece in pieces]
    return Asked(
        text=text,
        language=language,
        parts=tuple(_joined([p for p in parts if p.words] or parts[:1])),
        cues=cues_of(text, language),
        names=tuple(dict.fromkeys(next(g for g in m.groups() if g) for m in _NAME.finditer(text))),
    )


def missing_names(names: Sequence[str], texts: Sequence[str]) -> list[str]:
    """The names that no text holds, letter case aside."""
    held = "\n".join(texts).casefold()
    return [n for n in names if n.casefold().removesuffix("()") not in held]


def _words(text: str, language: str) -> tuple[Word, ...]:
    if language == "zh":
        return tuple(Word(term, (frozenset({term}),)) for term in question_words(text, "zh"))
    found: dict[str, Word] = {}
    for raw in raw_words(text):
        terms = [raw] if raw.isdigit() else question_words(raw, language)  # "exit code 4": the 4 says most
        if not terms or (says_nothing(raw) and not raw.isdigit()) or raw.lower() in _ASKING:
            continue
        separate = bool(split_identifier(raw)[1])
        wants = tuple(frozenset({t}) for t in terms) if separate else (frozenset(terms),)
        found.setdefault(raw.lower(), Word(raw, wants))
    return tuple(found.values())


_ASKING = frozenset(
    word
    for line in (
        "example examples explain describe tell name give difference differences many much long often kind kinds type",
        "types way ways make best purpose mean means beispiel erkläre erklären unterschied viele viel lange oft gibt",
        "bedeutet heißt пример объясни разница какого вид тип способ означает значит",
    )
    for word in line.split()
)
"""Words of asking: they say what kind of answer is wanted, not what it is about."""


def _joined(parts: list[Part]) -> list[Part]:
    """Parts of a single word belong to what stands before them."""
    joined: list[Part] = []
    for part in parts:
        if joined and len(part.words) < 2:
            before = joined[-1]
            joined[-1] = Part(f"{before.text} {part.text}", (*before.words, *part.words))
        else:
            joined.append(part)
    return joined
