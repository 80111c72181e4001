"""Kinds of answer that a question expects, and how a sentence shows that it is one, in four languages."""

from __future__ import annotations

import re
from enum import StrEnum


class Cue(StrEnum):
    """A kind of answer."""

    NUMBER = "number"
    TIME = "time"
    NAME = "name"  # an option, function, command, model
    STEPS = "steps"
    DEFINITION = "definition"
    LIST = "list"
    REASON = "reason"
    COMPARISON = "comparison"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_THING_EN = (
    r"flag|option|parameter|argument|setting|function|method|command|class|variable|field|key|endpoint|header|model|"
    r"property|attribute|event|tool|module|package|file|library|value|provider|metric"
)
_THING_DE = r"Option|Schalter|Parameter|Funktion|Methode|Befehl|Klasse|Variable|Feld|Einstellung|Datei|Eigenschaft|Wert"
_THING_RU = (
    r"параметр|флаг|ключ|метод|функци|команд|класс|переменн|поле|настройк|файл|свойств|значени|процедур|директив"
)
_THING_ZH = r"参数|选项|函数|方法|命令|类|变量|字段|设置|文件|属性|指令|值"

_ASKS: dict[Cue, re.Pattern[str]] = {
    Cue.NUMBER: _any(
        r"\bhow (?:many|much|long|often|large|big|fast|high)\b",
        r"\b(?:maximum|minimum|limits?|size|number|default value)\b",
        r"\bwie (?:viele?|lange|oft|groß|hoch|schnell)\b",
        r"\b(?:Höchst|Mindest|Standard)wert\b|\b(?:maximale?|minimale?)\b",
        r"\bсколько\b|\bкак (?:долго|часто)\b|\bмаксимальн\w+|\bминимальн\w+|\bпо умолчанию\b",
        r"多少|几个|几次|多久|多长|多大|最大|最小|默认值",
    ),
    Cue.TIME: _any(
        r"\bwhen\b|\bwhat (?:year|date|month)\b|\bsince\b",
        r"\bwann\b|\bseit\b",
        r"\bкогда\b|\bс какой версии\b",
        r"什么时候|何时",
    ),
    Cue.NAME: _any(
        rf"\b(?:which|what)\b[^?.]{{0,40}}\b(?:{_THING_EN})s?\b",
        rf"\b(?:welche\w*|was für)\b[^?.]{{0,40}}\b(?:{_THING_DE})",
        rf"\bкак(?:ой|ая|ое|ие|им|ими|ую)\b[^?.]{{0,40}}(?:{_THING_RU})",
        rf"(?:哪个|哪些|什么)[^？。]{{0,10}}(?:{_THING_ZH})",
    ),
    Cue.STEPS: _any(
        r"\bhow (?:do|does|can|to|is|are|should|would|could|did)\b|\bsteps?\b",
        r"\bwie (?:kann|richte|mache|lege|stelle|setze|installiere|verwende|wird|werden|man)\b|\bSchritte?\b",
        r"\bкак (?!долго|часто|ой|ая|ие)\w+(?:ть|ти|чь|ться)\b|\bкаким образом\b|\bшаг",
        r"如何|怎么|怎样|步骤",
    ),
    Cue.DEFINITION: _any(
        r"\bwhat (?:is|are|does)\b|\bdefin(?:e|ition)\b|\bmean(?:s|ing)?\b",
        r"\bwas (?:ist|sind|bedeutet|heißt|macht)\b|\bBedeutung\b",
        r"\bчто (?:такое|означает|значит|делает|представляет)\b",
        r"什么是|是什么|含义|意思",
    ),
    Cue.LIST: _any(
        r"\bwhat are\b|\bwhich (?:\w+ )?\w+s\b|\blist\b|\b(?:two|three|four|five|some|several|key|main|types|kinds)\b",
        r"\bwelche (?:\w+ )?\w+(?:en|e|er|s)\b|\bListe\b|\b(?:zwei|drei|vier|Arten)\b",
        r"\bкакие\b|\bперечисл|\bсписок\b|\b(?:два|две|три|четыре|виды)\b",
        r"哪些|列出|几种|哪几",
    ),
    Cue.REASON: _any(
        r"\bwhy\b|\breasons?\b", r"\bwarum\b|\bwieso\b|\bweshalb\b", r"\bпочему\b|\bзачем\b", r"为什么|为何"
    ),
    Cue.COMPARISON: _any(
        r"\bdiffer\w*|\bcompar\w+|\bversus\b|\bvs\b|\brather than\b|\binstead of\b",
        r"\bUnterschied\w*|\bVergleich\w*|\bim Gegensatz\b",
        r"\bотлич\w+|\bразниц\w+|\bсравн\w+",
        r"区别|差异|不同|相比|比较",
    ),
}

