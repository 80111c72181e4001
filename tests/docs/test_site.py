"""The documentation site: built without network, read without network, no link that leads nowhere."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import iterative_retrieval
from docs.site.flowchart import read_chart, svg
from tests.docs.pages import PAGES, REPOSITORY, blocks

_BUILD = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise OSError(f"the build went out: {event} {arguments[1:]}")

sys.addaudithook(refuse)
from sphinx.cmd.build import main
sys.exit(main(sys.argv[1:]))
"""
_LOADING = {"script": "src", "img": "src", "source": "src", "iframe": "src", "embed": "src", "object": "data"}
_RELATIONS = {"stylesheet", "icon", "preload", "preconnect", "dns-prefetch", "prefetch", "modulepreload", "manifest"}


class Links(HTMLParser):
    """What a page loads, where it links to, and its anchors."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag in _LOADING and _LOADING[tag] in values:
            self.loaded.append(values[_LOADING[tag]])
        if tag == "link" and _RELATIONS & set(values.get("rel", "").split()):
            self.loaded.append(values["href"])
        if tag == "a" and "href" in values:
            self.linked.append(values["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as ``make docs`` builds it; whatever goes out to the network ends the build."""
    folder = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--fail-on-warning", "--keep-going", "-b", "html", "-c", "docs/site"]
    command = [sys.executable, "-c", _BUILD, *options, "-d", str(folder / "doctrees"), ".", str(folder / "html")]
    built = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=240, check=False)
    assert built.returncode == 0, built.stderr
    return folder / "html"


def html(site: Path) -> Iterator[tuple[Path, Links]]:
    for page in sorted(site.rglob("*.html")):
        yield page, Links(page)


def test_every_page_is_built_and_found(site: Path) -> None:
    assert {page for page in PAGES if not (site / page).with_suffix(".html").is_file()} == set()
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert all(f'"{page.removesuffix(".md")}"' in index for page in PAGES)
    assert "docs/index.html" in (site / "index.html").read_text(encoding="utf-8")


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loaded = {address for _, links in html(site) for address in links.loaded}
    assert loaded and {a for a in loaded if urlsplit(a).scheme not in ("", "data") or a.startswith("//")} == set()


def test_no_style_sheet_or_script_names_another_host(site: Path) -> None:
    files = [*site.rglob("*.css"), *site.rglob("*.js")]
    assert len(files) > 8
    for file in files:
        text = re.sub(r"/\*.*?\*/|^\s*//[^\n]*$", "", file.read_text(encoding="utf-8"), flags=re.S | re.M)
        if file.name != "searchindex.js":  # the words of the pages
            named = set(re.findall(r"""["'(`](?:https?:)?//[\w.-]+\.[a-z]{2,}""", text))
            assert {name[1:] for name in named} <= {"http://www.w3.org"}, file.name


def test_every_link_inside_leads_to_a_place_that_is_there(site: Path) -> None:
    found = dict(html(site))
    followed = 0
    for page, links in found.items():
        for address in (*links.linked, *links.loaded):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert target.is_file(), f"{page.relative_to(site)}: {address}"
            if parts.fragment and target in found:
                assert unquote(parts.fragment) in found[target].anchors | {""}, f"{page.relative_to(site)}: {address}"
            followed += 1
    assert followed > 1000


def test_every_flowchart_is_drawn(site: Path) -> None:
    pictures = [block for page in PAGES for block in blocks(page, "mermaid")]
    assert len(pictures) >= 3
    for block in pictures:
        page = (site / block.page).with_suffix(".html").read_text(encoding="utf-8")
        chart = read_chart(block.code)
        assert page.count('class="flowchart"') == len(blocks(block.page, "mermaid"))
        assert all(f">{label}</text>" in page for label in chart.labels.values())
        assert page.count("marker-end") == len(chart.edges)


def test_a_chart_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be drawn: 'sequenceDiagram'"):
        read_chart("sequenceDiagram\n")


def test_no_two_boxes_of_a_chart_touch() -> None:
    for page in ("docs/architecture.md", "docs/documentation.md", "docs/evolution.md"):
        [block] = blocks(page, "mermaid")
        boxes = re.findall(
            r'<rect class="\w+" x="([\d.-]+)" y="([\d.-]+)" width="([\d.]+)"', svg(read_chart(block.code), "")
        )
        placed = [(float(x), float(y), float(width)) for x, y, width in boxes]
        assert len(placed) > 8
        for n, (x, y, width) in enumerate(placed):
            assert all(
                y != other_y or x + width < other_x or other_x + other < x for other_x, other_y, other in placed[:n]
            )


def test_the_reference_lists_every_public_name_with_its_docstring(site: Path) -> None:
    text = (REPOSITORY / "docs" / "reference.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- `(\w+)`: ", text, re.M)
    assert sorted(listed) == sorted(set(iterative_retrieval.__all__) - {"__version__"})
    page = (site / "docs" / "reference.html").read_text(encoding="utf-8")
    assert all(f'id="iterative_retrieval.{name}"' in page for name in listed)
    assert "folder to search: a work tree, any folder, or a bare repository" in page
