from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path
from typing import TextIO

import pytest
from rich.console import Console

from iterative_retrieval.serving.live import PREVIEW_LINES, LiveView, print_styled
from iterative_retrieval.serving.output import Output
from iterative_retrieval.serving.plain import PlainView
from iterative_retrieval.serving.report import report_lines
from iterative_retrieval.serving.views import Shape, watching
from iterative_retrieval.state.progress import AnswerComposed, AnswerToken, IndexProgress
from tests.serving.examples import EVENTS, package


def terminal(**options: object) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=100, **options)  # type: ignore[arg-type]


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_plain_view_writes_the_cycles_without_control_sequences() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    view = PlainView(Output(stream))
    for event in EVENTS:
        view(event)
    stream.seek(0)
    text = stream.read()
    assert "Cycle 2:\n  DISPATCH: Search for" in text
    assert "\x1b" not in text


def test_the_live_view_shows_cycles_and_takes_its_bar_away() -> None:
    console = terminal()
    with LiveView(console) as view:
        for event in EVENTS:
            view(event)
    text = written(console)
    assert "Cycle 1:" in text
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1, "the cursor comes back"


def test_the_live_view_gives_the_cursor_back_when_the_work_fails() -> None:
    console = terminal()
    with pytest.raises(KeyboardInterrupt), LiveView(console):
        raise KeyboardInterrupt
    assert "\x1b[?25h" in written(console)


def test_the_bar_counts_while_indexing() -> None:
    console = terminal()
    with LiveView(console) as view:
        view(IndexProgress(done=10, total=40, phase="parsing"))
    assert "indexing: parsing" in written(console)
    assert "10/40" in written(console)


def test_the_bar_alone_leaves_the_cycles_to_others() -> None:
    console = terminal()
    with LiveView(console, trace=False) as view:
        for event in EVENTS:
            view(event)
    assert "DISPATCH" not in written(console)


def test_no_color_leaves_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    console = terminal()
    print_styled(console, report_lines(package(), 1.0))
    colors = [f"\x1b[{code}m" for code in (31, 32, 33, 36)]
    assert "src/auth.ts" in written(console)
    assert not any(color in written(console) for color in colors)


def test_with_color_high_relevance_is_green() -> None:
    console = terminal(color_system="standard")
    print_styled(console, report_lines(package(), 1.0))
    assert "\x1b[32m" in written(console)


def test_in_a_pipe_the_text_view_writes_lines_and_data_views_write_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for shape in (Shape.JSON, Shape.MARKDOWN):
        with watching(shape) as watcher:
            assert watcher is None
    with watching(Shape.TEXT) as watcher:
        assert watcher is not None
        for event in EVENTS:
            watcher(event)
    captured = capsys.readouterr()
    assert "Cycle 1:" in captured.out
    assert captured.err == ""


def test_quiet_watches_nothing() -> None:
    with watching(Shape.TEXT, quiet=True) as watcher:
        assert watcher is None


def test_a_reader_who_leaves_ends_the_writing_not_the_program() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "w") as stream:
        output = Output(stream)
        output.write("nobody reads this")
        output.write("nor this")
        assert os.fstat(stream.fileno()).st_rdev == os.stat(os.devnull).st_rdev


def test_a_letter_the_encoding_lacks_is_escaped(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w", encoding="ascii") as stream:
        Output(stream).write("prüfen")
    assert (tmp_path / "out").read_text() == "pr\\xfcfen\n"


def test_standard_output_is_looked_up_when_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from iterative_retrieval.serving.output import standard_output

    replacement: TextIO = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", replacement)
    standard_output().write("here")
    replacement.seek(0)
    assert replacement.read() == "here\n"


def test_the_live_view_shows_the_end_of_an_answer_while_it_is_written_and_takes_it_away() -> None:
    console = terminal()
    with LiveView(console) as view:
        for piece in ("Set max_retries ", "to bound\x1b[31m how often.\n", "Then restart."):
            view(AnswerToken(text=piece))
        view._bars.refresh()
        growing = written(console)
        view(AnswerComposed(composed_by="m", sources=1, support=1.0))
        view._bars.refresh()
        assert view._bars.preview == ""
    assert "Set max_retries to bound" in growing and "Then restart." in growing
    assert "writing the answer" in growing
    assert "\x1b[31m how often" not in growing, "a model's control sequences are shown, not obeyed"


def test_only_the_last_lines_of_a_long_answer_are_shown_while_it_is_written() -> None:
    console = terminal()
    with LiveView(console) as view:
        view(AnswerToken(text="\n".join(f"line {n}" for n in range(1, 41))))
        view._bars.refresh()
        growing = written(console)
    shown = [int(n) for n in re.findall(r"line (\d+)", growing)]
    assert min(shown) == 40 - PREVIEW_LINES + 1 and max(shown) == 40
