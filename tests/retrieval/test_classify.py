import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.classify import classify
from iterative_retrieval.retrieval.task import read_task
from iterative_retrieval.state.query import QueryType

BUG, FEATURE, REFACTORING = QueryType.BUG_REPORT, QueryType.FEATURE, QueryType.REFACTORING
QUESTION, LOOKUP = QueryType.QUESTION, QueryType.SYMBOL_LOOKUP

TASKS: dict[str, list[tuple[QueryType, str]]] = {
    "English": [
        (BUG, "Fix the authentication token expiry bug"),
        (BUG, "Upload crashes with an empty file"),
        (BUG, "QuerySet.union() raises TypeError when combined with distinct()"),
        (BUG, "The date filter does not respect the active time zone"),
        (FEATURE, "Add rate limiting to the public API"),
        (FEATURE, "Support for Python 3.13"),
        (FEATURE, "Allow a custom JSON encoder"),
        (REFACTORING, "Refactor the session manager into smaller classes"),
        (REFACTORING, "Rename UserStore to AccountStore"),
        (REFACTORING, "Extract the retry logic from the HTTP client"),
        (QUESTION, "How does the router choose a handler?"),
        (QUESTION, "Why is the cache cleared on every request?"),
        (QUESTION, "What is the difference between the two tokenizers?"),
        (LOOKUP, "Where is the JWT secret defined?"),
        (LOOKUP, "Find the definition of parse_header"),
    ],
    "German": [
        (BUG, "Fehler beim Hochladen leerer Dateien"),
        (BUG, "Der Export funktioniert nicht mit Umlauten"),
        (BUG, "Anwendung stürzt ab, wenn das Passwort leer ist"),
        (BUG, "Falsche Summe in der Rechnung"),
        (FEATURE, "Unterstützung für PostgreSQL ergänzen"),
        (FEATURE, "Dunkles Farbschema hinzufügen"),
        (FEATURE, "Neue Funktion: Suche nach Datum"),
        (REFACTORING, "Sitzungsverwaltung refaktorieren"),
        (REFACTORING, "Klasse UserStore in AccountStore umbenennen"),
        (REFACTORING, "Parser vereinfachen und Hilfsfunktionen auslagern"),
        (QUESTION, "Wie wird das Token erneuert?"),
        (QUESTION, "Warum wird der Cache bei jeder Anfrage geleert?"),
        (LOOKUP, "Wo ist die Klasse TokenStore definiert?"),
        (LOOKUP, "Finde die Funktion parse_header"),
    ],
    "Russian": [
        (BUG, "Ошибка при загрузке пустого файла"),
        (BUG, "Сервер падает при неверном пароле"),
        (BUG, "Не работает экспорт отчёта"),
        (BUG, "Исправить некорректную сумму в счёте"),
        (FEATURE, "Добавить ограничение частоты запросов"),
        (FEATURE, "Поддержка PostgreSQL"),
        (FEATURE, "Реализовать поиск по дате"),
        (REFACTORING, "Рефакторинг менеджера сессий"),
        (REFACTORING, "Переименовать класс UserStore в AccountStore"),
        (REFACTORING, "Упростить разбор заголовков и вынести общий код"),
        (QUESTION, "Как обновляется токен?"),
        (QUESTION, "Почему кэш очищается при каждом запросе?"),
        (LOOKUP, "Где определён класс TokenStore?"),
        (LOOKUP, "Найти функцию parse_header"),
    ],
    "Chinese": [
        (BUG, "上传空文件时报错"),
        (BUG, "密码为空时程序崩溃"),
        (BUG, "修复令牌过期的错误"),
        (BUG, "导出功能不工作"),
        (FEATURE, "添加接口限流"),
        (FEATURE, "支持 PostgreSQL 数据库"),
        (FEATURE, "新增按日期搜索"),
        (REFACTORING, "重构会话管理器"),
        (REFACTORING, "将 UserStore 重命名为 AccountStore"),
        (REFACTORING, "拆分解析模块"),
        (QUESTION, "如何刷新令牌？"),
        (QUESTION, "为什么每次请求都会清空缓存？"),
        (LOOKUP, "TokenStore 类在哪里定义？"),
        (LOOKUP, "查找 parse_header 函数"),
    ],
}


@pytest.mark.parametrize("language", TASKS)
def test_four_of_five_short_tasks_are_classified_in_every_language(language: str) -> None:
    wrong = [text for kind, text in TASKS[language] if classify(read_task(text)).query_type is not kind]
    assert len(TASKS[language]) >= 12
    assert 1 - len(wrong) / len(TASKS[language]) >= 0.8, wrong


@pytest.mark.parametrize(
    "text",
    [
        "parse_header",
        "`Router.add`",
        "std::vec::Vec",
        "src/auth.py",
        "get()",
        "Foo#bar",
        "error.ParseError",
        "exception.crash",
    ],
)
def test_a_bare_symbol_is_a_symbol_lookup(text: str) -> None:
    found = classify(read_task(text))
    assert (found.query_type, found.reason) == (LOOKUP, 'says "a bare name"')
    assert found.confidence >= 0.6


def test_a_stack_trace_speaks_for_a_bug() -> None:
    found = classify(read_task('Upload\n```\n  File "a.py", line 3, in f\nValueError: no\n```'))
    assert (found.query_type, found.reason) == (BUG, 'says "an error or stack trace"')


def test_without_a_cue_nothing_is_sure() -> None:
    found = classify(read_task("zebra crossing"))
    assert (found.query_type, found.confidence, found.reason) == (BUG, 0.0, "no cue")


def test_the_reason_cites_the_cue() -> None:
    assert classify(read_task("Where is the parser?")).reason.startswith('says "where is"')


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=200))
def test_any_task_is_classified_with_a_confidence_from_zero_to_one(text: str) -> None:
    assert 0 <= classify(read_task(text)).confidence <= 1
