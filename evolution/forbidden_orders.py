"""Orders that no evolved prompt may hold, as patterns in English, German, Russian and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

__all__ = ["orders"]

_EN = r"(?:instructions?|rules?|contract|guidelines|prompts?|sources?|format|schema|restrictions?|above|citations?)"
_DE = r"(?:anweisung\w*|regel\w*|vertrag\w*|vorgaben?|quellen?|format\w*|schema\w*|obige\w*|einschränkung\w*)"
_RU = r"(?:инструкц|правил|контракт|указани|источник|формат|схем|ограничени|договор)\w*"
_ZH = r"(?:指令|规则|契约|合同|要求|来源|格式|提示|限制)"
_OUTPUT = r"(?:key[_ ]points?|sources|warnings?|citations?)"
_MARKUP = r"(?:json|xml|yaml|html|csv|markdown)"

_PATTERNS: Mapping[str, Sequence[str]] = {
    "tells to ignore the contract": [
        rf"\b(?:ignore|disregard|forget|override|bypass|overrule|violate)\b[^.\n]{{0,60}}\b{_EN}",
        r"\b(?:instead of|rather than|without) (?:the |using |citing |any )*(?:sources?|contract|citations?)\b",
        r"\b(?:you are now|from now on you|new instructions?|jailbreak|developer mode)\b",
        rf"\b(?:ignorier\w*|missacht\w*|vergiss|vergessen sie|umgeh\w*|übergeh\w*)\b[^.\n]{{0,60}}\b{_DE}",
        rf"\b(?:игнорир|забудь|пренебре|наруш|обойди)\w*[^.\n]{{0,60}}\b{_RU}",
        rf"\bне\s+(?:соблюда|следу|обраща)\w*[^.\n]{{0,60}}\b{_RU}",
        rf"(?:忽略|无视|忘记|忘掉|违反|绕过)[^。\n]{{0,20}}{_ZH}",
    ],
    "lets the answer leave its sources": [
        r"\b(?:own|general|prior|background|outside|world) knowledge\b",
        r"\b(?:invent|fabricate|make up|hallucinate)\b",
        r"\b(?:do not|don't|never|no need to|stop) (?:cit(?:e|ing)|quot(?:e|ing)|giv(?:e|ing) sources)",
        r"\b(?:eigene[sm]?|allgemeine[sm]?) wissen\b|\berfinde\b(?! (?:nie|nicht|keine?))",
        r"\bohne quelle\w*|\bzitiere (?:nie|nicht|keine)\b",
        r"\b(?:собственн|общ)\w* знани\w*|\b(?:придум|выдум)\w*",
        r"\bбез (?:указания )?источник\w*|\bне (?:указывай|приводи|цитируй)\w*",
        r"自己的知识|编造|虚构|(?:不要|无需)(?:引用|标注|注明)",
    ],
    "changes the answer contract": [
        r"\b(?:return|respond|reply|answer|output|write|format)\b[^.\n]{0,40}\b(?:in|as|with|only|valid)\b"
        rf"[^.\n]{{0,20}}\b(?:{_MARKUP}|plain text)\b",
        r"\b(?:add|insert|rename|remove|drop|delete|create|introduce)\b[^.\n]{0,30}"
        r"\b(?:fields?|keys?(?![_ ]points?)|propert(?:y|ies))\b",
        r"\b(?:omit|drop|skip|leave out|remove|suppress|hide|rename|(?:give|write|use|list|include|with|return) no"
        r"|never (?:give|write|use|list)|do not (?:give|write|use|list|return|fill|add))"
        rf"(?: (?:the|all|any|every|its|their|your))* {_OUTPUT}\b",
        rf"\b(?:leave|keep)\b[^.\n]{{0,30}}\b{_OUTPUT}[^.\n]{{0,12}}\bempty\b",
        rf"\b(?:antworte|gib|schreib\w*|formatier\w*)\b[^.\n]{{0,40}}\b{_MARKUP}\b",
        r"\b(?:lass|lasse|streiche|entferne|benenne|(?:gib|schreibe|nenne) keine)\b(?: (?:die|alle|deine))*"
        r" (?:kernpunkte|quellen|warnungen)\b",
        r"\b(?:füge|ergänze|benenne)\b[^.\n]{0,30}\b(?:feld|felder|schlüssel)\b",
        rf"\b(?:ответь|отвечай|верни|выведи|выводи)\w*[^.\n]{{0,40}}\b{_MARKUP}\b",
        r"\b(?:опусти|опускай|пропусти|убери|удали|не пиши|не выводи|переименуй)(?: (?:все|поле|поля))*"
        r" (?:ключевые|тезис\w*|источник\w*|предупрежден\w*|пол[ея]\b)",
        r"\b(?:добавь|добавляй|введи)\w* (?:\w+ ){0,2}пол[ея]\b",
        rf"(?:以|用|按)\s*{_MARKUP}|(?:增加|添加|重命名)[^。\n]{{0,6}}字段",
        r"(?:省略|去掉|删除|隐藏|不写|不要写)[^。\n]{0,6}(?:要点|来源|警告)",
    ],
    "speaks to the judge": [
        r"\bthe (?:judges?|graders?|evaluators?|examiners?|raters?)\b",
        r"\b(?:graders|evaluators|raters) (?:will|should|must)\b",
        r"\b(?:high|full|top|maximum|perfect|best)(?:est)? (?:possible )?(?:scores?|marks?|grades?|ratings?)\b",
        r"\bscores? (?:of |it |this )?(?:\d|full|high)|\b10\s?/\s?10\b|\b10 out of 10\b",
        r"\b(?:gutachter|bewerter|prüfer)\w*|\b(?:höchst|best|voll)\w* (?:note|punkt|bewertung)\w*",
        r"\b(?:оценщик\w*|судь[яией]\b|проверяющ\w*)|\b(?:высш|максимальн|высок)\w* (?:балл|оценк)\w*",
        r"评委|评分者|评审|满分|高分",
    ],
    "asks for what is secret": [
        r"\b(?:reveal|print|repeat|show|disclose|leak)\b[^.\n]{0,30}\b(?:prompt|instructions)\b",
        r"\b(?:api[_ ]keys?|passwords?|credentials|secret tokens?)\b|\bpasswörter\b|\bsystemprompt\w*",
        r"\b(?:покаж|выведи|сообщи)\w*[^.\n]{0,30}\b(?:парол[ьи]|системн\w+ (?:промпт|инструкц)\w*)",
        r"(?:显示|输出|透露)[^。\n]{0,8}(?:系统提示|密码|密钥)",
    ],
}

_FORBIDDEN = re.compile(  # before an order, turns it round; a short list, for "do not fail to ignore" must not
    r"(?:\b(?:do not|don't|never|not|nor)\s+(?:(?:use|rely on|add|draw on|guess|estimate|assume|ever|any|your|or)\s+)*"
    r"|\b(?:kein|keine|keinen|nicht|nie)\s+|\bне\s+(?:(?:используй|применяй|добавляй)(?:те)?\s+)?"
    r"|(?:不要|不得|不可|禁止|切勿|请勿)(?:使用|用|依赖)?)$",
    re.IGNORECASE,
)


def orders(text: str) -> Iterator[tuple[str, str]]:
    """What each forbidden order in a text does, and its words; a prohibition of it ("never ignore ...") is none."""
    for what, pattern in _compiled():
        for match in pattern.finditer(text):
            if not _FORBIDDEN.search(text[max(0, match.start() - 60) : match.start()]):
                yield what, match.group()


@lru_cache(maxsize=1)
def _compiled() -> Sequence[tuple[str, re.Pattern[str]]]:
    return [(what, re.compile(pattern, re.I)) for what, patterns in _PATTERNS.items() for pattern in patterns]
