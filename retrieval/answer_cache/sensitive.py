"""Questions and texts that the cache must not keep: bound to a day, to a person, or trying to give instructions."""

# ruff: noqa: E501  (a table reads best in long lines)
from __future__ import annotations

import re

_TIME = {
    "en": r"\b(?:today|tonight|yesterday|tomorrow|now|nowadays|currently|presently|latest|newest|recently|lately|so far|"
    r"at the moment|as of|up[ -]to[ -]date|this (?:week|month|quarter|year)|(?:last|next) (?:week|month|quarter|year))\b",
    "de": r"\b(?:heute|gestern|morgen früh|derzeit|zurzeit|momentan|aktuell\w*|neueste\w*|jetzt|gerade eben|kürzlich|"
    r"neulich|bislang|diese[rn]? (?:woche|monat|jahr)|letzte[rn]? (?:woche|monat|jahr)|nächste[rn]? (?:woche|monat|jahr))\b",
    "ru": r"\b(?:сегодня\w*|вчера\w*|завтра\w*|сейчас|теперь|в настоящее время|на данный момент|актуальн\w*|"
    r"нов(?:ейш\w+)|самая новая|самый новый|недавно|на этой неделе|в этом (?:месяце|году)|пока что)\b",
    "zh": r"今天|昨天|明天|现在|目前|如今|最新|近来|近期|刚刚|眼下|本周|本月|今年|去年|明年|截至",
}
_PERSON = {
    "e-mail address": r"[\w.+-]{1,64}@[\w-]{1,63}\.\w",
    "account number": r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b|(?<!\d)(?:\d{4}[ -]?){3}\d{1,7}(?!\d)|"
    r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)|(?i:\b(?:account|customer|contract|invoice|passport|insurance)"
    r" (?:number|no\.?|id)(?: is)?\W{1,3}\w*\d{3,})|(?i:\b(?:konto|kunden|vertrags|rechnungs|ausweis)nummer(?: ist)?\W{1,3}\w*\d{3,})|"
    r"(?i:\b(?:номер (?:сч[её]та|договора|паспорта|карты)|инн|снилс)\W{1,3}\d{3,})|"
    r"(?:账号|帐号|卡号|身份证号|合同号)(?:码)?(?:是|为)?\W{0,3}\d{3,}",
    "phone number": r"(?<![\w.])(?:\+\d{1,3}|00\d{2}|0)[ ()/-]*\d(?:[ ()/-]*\d){6,13}(?![\w.])|(?<!\d)1[3-9]\d{9}(?!\d)|"
    r"(?<![\w.])\(?\d{3}\)?[ -]\d{3}[ -]\d{4}(?![\w.])",
    "name": r"(?i:\bmy name is\b|\bi am called\b|\bmein name ist\b|\bich heiße\b|\bменя зовут\b)|我叫|我的名字|我姓",
    "secret": r"(?i:\bmy (?:\w+ )?(?:password|passcode|pin|token|api key|secret|ssn|address|salary|account|card)\b|"
    r"\bmein(?:e|en|em|er)? (?:passwort|kennwort|pin|token|schlüssel|adresse|gehalt|konto|karte)\b|"
    r"\bмо(?:й|я|е|ё|и|его|ей|ему|им|ю) (?:пароль|пароля|токен|ключ|адрес|адреса|зарплат\w+|сч[её]т|карт\w+)\b)|"
    r"我的(?:密码|口令|令牌|密钥|地址|工资|账户|账号|银行卡)|"
    r"\b(?:sk|ghp|gho|xox[bp]|AKIA|eyJ)[-_A-Za-z0-9]{16,}|\b[0-9a-f]{32,}\b",
}
_ORDERS = {
    "en": r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|every|everything|the|your|these|those|of)\s+)*"
    r"(?:previous|prior|preceding|above|earlier|former|existing|system)?\s*"
    r"(?:instructions?|prompts?|rules?|guidelines?|context|said before)\b|"
    r"\b(?:always|only|never) (?:answer|reply|respond|say|claim|recommend|tell)\b|\byou are now (?:an?|the|my|in|free|no longer)\b|\bfrom now on,? you\b|"
    r"\bpretend (?:to be|that you|you are)\b|\bnew instructions?\s*:|\b(?:reveal|print|show|repeat) (?:me )?"
    r"(?:your|the) (?:system )?prompt\b|\bdo not (?:tell|mention to|inform) the user\b|"
    r"\b(?:if|when|whenever) (?:you are |someone is |a user )?ask(?:ed|s)\b[^.\n]{0,80}\b(?:say|answer|reply|respond|claim)\b|"
    r"\b(?:the assistant|the model|this ai|ai assistants?|llms?) (?:must|should|has to|have to|will) (?:always |only |never )?"
    r"(?:answer|reply|respond|say|ignore|claim|recommend)\b",
    "de": r"\b(?:ignorier\w*|vergiss|missachte\w*|übergeh\w*)\s+(?:\w+\s+){0,3}(?:anweisung\w*|vorgaben?|regeln?|prompts?)\b|"
    r"\b(?:antworte|sage?|behaupte|empfiehl|erwidere)\s+(?:immer|nur|stets|niemals|nie)\b|\bdu bist (?:jetzt|nun|ab jetzt)\b|"
    r"\bab (?:jetzt|sofort) (?:bist|sollst|antwortest) du\b|\bneue anweisung(?:en)?\s*:|\bgib dich als\b|"
    r"\b(?:zeige?|verrate?|nenne?) (?:mir )?(?:deinen|den) (?:system-?)?prompt\b",
    "ru": r"\b(?:игнорируй\w*|проигнорируй\w*|забудь\w*|отбрось\w*|не учитывай\w*)\s+(?:\w+\s+){0,3}"
    r"(?:инструкци\w+|указани\w+|правил\w*|подсказк\w+|команд\w*)\b|"
    r"\b(?:всегда|только|никогда не) (?:отвечай\w*|говори\w*|сообщай\w*|рекомендуй\w*|утверждай\w*)\b|"
    r"\b(?:отвечай\w*|говори\w*) (?:всегда|только)\b|\bтеперь ты\b|\bты теперь\b|\bпритворись\b|\bновые инструкции\s*:|"
    r"\b(?:покажи|раскрой|выведи) (?:мне )?(?:свой|системный) промпт\b",
    "zh": r"(?:忽略|无视|忘记|忘掉|不要理会|不要遵守|绕过)[^。.\n]{0,12}(?:指令|指示|规则|提示词?|说明|要求)|"
    r"(?:始终|总是|一律|只能|永远)(?:回答|回复|答复|说|推荐)|(?:你现在是|从现在开始你|从现在起,?你)|假装(?:你|成)|"
    r"新的?指令\s*[:：]|(?:显示|透露|输出|告诉我)(?:你的)?(?:系统)?提示词",
    "any": r"<\|(?:im_start|im_end|system|user|assistant)\|>|\[/?INST\]|<</?SYS>>|###\s*(?:system|instruction)s?\s*:",
}
_ROLE = r"(?:^|\n)\s*(?:system|assistant|developer|система|系统|system-?anweisung)\s*[:：]"
_TIMES = [re.compile(pattern, re.I) for pattern in _TIME.values()]
_PERSONS = [(name, re.compile(pattern)) for name, pattern in _PERSON.items()]
_INSTRUCTIONS = [re.compile(pattern, re.I) for pattern in _ORDERS.values()]
_ROLES = re.compile(_ROLE, re.I)


def time_sensitive(question: str) -> str:
    """The words that bind the answer to a moment, '' when there are none."""
    return next((found.group() for pattern in _TIMES if (found := pattern.search(question))), "")


def personal(question: str) -> str:
    """What kind of personal detail the question holds ("phone number"), '' when none is seen; never the detail."""
    return next((name for name, pattern in _PERSONS if pattern.search(question)), "")


def instructs(text: str) -> str:
    """The words with which a text gives instructions to whoever reads it for an answer, '' when it does not."""
    return next((found.group().strip() for pattern in _INSTRUCTIONS if (found := pattern.search(text))), "")


def poses(question: str) -> str:
    """As ``instructs``, and also "system:" at a line's beginning: in documents that can be a key of a YAML file."""
    found = _ROLES.search(question)
    return instructs(question) or (found.group().strip() if found else "")


__all__ = ["instructs", "personal", "poses", "time_sensitive"]
