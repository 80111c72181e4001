"""Flowcharts as SVG: the pictures that compiled graphs draw of themselves in Mermaid, laid out in layers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

_NODE = re.compile(r"^(\w+)[(\[]+(?:<p>)?([^<()\[\]]+)(?:</p>)?[)\]]+(?::::(\w+))?$")
_EDGE = re.compile(r"^(\w+) (-->|-\.->)(?:\|([^|]+)\|)? (\w+);$")
_NOISE = re.compile(r"^(?:---|config:|flowchart:|curve: .*|graph TD;|classDef .*|)$")
_WIDE, _HIGH, _GAP, _RISE, _LANE, _LETTER = 34, 34, 46, 78, 22, 7.6
_Place = tuple[float, float]
_Edge = tuple[str, str, bool]


@dataclass
class Chart:
    """Nodes with their labels, in the order of the text, and edges (source, target, whether it is one of several)."""

    labels: dict[str, str] = field(default_factory=dict)
    edges: list[_Edge] = field(default_factory=list)


def read_chart(text: str) -> Chart:
    """The chart that Mermaid text draws, as far as compiled graphs write it.

    Raises:
        ValueError: a line is none of those; the message shows it.
    """
    chart = Chart()
    for line in map(str.strip, text.splitlines()):
        if node := _NODE.match(line):
            chart.labels[node[1]] = node[2].strip("_")
        elif edge := _EDGE.match(line):
            chart.edges.append((edge[1], edge[4], edge[2] != "-->"))
        elif not _NOISE.match(line):
            raise ValueError(f"this line of a flowchart cannot be drawn: {line!r}")
    return chart


def svg(chart: Chart, title: str) -> str:
    """The chart as an SVG element, from top to bottom; edges that pass layers run at the left, back at the right."""
    ranks = _ranks(chart)
    places = _places(_layers(chart, ranks), chart)
    left = _by_length([e for e in chart.edges if ranks[e[1]] > ranks[e[0]] + 1], ranks)
    right = _by_length([e for e in chart.edges if ranks[e[1]] <= ranks[e[0]]], ranks)
    near = min(x - _width(chart, n) / 2 for n, (x, _) in places.items())
    far = max(x + _width(chart, n) / 2 for n, (x, _) in places.items())
    lanes = {edge: near - _LANE * (n + 1) for n, edge in enumerate(left)}
    lanes |= {edge: far + _LANE * (n + 1) for n, edge in enumerate(right)}
    arrows = [_arrow(edge, places, lanes.get(edge)) for edge in chart.edges]
    boxes = [_box(chart, name, place) for name, place in places.items()]
    start, width = near - _LANE * (len(left) + 1), far - near + _LANE * (len(left) + len(right) + 2)
    height = max(y for _, y in places.values()) + _HIGH / 2 + 4
    view = f'viewBox="{start:.0f} 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="flowchart" role="img" aria-label="{escape(title)}" {view}>'
        f"{_HEADS}{''.join(arrows)}{''.join(boxes)}</svg>"
    )


_HEADS = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 8 4 0 8z"/></marker></defs>'
)


def _ranks(chart: Chart) -> dict[str, int]:
    """The layer of each node: one below the lowest of those before it, edges that close a circle left out."""
    forward = _without_circles(chart)
    ranks: dict[str, int] = {}

    def rank(name: str) -> int:
        if name not in ranks:
            ranks[name] = 1 + max((rank(a) for a, b in forward if b == name), default=-1)
        return ranks[name]

    for name in chart.labels:
        rank(name)
    return ranks


def _without_circles(chart: Chart) -> list[tuple[str, str]]:
    """The edges that do not lead back onto the way on which a walk from the first node came."""
    kept: list[tuple[str, str]] = []
    seen: set[str] = set()

    def walk(name: str, way: tuple[str, ...]) -> None:
        seen.add(name)
        for source, target, _ in sorted(chart.edges, key=lambda e: list(chart.labels).index(e[1])):
            if source == name and target not in (*way, name):
                kept.append((source, target))
                if target not in seen:
                    walk(target, (*way, name))

    for name in chart.labels:
        if name not in seen:
            walk(name, ())
    return kept


def _layers(chart: Chart, ranks: dict[str, int]) -> list[list[str]]:
    """The nodes of each layer from left to right, each below the middle of those that lead to it."""
    layers: list[list[str]] = [[] for _ in range(max(ranks.values()) + 1)]
    for name in chart.labels:
        layers[ranks[name]].append(name)
    spot: dict[str, float] = {}
    for layer in layers:
        layer.sort(key=lambda name: (_middle([spot[a] for a, b, _ in chart.edges if b == name and a in spot]), name))
        spot |= {name: n - (len(layer) - 1) / 2 for n, name in enumerate(layer)}
    return layers


def _middle(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _places(layers: list[list[str]], chart: Chart) -> dict[str, _Place]:
    """The middle of each box."""
    spans = [sum(_width(chart, n) + _GAP for n in layer) - _GAP for layer in layers]
    widest, places = max(spans), {}
    for depth, (layer, span) in enumerate(zip(layers, spans, strict=True)):
        x = _GAP + (widest - span) / 2
        for name in layer:
            places[name] = (x + _width(chart, name) / 2, _HIGH / 2 + 4 + depth * _RISE)
            x += _width(chart, name) + _GAP
    return places


def _width(chart: Chart, name: str) -> float:
    return len(chart.labels[name]) * _LETTER + _WIDE


def _by_length(edges: list[_Edge], ranks: dict[str, int]) -> list[_Edge]:
    """Short ones first, so that the lanes of longer ones lie further out."""
    return sorted(edges, key=lambda e: (abs(ranks[e[1]] - ranks[e[0]]), e))


def _box(chart: Chart, name: str, place: _Place) -> str:
    x, y = place
    wide = _width(chart, name)
    kind = "end" if name.startswith("__") else "step"
    return (
        f'<rect class="{kind}" x="{x - wide / 2:.1f}" y="{y - _HIGH / 2:.1f}" width="{wide:.1f}" height="{_HIGH}" '
        f'rx="{17 if kind == "end" else 6}"/><text x="{x:.1f}" y="{y + 4.5:.1f}">{escape(chart.labels[name])}</text>'
    )


def _arrow(edge: _Edge, places: dict[str, _Place], lane: float | None) -> str:
    """An edge. lane: where it runs when it passes layers or goes back; None for one to the next layer."""
    source, target, chosen = edge
    (x, y), (to_x, to_y) = places[source], places[target]
    y, to_y = y + _HIGH / 2, to_y - _HIGH / 2
    if lane is None:
        bend = (to_y - y) / 2
        course = f"M{x:.1f} {y:.1f}C{x:.1f} {y + bend:.1f} {to_x:.1f} {to_y - bend:.1f} {to_x:.1f} {to_y:.1f}"
    else:
        aside = 12 if lane > x else -12
        course = f"M{x + aside:.1f} {y:.1f}v12H{lane:.1f}V{to_y - 14:.1f}H{to_x + aside:.1f}V{to_y:.1f}"
    return f'<path class="{"choice" if chosen else "always"}" d="{course}" marker-end="url(#head)"/>'
