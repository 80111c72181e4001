"""Warnings of an answer in the four languages; English for any other."""

from __future__ import annotations

from collections.abc import Sequence

_TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "nothing": "Nothing in the documents found answers this; looked for: {words}.",
        "empty": "No document was found; looked for: {words}.",
        "part": "No source speaks of this part of the question: {words}.",
        "names": "Not mentioned in the documents found: {words}.",
        "language": "The documents are in {languages}.",
        "short": "The answer was cut to {tokens} tokens; there is more in the sources.",
        "removed": 'Left out, as no source supports it: "{sentence}" ({problem}).',
        "fallback": "The language model could not be used ({problem}); the answer is put together from the documents.",
        "translated": "Sentences in another language than their source were checked by names and numbers only.",
    },
    "de": {
        "nothing": "Nichts in den gefundenen Dokumenten beantwortet das; gesucht wurde nach: {words}.",
        "empty": "Es wurde kein Dokument gefunden; gesucht wurde nach: {words}.",
        "part": "Zu diesem Teil der Frage sagt keine Quelle etwas: {words}.",
        "names": "In den gefundenen Dokumenten nicht erwähnt: {words}.",
        "language": "Die Dokumente sind auf {languages}.",
        "short": "Die Antwort wurde auf {tokens} Tokens gekürzt; in den Quellen steht mehr.",
        "removed": "Weggelassen, da keine Quelle es stützt: „{sentence}“ ({problem}).",
        "fallback": "Das Sprachmodell war nicht zu gebrauchen ({problem}); die Antwort ist aus den Dokumenten "
        "zusammengestellt.",
        "translated": "Sätze in einer anderen Sprache als ihre Quelle wurden nur an Namen und Zahlen geprüft.",
    },
    "ru": {
        "nothing": "В найденных документах нет ответа; искали: {words}.",
        "empty": "Ни одного документа не найдено; искали: {words}.",
        "part": "Об этой части вопроса источники не говорят: {words}.",
        "names": "В найденных документах не упоминается: {words}.",
        "language": "Документы на другом языке: {languages}.",
        "short": "Ответ сокращён до {tokens} токенов; в источниках сказано больше.",
        "removed": "Опущено, так как источники этого не подтверждают: «{sentence}» ({problem}).",
        "fallback": "Языковую модель использовать не удалось ({problem}); ответ составлен из документов.",
        "translated": "Предложения на другом языке, чем источник, проверены только по именам и числам.",
    },
    "zh": {
        "nothing": "找到的文档中没有答案；查找的词：{words}。",
        "empty": "没有找到文档；查找的词：{words}。",
        "part": "没有来源谈到问题的这一部分：{words}。",
        "names": "找到的文档中没有提到：{words}。",
        "language": "文档使用的语言：{languages}。",
        "short": "答案已截短到 {tokens} 个词元；来源中还有更多内容。",
        "removed": "已省略，因为没有来源支持：“{sentence}”（{problem}）。",
        "fallback": "语言模型不可用（{problem}）；答案由文档内容组成。",
        "translated": "与来源语言不同的句子只核对了名称和数字。",
    },
}

_LANGUAGES: dict[str, dict[str, str]] = {
    "en": {"en": "English", "de": "German", "ru": "Russian", "zh": "Chinese"},
    "de": {"en": "Englisch", "de": "Deutsch", "ru": "Russisch", "zh": "Chinesisch"},
    "ru": {"en": "английский", "de": "немецкий", "ru": "русский", "zh": "китайский"},
    "zh": {"en": "英语", "de": "德语", "ru": "俄语", "zh": "中文"},
}


def message(name: str, language: str, **values: object) -> str:
    """The warning ``name`` in ``language``. Raises KeyError for a name that does not exist."""
    return _TEXTS.get(language, _TEXTS["en"])[name].format(**values)


def listed(words: Sequence[str], most: int = 12) -> str:
    """Words for a warning."""
    return ", ".join(words[:most]) + (", ..." if len(words) > most else "")


def language_names(codes: Sequence[str], language: str) -> str:
    """Names of languages in ``language``."""
    names = _LANGUAGES.get(language, _LANGUAGES["en"])
    return ", ".join(names.get(code, code) for code in codes)
