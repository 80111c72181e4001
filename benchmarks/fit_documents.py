"""Fit the ``retrieval`` genome of documentation, and measure it on documents it never saw.

usage: python -m benchmarks.fit_documents --data DIR [--cache DIR] [--l2 0.005] [--out GENOME.json] [--json]

Rows are the signals of every candidate of a question's first cycle, through the product's own steps. The documents of
both sets are dealt into ten groups by a hash of their ids; a question belongs to the group of its first gold chunk's
document. Held-out numbers come from weights that saw no question of the group. --out writes the genome fitted on all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from iterative_retrieval.nodes.passage_subject import PassageSubject
from iterative_retrieval.retrieval.gather import basket
from iterative_retrieval.retrieval.passages.signals import passage_table
from iterative_retrieval.retrieval.relevance import scaled, scales_of
from iterative_retrieval.state.document_ports import Collection
from iterative_retrieval.state.genome import RetrievalGenome
from iterative_retrieval.state.query import Query
from iterative_retrieval.state.routing import DepthBudget

from .arguments import guarded
from .document_measures import measures
from .document_sets import DocQuestion, DocumentSet, read_sets
from .document_store import Bench
from .fit import (
    SUFFICIENCY,
    Data,
    Floats,
    calibration_knots,
    expected_calibration_error,
    fit,
    fit_sufficiency,
    sufficiency_rows,
)

GROUPS = 10
LATER = {"learned": 0.4, "graph_beside": 1.6}
"""Weights of the signals that a first look does not have, chosen small: learned words come with later cycles, and who
stands beside a likely chunk is known once there are probabilities (0.4 to 3.0 were tried on held-out scores)."""
_ANSWERED_FROM = 8  # chunks an answer is composed from


def collect(bench: Bench, sets: Sequence[DocumentSet]) -> Data:
    """The candidates of every question, with their signals."""
    genome, depth = RetrievalGenome(), DepthBudget()
    rows = []
    for documents in sets:
        collection = bench.collections.open(documents.name)
        for question in documents.questions:
            subject = bench.subjects.subject(collection, question.text, "en", genome, depth)
            rows.append(_row(subject, collection, documents.name, question))
    return _data(rows)


def _row(subject: PassageSubject, collection: Collection, name: str, question: DocQuestion) -> dict[str, Any]:
    depth = subject.depth
    lists = subject.lists(1, Query(), [])
    keys = [c.path for c in basket(lists, lambda key: True, depth.list_depth, depth.candidates, subject.genome.rrf_k)]
    table = passage_table(
        subject.question, keys, subject.documents(keys), subject.surroundings(keys), subject.genome, {}
    )
    group = int(hashlib.sha256(question.gold[0].rpartition("#")[0].encode()).hexdigest(), 16) % GROUPS
    return {
        "source": name,
        "repo": f"{name} {group}",
        "question": question,
        "gold": question.gold,
        "paths3": table.paths,
        "names": table.names,
        "values": scaled(table, scales_of(table, {})),
    }


def _data(rows: Sequence[dict[str, Any]]) -> Data:
    lengths = [len(r["paths3"]) for r in rows]
    gold = [np.isin(r["paths3"], r["gold"]).astype(float) for r in rows]
    return Data(
        rows=list(rows),
        names=rows[0]["names"],
        values=np.concatenate([r["values"] for r in rows]),
        starts=np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64),
        target=np.concatenate([g / max(1.0, g.sum()) for g in gold]),
    )


def held_out_scores(data: Data, l2: float, drop: Sequence[str] = ()) -> Floats:
    """Scores of every row by weights that never saw its group of documents."""
    ends = [*data.starts[1:].tolist(), len(data.values)]
    scores = np.zeros(len(data.values))
    for group in sorted({r["repo"] for r in data.rows}):
        outside = [i for i, r in enumerate(data.rows) if r["repo"] != group]
        weights = fit(data.of(outside), l2, drop, free=())
        for i, row in enumerate(data.rows):
            if row["repo"] == group:
                scores[data.starts[i] : ends[i]] = data.values[data.starts[i] : ends[i]] @ weights
    return scores


def rankings(data: Data, scores: Floats, name: str) -> dict[str, list[str]]:
    """Question id -> chunk keys, best first, of one set."""
    ends = [*data.starts[1:].tolist(), len(data.values)]
    ranked = {}
    for row, start, end in zip(data.rows, data.starts.tolist(), ends, strict=True):
        if row["source"] == name:
            order = sorted(range(end - start), key=lambda i: (-scores[start + i], row["paths3"][i]))
            ranked[row["question"].id] = [row["paths3"][i] for i in order]
    return ranked


def held_out(data: Data, sets: Sequence[DocumentSet], l2: float) -> dict[str, Any]:
    """Measures of each set under weights that never saw its documents, and the calibration error."""
    scores = held_out_scores(data, l2)
    knots = calibration_knots(data, scores)
    found: dict[str, Any] = {s.name: measures(s.questions, rankings(data, scores, s.name), s.name) for s in sets}
    found["calibration_error"] = round(
        expected_calibration_error(_probabilities(data, scores, knots), (data.target > 0).astype(float)), 4
    )
    return found


def crossed(data: Data, sets: Sequence[DocumentSet], l2: float) -> dict[str, Any]:
    """Measures of each set under weights fitted on the other set alone."""
    found = {}
    for one in sets:
        others = [i for i, r in enumerate(data.rows) if r["source"] != one.name]
        scores = data.values @ fit(data.of(others), l2, free=())
        found[one.name] = measures(one.questions, rankings(data, scores, one.name), one.name)
    return found


def genome_of(data: Data, l2: float) -> dict[str, Any]:
    """The genome fitted on everything; its calibration comes from held-out scores."""
    scores = held_out_scores(data, l2)
    knots = calibration_knots(data, scores)
    sufficiency = fit_sufficiency(*sufficiency_rows(data, scores, knots, _ANSWERED_FROM))
    weights = {n: round(float(w), 4) for n, w in zip(data.names, fit(data, l2, free=()), strict=True) if abs(w) > 1e-4}
    return {
        "wanted": 1,
        "weights": weights | LATER,
        "calibration": knots,
        "rubric": _RUBRIC,
        "sufficiency": dict(zip(SUFFICIENCY, (round(float(w), 4) for w in sufficiency), strict=True)),
        "sufficient_confidence": 0.9,
    }


_RUBRIC = [[-3.5, 0.0], [-2.7, 0.1], [-2.0, 0.3], [-1.5, 0.5], [-1.2, 0.7], [-0.6, 0.85], [0.0, 1.0]]


def _probabilities(data: Data, scores: Floats, knots: Sequence[Sequence[float]]) -> Floats:
    lengths = np.diff([*data.starts, len(data.values)])
    powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, data.starts), lengths))
    share = np.clip(powers / np.repeat(np.add.reduceat(powers, data.starts), lengths), 1e-9, 1 - 1e-9)
    probabilities: Floats = np.interp(np.log(share / (1 - share)), *np.array(knots).T)
    return probabilities


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="keep the index here (default: a temporary folder)")
    parser.add_argument("--l2", type=float, default=0.005)
    parser.add_argument("--out", type=Path, help="write the genome fitted on everything")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        sets = read_sets(arguments.data)
        bench = Bench(arguments.cache or Path(scratch))
        for documents in sets:
            bench.index(documents)
        data = collect(bench, sets)
    result = {"held_out": held_out(data, sets, arguments.l2), "crossed": crossed(data, sets, arguments.l2)}
    print(json.dumps(result, indent=None if arguments.json else 1))
    if arguments.out:
        arguments.out.write_text(json.dumps(genome_of(data, arguments.l2), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
