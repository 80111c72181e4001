import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.task import Frame, read_task

PYTHON_TRACE = """Upload fails
It broke.

```
Traceback (most recent call last):
  File "/srv/app/views.py", line 12, in upload
    handler.save(data)
  File "lib/storage.py", line 40, in save
    raise OSError("disk full")
OSError: disk full
```
"""


def test_the_first_line_is_the_title_without_its_heading_mark() -> None:
    task = read_task("\n\n## Fix the parser\r\nIt is slow.\r\n")
    assert (task.title, task.prose) == ("Fix the parser", "It is slow.")


def test_a_stack_trace_becomes_places_innermost_last() -> None:
    task = read_task(PYTHON_TRACE)
    assert task.frames == [Frame("/srv/app/views.py", 12, "upload"), Frame("lib/storage.py", 40, "save")]
    assert task.errors == ["OSError: disk full"]
    assert task.symbols["save"] == "trace"
    assert "Traceback" not in task.prose


def test_java_frames_are_turned_so_that_the_innermost_is_last() -> None:
    text = "Crash\n    at org.acme.io.Reader.read(Reader.java:10)\n    at org.acme.Main.main(Main.java:3)\n"
    assert [f for f in read_task(text).frames if f.function] == [
        Frame("org/acme/Main.java", 3, "main"),
        Frame("org/acme/io/Reader.java", 10, "read"),
    ]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("    at foo (/app/src/a.js:3:7)", ("/app/src/a.js", 3)),
        ("    at /app/src/a.js:3:7", ("/app/src/a.js", 3)),
        ("  from /gems/x/lib/b.rb:12:in `go'", ("/gems/x/lib/b.rb", 12)),
        ("\t/go/src/main.go:55 +0x1d", ("/go/src/main.go", 55)),
        ("   3: core::run\n             at src/lib.rs:9:5", ("src/lib.rs", 9)),
        ("C:\\x\\y.cs:8", ("C:\\x\\y.cs", 8)),
    ],
)
def test_frames_of_other_languages_are_places(line: str, place: tuple[str, int]) -> None:
    assert [(f.path, f.line) for f in read_task(f"Crash\n{line}\n").frames] == [place]


def test_code_is_kept_apart_from_prose() -> None:
    task = read_task(
        "Title\nSome words\n```python\nfrom a.b import c\nc.run()\n```\n    indented()\n>>> prompt()\n- item"
    )
    assert task.prose.split() == ["Some", "words", "-", "item"]
    assert all(piece in task.code for piece in ("c.run()", "indented()", ">>> prompt()"))
    assert task.imports == ["a.b.c", "a.b"]


def test_names_belong_to_the_first_section_that_says_them() -> None:
    task = read_task(
        "Fix parse_url\nSee `parse_url`, `Router` and HttpError.\n"
        "```\ndef local(): pass\nRouter(local())\nhelper()\n```"
    )
    assert task.symbols["parse_url"] == "title"
    assert task.symbols["Router"] == "quoted"
    assert task.symbols["HttpError"] == "prose"
    assert task.symbols["helper"] == "called"
    assert task.symbols["local"] == "code"
    assert task.strong_symbols == ["parse_url", "Router", "HttpError"]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("look at src/a.py and b/c.test.ts:12", ["src/a.py", "b/c.test.ts"]),
        ("C:\\work\\a.cs", ["C:\\work\\a.cs"]),
        ("(lib/x.rb)", ["lib/x.rb"]),
        ("a+b@c.py,a.py", ["a+b@c.py", "a.py"]),
        ("https://example.org/a.py", []),
        ("version 1.2.3", []),
    ],
)
def test_paths_are_recognised(text: str, paths: list[str]) -> None:
    assert read_task(text).paths == paths


def test_dotted_names_are_written_with_dots() -> None:
    task = read_task("Use a.b.C, std::vec::Vec, Foo#bar and e.g. self.x")
    assert task.dotted == ["a.b.C", "std.vec.Vec", "Foo.bar"]


def test_comments_of_a_template_are_not_read() -> None:
    assert read_task("Title\n<!-- please\nfill in -->text <!-- open").prose == " text <!-- open"


def test_an_environment_dump_is_cut_off() -> None:
    body = "Everything is slow since the last release of it.\n\n### Versions\npython 3.11\nnumpy 2"
    assert read_task(f"Slow\n{body}").prose.strip() == "Everything is slow since the last release of it."


def test_a_versions_heading_at_the_top_cuts_nothing() -> None:
    assert "numpy" in read_task("Slow\n### Versions\nnumpy 2").prose


def test_flags_and_literals_are_noted() -> None:
    task = read_task("Option --no-color prints \"cannot open\" and 'bad mode'")
    assert (task.flags, task.literals) == (["--no-color"], ["cannot open", "bad mode"])


def test_an_empty_text_is_an_empty_task() -> None:
    task = read_task("  \n ")
    assert (task.title, task.prose, task.code, task.symbols) == ("", "", "", {})


_PIECES = st.sampled_from(
    [
        "```", "~~~", "\n", "    ", "<!--", "-->", "`", 'File "a.py", line 1', "at ", "a.py:1", "E ", "\r", "::", "\\",
        "'", "ValueError: x", "import ", "from a import (", ">>> ", '"', "é", "中", "\x00", "\ud800",
    ]
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(_PIECES | st.text(max_size=8), max_size=30).map("".join))
def test_any_text_is_read(text: str) -> None:
    task = read_task(text)
    assert all(name for name in task.symbols)
    assert len(task.paths) <= 60


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "piece",
    ["a", "aB", "A", "\n", " \n", "a.", "a/", "@", "a+.", "ab+c/Dx9", "<!--", "```\n", "`", "'", "a::", "a(", "# ", "1",
     "  File \"a.py\", line 1, in f\n    x()\n", "ERROR [main] o.a.Foo - java.io.IOException: no (a.b.C.d)\n"],
)  # fmt: skip
def test_a_log_of_two_hundred_kilobytes_is_read(piece: str) -> None:
    log = piece * (200_000 // len(piece))
    assert read_task(log).text == log.strip()
    assert read_task(f"Title\n    at {log}").title == "Title"


@pytest.mark.timeout(20)
def test_a_long_run_of_capitals_is_read() -> None:
    assert read_task("Aa" + "A" * 5_000 + "_ b").symbols == {}
