"""Tasks in German, Russian and Chinese over English code."""

from __future__ import annotations

import pytest

from iterative_retrieval.retrieval.foreign import english_reading, english_words, foreign_language
from iterative_retrieval.retrieval.foreign_words import MEANINGS
from iterative_retrieval.retrieval.task import read_task
from iterative_retrieval.retrieval.text import spaced

GERMAN = "Die Fehlermeldung von parse_header nennt den Dateinamen nicht, wenn die Datei leer ist"
RUSSIAN = "Функция parse_header не называет имя файла в сообщении об ошибке"
CHINESE = "文件为空时parse_header的错误信息里没有文件名称"


@pytest.mark.parametrize(("text", "language"), [(GERMAN, "de"), (RUSSIAN, "ru"), (CHINESE, "zh")])
def test_a_foreign_task_is_recognised_and_says_error_and_file_in_english(text: str, language: str) -> None:
    assert foreign_language(text) == language
    assert {"error", "file", "name"} <= set(english_words(text, language))


@pytest.mark.parametrize("text", [GERMAN, RUSSIAN, CHINESE])
def test_a_foreign_task_keeps_its_own_words_and_its_names(text: str) -> None:
    task = read_task(text)
    assert task.strong_symbols == ["parse_header"]
    assert "error" in task.title.split()
    assert all(word in task.title for word in ("Dateinamen", "leer") if word in text)
    assert all(word in task.title for word in ("файла", "错误信息") if word in text)


def test_an_english_task_is_read_as_it_stands() -> None:
    text = "parse_header does not name the file\n\nThe error says nothing of the file, and with die() it is worse."
    task = read_task(text)
    assert (task.title, task.prose.strip()) == tuple(text.split("\n\n"))


@pytest.mark.parametrize("text", [GERMAN, RUSSIAN, CHINESE])
def test_what_the_asker_wrote_is_still_known(text: str) -> None:
    task = read_task(f"{text}\n{text}")
    assert (task.asked_title, task.asked_prose) == (spaced(text), spaced(text))
    assert task.title != task.asked_title


def test_a_french_task_is_left_alone() -> None:
    text = "Le fichier est vide et la fonction ne le dit pas dans le message"
    assert foreign_language(text) == ""
    assert english_reading(text, "") == text


def test_small_german_words_go_since_die_is_also_an_english_word() -> None:
    assert "die" not in english_reading("Wenn die Datei fehlt, die der Nutzer nennt", "de").lower().split()


def test_a_german_name_in_backticks_is_neither_translated_nor_dropped() -> None:
    read = english_reading("Die Funktion `die` und `Datei.der` stürzt ab", "de")
    assert "`die`" in read
    assert "`Datei.der`" in read
    assert "file" not in read.split()


def test_both_parts_of_a_german_compound_are_translated() -> None:
    assert english_words("Tabellenspalte Datenbankabfrage", "de") == ["table", "column", "database", "query"]


def test_inflected_russian_words_are_found() -> None:
    assert english_words("в файлах и каталогами", "ru") == ["file", "directory", "folder"]


def test_the_longest_chinese_word_wins() -> None:
    assert english_words("子目录", "zh") == ["subdirectory"]


def test_every_meaning_has_its_four_columns_and_an_english_word() -> None:
    for line in MEANINGS.split("\n"):
        columns = line.split(";")
        assert len(columns) == 4, line
        assert columns[0].isascii(), line
        assert columns[1].strip(), line
        assert columns[2].strip(), line


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("调用parse_http_date时出错", "调用 parse_http_date 时出错"),
        ("修改src/app.py文件", "修改 src/app.py 文件"),
        ("参数--verbose无效", "参数 --verbose 无效"),
        ("调用open()之后", "调用 open() 之后"),
        ("保留`get_数据x`不变", "保留`get_数据x`不变"),
        ("```\nx = '错误code'\n```", "```\nx = '错误code'\n```"),
        ("naïve café_x", "naïve café_x"),
    ],
)
def test_names_inside_chinese_text_are_set_off_but_code_is_kept(text: str, found: str) -> None:
    assert spaced(text) == found


def test_names_paths_and_options_inside_chinese_text_are_found() -> None:
    task = read_task("运行时加--no-cache选项，src/app/views.py里的HttpResponse和load_user_data会报错")
    assert task.paths == ["src/app/views.py"]
    assert task.flags == ["--no-cache"]
    assert {"HttpResponse", "load_user_data"} <= set(task.strong_symbols)
