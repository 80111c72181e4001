"""Language of short questions and of pages with much code."""

from __future__ import annotations

import pytest

from iterative_retrieval.retrieval.documents import language_of_text
from iterative_retrieval.retrieval.documents.language import language_of_passage

TEXTS = {
    "en": [
        "How do I limit retries?",
        "What is the default timeout of the client",
        "Where is max_retries configured?",
        "install retry timeout error",
        "Unable to connect to database",
        "Explain `Session.get` vs `requests.get`",
        "Can I use a custom encoder with json.dumps()?",
        "Why does FastAPI return 422 Unprocessable Entity?",
        "How to print 'привет мир' in Python?",
        "What does the word 配置 mean in the settings dialog?",
        "What does „Größe überschritten“ mean?",
        "list open files",
        "What's new?",
        "retry policy",
        "The pool keeps ten connections open.",
        "Is it safe to share HTTPAdapter between threads?",
        "run `SELECT * FROM user WHERE id = 1` without a lock",
        "DataFrame.groupby drops NaN keys",
    ],
    "de": [
        "Wie begrenze ich die Anzahl der Versuche?",
        "Was ist der default Timeout von requests?",
        "Wo wird max_retries konfiguriert?",
        "Datei lesen Encoding",
        "Wie deploye ich mit Docker Compose?",
        "Warum liefert FastAPI einen 422 Fehler?",
        "Kann man HTTPAdapter wiederverwenden?",
        "Unterschied zwischen Session und Client",
        "Verbindung zur Datenbank herstellen",
        "JSON-Datei einlesen in Python",
        "Session schließen nach Request",
        "Timeout setzen",
        "Welche Python Version brauche ich?",
        "Wo steht das Timeout?",
        "Retry Policy einstellen",
        "Der Pool hält zehn Verbindungen offen.",
        'Was bedeutet "connection refused by the server"?',
        "Gibt es einen Thin Client für Windows?",
    ],
    "ru": [
        "Как ограничить число повторов?",
        "Что такое RetryPolicy и как её настроить",
        "Как настроить retry policy для http client в Spring Boot",
        "ошибка подключения к базе",
        "Почему FastAPI возвращает 422?",
        "Где задаётся max_retries в requests.Session?",
        "тонкий клиент и сервер",
        "Можно ли использовать asyncio.gather() с timeout?",
        "Установка Python Windows",
        "Чем отличается Session от Client?",
        'Что означает "connection refused by the server"?',
        "Пул держит открытыми десять соединений.",
        "Как вызвать процедуру на сервере из веб-клиента?",
        "таймаут по умолчанию",
        "&НаСервере и &НаКлиенте: в чём разница",
        "запись в CSV файл pandas",
    ],
    "zh": [
        "如何限制重试次数?",
        "在 FastAPI 中如何用 Depends 注入 Session",
        "RetryPolicy 的默认超时是多少",
        "怎么安装 Python",
        "max_retries 参数在哪里设置?",
        "pandas DataFrame groupby 用法",
        "如何配置代理服务器",
        "什么是执行上下文?",
        "为什么返回 422 Unprocessable Entity 错误",
        "连接池保持十个连接。",
        "Session 和 Client 有什么区别",
        "请解释 connection refused 的含义",
        "默认值",
        "瘦客户端能不能访问文件系统?",
        "如何把 JSON 写入文件",
        "使用 docker compose 部署服务",
    ],
    "": [
        "Comment limiter le nombre de tentatives ?",
        "¿Cómo configuro el tiempo de espera?",
        "Hoe stel ik de timeout in?",
        "Como faço para configurar o servidor?",
        "Come posso limitare i tentativi?",
        "Jak skonfigurować limit czasu?",
        "Hur begränsar jag antalet försök?",
        "タイムアウトを設定する方法",
        "재시도 횟수를 제한하는 방법",
        "Як обмежити кількість спроб?",
        "Как да огранича броя на опитите, които се изпращат?",
        "PostgreSQL Docker",
        "x = foo(bar)[1]",
        "123 456",
        "",
    ],
}


@pytest.mark.parametrize(("language", "text"), [(name, text) for name, texts in TEXTS.items() for text in texts])
def test_the_language_of_a_short_text_is_told(language: str, text: str) -> None:
    assert language_of_text(text) == language


def test_every_language_has_its_share_of_the_table() -> None:
    assert min(len(set(texts)) for texts in TEXTS.values()) >= 15


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Der Client wartet vor jedem Versuch länger."),
        ("ru", "Клиент ждёт дольше перед каждой попыткой."),
        ("zh", "客户端在每次重试之前都会等待更长的时间。"),
    ],
)
def test_code_does_not_outvote_the_text_around_it(language: str, sentence: str) -> None:
    code = "for request in client.send(request, with_retry=True):\n    if not request.is_done and error in errors:\n"
    assert language_of_text(f"{sentence}\n\n```python\n{code * 30}```\n\n{sentence}") == language


def test_a_list_of_names_takes_the_language_of_its_document() -> None:
    names = (
        "Jürgen Müller, Łukasz Nowak, Björn Bergström, Zoë Brontë, Tobias Nießen, Jan Krems, Kohei Ueno, Bob Hall, Max"
    )
    assert language_of_passage(names, "en") == "en"
    assert language_of_passage("Der Client wartet, bis die Grenze erreicht ist.", "en") == "de"


@pytest.mark.timeout(20)
@pytest.mark.parametrize("run", ["a@", "a", "a.", "_", "A", '"', "`", "<", "aB", "@", "```\n", "a/"])
def test_a_hostile_question_is_read_in_no_time(run: str) -> None:
    assert language_of_text(run * (20_000 // len(run))) in ("", "en", "de", "ru", "zh")
