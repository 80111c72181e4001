"""The offline classifier of code tasks: transparent cues in four languages, and the shape of the text."""

# ruff: noqa: E501  (a cue is read best on one line)
from __future__ import annotations

import re
from dataclasses import dataclass

from ..state.query import QueryType
from .task import Task

_CUES: dict[QueryType, tuple[tuple[float, str], ...]] = {
    QueryType.BUG_REPORT: (
        (2.0, r"\b(?:bug|regression|traceback|stack ?trace|crash\w*|segfault|panic\w*|broken|breaks?|exception)\b"),
        (
            1.5,
            r"\b(?:fix\w*|fail\w*|error\w*|wrong\w*|incorrect\w*|unexpected\w*|inconsisten\w*|misleading|hangs?|leaks?|missing|raises?|throws?)\b",
        ),
        (
            1.5,
            r"\b(?:does(?: not|n't)|do(?: not|n't)|cannot|can't|is(?: not|n't)|no longer|should(?: not|n't)?|instead of|not work\w*)\b",
        ),
        (2.0, r"fehler|fehlerhaft|absturz|stürzt|funktioniert nicht|kaputt|falsch"),
        (2.0, r"ошибк|падает|сломан|не работает|исключени|некорректн|неверн|исправ"),
        (2.0, r"错误|报错|崩溃|异常|失败|不工作|无法|修复|不正确|问题"),
    ),
    QueryType.FEATURE: (
        (
            2.0,
            r"\b(?:feature|enhancement|proposal|support for|would be (?:nice|great|useful|helpful)|wish ?list|new option)\b",
        ),
        (
            1.5,
            r"(?:^|[.\n:\]] *)(?:add|allow|support|implement|introduce|provide|enable|make it possible|expose|extend)\b",
        ),
        (1.0, r"\b(?:add|allow|support|implement|introduce|ability to|option to)\b"),
        (2.0, r"hinzufügen|unterstütz|ergänz|einführen|neue funktion|implementier"),
        (2.0, r"добав|поддержк|реализ|внедр|новая функци|хотелось бы"),
        (2.0, r"添加|新增|增加|支持|实现|功能请求|希望"),
    ),
    QueryType.REFACTORING: (
        (2.5, r"\b(?:refactor\w*|clean ?up|restructur\w*|reorgani[sz]e\w*|dedupl\w*|modulari[sz]e)\b"),
        (
            1.8,
            r"(?:^|[.\n:\]] *)(?:rename|extract|move|split|merge|replace|simplify|inline|deprecate|migrate|remove|drop|unify)\b",
        ),
        (2.5, r"refaktor|umbenenn|aufräum|vereinfach|auslager|verschieb"),
        (2.5, r"рефактор|переимен|вынес|упрост|перенес|избав"),
        (2.5, r"重构|重命名|提取|简化|移动|整理|拆分"),
    ),
    QueryType.QUESTION: (
        (3.0, r"^(?:how|why|what|when|which|who|does|do|is|are|can|could|should)\b[^\n]*\?"),
        (
            2.0,
            r"^(?:how (?:do|does|is|are|can|to)|why (?:do|does|is|are)|what (?:is|are|does)|explain|describe|understand)\b",
        ),
        (3.0, r"^(?:wie|warum|was|wann|welche\w*|wer|erkläre?)\b"),
        (3.0, r"^(?:как|почему|что|когда|какой|какие|зачем|объясни)\b"),
        (3.0, r"^(?:如何|为什么|怎么|什么|哪些|请解释|解释)|(?:吗|呢|是什么|怎么样)[？?]"),
    ),
    QueryType.SYMBOL_LOOKUP: (
        (
            4.0,
            r"^(?:where (?:is|are)|find|locate|go to|show(?: me)?|look ?up|definition of|usages? of|references? to|callers? of)\b",
        ),
        (4.0, r"^(?:wo (?:ist|sind|wird)|finde|zeige)\b"),
        (4.0, r"^(?:где|найди|найти|покажи)\b"),
        (4.0, r"^(?:在哪|哪里|查找|找到|定位)|(?:在哪里|在哪儿|定义在)"),
    ),
}
_COMPILED = {kind: [(w, re.compile(p, re.I)) for w, p in cues] for kind, cues in _CUES.items()}
# Chinese, Japanese and Korean letters are left out: a sentence without blanks is no name.
_SYMBOL = re.compile(r"^[`'\"]?(?:[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[.:#\\/()$-])+[`'\"]?$")


@dataclass(frozen=True, slots=True)
class Classification:
    """A query type, how sure (0 to 1), and the cues that spoke for it."""

    query_type: QueryType
    confidence: float
    reason: str


def classify(task: Task) -> Classification:
    """The query type of a task: votes of cues in the title (double) and the opening prose, and of the text's shape."""
    votes = dict.fromkeys(QueryType, 0.0)
    cues: dict[QueryType, list[str]] = {kind: [] for kind in QueryType}
    opening = task.asked_prose[:600]
    for kind, patterns in _COMPILED.items():
        for weight, pattern in patterns:
            for text, factor in ((task.asked_title, 2.0), (opening, 0.7)):
                if found := pattern.search(text):
                    votes[kind] += weight * factor
                    cues[kind].append(found.group(0).strip(" .:\n]"))
    for kind, vote, cue in _shape(task):
        votes[kind] += vote
        cues[kind].append(cue)
    ranked = sorted(QueryType, key=lambda k: (-votes[k], k.value))
    best, second = ranked[0], ranked[1]
    if votes[best] == 0:
        return Classification(QueryType.BUG_REPORT, 0.0, "no cue")
    confidence = votes[best] / (votes[best] + votes[second] + 1.0)
    said = ", ".join(f'"{c}"' for c in dict.fromkeys(c.lower() for c in cues[best][:3]))
    return Classification(best, round(confidence, 3), f"says {said}")


def _shape(task: Task) -> list[tuple[QueryType, float, str]]:
    votes = []
    if task.frames or task.errors:
        votes.append((QueryType.BUG_REPORT, 3.0, "an error or stack trace"))
    if _SYMBOL.match(task.text) and len(task.text) < 120:
        votes.append((QueryType.SYMBOL_LOOKUP, 12.0, "a bare name"))
    return votes
