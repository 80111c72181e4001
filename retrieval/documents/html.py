"""HTML: headings, paragraphs, lists, tables and code of a page, without its navigation, scripts and styles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from .layout import Layout
from .page_text import PageText

MAX_NESTING = 5_000
"""Elements nested deeper than this are no document; the parser takes quadratic time for them."""


MAX_ATTRIBUTES = 1_000
"""A tag with more is no document either; the parser compares each with all before it."""
_TAG = re.compile(r"<[A-Za-z][^<>]*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DROPPED = _words(
    """
    script style noscript template nav footer svg math iframe object canvas audio video button select textarea
    input dialog head
    """
)
_DROPPED_ROLES = _words("navigation search contentinfo menu menubar toolbar")
_DROPPED_CLASSES = re.compile(r"(?:^|\s)(?:headerlink|linenos|linenodiv|anchor-link|hash-link|sr-only)(?:\s|$)")
_PARTS = _words(
    """
    p div section article main header aside blockquote figure figcaption address details summary dl dt dd ul ol
    li table caption thead tbody tfoot tr form fieldset legend hr body html center
    """
)
_IN_CELLS = _words("p div span")  # do not end the row of a table


class TooDeep(ValueError):
    """The elements of a page are nested beyond ``MAX_NESTING``, or one has too many attributes."""


def read_html(text: str) -> Layout:
    """The layout of a page; its lines are the lines of the extracted text.

    Broken markup is read as browsers read it. Links show their text, images their alternative text, rows of tables
    their cells between ``|`` and a line of dashes below their head, terms of definition lists stand before their
    explanation. The same page always gives the same lines.

    Raises:
        TooDeep: its elements are nested beyond ``MAX_NESTING``.
    """
    if _nesting(text) > MAX_NESTING:
        raise TooDeep(f"elements nested more than {MAX_NESTING:,} deep")
    if any(len(tag := m[0]) > MAX_ATTRIBUTES and len(tag.split()) > MAX_ATTRIBUTES for m in _TAG.finditer(text)):
        raise TooDeep(f"a tag with more than {MAX_ATTRIBUTES:,} attributes")
    tree = LexborHTMLParser(text.encode("utf-8", "replace"))
    page = PageText()
    if tree.root is not None:
        for node, opens in _walk(tree.root):
            (_open if opens else _close)(node, page)
    return page.layout(_title(tree, page))


def _nesting(text: str) -> int:
    """How deep elements nest at most, judged by the tags alone (those whose end tags are often left out aside)."""
    depth = deepest = 0
    for found in _TAGS.finditer(text):
        if found[2].lower() not in _OFTEN_OPEN:
            depth = max(0, depth - 1) if found[1] else depth + 1
            deepest = max(deepest, depth)
    return deepest


_TAGS = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_OFTEN_OPEN = _words(
    """
    p li dt dd tr td th thead tbody tfoot option optgroup colgroup rt rp area base br col embed hr img input
    link meta param source track wbr html head body
    """
)


def _walk(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Every node that is shown, at its opening (True) and at its end (False), in the order of the page."""
    stack: list[tuple[LexborNode, bool]] = [(root, True)]
    while stack:
        node, opens = stack.pop()
        if opens and _is_dropped(node):
            continue
        yield node, opens
        if opens and node.tag != "pre":
            stack.append((node, False))
            stack.extend((child, True) for child in reversed(_children(node)))


def _children(node: LexborNode) -> list[LexborNode]:
    children = []
    child = node.first_child
    while child is not None:
        children.append(child)
        child = child.next
    return children


def _is_dropped(node: LexborNode) -> bool:
    if not node.is_element_node:
        return not node.is_text_node
    if node.tag in _DROPPED:
        return True
    attributes = node.attributes
    if not attributes:
        return False
    role, classes = attributes.get("role") or "", attributes.get("class") or ""
    return "hidden" in attributes or role in _DROPPED_ROLES or _DROPPED_CLASSES.search(classes) is not None


def _open(node: LexborNode, page: PageText) -> None:
    tag = node.tag or ""
    if node.is_text_node:
        page.words(node.text_content or "")
    elif tag == "pre":
        page.code(node.text(deep=True))
    elif tag == "img":
        page.words(f" {node.attributes.get('alt') or ''} ")
    elif tag == "br":
        page.end_line()
    elif tag in ("td", "th"):
        page.open_cell(tag)
    elif level := _level(tag):
        page.open_heading(level)
    elif tag in _PARTS and not (page.in_cell and tag in _IN_CELLS):
        page.open_part(tag)
    elif page.in_cell and tag in _IN_CELLS:
        page.words(" ")


def _close(node: LexborNode, page: PageText) -> None:
    tag = node.tag or ""
    if tag in ("td", "th"):
        page.close_cell()
    elif _level(tag):
        page.close_heading()
    elif tag in _PARTS and not (page.in_cell and tag in _IN_CELLS):
        page.close_part(tag)
    elif page.in_cell and tag in _IN_CELLS:
        page.words(" ")


def _level(tag: str) -> int:
    return int(tag[1]) if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456" else 0


def _title(tree: LexborHTMLParser, page: PageText) -> str:
    """The page's title, unless a heading says it: then '', since titles also name the site."""
    found = tree.css_first("head > title")
    title = " ".join(found.text(deep=True).split()) if found else ""
    tops = [heading for heading in page.headings if heading.level == 1]
    return "" if len(tops) == 1 and page.headings[0] is tops[0] else title
