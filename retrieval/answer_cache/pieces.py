"""A question cut into clauses of pieces: words, numbers, units, names, quotations, runs of Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .identifiers import identifier_of, plain_word
from .numbers import MULTIPLES, NUMBER, SPELLED, UNITS, canonical, with_unit

PieceKind = Literal["word", "number", "name", "quote", "han"]

_QUOTED = re.compile(r"`([^`]+)`|\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)")
_HAN = r"\u3400-\u9fff"
_BORDER = re.compile(rf"(?<=[{_HAN}])(?=[^{_HAN}\s])|(?<=[^{_HAN}\s])(?=[{_HAN}])")
_CLAUSE = re.compile(r"(?<![,;:.!?])[,;:.!?]+(?=\s|$)|\s[–—-]\s|(?<![()])[()]+(?=\s|$)|(?<=\s)\(")
_OUTER = ".,;:!?…"
_RANGE = re.compile(r"^(\d+(?:\.\d+)?)(?:-|–|—|\.\.)(\d+(?:\.\d+)?)$")
_NEGATED = re.compile(r"^(\w+)n't$|^(can)not$")
_MEASURES = "个次秒分天周年月条台行位种倍层级页项名件套组张小"
_HAN_NUMBER = re.compile(rf"第?([两一二三四五六七八九十])(?=[{_MEASURES}])(?!个(?=[^小]))|第([二三四五六七八九十])|两(?=个)|([二三四五六七八九十])(?=个)")  # fmt: skip  # noqa: E501


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece. text: of a word: lower case; of a number: canonical, with its unit; of a name: as it counts."""

    kind: PieceKind
    text: str


def quotes_of(text: str) -> list[str]:
    """What is quoted, without single names."""
    return [content for content in _contents(text) if not _is_name(content)]


def clauses_of(text: str, language: str) -> list[list[Piece]]:
    """The clauses of a tidy question, in order, each a list of pieces."""
    names = [identifier_of(content) if _is_name(content) else "" for content in _contents(text)]
    numbered = iter(range(len(names)))
    marked = _QUOTED.sub(lambda _: f" \ue000{next(numbered)} ", text)
    clauses = [_BORDER.sub(" ", clause).split() for clause in _CLAUSE.split(marked)]
    return [_joined(list(_pieces(raws, names, language)), language) for raws in clauses if raws]


def _contents(text: str) -> list[str]:
    return [next(group for group in found if group) for found in _QUOTED.findall(text)]


def _is_name(content: str) -> bool:
    return " " not in content and bool(identifier_of(content))


def _pieces(raws: Sequence[str], names: Sequence[str], language: str) -> Iterator[Piece]:
    for raw in raws:
        if raw.startswith("\ue000"):
            name = names[int(raw[1:])]
            yield Piece("name", name) if name else Piece("quote", "")
        elif re.match(rf"[{_HAN}]", raw):
            yield Piece("han", raw)
        else:
            yield from _piece(raw, language)


def _piece(raw: str, language: str) -> Iterator[Piece]:
    """What one run without blanks is."""
    text = raw.strip(_OUTER).lstrip("(") or raw
    text = text.rstrip(")") if "(" not in text else text
    if not text or all(c in _OUTER + "()-–—'" for c in text):
        if raw not in {"-", "–", "—", "...", "…", ".", ",", "'"} and text:
            yield Piece("name", raw)
    elif found := _RANGE.match(text):
        yield from (Piece("number", number) for number in found.groups())
    elif NUMBER.match(text):
        yield Piece("number", canonical(text))
    elif name := identifier_of(text):
        yield Piece("name", name)
    else:
        yield from _plain(text, language)


def _plain(text: str, language: str) -> Iterator[Piece]:
    for part in text.split("-"):
        word = plain_word(part)
        if found := _NEGATED.match(word):
            yield from (Piece("word", found.group(1) or "can"), Piece("word", "not"))
        elif word in MULTIPLES.get(language, {}):
            yield Piece("number", f"{MULTIPLES[language][word]} ×")
        elif word in SPELLED.get(language, {}):
            yield Piece("number", SPELLED[language][word])
        elif word:
            yield Piece("word", word)


def _joined(pieces: list[Piece], language: str) -> list[Piece]:
    """The pieces with units joined to their numbers, and Chinese numbers taken out of their runs."""
    flat: list[Piece] = []
    for piece in pieces:
        flat += _han_pieces(piece.text) if piece.kind == "han" else [piece]
    joined: list[Piece] = []
    for piece in flat:
        number = joined[-1].text if joined and joined[-1].kind == "number" else ""
        unit, rest = _unit(piece) if number and " " not in number else ("", "")
        if not unit:
            joined.append(piece)
            continue
        joined[-1] = Piece("number", with_unit(number, unit))
        if rest:
            joined.append(Piece("han", rest))
    return joined


def _unit(piece: Piece) -> tuple[str, str]:
    """The unit that a piece is or begins with, and what follows it."""
    if piece.kind == "word":
        return UNITS.get(piece.text, ""), ""
    if piece.kind == "han":
        for size in (3, 2, 1):
            if unit := UNITS.get(piece.text[:size]):
                return unit, piece.text[size:]
    return "", ""


def _han_pieces(text: str) -> Iterator[Piece]:
    last = 0
    for found in _HAN_NUMBER.finditer(text):
        if found.start() > last:
            yield Piece("han", text[last : found.start()])
        digit = found.group().removeprefix("第")
        ordinal = "第" if found.group().startswith("第") else ""
        yield Piece("number", ordinal + SPELLED["zh"][digit])
        last = found.end()
    if last < len(text):
        yield Piece("han", text[last:])


__all__ = ["Piece", "clauses_of", "quotes_of"]
