"""Fit the weights of the retrieval genome on collected signals.

usage: python -m benchmarks.fit --data FOLDER [FOLDER ...] [--l2 0.004] [--folds FOLDER] [--out GENOME.json]

A linear model with a listwise softmax loss (Cao et al. 2007): the gold files of an instance share the target. Evidence
weights are kept at or above 0, so more evidence never lowers a file; priors are free. Reported rates are
leave-one-repository-out: an instance is ranked by weights that never saw its repository.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression, minimize

from iterative_retrieval.evolution.listwise import FREE, Lists, bounds_of, fit_weights
from iterative_retrieval.retrieval.spans import CHUNK_SIGNALS, neighbour_signals
from iterative_retrieval.retrieval.stopping import sufficiency_features

Floats = NDArray[np.float64]
SPENT = (
    *("bm25f_code", "chunk_code", "coverage_all", "rare_code", "pairs_prose", "defines_title_word", "defines_code"),
    *("imported", "graph_bases", "graph_importers", "prior_depth", "prior_package", "stem_all"),
)
"""Signals whose news others already tell: their weights ended at or near 0, and without them the rest fits better."""
FREE_CHUNKS = ("chunk_length", "chunk_header", "chunk_first", "chunk_private", "chunk_dunder", "chunk_nested")
"""Chunk signals whose weight may be negative."""
SUFFICIENCY = ("bias", "lead", "spread", "last", "best")
ROLE_PRIOR = {
    "role_test": -3.0,
    "role_doc": -3.0,
    "role_example": -3.0,
    "role_data": -3.0,
    "role_generated": -3.0,
    "role_vendored": -2.0,
    "role_config": -1.0,
}
"""Where the penalty pulls role weights: demoted files are rare in the data, so it says little about each role alone."""


@dataclass(frozen=True)
class Data:
    """Collected instances.

    values: (n_rows, n_signals), all candidates of all instances below one another. starts: (n_instances,), first row
    of each. target: (n_rows,), gold share, each instance's sum is 1 or, when no gold was found, 0.
    """

    rows: list[dict[str, Any]]
    names: list[str]
    values: Floats
    starts: NDArray[np.int64]
    target: Floats

    def of(self, keep: Sequence[int]) -> Data:
        """The data of some instances."""
        ends = [*self.starts[1:].tolist(), len(self.values)]
        index = np.concatenate([np.arange(self.starts[i], ends[i]) for i in keep])
        lengths = [ends[i] - self.starts[i] for i in keep]
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
        return Data([self.rows[i] for i in keep], self.names, self.values[index], starts, self.target[index])


def load(folders: Iterable[Path], cycle: int = 3) -> Data:
    """All collected rows of the folders; ``cycle`` chooses the table (1 or 3)."""
    rows = [pickle.loads(p.read_bytes()) | {"source": f.name} for f in folders for p in sorted(f.glob("*.pickle"))]
    rows = [r for r in rows if len(r[f"paths{cycle}"])]
    lengths = [len(r[f"paths{cycle}"]) for r in rows]
    gold = [np.array([p in set(r["gold"]) for p in r[f"paths{cycle}"]], dtype=float) for r in rows]
    return Data(
        rows=rows,
        names=rows[0]["names"],
        values=np.concatenate([r[f"values{cycle}"] for r in rows]).astype(np.float64),
        starts=np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64),
        target=np.concatenate([g / max(1.0, g.sum()) for g in gold]),
    )


def fit(data: Data, l2: float, drop: Sequence[str] = (), free: Sequence[str] = FREE) -> Floats:
    """(n_signals,): the weights; dropped signals get 0, those named by a prefix in ``free`` may be negative."""
    centre = np.array([ROLE_PRIOR.get(n, 0.0) for n in data.names])
    lists = Lists(data.values, data.starts, data.target)
    return fit_weights(lists, centre, bounds_of(data.names, free, drop), l2)


def scores_by_fold(data: Data, l2: float, drop: Sequence[str] = ()) -> tuple[Floats, dict[str, Floats]]:
    """Scores of every row by weights that never saw its repository, and the weights by held-out repository."""
    scores = np.zeros(len(data.values))
    lengths = np.diff([*data.starts, len(data.values)])
    folds: dict[str, Floats] = {}
    for repo in sorted({r["repo"] for r in data.rows}):
        inside = [i for i, r in enumerate(data.rows) if r["repo"] == repo]
        outside = [i for i, r in enumerate(data.rows) if r["repo"] != repo]
        weights = folds[repo] = fit(data.of(outside), l2, drop)
        for i in inside:
            rows = slice(data.starts[i], data.starts[i] + lengths[i])
            scores[rows] = data.values[rows] @ weights
    return scores, folds


def gold_ranks(data: Data, scores: Floats, cycle: int = 3) -> list[list[int | None]]:
    """For each instance the rank (from 1) of each gold file, None when it is no candidate."""
    ends = [*data.starts[1:].tolist(), len(data.values)]
    ranks: list[list[int | None]] = []
    for row, start, end in zip(data.rows, data.starts, ends, strict=True):
        paths = row[f"paths{cycle}"]
        order = sorted(range(end - start), key=lambda i: (-scores[start + i], paths[i]))
        place = {paths[i]: rank for rank, i in enumerate(order, start=1)}
        ranks.append([place.get(g) for g in row["gold"]])
    return ranks


def rates(ranks: Sequence[Sequence[int | None]], ks: Sequence[int] = (1, 3, 5, 8, 10, 20)) -> str:
    """Strict and any rates as a line."""
    n = max(1, len(ranks))
    strict = [100 * sum(all(r is not None and r <= k for r in row) for row in ranks) / n for k in ks]
    some = [100 * sum(any(r is not None and r <= k for r in row) for row in ranks) / n for k in ks]
    show = lambda values: " ".join(f"@{k} {v:5.1f}" for k, v in zip(ks, values, strict=True))  # noqa: E731
    return f"n {len(ranks):3d} strict {show(strict)} | any {show(some)}"


def calibration_knots(data: Data, scores: Floats, bins: int = 14) -> list[list[float]]:
    """Rising knots (log-odds of the softmax share, share of gold files): isotonic regression over quantile bins."""
    odds = _log_odds(data, scores)
    gold = (data.target > 0).astype(float)
    order = np.argsort(odds)
    odds, gold = odds[order], gold[order]
    # quantiles of the gold mass and of the rows: fine where decisions are made, coarse in the long tail
    mass = np.cumsum(gold + 20.0 / len(gold))
    edges = np.searchsorted(mass, np.linspace(0, mass[-1], bins + 1)[1:-1])
    parts = [(o, g) for o, g in zip(np.split(odds, edges), np.split(gold, edges), strict=True) if len(o)]
    means = isotonic_regression([float(g.mean()) for _, g in parts], weights=[len(g) for _, g in parts]).x
    knots: dict[float, float] = {}
    for (o, _), mean in zip(parts, means.tolist(), strict=True):
        knots[round(float(np.mean(o)), 3)] = round(float(np.clip(mean, 0.0001, 0.999)), 4)
    return [[x, knots[x]] for x in sorted(knots)]


def expected_calibration_error(probabilities: Floats, gold: Floats, bins: int = 10) -> float:
    """Mean gap between probability and frequency over equal-width bins, weighted by their size."""
    place = np.minimum((probabilities * bins).astype(int), bins - 1)
    gaps = [
        abs(probabilities[place == b].mean() - gold[place == b].mean()) * (place == b).mean()
        for b in range(bins)
        if (place == b).any()
    ]
    return float(sum(gaps))


def _log_odds(data: Data, scores: Floats) -> Floats:
    lengths = np.diff([*data.starts, len(data.values)])
    top = np.maximum.reduceat(scores, data.starts)
    powers = np.exp(scores - np.repeat(top, lengths))
    share = np.clip(powers / np.repeat(np.add.reduceat(powers, data.starts), lengths), 1e-9, 1 - 1e-9)
    odds: Floats = np.log(share / (1 - share))
    return odds


def likely_files(data: Data, scores: Floats) -> list[dict[str, float]]:
    """For each instance path -> its share of the softmax over the candidates."""
    shares = 1 / (1 + np.exp(-_log_odds(data, scores)))
    ends = [*data.starts[1:].tolist(), len(data.values)]
    rows = zip(data.rows, data.starts, ends, strict=True)
    return [dict(zip(row["paths3"], shares[start:end].tolist(), strict=True)) for row, start, end in rows]


def chunk_rows(
    rows: Sequence[dict[str, Any]], likely: Sequence[dict[str, float]], weights: dict[str, float]
) -> list[tuple[str, Floats, Floats]]:
    """(repo, (n_chunks, n_signals), target) for each gold file with a known hunk.

    ``weights`` give the first look that neighbours are judged by; likely are the files' chances, instance by instance.
    """
    out = []
    for row, chances in zip(rows, likely, strict=True):
        values = {p: np.asarray(v, dtype=float) for p, (v, _) in row["chunks"].items()}
        known = {p: max(chances.get(p, 0.0), 1e-4) for p in values}
        beside = neighbour_signals(values, row["graph"], known, weights)
        for path, (_, chunks) in row["chunks"].items():
            lines = [first for p, first, _ in row["gold_lines"] if p == path]
            if path not in row["gold"]:
                continue
            held = np.array([sum(a <= line + 3 <= b for line in lines) for a, b, _ in chunks], dtype=float)
            if len(chunks) > 1 and held.sum():
                columns = np.concatenate([values[path], beside[path] if weights else 0 * beside[path]], axis=1)
                out.append((row["repo"], columns, held / held.sum()))
    return out


def fit_chunks(
    rows: Sequence[dict[str, Any]], likely: Sequence[dict[str, float]], l2: float = 0.002, looks: int = 3
) -> dict[str, float]:
    """Weights of the listwise chunk model: the first look without neighbours, each further one by the last weights."""
    weights: dict[str, float] = {}
    for _ in range(looks + 1):
        found = chunk_rows(rows, likely, weights)
        starts = np.concatenate([[0], np.cumsum([len(t) for _, _, t in found])[:-1]]).astype(np.int64)
        values, target = np.concatenate([v for _, v, _ in found]), np.concatenate([t for _, _, t in found])
        data = Data([{"repo": r} for r, _, _ in found], list(CHUNK_SIGNALS), values, starts, target)
        fitted = fit(data, l2, free=FREE_CHUNKS)
        weights = {n: round(float(w), 4) for n, w in zip(CHUNK_SIGNALS, fitted, strict=True)}
    return weights


def sufficiency_rows(data: Data, scores: Floats, knots: list[list[float]], packed: int = 8) -> tuple[Floats, Floats]:
    """((n_instances, n_features), (n_instances,)): what tells whether a package is whole, and whether it was."""
    probabilities = np.interp(_log_odds(data, scores), *np.array(knots).T)
    ends = [*data.starts[1:].tolist(), len(data.values)]
    features, whole = [], []
    for row, start, end in zip(data.rows, data.starts, ends, strict=True):
        paths = row["paths3"]
        order = sorted(range(end - start), key=lambda i: (-scores[start + i], paths[i]))
        best = [float(scores[start + i]) for i in order], [float(probabilities[start + i]) for i in order]
        features.append(list(sufficiency_features(*best, packed).values()))
        whole.append(set(row["gold"]) <= {paths[i] for i in order[:packed]})
    return np.array(features), np.array(whole, dtype=float)


def fit_sufficiency(features: Floats, whole: Floats, l2: float = 0.003) -> Floats:
    """Weights of the logistic model, ridge on all but the bias."""

    def loss(w: Floats) -> float:
        margin = (2 * whole - 1) * (features @ w)
        return float(np.logaddexp(0, -margin).mean() + l2 * (w[1:] ** 2).sum())

    weights: Floats = minimize(loss, np.zeros(features.shape[1]), method="L-BFGS-B").x
    return weights


def genome_of(data: Data, arguments: argparse.Namespace, scores: Floats) -> dict[str, Any]:
    """The retrieval genome fitted on ``data``; ``scores`` come from weights that never saw their repository."""
    knots = calibration_knots(data, scores)
    sufficiency = fit_sufficiency(*sufficiency_rows(data, scores, knots))
    weights = fit(data, arguments.l2, arguments.drop)
    chunk_weights = fit_chunks(data.rows, likely_files(data, scores))
    base = json.loads(arguments.base.read_text()) if arguments.base else {}
    return base | {
        "weights": {n: round(float(w), 4) for n, w in zip(data.names, weights, strict=True) if abs(w) > 1e-4},
        "chunk_weights": chunk_weights,
        "calibration": knots,
        "sufficiency": dict(zip(SUFFICIENCY, (round(float(w), 4) for w in sufficiency), strict=True)),
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--l2", type=float, default=0.004)
    parser.add_argument("--cycle", type=int, default=3)
    parser.add_argument("--drop", nargs="*", default=list(SPENT), help="signals (or prefixes) without weight")
    parser.add_argument("--base", type=Path, help="genome whose other genes are kept")
    parser.add_argument("--out", type=Path, help="write the genome fitted on everything")
    parser.add_argument("--folds", type=Path, help="write leave-one-repository-out genomes to this folder")
    parser.add_argument("--show", action="store_true", help="print the weights fitted on everything")
    arguments = parser.parse_args()
    data = load(arguments.data, arguments.cycle)
    scores, _ = scores_by_fold(data, arguments.l2, arguments.drop)
    ranks = gold_ranks(data, scores, arguments.cycle)
    for source in sorted({r["source"] for r in data.rows}):
        print(f"{source:30}", rates([k for k, row in zip(ranks, data.rows, strict=True) if row["source"] == source]))
    for repo in sorted({r["repo"] for r in data.rows}):
        print(f"  {repo:28}", rates([k for k, row in zip(ranks, data.rows, strict=True) if row["repo"] == repo]))
    knots = calibration_knots(data, scores)
    if arguments.show:
        weights = fit(data, arguments.l2, arguments.drop)
        for name, weight in sorted(zip(data.names, weights, strict=True), key=lambda pair: -abs(pair[1])):
            print(f"{name:24} {weight:7.3f}")
        print("calibration", knots)
    if arguments.out:
        arguments.out.write_text(json.dumps(genome_of(data, arguments, scores), indent=1) + "\n")
    if arguments.folds:
        write_folds(data, arguments, scores)


def write_folds(data: Data, arguments: argparse.Namespace, scores: Floats) -> None:
    """Write a genome for each repository that was fitted on all others.

    Weights never saw the repository. Its calibration is fitted on the other repositories' rows alone; their scores come
    from weights that left out each row's own repository.
    """
    arguments.folds.mkdir(parents=True, exist_ok=True)
    lengths = np.diff([*data.starts, len(data.values)])
    for repo in sorted({r["repo"] for r in data.rows}):
        keep = [i for i, r in enumerate(data.rows) if r["repo"] != repo]
        inside = np.concatenate([np.arange(data.starts[i], data.starts[i] + lengths[i]) for i in keep])
        genome = genome_of(data.of(keep), arguments, scores[inside])
        (arguments.folds / (repo.replace("/", "__") + ".json")).write_text(json.dumps(genome) + "\n")


if __name__ == "__main__":
    main()
