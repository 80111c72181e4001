"""Plain text: paragraphs, underlined titles, and texts that have neither."""

from __future__ import annotations

from .papers import check_chunks, headings, prose, read, uncovered

LONG = prose(500)


def test_underlined_titles_are_headings() -> None:
    text = f"The Guide\n=========\n\n{LONG}\n\nInstall\n-------\n{LONG}\n"
    assert headings(read("a.txt", text)) == [("The Guide",), ("The Guide", "Install")]


def test_a_text_without_titles_is_cut_between_paragraphs() -> None:
    paragraphs = [f"{number}. {prose(700)}" for number in range(8)]
    text = "\n\n".join(paragraphs)
    chunks = read("a.txt", text)
    assert all(any(paragraph in chunk.text for chunk in chunks) for paragraph in paragraphs)
    check_chunks(chunks, text)


def test_an_endless_line_is_cut_between_sentences() -> None:
    text = prose(20_000)
    chunks = read("a.txt", text)
    assert all(chunk.text.startswith(("The", "Every", "After")) for chunk in chunks)
    assert all(chunk.text.endswith(".") for chunk in chunks)
    assert {(chunk.first, chunk.last) for chunk in chunks} == {(1, 1)}
    check_chunks(chunks, text)


def test_chinese_without_blanks_is_cut_after_its_full_stops() -> None:
    text = (
        "客户端在请求失败后会自动重试。每次重试之间的等待时间会逐渐增加。最后一次重试失败后，错误会返回给调用者。" * 100
    )
    chunks = read("a.txt", text)
    assert len(chunks) > 2
    assert all(chunk.text.endswith("。") for chunk in chunks)
    assert all(chunk.language == "zh" for chunk in chunks)
    check_chunks(chunks, text)


def test_a_text_without_any_pause_is_cut_all_the_same() -> None:
    text = "x" * 5_000
    chunks = read("a.txt", text)
    assert "".join(chunk.text for chunk in chunks) == text
    check_chunks(chunks, text)


def test_five_megabytes_lose_nothing() -> None:
    paragraphs = [f"Paragraph {number}. {prose(300 + number % 700)}" for number in range(7_700)]
    text = "\n\n".join(paragraphs)
    assert len(text) > 5_000_000
    chunks = read("a.txt", text)
    assert uncovered(chunks, text) == []
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))


def test_titles_of_a_manual_page_make_sections() -> None:
    text = "LS(1)\n\nNAME\n       ls - list the files of a directory\n\nOPTIONS\n       -a     Show all files of it.\n"
    chunks = read("ls.txt", text)
    assert headings(chunks)[-1] == ("OPTIONS",)
    assert chunks[-1].text == "       -a     Show all files of it."
