"""What the site adds to the Markdown pages: navigation, pictures of graphs, links to folders, the reference."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import iterative_retrieval

from .fields import add_fields, without_fields
from .flowchart import read_chart, svg

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LISTS = ("docs/index", "docs/decisions/README")
"""The pages whose lists are the navigation."""
REFERENCE = "docs/reference"

_HEADING = re.compile(r"^## (.+)$", re.M)
_ITEM = re.compile(r"^- \[([^\]]+)\]\(([^)#:]+)\.md\)", re.M)
_FOLDER = re.compile(r"\]\(([^):#]+)/\)")
_NAME = re.compile(r"^- `(\w+)`: .*$", re.M)
_HOME = "docs/index.html"


class Flowchart(SphinxDirective):
    """A Mermaid block, drawn."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The picture; without one in builders that are not HTML."""
        chart = svg(read_chart("\n".join(self.content)), f"Graph of {self.env.docname}")
        return [nodes.raw("", chart, format="html")]


def prepare(app: Sphinx, name: str, source: list[str]) -> None:
    """A page as Sphinx is to read it."""
    source[0] = to_readme(source[0], Path(app.srcdir) / posixpath.dirname(name))
    if name in LISTS:
        source[0] += navigation(source[0])
    if name == REFERENCE:
        source[0] = _NAME.sub(described, source[0])


def to_readme(text: str, folder: Path) -> str:
    """The text with links to folders led to the README in them. folder: where the page lies."""

    def led(link: re.Match[str]) -> str:
        return f"]({link[1]}/README.md)" if (folder / link[1] / "README.md").is_file() else link[0]

    return _FOLDER.sub(led, text)


def navigation(text: str) -> str:
    """Hidden trees of contents, one for each heading, out of the lists below it."""
    parts = _HEADING.split(text)
    captions = ["", *parts[1::2]]
    trees = []
    for caption, part in zip(captions, parts[::2], strict=True):
        if found := _ITEM.findall(part):
            lines = "\n".join(f"{title} <{place}>" for title, place in found)
            head = f":caption: {caption}\n" if caption else ""
            trees.append(f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n{head}\n{lines}\n```\n")
    return "".join(trees)


def described(item: re.Match[str]) -> str:
    """The documentation of a public name in place of its line in the list."""
    value = getattr(iterative_retrieval, item[1])
    kind = "class" if isinstance(value, type) else "function" if callable(value) else "data"
    return f"```{{eval-rst}}\n.. auto{kind}:: iterative_retrieval.{item[1]}\n```\n"


def enter_at_home(app: Sphinx, failed: Exception | None) -> None:
    """A page at the top that leads to the first one."""
    if failed is None:
        page = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={_HOME}">'
        link = f'<title>{app.config.project}</title><a href="{_HOME}">{app.config.project}</a>'
        (Path(app.outdir) / "index.html").write_text(page + link + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects it all."""
    app.add_directive("mermaid", Flowchart)
    app.connect("source-read", prepare)
    app.connect("autodoc-process-docstring", add_fields)
    app.connect("autodoc-process-signature", without_fields)
    app.connect("build-finished", enter_at_home)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
