"""Small documents in four languages for the tests of answers."""

from __future__ import annotations

import hashlib

from iterative_retrieval.state.documents import StoredChunk


def chunk(
    text: str,
    *,
    document: str = "guide.md",
    ordinal: int = 0,
    heading: tuple[str, ...] = ("Guide",),
    first: int = 1,
    language: str = "en",
    kind: str = "prose",
) -> StoredChunk:
    """A stored chunk of ``text`` that begins on line ``first`` of its document."""
    return StoredChunk(
        document=document,
        ordinal=ordinal,
        heading=heading,
        first=first,
        last=first + text.count("\n"),
        text=text,
        language=language,
        kind=kind,
        sha256=hashlib.sha256("\n".join((*heading, text)).encode()).hexdigest(),
    )


RETRIES = chunk(
    "The client retries failed requests up to three times by default. It waits two seconds between tries.\n"
    "\n"
    "Set `max_retries` to change the limit:\n"
    "\n"
    "```python\n"
    "client = Client(max_retries=5)\n"
    "```\n"
    "\n"
    "Requests that were refused with status 400 are not retried.",
    document="retries.md",
    heading=("Client", "Retries"),
    first=10,
)
TIMEOUTS = chunk(
    "A timeout is the longest time a request may take. The default timeout is 30 seconds.\n"
    "\n"
    "Timeouts are set per client or per request:\n"
    "\n"
    "- `timeout` of the client holds for every request.\n"
    "- `timeout` of a request holds for that request only.\n"
    "- `None` waits forever.",
    document="timeouts.md",
    heading=("Client", "Timeouts"),
    first=3,
)
LOGGING = chunk(
    "Log messages go to standard error. Pass `--quiet` to hide them.",
    document="logging.md",
    heading=("Logging",),
)
GERMAN = chunk(
    "Der Client wiederholt fehlgeschlagene Anfragen standardmäßig dreimal. Zwischen den Versuchen wartet er z. B. zwei "
    "Sekunden. Anfragen mit Status 400 werden nicht wiederholt.",
    document="wiederholung.md",
    heading=("Wiederholungen",),
    language="de",
)
RUSSIAN = chunk(
    "Клиент повторяет неудачные запросы три раза, т. е. не больше. Между попытками он ждёт 2 секунды. "
    "Тонкий клиент — это приложение, которое выполняется на компьютере пользователя.",
    document="повторы.md",
    heading=("Повторы",),
    language="ru",
)
CHINESE = chunk(
    "客户端默认重试失败的请求三次。每次重试之间等待2秒。状态为400的请求不会重试。",
    document="重试.md",
    heading=("重试",),
    language="zh",
)


def scored(*chunks: StoredChunk) -> dict[str, float]:
    """Scores that keep the order of the chunks."""
    return {c.key: 1.0 / rank for rank, c in enumerate(chunks, start=1)}