_SHOWS: dict[Cue, re.Pattern[str]] = {
    Cue.NUMBER: _any(
        r"\d",
        r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|unlimited|never)\b",
        r"\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|einmal|zweimal|unbegrenzt)\b",
        r"\b(?:один|два|две|три|четыре|пять|шесть|десять|однажды|дважды)\b",
        r"[一二两三四五六七八九十百千万][个次种天秒分小时年月倍]",
    ),
    Cue.TIME: _any(
        r"\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b|\bv?\d+\.\d+",
        r"\b(?:when|after|before|until|once|since|during|while|as soon as)\b",
        r"\b(?:wenn|sobald|nachdem|bevor|bis|seit|während)\b",
        r"\b(?:когда|после|перед|до|пока|как только|во время)\b",
        r"当|之后|以后|之前|时候|期间|\d+年",
    ),
    Cue.NAME: re.compile(
        r"`[^`]+`|\b\w+_\w+|(?<!\w)--?[a-z][\w-]+|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w*|\w+\.\w+\(|\w+\(\)"
    ),
    Cue.STEPS: re.compile(
        r"^(?:(?i:first|then|next|finally|now|to \w+[^,]{0,80},|you (?:can|should|must|need)|(?:just )?(?:use|set|run|"
        r"click|add|call|install|open|create|pass|configure|enable|disable|select|choose|go|specify|provide|define|include|make|"
        r"ensure|start|try|import|write|send|check|replace|remove|give|ask|put|copy|navigate|repeat|fill|consider))\b"
        r"|(?i:[a-zäöüß]+(?:en|n) Sie\b|zuerst\b|dann\b|danach\b|um .{3,60} zu \w+)"
        r"|(?i:сначала|затем|чтобы)\b|[А-Яа-яё]+(?:йте|ите)(?:сь)?\b"
        r"|请|首先|然后|使用|设置|运行|点击|打开|调用|创建|添加|选择|安装|指定)"
        r"|(?i:\byou can\b|\bSie können\b|\bможно\b|\bнужно\b|\bнеобходимо\b)|可以|需要|通过"
    ),
    Cue.REASON: _any(
        r"\b(?:because|since|so that|due to|therefore|in order to|as a result|this (?:means|allows|makes|helps))\b",
        r"\b(?:weil|da|damit|denn|deshalb|daher|aufgrund|wegen)\b",
        r"\b(?:потому что|так как|поскольку|чтобы|поэтому|из-за|благодаря)\b",
        r"因为|由于|以便|为了|因此|所以",
    ),
    Cue.COMPARISON: _any(
        r"\b(?:while|whereas|unlike|than|compared|instead|rather|difference|in contrast|however|but)\b",
        r"\b(?:während|hingegen|dagegen|anders als|im Gegensatz|statt|Unterschied|aber|jedoch)\b",
        r"\b(?:тогда как|в отличие|вместо|отличается|отличие|по сравнению|но|однако)\b",
        r"而|相比|不同|区别|但是|比",
    ),
    Cue.LIST: re.compile(r"(?:[^,;、，]{2,60}[,;、，]){2,}|[:：]\s*$"),
}

_IS = (
    r"(?:is|are|means|refers to|stands for|ist|sind|bedeutet|bezeichnet|heißt|является|являются|означает|"
    r"представля\w+ собой|[—–-]+ это|[—–]|это)"
)


def cues_of(question: str, language: str = "") -> frozenset[Cue]:
    """The kinds of answer that ``question`` expects; cues of all languages are looked for, as they do not collide."""
    found = {cue for cue, pattern in _ASKS.items() if pattern.search(question)}
    if Cue.NUMBER in found or Cue.STEPS in found:
        found.discard(Cue.DEFINITION)
    return frozenset(found)


def shows(cue: Cue, sentence: str) -> bool:
    """Whether ``sentence`` looks like an answer of that kind (definitions need their subject: see ``defines``)."""
    return cue in _SHOWS and bool(_SHOWS[cue].search(sentence))


_SUBJECT = re.compile(rf"^(.{{1,80}}?)\s+{_IS}\s+", re.IGNORECASE)
_SUBJECT_ZH = re.compile(r"^([^，。]{1,30}?)(?:是一|是指|指的是|是|为)")


def subject_of(sentence: str) -> str:
    """What a sentence of the form "X is ..." defines; '' for other sentences."""
    found = _SUBJECT.match(sentence) or _SUBJECT_ZH.match(sentence)
    return found[1] if found else ""
