"""Text analysis: identifiers and words become the terms that queries and files share.

An identifier such as ``FileUploadHandler`` gives its stemmed parts (``file``, ``upload``, ``handler``) and, because it
is compound, itself as a *whole* (``fileuploadhandler``). Parts make prose and code meet; wholes tell
``HttpResponse`` from a page that speaks of http and of responses.
"""

from __future__ import annotations

import re
import threading
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import Stemmer

ANALYSIS_VERSION = 4
"""Bumped when the same text would give other terms; part of every cache key."""

_RAW = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+[A-Za-z]?(?![A-Za-z])|\d+|[A-Z]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_RUNS = re.compile(rf"{_CJK.pattern}+|(?:(?!{_CJK.pattern})\w)+")
_CJK_EDGE = re.compile(  # code is matched first, and kept
    r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|`[^`\n]+`"
    rf"|(?<={_CJK.pattern})(?=[A-Za-z0-9_/.\\-])|(?<=[A-Za-z0-9_)\]])(?={_CJK.pattern})",
    re.M | re.S,
)
_MAX_RAW = 80  # longer runs are data (hashes, base64), not words
_local = threading.local()

# Words that carry no place in a code base; short on purpose, since "for", "class" or "not" can be the topic.
STOPWORDS = frozenset(
    word
    for line in (
        "a an and are as at be been but by can could did do does doing done for from had has have having he her his",
        "how i if in into is it its just let like may me might my of on or our out own same she should so some such",
        "than that the their them then there these they this those to too us very was we were what when where which",
        "while who why will with would you your also am any because being both each few more most much must now only",
        "other over please seem since still thank thanks though through under until up want wants way well get gets",
        "got using use used uses however hi hello issue bug expected actual behavior behaviour reproduce steps version",
    )
    for word in line.split()
)


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a text, in order. parts: stemmed words and identifier parts. wholes: compound identifiers."""

    parts: list[str]
    wholes: list[str]


def analyse(text: str) -> Terms:
    """The terms of ``text``."""
    parts: list[str] = []
    wholes: list[str] = []
    for raw in _RAW.findall(text):
        split, whole = split_identifier(raw)
        parts.extend(split)
        if whole:
            wholes.append(whole)
    return Terms(parts, wholes)


@lru_cache(maxsize=400_000)
def split_identifier(raw: str) -> tuple[tuple[str, ...], str]:
    """The stemmed parts of one word or identifier, and the lower-cased whole when it is compound (else '')."""
    if not raw.isascii():
        return _split_foreign(raw)
    if len(raw) > _MAX_RAW:
        return (), ""
    parts = _PART.findall(raw)
    stems = tuple(stem(p.lower()) for p in parts if len(p) > 1 or len(parts) == 1)
    words = sum(1 for p in parts if not p.isdigit())
    compound = words > 1 or (words == 1 and len(parts) > 1)
    return stems, raw.lower().replace("_", "") if compound else ""


def stem(word: str) -> str:
    """The Snowball English stem of a lower-case word; short words stay as they are."""
    if len(word) <= 3:
        return word
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:  # PyStemmer objects must not be shared between threads
        stemmer = _local.stemmer = Stemmer.Stemmer("english", 0)
    stemmed: str = stemmer.stemWord(word)
    return stemmed


@dataclass(frozen=True, slots=True)
class Stream:
    """The terms of a text as an index wants them.

    text: parts and wholes joined by blanks, for an engine that splits at white space. parts, wholes: 32-bit term keys
    in text order.
    """

    text: str
    parts: list[int]
    wholes: list[int]


def stream(text: str) -> Stream:
    """The terms of ``text``, keyed."""
    raws = _RAW.findall(text)
    if not raws:
        return Stream("", [], [])
    if len(_memo) > _MEMO_SIZE:
        _memo.clear()
    words, parts, wholes = zip(*map(_memo.__getitem__, raws), strict=True)
    return Stream(" ".join(words), list(chain.from_iterable(parts)), list(chain.from_iterable(wholes)))


class _Memo(dict[str, tuple[str, tuple[int, ...], tuple[int, ...]]]):
    """Raw word -> its terms joined, the keys of its parts, the key of its whole; filled on first sight."""

    def __missing__(self, raw: str) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
        parts, whole = split_identifier(raw)
        words = (*parts, whole) if whole else parts
        keyed = " ".join(words), tuple(map(term_hash, parts)), (term_hash(whole),) if whole else ()
        self[raw] = keyed
        return keyed


_MEMO_SIZE = 500_000
_memo = _Memo()


@lru_cache(maxsize=400_000)
def term_hash(term: str) -> int:
    """A 32-bit key of a term: streams of keys are what the store keeps of a file."""
    return zlib.crc32(term.encode("utf-8", "surrogatepass"))


def is_stopword(word: str) -> bool:
    """Whether a raw word says nothing about a place in the code."""
    return word.lower() in STOPWORDS or (len(word) == 1 and word.isascii())


def content_terms(text: str) -> Terms:
    """The terms of ``text`` without stop words and bare numbers: what a query is made of."""
    parts: list[str] = []
    wholes: list[str] = []
    for raw in _RAW.findall(text):
        if is_stopword(raw) or raw.isdigit():
            continue
        split, whole = split_identifier(raw)
        parts.extend(p for p in split if len(p) > 1 and not p.isdigit())
        if whole:
            wholes.append(whole)
    return Terms(parts, wholes)


def raw_words(text: str) -> Iterator[str]:
    """Every word and identifier of ``text`` as written."""
    return iter(_RAW.findall(text))


def raw_parts(raw: str) -> list[str]:
    """The lower-case parts of an identifier as written, not stemmed; [] for words beyond ASCII."""
    return [p.lower() for p in _PART.findall(raw)] if raw.isascii() else []


def spaced(text: str) -> str:
    """``text`` with a blank wherever Chinese, Japanese or Korean letters touch a name, outside code.

    Such sentences are written without blanks, and every pattern of names looks for the ends of words.
    """
    return _CJK_EDGE.sub(lambda m: m[0] or " ", text) if _CJK.search(text) else text


def unique(items: Iterable[str]) -> list[str]:
    """The items without repeats, first occurrence first."""
    return list(dict.fromkeys(items))


def _split_foreign(raw: str) -> tuple[tuple[str, ...], str]:
    """A word beyond ASCII: CJK runs as overlapping pairs, what stands between them as words of its own."""
    runs = _RUNS.findall(raw)
    if len(runs) == 1 and not _CJK.match(raw):
        return (tuple(p for p in raw.lower().split("_") if p), "") if len(raw) <= _MAX_RAW else ((), "")
    parts: list[str] = []
    whole = ""
    for run in runs:
        if _CJK.match(run):
            parts.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        else:
            split, found = split_identifier(run)
            parts.extend(split)
            whole = whole or found
    return tuple(parts), whole
