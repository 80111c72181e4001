"""Cycles of evolution played on recorded scores: the article's rule, and the product's own racing and gate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iterative_retrieval.evolution.comparison import Arm
from iterative_retrieval.evolution.gate import GateCase, GatePolicy, decide, until_next_look
from iterative_retrieval.evolution.racing import RacingPolicy, race
from iterative_retrieval.state.evolution import EvalQuery

CANDIDATES = 5
_ACTIVE = "0"  # contestants are named by their place, the active configuration first
_CHUNK = 4_000
_POINTS = 2.5  # of 10 per point of the scale of 1 to 5, which begins at 1

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Setting:
    """A world to judge in.

    sd: of the judge's noise on the scale of 1 to 5, unbounded, so that it moves no truth. repeats: judgements a
    question. replacement: how questions are drawn. same: all candidates are the active configuration.
    """

    sd: float = 0.0
    repeats: int = 1
    replacement: bool = False
    same: bool = False


@dataclass(frozen=True, slots=True)
class Cycles:
    """What happened, one entry a cycle. gain: true gain of who was promoted, NaN: nobody. best: of all candidates."""

    gain: Floats
    best: Floats
    calls: Floats

    @property
    def mean_gain(self) -> float:
        """True gain per cycle, 0 where nobody is promoted."""
        return float(np.nan_to_num(self.gain).mean())


def article(scores: Floats, n: int, cycles: int, seed: int, setting: Setting, own_sample: bool = False) -> Cycles:
    """The article's rule: the best candidate's mean over n questions against the active one's."""
    rng = np.random.default_rng([seed, n, own_sample, setting.replacement, setting.same])
    sizes = [min(_CHUNK, cycles - start) for start in range(0, cycles, _CHUNK)]
    parts = [_article(scores, n, size, rng, setting, own_sample) for size in sizes]
    return Cycles(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("gain", "best", "calls")))


def shipped_gate(
    scores: Floats,
    cycles: int,
    seed: int,
    setting: Setting,
    progress: Callable[[int], None],
    racing: RacingPolicy | None = None,
    gate: GatePolicy | None = None,
) -> Cycles:
    """The product's racing and gate, cycle by cycle, under the shipped policies when None."""
    truth, done = scores.mean(axis=1), []
    for cycle in range(cycles):
        rng = np.random.default_rng([seed, cycle, setting.replacement, setting.same])
        chosen = _contestants(rng, len(scores), 1, setting)[0]
        played = _Cycle(scores[chosen], rng, setting, racing or RacingPolicy(), gate or GatePolicy())
        winner, gains = played.promoted(), truth[chosen] - truth[chosen[0]]
        done.append((math.nan if winner is None else gains[winner], gains[1:].max(), played.calls))
        progress(cycle + 1)
    return Cycles(*np.array(done, dtype=np.float64).T)


class _Cycle:
    """One cycle's judgements of 0 to 10; the first questions are *select*, the others *confirm*.

    judged: (contestants, questions, repeats), the active configuration first. calls: judgements paid so far.
    """

    def __init__(
        self, scores: Floats, rng: np.random.Generator, setting: Setting, racing: RacingPolicy, gate: GatePolicy
    ) -> None:
        self.racing, self.gate, self.calls = racing, gate, 0
        questions = _questions(rng, scores.shape[1:], scores.shape[1], setting)
        noise = rng.standard_normal((*scores.shape, setting.repeats))
        self.judged = (scores[:, questions, None] + setting.sd * noise - 1) * _POINTS
        self.queries = [EvalQuery(id=f"q{i:05}", text=f"question {i}") for i in range(scores.shape[1])]

    def promoted(self) -> int | None:
        """The contestant that the gate promotes, None when none."""
        finalists = self._race()
        return self._ask_gate(finalists) if finalists else None

    def _race(self) -> list[str]:
        running, before = [str(place) for place in range(1, len(self.judged))], 0
        for number, size in enumerate(self.racing.rounds):
            self._pay(running, size - before)
            asked = {name: self._arm(name, 0, size).means() for name in running}
            running = race(self._arm(_ACTIVE, 0, size).means(), asked, number, self.racing).go_on
            before = size
            if not running:
                break
        return running

    def _ask_gate(self, finalists: list[str]) -> int | None:
        first = self.racing.rounds[-1]
        available, asked = len(self.queries) - first, 0
        select = {name: self._arm(name, 0, first).means() for name in [_ACTIVE, *finalists]}
        while more := until_next_look(asked, available, self.gate):
            self._pay(finalists, more)
            asked += more
            active, *candidates = [self._arm(name, first, first + asked) for name in [_ACTIVE, *finalists]]
            queries = self.queries[first : first + asked]
            report = decide(GateCase("postprocess", "", queries, available, active, candidates, select), self.gate)
            if report.verdict != "undecided":
                return int(report.candidate_hash) if report.verdict == "promote" else None
        return None

    def _pay(self, running: list[str], questions: int) -> None:
        self.calls += (len(running) + 1) * questions * self.judged.shape[2]

    def _arm(self, name: str, start: int, end: int) -> Arm:
        judgements = self.judged[int(name), start:end].tolist()
        ids = [query.id for query in self.queries[start:end]]
        return Arm(name, dict(zip(ids, judgements, strict=True)))


def _article(
    scores: Floats, n: int, cycles: int, rng: np.random.Generator, setting: Setting, own_sample: bool
) -> Cycles:
    chosen = _contestants(rng, len(scores), cycles, setting)
    samples = (cycles, CANDIDATES + 1 if own_sample else 1, scores.shape[1])
    seen = scores[chosen[:, :, None], _questions(rng, samples, n, setting)]
    if setting.sd:
        seen = seen + setting.sd / math.sqrt(setting.repeats) * rng.standard_normal(seen.shape)
    means, truth, every = seen.mean(axis=2), scores.mean(axis=1)[chosen], np.arange(cycles)
    best = 1 + means[:, 1:].argmax(axis=1)
    gains = truth - truth[:, :1]
    promoted = np.where(means[every, best] > means[:, 0], gains[every, best], np.nan)
    calls = np.full(cycles, float(seen[0].size * setting.repeats))
    return Cycles(promoted, gains[:, 1:].max(axis=1), calls)


def _contestants(rng: np.random.Generator, configurations: int, cycles: int, setting: Setting) -> Ints:
    """(cycles, 1 + candidates) configurations, the active one first."""
    drawn = rng.random((cycles, configurations)).argsort(axis=1)[:, : CANDIDATES + 1]
    return np.repeat(drawn[:, :1], CANDIDATES + 1, axis=1) if setting.same else drawn


def _questions(rng: np.random.Generator, shape: tuple[int, ...], n: int, setting: Setting) -> Ints:
    """(..., n) of the questions that the shape's last number counts, for each of its other places."""
    if setting.replacement:
        return rng.integers(0, shape[-1], size=(*shape[:-1], n))
    return rng.random(shape).argsort(axis=-1)[..., :n]
