"""The geometry of two plots; a template draws them as SVG, so that no script is needed and every label is escaped."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...state.evolution import GenomeRecord, PairedDifference, QueryOutcome

WIDTH, HEIGHT = 720.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 12.0, 12.0, 24.0

_TICKS = 4


@dataclass(frozen=True)
class Tick:
    """A labelled place on an axis."""

    at: float
    value: float


@dataclass(frozen=True)
class Bar:
    """One query. kind: "won", "lost" or "even"."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    difference: float
    query: str


@dataclass(frozen=True)
class DifferencePlot:
    """Paired differences as sorted bars; zero, mean, low and high are heights."""

    bars: list[Bar]
    ticks: list[Tick]
    zero: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Dot:
    """One genome. here: the one that is looked at. ours: it or an ancestor of it."""

    x: float
    y: float
    genome: GenomeRecord
    score: float
    generation: int
    here: bool
    ours: bool


@dataclass(frozen=True)
class GenerationPlot:
    """Scores by generation. line: points through the genome and its ancestors."""

    dots: list[Dot]
    ticks: list[Tick]
    generations: list[Tick]
    line: str


def difference_plot(outcomes: Sequence[QueryOutcome], difference: PairedDifference) -> DifferencePlot | None:
    """The differences of all queries, the worst first, with their interval; None when there are none."""
    drawn = [(o.candidate_score - o.active_score, o.query_id, o.query) for o in outcomes]
    pairs = sorted(pair for pair in drawn if _drawable(pair[0]))
    interval = [difference.low, difference.high, difference.mean]
    if not pairs or not all(map(_drawable, interval)):
        return None
    scale = _Scale.over([0.0, *interval, *(value for value, _, _ in pairs)])
    step = (WIDTH - LEFT - RIGHT) / len(pairs)
    bars = [
        _bar(LEFT + index * step, min(step * 0.86, 24.0), value, query, scale)
        for index, (value, _, query) in enumerate(pairs)
    ]
    marks = (scale.at(difference.mean), scale.at(difference.low), scale.at(difference.high))
    return DifferencePlot(bars, scale.ticks(), scale.at(0.0), *marks)


def generation_plot(
    genomes: Sequence[GenomeRecord], here: GenomeRecord, lineage: Sequence[GenomeRecord]
) -> GenerationPlot | None:
    """Scores of a layer's genomes by generation; None when fewer than two have one."""
    depth = generations(genomes)
    scored = [(genome, genome.score) for genome in genomes if genome.score is not None and _drawable(genome.score)]
    if len(scored) < 2:
        return None
    scale = _Scale.over([score for _, score in scored])
    deepest = max(depth[genome.id] for genome, _ in scored)
    ours = {genome.id for genome in lineage}
    dots = [
        Dot(
            x=_column(depth[genome.id], deepest),
            y=scale.at(score),
            genome=genome,
            score=score,
            generation=depth[genome.id],
            here=genome.id == here.id,
            ours=genome.id in ours,
        )
        for genome, score in scored
    ]
    line = " ".join(f"{dot.x:.1f},{dot.y:.1f}" for dot in sorted(dots, key=lambda dot: dot.x) if dot.ours)
    columns = [Tick(_column(number, deepest), number) for number in range(deepest + 1)]
    return GenerationPlot(dots, scale.ticks(), columns[:: max(1, len(columns) // 12)], line)


def generations(genomes: Sequence[GenomeRecord]) -> Mapping[int, int]:
    """Id -> how many steps a genome is away from one without parents among these."""
    by_hash = {genome.genome_hash: genome for genome in genomes}
    depth: dict[int, int] = {}
    for genome in sorted(genomes, key=lambda g: g.id):  # a parent is in the ledger before its children
        parents = [by_hash[parent].id for parent in genome.parents if parent in by_hash]
        depth[genome.id] = 1 + max((depth.get(parent, -1) for parent in parents), default=-1)
    return depth


@dataclass(frozen=True)
class _Scale:
    """Heights of values: the highest at the top."""

    low: float
    high: float

    @classmethod
    def over(cls, values: Sequence[float]) -> _Scale:
        low, high = min(values), max(values)
        margin = 0.05 * (high - low) or max(abs(high), 1.0) * 0.05
        return cls(low - margin, high + margin)

    def at(self, value: float) -> float:
        return TOP + (self.high - value) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)

    def ticks(self) -> list[Tick]:
        step = _round_step((self.high - self.low) / _TICKS)
        first = math.ceil(self.low / step)
        return [Tick(self.at(n * step), n * step) for n in range(first, math.floor(self.high / step) + 1)]


def _round_step(most: float) -> float:
    """The largest of 1, 2, 5, 10 ... up to that size."""
    power = 10.0 ** math.floor(math.log10(most))
    return max(step * power for step in (1.0, 2.0, 5.0) if step <= most / power or step == 1.0)


def _bar(x: float, width: float, value: float, query: str, scale: _Scale) -> Bar:
    top, bottom = sorted((scale.at(value), scale.at(0.0)))
    kind = "won" if value > 0 else "lost" if value < 0 else "even"
    return Bar(x, top - (0.75 if value == 0 else 0.0), width, max(bottom - top, 1.5), kind, value, query)


def _drawable(value: float) -> bool:
    return math.isfinite(value) and abs(value) < 1e9


def _column(generation: int, deepest: int) -> float:
    return LEFT + 12 + generation / max(deepest, 1) * (WIDTH - LEFT - RIGHT - 24)
