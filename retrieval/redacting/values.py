"""Whether what is assigned to a password, token or key is one, or code, a reference, a label, a stand-in."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STAND_INS = _words(
    """
    abc abcd admin and any api app auth bar base baz bearer blank change changeme changeit client code credential
    credentials db default demo dev digest dummy empty enter example fake field file fill foo for from get goes header
    here hidden http id in input insert is key keys local localhost masked me mock my name nil no none not null of
    old new optional or pass passwd password passwords path pin placeholder prod production provide pwd qux redacted
    removed replace required root sample secret secrets service session set some something staging string super
    supersecret test testing tests text the this to todo token tokens top type undefined unset unused user username
    valid value wrong invalid with x xx xxx xxxx xxxxx xxxxxx y you your yours yyy zzz insecure foobar letmein qwerty
    str int bool float bytes true false scott tiger lorem ipsum alice bob swordfish opensesame hunter
    """
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_TEMPLATE = re.compile(
    r"\{[a-z_][\w.]*[!:}]|\$\{|\$\(|\{\{|<%|#\{|%\(\w+\)s|^%\w+%$|^\$[A-Za-z_]\w*$|^<.*>$|^\[.*\]$|^\{[\w.:!]*\}$|^%[sdv]$|^@\w+@$|^__\w+__$"
)
_PLACE = re.compile(
    r"^(?:[a-z][a-z0-9+.-]{1,20}://|\.{0,2}/[a-z.][\w.-]*(?:/|$)|~/|[A-Za-z]:\\|arn:|urn:|vault:|secret:|env:|file:|op:)",
    re.I,
)
_DULL = re.compile(r"^(.)\1*$|^[*•.x_-]+$|^(?:0?123456789?0?|1234|12345|654321|abc123|abcdef\d*)$", re.I)
_IDENTIFIER = re.compile(r"^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_]\w*)*$")
_EXPRESSION = re.compile(r"\w[(\[{]|[)\]}]$|^[(\[{&*!|]|^[-+]?[\d._]+$|::|->|=>|\|\||&&|\w\.\w+\.\w*[a-z]{3}$")
_NUMBERED_WORD = re.compile(r"^(?:[a-z]+|[A-Z][a-z]+|[A-Z]+)\d{0,2}$")
_TERMS = re.compile(r"^(?:oauth|sha|md|utf|base|aes|rsa|hs|rs|es|x|v|k|i|s|ec|h|ed|ecdsa|p)\d{1,5}\w{0,4}$", re.I)
_RUN_WITH_DIGITS, _RUN_OF_LETTERS = 3.6, 2.7


def is_credential(value: str, *, password: bool) -> bool:
    """Whether a literal that a secret name is given looks like a real one.

    password: a person may have chosen it, so that little is enough; else it was generated, and looks like it.
    """
    if len(value) < 6 or stands_in(value) or _PLACE.match(value):
        return False
    if any(character.isspace() for character in value):
        return False
    return _chosen(value) if password else _generated(value)


def stands_in(value: str) -> bool:
    """Whether it is a template, a mask, or made of words that everybody writes in place of a real one."""
    if _TEMPLATE.search(value) or _DULL.match(value) or "example" in value.lower():
        return True
    words = _WORDS.findall(value)
    said = [w for w in words if not w.isdigit()]
    return bool(said) and all(w.lower() in _STAND_INS for w in said) and sum(map(len, words)) - sum(map(len, said)) <= 4


def computes(value: str) -> bool:
    """Whether a value without quotes is an expression: a call, an index, a number, a reference."""
    return bool(_EXPRESSION.search(value))


def names_something(value: str) -> bool:
    """Whether a value without quotes may be a name of the program, possibly dotted, rather than the value itself."""
    random = _changes(value) > 1 or (_changes(value) == 1 and _mixed(value) and len(value) >= 16)
    return bool(_IDENTIFIER.match(value)) and not random


def _chosen(value: str) -> bool:
    """More than a word or a name of words: digits or symbols among the letters, or four words and more."""
    parts = [p for p in re.split(r"[-_./: ]", value) if p]
    if all(_NUMBERED_WORD.match(p) or _TERMS.match(p) for p in parts) and (len(parts) > 1 or value.isalpha()):
        return len(parts) > 3 and "-" in value and value.islower()
    return not value.isalpha() or _changes(value) > 0 or len(value) >= 20


def _generated(value: str) -> bool:
    """Long, and letters, digits and cases change as in no name."""
    parts = [p for p in re.split(r"[-_./: ]", value) if p]
    if len(value) < 10 or value.isdigit() or all(_NUMBERED_WORD.match(p) or _TERMS.match(p) for p in parts):
        return False
    run = len(value) / max(1, len(_WORDS.findall(value)))  # a name's words are longer than what chance puts together
    return run < (_RUN_WITH_DIGITS if any(c.isdigit() for c in value) else _RUN_OF_LETTERS)


def _changes(value: str) -> int:
    """How often a digit is followed by a letter."""
    return len(re.findall(r"\d(?=[A-Za-z])", value))


def _mixed(value: str) -> bool:
    return any(c.islower() for c in value) and any(c.isupper() for c in value)


__all__ = ["computes", "is_credential", "names_something", "stands_in"]
