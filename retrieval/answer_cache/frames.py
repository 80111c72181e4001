"""How questions are put: courtesy, the kind of a question, and the words that say nothing, in four languages."""

# ruff: noqa: E501  (a table reads best in long lines)
from __future__ import annotations

import re
from dataclasses import dataclass

COURTESY = {
    "en": (
        r"(?:hi|hello|hey)(?: there| all| everyone)?\b[ ,!.:-]*",
        r"(?:please|pls|kindly)\b,? ?",
        r"(?:can|could|would|will) (?:you|someone|anyone|anybody) (?:please )?(?:tell|explain to|explain|show|help) ?(?:me)?,? ?",
        r"(?:i(?:'d| would) like to|i want to|i need to) (?:know|understand|ask),? ?",
        r"(?:tell me|explain to me|show me|explain)\b,? ?(?=how|what|why|when|where|which|who|whether|if)",
        r"(?:do you know|does anyone know|any idea),? (?=how|what|why|when|where|which|who|whether|if)",
        r"(?:quick|short|simple) question:? ",
    ),
    "de": (
        r"(?:hallo|hi|guten (?:tag|morgen|abend))\b[ ,!.:-]*",
        r"bitte\b,? ?",
        r"(?:kannst du|können sie|könntest du|könnten sie|kann) (?:mir |jemand )?(?:bitte )?(?:mir )?(?:sagen|erklären|zeigen),? ?",
        r"(?:ich (?:möchte|will|würde gern(?:e)?)) (?:wissen|verstehen),? ?",
        r"(?:sag mir|erklär(?:e)? mir|zeig mir),? ?",
    ),
    "ru": (
        r"(?:привет|здравствуйте|добрый (?:день|вечер)|доброе утро)\b[ ,!.:-]*",
        r"пожалуйста\b,? ?",
        r"(?:подскажите|скажите|расскажите|объясните|подскажи|скажи|расскажи|объясни)(?: мне)?(?:,? пожалуйста)?,? ?",
        r"(?:я )?(?:хочу|хотел бы|хотела бы) (?:узнать|понять|знать),? ?",
        r"(?:не )?(?:можете|могли бы вы|можешь) (?:мне )?(?:подсказать|сказать|объяснить),? ?",
    ),
    "zh": (r"(?:你好|您好|大家好)[ ,!。、]*", r"(?:请问一下|请问|麻烦问一下|麻烦|请告诉我|请解释|请教一下|请教|请)[ ,:]*", r"(?:我想知道|我想问|想问一下|想请问)[ ,:]*"),
}  # fmt: skip
"""Openings that ask nicely; they are dropped."""

FAREWELL = {
    "en": r"(?<![ ,.?!])[ ,.?!]{1,9}(?:please|pls|thanks|thank you|thx|thanks in advance)[ .!]*$",
    "de": r"(?<![ ,.?!])[ ,.?!]{1,9}(?:bitte|danke|vielen dank|danke im voraus)[ .!]*$",
    "ru": r"(?<![ ,.?!])[ ,.?!]{1,9}(?:пожалуйста|спасибо|заранее спасибо)[ .!]*$",
    "zh": r"(?<![ ,.?!])[ ,.?!]{0,9}(?:谢谢|多谢|感谢)[ .!]*$",
}
"""Endings that ask nicely."""

