"""How much may a language model's picks weigh? Simulated judges over the real candidates of collected instances.

usage: python -m benchmarks.simulated_judges --data FOLDER [--genomes DIR] [--weights 0 2 3 4 5 6] [--seed 0]

A judge sees the 50 best candidates and picks 8 by a utility: what it knows (gold files stand out), what it shares with
the offline ranking, what it believes whatever it is shown (the same in both orders), and noise (another in each order).
Its weight follows its agreement exactly as in the product. FOLDER is what ``benchmarks.collect`` wrote, DIR holds
genomes that never saw one repository each, as for ``benchmarks.localization``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from iterative_retrieval.evolution.defaults import default_retrieval
from iterative_retrieval.retrieval.advice.agreement import agreement, concordance, pooled, trust
from iterative_retrieval.retrieval.advice.blend import pick_values

from .fit import load

Floats = NDArray[np.float64]
_SHOWN, _PICKS, _EARLIER = 50, 8, 8
_KS = (1, 3, 5)


@dataclass(frozen=True)
class Judge:
    """gold: how far gold files stand out. shared: of the offline ranking. belief, noise: standard deviations."""

    name: str
    gold: float
    shared: float
    belief: float
    noise: float


JUDGES = (
    Judge("sure, mostly right", 4.2, 0.6, 1.8, 0.3),
    Judge("sure, often right", 3.2, 0.6, 1.8, 0.3),
    Judge("sure, sometimes right", 2.4, 0.4, 1.8, 0.3),
    Judge("sure, seldom right", 1.5, 0.2, 1.8, 0.3),
    Judge("sure, knows nothing", 0.0, 0.0, 1.8, 0.3),
    Judge("unsure, sometimes right", 2.2, 0.5, 0.8, 1.5),
    Judge("unsure, seldom right", 1.2, 0.3, 0.8, 1.5),
    Judge("random", 0.0, 0.0, 0.0, 1.0),
)


@dataclass(frozen=True)
class Case:
    """The best candidates of an instance, best first. scores: offline. gold: which of them the fix touched."""

    scores: Floats
    gold: NDArray[np.bool_]


def cases(folder: Path, genomes: Path | None) -> Iterator[Case]:
    """The collected instances under weights that never saw their repository, where there are such."""
    data = load([folder])
    ends = [*data.starts[1:].tolist(), len(data.values)]
    for row, start, end in zip(data.rows, data.starts.tolist(), ends, strict=True):
        weights = _weights(row, genomes)
        scores = data.values[start:end] @ np.array([weights.get(name, 0.0) for name in data.names])
        best = np.argsort(-scores, kind="stable")[:_SHOWN]
        yield Case(scores[best], data.target[start:end][best] > 0)


def judged(found: Sequence[Case], judge: Judge, weight: float, known: bool, seed: int) -> dict[str, Any]:
    """Hit rates of the blend and of the judge alone, and its mean agreement.

    known: earlier requests measured it and one order is asked; else two orders of the request at hand.
    """
    chance = np.random.default_rng(seed)
    picks = [_picked(case, judge, chance) for case in found]
    earned = [_earned(orders, len(case.scores)) for orders, case in zip(picks, found, strict=True)]
    mean = float(np.mean(earned))
    ranked = []
    for case, orders, now in zip(found, picks, earned, strict=True):
        trusted = trust(pooled(None, _EARLIER, mean) if known else pooled(now, 0, 0.0))
        lifts = pick_values([[str(i) for i in order] for order in (orders[:1] if known else orders)])
        lift = np.array([lifts.get(str(i), 0.0) for i in range(len(case.scores))])
        ranked.append(case.gold[np.argsort(-(case.scores + weight * trusted * lift), kind="stable")])
    alone = [case.gold[orders[0]] for case, orders in zip(found, picks, strict=True)]
    return {"blend": _hits(ranked), "alone": _hits(alone), "agreement": round(mean, 2)}


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; the answer is the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--genomes", type=Path)
    parser.add_argument("--weights", type=float, nargs="+", default=[2.0, 3.0, 4.0, 5.0, 6.0])
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(argv)
    found = list(cases(arguments.data, arguments.genomes))
    print(f"{len(found)} instances; @{'/@'.join(map(str, _KS))} offline {_hits([c.gold for c in found])}")
    for judge in JUDGES:
        told = judged(found, judge, 0.0, True, arguments.seed)
        print(f"\n{judge.name}: alone {told['alone']}, earned agreement {told['agreement']}")
        for weight in arguments.weights:
            first, later = (judged(found, judge, weight, known, arguments.seed)["blend"] for known in (False, True))
            print(f"  llm_evaluator {weight:g}: first request {first}, known {later}")
    return 0


def _weights(row: dict[str, Any], genomes: Path | None) -> dict[str, float]:
    path = genomes / f"{str(row['repo']).replace('/', '__')}.json" if genomes else None
    if path and path.is_file():
        weights: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))["weights"]
        return weights
    return default_retrieval().weights


def _picked(case: Case, judge: Judge, chance: np.random.Generator) -> list[list[int]]:
    """Offline ranks of the picks, best first, in two orders."""
    n = len(case.scores)
    spread = (case.scores - case.scores.mean()) / (case.scores.std() + 1e-9)
    known = judge.gold * case.gold + judge.shared * spread + judge.belief * chance.normal(size=n)
    return [np.argsort(-(known + judge.noise * chance.normal(size=n)))[:_PICKS].tolist() for _ in range(2)]


def _earned(orders: Sequence[Sequence[int]], n: int) -> float:
    """As ``nodes.advice.picking`` measures it."""
    found = agreement([str(i) for i in orders[0]], [str(i) for i in orders[1]], n)
    return found * concordance(list({i for order in orders for i in order}), n) if found > 0 else found


def _hits(ranked: Sequence[NDArray[np.bool_]]) -> str:
    return "/".join(f"{100 * float(np.mean([gold[:k].any() for gold in ranked])):.1f}" for k in _KS)


if __name__ == "__main__":
    sys.exit(main())
