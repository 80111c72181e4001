"""Credentials by the name they are given to: ``password = "..."`` in programs, settings, commands and markup.

A literal in quotes, or a value without quotes where files of settings have them. What a program computes
(``token = next(tokens)``), declares (``password: str``) or looks up is no literal and stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .values import computes, is_credential, names_something

_PASSWORD = (
    r"pass(?:word|wd|wort|phrase|code)|pwd|(?<=[a-z_.-])pass|kennwort|contraseña|senha|mot_?de_?passe|пароль|密码|口令"
)
_SECRET = (
    r"secret|token|bearer|credentials?|creds|"
    r"(?:api|app|auth|access|account|client|private|secret|signing|encryption|encrypt|master|shared|service|session|"
    r"storage|subscription|consumer|deploy|license|webhook|hmac|jwt|cookie|security|sharedaccess)[-_. ]?"
    r"(?:key|secret|token|signature)|key_?base|api_?hash|_auth|auth_?string|client-key-data"
)
_KEYWORD = re.compile(f"{_PASSWORD}|{_SECRET}", re.IGNORECASE)
_SUFFIX = r"(?:[-_]?(?:\d{1,2}|old|new|prod|dev|value|base64|b64))?"
_NAME = rf"(?<![A-Za-z0-9_])(?P<name>[\w.$@-]{{0,60}}?(?:(?P<password>{_PASSWORD})|{_SECRET}){_SUFFIX})"
_Q = r"\s{0,7}[\"'`]"  # a quote, with the blanks that stand for its backslashes

_QUOTED = re.compile(
    rf"{_NAME}(?:{_Q})?\]?"  # the name, itself in quotes or an index
    rf"\s{{0,20}}(?::\s{{0,4}}[\w.&*'<>\[\], |?]{{1,40}}=|[:=]?=>|[=!]==?|:=|[:=]|->)\s{{0,20}}"
    rf"(?:@|\$|[bBrRuUfF]{{1,2}})?(?P<open>{_Q})(?P<value>[^\"'`\\\s]{{6,500}})(?P<close>{_Q})",
    re.IGNORECASE,
)
_CALLED = re.compile(
    rf"\([\"'`]{_NAME}[\"'`]\s?,\s{{0,4}}(?P<open>{_Q})(?P<value>[^\"'`\\\s]{{6,500}})(?P<close>{_Q})", re.IGNORECASE
)  # setenv("NAME", "value")
_BARE = re.compile(
    rf"(?P<before>(?:^|[\"'`])[^\S\n]*(?:export\s+|setx?\s+|env\s+|arg\s+|-\s+)?)?{_NAME}(?P<sign>[^\S\n]*[=:][^\S\n]*)"
    r"(?P<value>[^\s\"'`,;<>\\]{6,500})(?=(?P<after>[^\n]{0,80}))",
    re.IGNORECASE | re.MULTILINE,
)
_ELEMENT = re.compile(
    rf"<(?:[\w-]+:)?{_NAME}(?:\s[^<>\n]{{0,200}})?>\s{{0,8}}(?P<value>[^\s<>]{{6,500}})\s{{0,8}}</", re.IGNORECASE
)
_ATTRIBUTE = re.compile(
    rf"(?:name|key)\s?=\s?{_Q}{_NAME}{_Q}\s{{1,20}}value\s?[=:]\s?{_Q}(?P<value>[^\"'`\s]{{6,500}}){_Q}", re.IGNORECASE
)
_ENTRY = re.compile(
    rf"(?:name|key){_Q}?:[^\S\n]{{0,4}}[\"']?{_NAME}[\"']?,?\s{{1,40}}(?:-\s)?[\"']?value[\"']?:[^\S\n]{{0,4}}[\"']?"
    r"(?P<value>[^\"'\s,]{6,500})",
    re.IGNORECASE,
)
_OPTION = re.compile(rf"--{_NAME}[ =][\"']?(?P<value>[^\s\"'`]{{6,500}})", re.IGNORECASE)

_HINTS = re.findall(
    r"\S+", "pass pwd kennwort contraseña senha пароль 密码 口令 secret token bearer cred key signature hash auth"
)
"""One of them is in every keyword."""

_LONGEST = 16  # characters of a keyword on either side of its hint
_BEFORE, _BEHIND = 120, 700  # characters around a keyword that an assignment may take


def assigned(text: str) -> Iterator[tuple[int, int]]:
    """Where values begin and end that look like credentials and are given to names that say so."""
    for start, end in _windows(text):
        for shape, fits in _SHAPES:
            yield from (m.span("value") for m in shape.finditer(text, start, end) if fits(m))


def _windows(text: str) -> list[tuple[int, int]]:
    """The parts of a text that hold a keyword, with what stands around it; they do not overlap."""
    windows: list[tuple[int, int]] = []
    for first, last in _keywords(text):
        start = max(text.rfind("\n", 0, first) + 1, first - _BEFORE)
        end = min(last + _BEHIND, len(text))
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], end)
        else:
            windows.append((start, end))
    return windows


def _keywords(text: str) -> list[tuple[int, int]]:
    """Where keywords may begin and end, in order; plain searches first, as one expression over all would be slow."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have longer small ones
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    found = []
    for hint in _HINTS:
        at = lowered.find(hint)
        while at >= 0:
            end = at + len(hint)
            if _KEYWORD.search(text, max(0, at - _LONGEST), end + _LONGEST):
                found.append((at, end))
            at = lowered.find(hint, end)
    return sorted(found)


def _literal(match: re.Match[str]) -> bool:
    return is_credential(match["value"], password=bool(match["password"]))


def _quoted(match: re.Match[str]) -> bool:
    return match["open"][-1] == match["close"][-1] and _literal(match)


def _bare(match: re.Match[str]) -> bool:
    """Files of settings have a name and its value alone on the line; elsewhere it may be code."""
    value = match["value"]
    if computes(value) or not _literal(match):
        return False
    alone = match["before"] is not None and not re.match(r"\s*[^\s#\"'`]", match["after"])
    tight = match["sign"].strip() == match["sign"] or ":" in match["sign"]
    return not names_something(value) or (alone and (tight or match["name"].isupper()) and not _typed(value))


def _option(match: re.Match[str]) -> bool:
    return not computes(match["value"]) and _literal(match)


def _typed(value: str) -> bool:
    """A type's name, as in ``password: Secret2``."""
    return bool(re.match(r"^(?:[A-Z][a-z]+)+\d?$|^[a-z]+(?:8|16|32|64|128)$", value))


_SHAPES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], bool]], ...] = (
    (_QUOTED, _quoted),
    (_CALLED, _quoted),
    (_BARE, _bare),
    (_ELEMENT, _literal),
    (_ATTRIBUTE, _literal),
    (_ENTRY, _literal),
    (_OPTION, _option),
)


__all__ = ["assigned"]