KINDS = {
    "en": (
        ("how many", r"how (?:many|much)|what (?:number|count|amount|quantity) of"),
        ("=", r"how (?:long|often|far|large|big|fast|old|soon|deep|high|wide)"),
        ("what happens", r"what (?:will |would |does )?happens?"),
        ("why", r"why|how come|what (?:is the reason|are the reasons|causes?|makes)|for what reason"),
        ("how", r"how|what(?: is|'s) the (?:best |right |proper |correct )?way (?:to|of|for)|is there (?:a|any|some) (?:way|method|possibility) (?:to|of|for)|what steps|what (?:do|must|should) i (?:need to |have to )?do to|what does it take to"),
        ("when", r"when|at (?:what|which) (?:point|time|moment)(?: in time)?"),
        ("where", r"where|what(?: is|'s) the location of"),
        ("whose", r"whose"),
        ("whom", r"whom|to whom"),
        ("who", r"who|by whom|(?:which|what) (?:people|person|persons)"),
        ("what", r"what|which|what's"),
        ("must", r"(?:must|do (?:i|we|you) (?:have|need) to|is it necessary)"),
        ("should", r"should"),
        ("can", r"can|could|may|is it (?:possible|allowed|permitted)|am i allowed|are we allowed"),
        ("whether it will", r"will|would|shall"),
        ("whether", r"is|are|was|were|did|does|do|had|has|have|whether"),
    ),
    "de": (
        ("how many", r"wie ?viele?|welche (?:anzahl|zahl|menge)"),
        ("=", r"wie (?:lange|oft|groß|weit|schnell|häufig|hoch|tief|alt)"),
        ("what happens", r"was (?:passiert|geschieht)"),
        ("what", r"wie (?:lautet|heißt)"),
        ("why", r"warum|weshalb|wieso|aus welchem grund|was ist der grund"),
        ("what for", r"wozu|wofür"),
        ("how", r"wie|gibt es (?:eine|die|irgendeine) (?:möglichkeit|weise|methode)|auf welche weise|was (?:muss|soll) (?:ich|man) (?:tun|machen)"),
        ("when", r"wann|zu welchem zeitpunkt|ab wann"),
        ("whither", r"wohin"),
        ("where", r"wo|an welcher stelle|worin"),
        ("whom", r"wen"),
        ("to whom", r"wem"),
        ("whose", r"wessen"),
        ("whereby", r"wodurch|womit"),
        ("who", r"wer|von wem|welche (?:personen|leute)"),
        ("what", r"was|welch(?:e|er|es|en|em)"),
        ("must", r"muss|müssen|musst"),
        ("should", r"soll|sollte|sollten|sollen"),
        ("can", r"kann|können|könnte|darf|dürfen|ist es (?:möglich|erlaubt)|lässt sich"),
        ("whether", r"ist|sind|war|waren|wurden?|wird|werden|hatten?|hat|haben|ob"),
    ),
    "ru": (
        ("how many", r"сколько|какое (?:количество|число)"),
        ("=", r"как (?:долго|часто|далеко|быстро)"),
        ("what happens", r"что (?:будет|происходит|произойдет|произойдёт|случится|случается)"),
        ("why", r"почему|отчего|из-за чего|по какой причине|в чем причина|чем вызвано"),
        ("what for", r"зачем|для чего"),
        ("how", r"как(?! (?:ой|ая|ое|ие))|каким образом|есть ли (?:способ|возможность)|каким способом"),
        ("when", r"когда|в какой момент|в какое время"),
        ("whither", r"куда"),
        ("whence", r"откуда"),
        ("where", r"где|в каком месте"),
        ("whom", r"кого"),
        ("to whom", r"кому"),
        ("who", r"кто|кем"),
        ("whereby", r"чем(?! отлича)"),
        ("about what", r"о чем"),
        ("what", r"что|чего|чем|чему|в чем|какой|какая|какое|какие|каков|каково|каковы|какую|каких|какими|которые|который"),
        ("can", r"можно|возможно ли|может ли|допустимо ли"),
        ("should", r"следует ли|стоит ли|нужно ли|надо ли"),
        ("whether", r"есть ли|ли"),
    ),
    "zh": (
        ("what", r"是多少"),
        ("how many", r"多少|几个|几次|几(?=[个次条台行种层])"),
        ("how long", r"多久|多长时间"),
        ("=", r"多大|多快|多高"),
        ("why", r"为什么|为何|是?什么原因(?:导致|造成|使得)?|怎么会"),
        ("how", r"如何|怎么(?!样)|怎样(?!$)|怎么才能|有没有办法|有什么办法|有什么方法"),
        ("when", r"什么时候|何时|什么时间|哪个时候"),
        ("where", r"哪里|哪儿|在哪|什么地方|何处"),
        ("who", r"谁|哪些人|什么人"),
        ("what happens", r"会怎样|会怎么样|发生什么|怎么样|怎样$"),
        ("what for", r"有什么作用|有什么用|的作用是什么|是做什么的|用途是什么|有何用"),
        ("what", r"什么|哪些|哪个|哪种|哪|何|有何"),
        ("should", r"应该|应当|该不该|要不要|需要.{0,200}吗"),
        ("can", r"可以.{0,200}吗|能.{0,200}吗|能否|可否|是否可以|是否能|能不能|可不可以"),
        ("whether", r"吗|是否|是不是|有没有|呢"),
    ),
}  # fmt: skip
"""Kind of a question -> how it is asked; the first kind that is found stands. German, Russian and English are asked at
the beginning of a clause, Chinese anywhere. "=" stands for the words themselves ("how often")."""

