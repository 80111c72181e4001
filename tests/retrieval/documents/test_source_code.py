"""Source files: a chunk a function."""

from __future__ import annotations

import pytest

from iterative_retrieval.state.documents import SkipReason
from iterative_retrieval.state.errors import DocumentSkipped

from .papers import check_chunks, read, uncovered

CODE = '''"""Calls that are tried again when they fail."""

import time

LIMIT = 3
PAUSE = 0.1


class Client:
    """Talks to the server."""

    def __init__(self, limit):
        self.limit = limit
        self.tries = 0
        self.errors = []
        self.pause = PAUSE
        self.open = True

    def send(self, request):
        # wait longer before every try
        for attempt in range(self.limit):
            time.sleep(attempt * PAUSE)
            self.tries += 1
            yield request
'''


def test_functions_are_chunks_under_their_qualified_names() -> None:
    chunks = read("client.py", CODE)
    assert [chunk.heading for chunk in chunks][-2:] == [("Client.__init__",), ("Client.send",)]
    assert {chunk.kind for chunk in chunks} == {"code"}
    assert {chunk.language for chunk in chunks} == {"en"}
    check_chunks(chunks, CODE)
    assert uncovered(chunks, CODE) == []


def test_a_long_function_becomes_parts_under_one_name() -> None:
    code = "def run():\n" + "".join(f"    call_with_number({number}, 'some text')\n" for number in range(100))
    chunks = read("run.py", code)
    assert len(chunks) > 1
    assert {chunk.heading for chunk in chunks} == {("run",)}
    check_chunks(chunks, code)
    assert uncovered(chunks, code) == []


@pytest.mark.parametrize(
    ("name", "code", "language"),
    [
        ("a.py", "# Wir warten vor jedem Versuch länger, bis die Grenze erreicht ist\nx = 1\n", "de"),
        ("a.go", "// Ждём перед каждой попыткой, пока не кончатся повторы\nfunc f() {}\n", "ru"),
        ("a.bsl", "Процедура Проверить()\n  Если Значение = 1 Тогда\n  КонецЕсли;\nКонецПроцедуры\n", "ru"),
        ("a.js", "/* 每次重试之前都会等待更长的时间 */\nfunction f() {}\n", "zh"),
        ("a.py", "for x in y:\n    if not x is None and z:\n        f(x)\n", ""),
    ],
)
def test_the_language_is_that_of_the_comments(name: str, code: str, language: str) -> None:
    assert {chunk.language for chunk in read(name, code)} == {language}


def test_minified_code_is_skipped() -> None:
    with pytest.raises(DocumentSkipped, match="minified") as caught:
        read("a.js", "function f(){return 1};" * 500)
    assert caught.value.reason == SkipReason.UNREADABLE
