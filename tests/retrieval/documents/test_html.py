"""HTML: what a page says, without what surrounds it."""

from __future__ import annotations

import pytest

from iterative_retrieval.retrieval.documents import read_document
from iterative_retrieval.retrieval.documents.html import MAX_NESTING, read_html
from iterative_retrieval.state.errors import DocumentSkipped

from .papers import headings, prose, read

LONG = prose(400)


def lines(html: str) -> list[str]:
    return list(read_html(html).lines)


def test_headings_make_the_path() -> None:
    page = (
        f"<html><head><title>Site - Guide</title></head><body><h1>Guide</h1><p>{LONG}</p>"
        f"<h2>Install<a class='headerlink' href='#install'>¶</a></h2><p>{LONG}</p>"
        f"<h3>On <em>Windows</em></h3><p>{LONG}</p></body>"
    )
    chunks = read("a.html", page)
    assert headings(chunks) == [("Guide",), ("Guide", "Install"), ("Guide", "Install", "On Windows")]
    assert all(chunk.text == LONG for chunk in chunks)


def test_a_page_without_a_top_heading_is_named_by_its_title() -> None:
    chunks = read("a.html", f"<title>Guide</title><h2>A</h2><p>{LONG}</p><h2>B</h2><p>{LONG}</p>")
    assert headings(chunks) == [("Guide", "A"), ("Guide", "B")]


def test_navigation_scripts_styles_and_footers_are_dropped() -> None:
    page = (
        "<nav>menu</nav><script>var x = '<p>';</script><style>p{}</style><p>content</p><footer>imprint</footer>"
        "<div role='navigation'>more menu</div><p hidden>secret</p><!-- note --><template>later</template>"
    )
    assert lines(page) == ["content"]


def test_lists_and_tables_read_line_by_line() -> None:
    page = (
        "<p>Options:</p><ul><li>first</li><li>second<ol><li>deep</li><li>deeper</li></ol></li></ul>"
        "<table><tr><th>name</th><th>meaning</th></tr>"
        "<tr><td><p>limit</p></td><td>most <b>retries</b></td></tr></table>"
    )
    assert lines(page) == [
        *("Options:", "", "- first", "- second", "  1. deep", "  2. deeper", ""),
        *("name | meaning", "--- | ---", "limit | most retries"),
    ]


def test_empty_cells_keep_their_column_and_only_a_row_of_headings_is_a_head() -> None:
    matrix = (
        "<table><tr><th></th><th>Free</th><th>Team</th></tr><tr><th>Seats</th><td></td><td>5</td></tr></table>"
        "<table><tr><td>a</td><td>b</td></tr><tr><th>c</th><th>d</th></tr></table>"
    )
    assert lines(matrix) == ["| Free | Team", "--- | --- | ---", "Seats | | 5", "", "a | b", "c | d"]


def test_a_term_stands_before_its_definition() -> None:
    page = (
        "<dl><dt>Tenant</dt><dt><code>org</code>:</dt><dd><p>A customer.</p><p>More.</p></dd>"
        "<dt>Code</dt><dd><pre>x = 1</pre></dd><dt>None</dt><dd></dd><dt>Alone</dt></dl><p>End.</p>"
    )
    assert lines(page) == [
        "Tenant, org: A customer.",
        "",
        "More.",
        "",
        "Code",
        "",
        "x = 1",
        "",
        "None",
        "",
        "Alone",
        "",
        "End.",
    ]


def test_preformatted_text_keeps_its_lines() -> None:
    page = "<p>Run:</p><pre><code>for x in y:\n    print(<span>x</span>)\n\ndone</code></pre><p>then</p>"
    layout = read_html(page)
    assert list(layout.lines) == ["Run:", "", "for x in y:", "    print(x)", "", "done", "", "then"]
    assert [(block.first, block.last) for block in layout.blocks if block.code] == [(3, 6)]


def test_flowing_text_is_one_line_and_breaks_are_kept() -> None:
    assert lines("<p>one\n   two <i>three</i><br>four</p>five") == ["one two three", "four", "", "five"]
    assert lines("<p>a<img src=x alt='the diagram'>b</p>") == ["a the diagram b"]


@pytest.mark.parametrize(
    "broken",
    [
        "<h1>Guide<p>text one<p>text <b>two<ul><li>a<li>b",
        "<body><div><h1>Guide</h1></section></p>text one<p>text two</table>a b</h2>",
        "<h1>Guide</h1><table><p>text one</p><tr><td>text two<td>a b",
        "<!doctype html><p>Guide & text one &amp two &bogus; <3 a b",
        "text one <a href='x text two a b' >Guide</a>",
    ],
)
def test_broken_markup_is_read_as_browsers_do(broken: str) -> None:
    text = " ".join(lines(broken))
    assert "Guide" in text
    assert list(read_html(broken).lines) == list(read_html(broken).lines)
    assert "<p>" not in text


@pytest.mark.parametrize(
    ("encoding", "declaration"),
    [
        ("cp1251", '<meta charset="windows-1251">'),
        ("koi8-r", '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'),
        ("utf-8", "<meta charset=iso-8859-1>"),  # mislabelled, as many are
        ("utf-16", ""),
        ("utf-8-sig", ""),
    ],
)
def test_the_declared_encoding_is_used(encoding: str, declaration: str) -> None:
    page = f"<html><head>{declaration}</head><body><h1>Тонкий клиент</h1><p>Работает на компьютере.</p></body></html>"
    (chunk,) = read_document("a.html", page.encode(encoding))
    assert chunk.heading == ("Тонкий клиент",)
    assert chunk.text == "Работает на компьютере."


def test_latin1_means_what_browsers_mean_by_it() -> None:
    page = '<meta charset="latin1"><p>Größe – „ab“ 5 €</p>'
    (chunk,) = read_document("a.html", page.encode("cp1252"))
    assert chunk.text == "Größe – „ab“ 5 €"


def test_a_minified_page_is_read() -> None:
    page = "<html><body>" + f"<h2>Topic</h2><p>{LONG}</p>" * 40
    assert len(read("a.html", page)) == 40


def test_absurd_nesting_is_refused_not_endured() -> None:
    with pytest.raises(DocumentSkipped, match="nested more than"):
        read("a.html", "<div>" * (MAX_NESTING + 1) + "text")


def test_deep_but_possible_nesting_is_read() -> None:
    assert lines("<div>" * 2_000 + "text") == ["text"]


def test_a_page_that_says_nothing_is_skipped() -> None:
    with pytest.raises(DocumentSkipped, match="no text"):
        read("a.html", "<html><body><script>x()</script></body></html>")


@pytest.mark.timeout(30)
def test_a_tag_with_very_many_attributes_is_no_document() -> None:
    page = "<div " + " ".join(f"a{i}=1" for i in range(100_000)) + ">text</div>"
    with pytest.raises(DocumentSkipped):
        read_document("page.html", page.encode())


def test_a_long_address_in_one_attribute_is_fine() -> None:
    page = f'<p>text</p><img alt="picture" src="data:image/png;base64,{"A" * 200_000}=="><p>more</p>'
    assert "more" in read_document("page.html", page.encode())[0].text