STOPS = {
    "en": """
        a an the this that these those it its itself there here i me my mine we us our you your yours one's they them
        their he she his her do does did doing done be is are was were been being am will would shall can could may
        might should must have has had having to of in on at for with by from into onto via through using use used and
        but so then as than about around which what 's 're 've 'd
        'll way ways possible possibility want wants wanted need needs needed like let please also too very really actually exactly properly correctly right best lot able ability order go tell over under
    """,
    "de": """
        der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen diesem es sich ich mich mir
        mein meine meinen meinem meiner wir uns unser unsere du dein deine sie er ihm ihr ihre man wird werden wurde
        wurden worden ist sind war waren sein bin kann können könnte soll sollte sollten muss müssen darf dürfen lässt
        lassen möchte will wollen habe hat haben hatte gibt und aber dann dass in im an am
        auf für mit bei beim zu zum zur von vom aus durch über um hier da dort auch sehr genau richtig eigentlich denn
        mal doch möglichkeit möglich was welche welcher welches welchen welchem
        geht gehen mittels hilfe gerade so unter
    """,
    "ru": """
        я мне меня мой моя мое мои мою моего мы нам нас наш ты вы вам вас ваш он она оно они его ее их это этот эта эти
        этого этой этом эту тот та те то такой такая быть был была было есть ли бы же и а но чтобы что
        какой какая какое какие каких каким какими каком какую каков каково чем чему чего
        можно может могут мочь нужно нужен нужна нужны надо требуется следует в во на с со у к ко о об по
        за из из-за от для при про над под через с помощью помощь образом образ используя путем способ возможность
        себя себе свое там тут здесь уже еще очень именно вообще лучше правильно
    """,
    "zh": """
        的 地 得 了 着 过 吗 呢 吧 啊 我 我们 你 您 他 它 这 该 这个 那个 一个 一种 一下 有 是 会 能 可以 能够 想 要 需要 应该 应当
        在 于 对 给 为 用 以 把 将 被 让 使 由 从 到 向 和 与 跟 及 以及 并 来 去 时 时候 当 如果 若 假如 的话 就 才 也 还
        请 怎么样 什么 哪些 哪个 哪种 哪 何 几 几个 是否 能否 可否
        有没有 有没有办法 办法 方法 方式 使用 通过 利用 进行 做 中 里 上 内 起来 一起 之间 间 来说 方面 个 种 那 其 所 且 而
        是做什么的 有什么作用 有什么用 作用 用途 有何 会怎样 会怎么样 怎么才能 呀 下面 该怎么 起
    """,
}
"""Words without a meaning of their own in a question."""

_HOW_DO_I = {
    "en": re.compile(r"^can (.*?),? and how$", re.I),
    "ru": re.compile(r"^можно ли (.*?),? и как$", re.I),
}
_NEGATED = re.compile(r"^(is|are|was|were|do|does|did|has|have|had|wo|would|should|ca|could)n't\b", re.I)
_NEGATED_KINDS = {"ca": "can", "could": "can", "should": "should"}
_BARE = {"什么", "谁", "何"}
_COPULAS = ("是", "表示", "意味着", "代表", "叫", "有")
_ASKED = " ¿ "  # stands where a Chinese question word stood: "X calls what" is not "what calls X"
_CLAUSE = re.compile(r"[,;:.!?]\s*")


