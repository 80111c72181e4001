from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from iterative_retrieval.serving.task_input import MAX_TASK_BYTES, decode_task, read_task
from iterative_retrieval.state.errors import EmptyTask, TaskUnreadable


def pipe_in(monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))


def test_the_argument_is_the_task() -> None:
    assert read_task("Fix the login", None) == "Fix the login"


def test_an_argument_wins_over_piped_input(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe_in(monkeypatch, b"other")
    assert read_task("Fix the login", None) == "Fix the login"


@pytest.mark.parametrize(("task", "task_file"), [(None, None), ("-", None), (None, "-")])
def test_piped_input_is_the_task(monkeypatch: pytest.MonkeyPatch, task: str | None, task_file: str | None) -> None:
    pipe_in(monkeypatch, "Prüfe die Anmeldung\n".encode())
    assert read_task(task, task_file) == "Prüfe die Anmeldung\n"


def test_a_file_holds_the_task(tmp_path: Path) -> None:
    (tmp_path / "issue.md").write_bytes(b"\xef\xbb\xbfFix the login")
    assert read_task(None, str(tmp_path / "issue.md")) == "Fix the login"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaskUnreadable, match=r"gone\.md"):
        read_task(None, str(tmp_path / "gone.md"))


def test_a_folder_is_no_task_file(tmp_path: Path) -> None:
    with pytest.raises(TaskUnreadable, match="cannot read"):
        read_task(None, str(tmp_path))


@pytest.mark.parametrize("blank", ["", "  \n\t"])
def test_a_blank_task_is_empty(blank: str) -> None:
    with pytest.raises(EmptyTask, match="plain words"):
        read_task(blank, None)


def test_no_standard_input_at_all_is_an_empty_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(EmptyTask, match="pipe it in"):
        read_task(None, None)


def test_an_older_encoding_is_recognised() -> None:
    text = "Исправить ошибку: срок действия токена истекает слишком рано при входе в систему"
    assert decode_task(text.encode("cp1251"), "issue.txt") == text


def test_two_byte_text_with_a_mark_is_read() -> None:
    assert decode_task("Fix the login".encode("utf-16"), "issue.txt") == "Fix the login"


@pytest.mark.parametrize("raw", [b"\x00\x01\x02\x03", bytes(range(256)) * 4])
def test_binary_is_no_task(raw: bytes) -> None:
    with pytest.raises(TaskUnreadable, match="not text"):
        decode_task(raw, "image.png")


def test_an_endless_task_is_refused() -> None:
    with pytest.raises(TaskUnreadable, match="holds more than"):
        decode_task(b"a" * (MAX_TASK_BYTES + 1), "log.txt")


def test_an_argument_with_broken_bytes_is_still_a_task() -> None:
    assert read_task("Fix caf\udce9", None) == "Fix caf\ufffd"