@dataclass(frozen=True, slots=True)
class Frame:
    """How a question is put. kind: "how", "why", ... or '' when it is no question. rest: what it is about."""

    kind: str
    rest: str


def without_courtesy(text: str, language: str) -> str:
    """The question without a greeting before and thanks behind it; never empty unless it was."""
    found = next((m for pattern in _COURTESY.get(language, ()) if (m := pattern.match(text))), None)
    if found and 0 < found.end() < len(text):
        text = text[found.end() :]
    found = _FAREWELL[language].search(text) if language in _FAREWELL else None
    return text[: found.start()] if found and found.start() else text


def frame_of(text: str, language: str) -> Frame:
    """Kind and rest of a question without courtesy and final punctuation."""
    if language in _HOW_DO_I and (asked := _HOW_DO_I[language].match(text)):
        return Frame("how", asked.group(1))
    if language == "zh":
        return _anywhere(text)
    if language == "en" and (negated := _NEGATED.match(text)):
        return Frame(_NEGATED_KINDS.get(negated.group(1).lower(), "whether"), text)
    found = [frame for clause in _clauses(text) if (frame := _at_start(text, clause, language)).kind]
    if len(found) > 1 and found[0].kind == "when":
        return found[-1]  # "when the queue is full, what happens?"
    if found:
        return found[0]
    return _inside(text, language)


def _clauses(text: str) -> list[int]:
    return [0, *(m.end() for m in _CLAUSE.finditer(text))]


def _at_start(text: str, place: int, language: str) -> Frame:
    for kind, pattern in _KINDS.get(language, ()):
        if found := pattern.match(text, place):
            return Frame(_named(kind, found), f"{text[:place]} {text[found.end() :]}")
    return Frame("", text)


def _named(kind: str, found: re.Match[str]) -> str:
    return found.group().strip().lower() if kind == "=" else kind


def _inside(text: str, language: str) -> Frame:
    """A question word after its preposition ("in which file"), or a verb first ("Unterstützt der ...?")."""
    first = text.split(" ", 2)
    if len(first) > 1:
        frame = _at_start(text, len(first[0]) + 1, language)
        if frame.kind in {"what", "who"} and first[0].lower() in _PREPOSITIONS.get(language, ()):
            return frame
        if frame.kind == "whether" and language == "ru":
            return frame
    return Frame("", text)


def _anywhere(text: str) -> Frame:
    for kind, pattern in _KINDS["zh"]:
        if found := pattern.search(text):
            if ".{" in pattern.pattern and "吗" in found.group(0):
                return Frame(kind, text)
            before, behind = text[: found.start()], text[found.end() :]
            asks = found.group() in _BARE and not before.endswith(_COPULAS) and not behind.startswith("是")
            return Frame(_named(kind, found), f"{before}{_ASKED if asks else ' '}{behind}")
    return Frame("", text)


def _compiled(patterns: tuple[str, ...]) -> list[re.Pattern[str]]:
    return [re.compile(rf"^\s*(?:{p})", re.I) for p in patterns]


_COURTESY = {language: _compiled(patterns) for language, patterns in COURTESY.items()}
_FAREWELL = {language: re.compile(pattern, re.I) for language, pattern in FAREWELL.items()}
_KINDS = {
    language: [(kind, re.compile(p if language == "zh" else rf"\s*(?:{p})(?![\w'-])", re.I)) for kind, p in kinds]
    for language, kinds in KINDS.items()
}
_PREPOSITIONS = {
    "en": {"in", "at", "on", "by", "for", "with", "from", "to", "of", "under", "through"},
    "de": {"in", "an", "auf", "mit", "durch", "von", "für", "unter", "zu", "aus", "bei"},
    "ru": {"в", "на", "с", "по", "к", "из", "о", "для", "через", "от", "у"},
}

__all__ = ["COURTESY", "FAREWELL", "KINDS", "STOPS", "Frame", "frame_of", "without_courtesy"]
