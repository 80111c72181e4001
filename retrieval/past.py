"""Signals from the past: files of commits whose messages read like the task, and files that change often of late."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..state.analysis import History
from .matching import find
from .terms import QueryTerms

_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class PastEvidence:
    """What the history says of a task.

    similar: path -> summed similarity of past commits to the task. best: path -> subject of the most similar one.
    counts: path -> number of similar commits. recent: path -> decayed number of changes.
    """

    similar: dict[str, float]
    best: dict[str, str]
    counts: dict[str, int]
    recent: dict[str, float]


def past_evidence(query: QueryTerms, history: History, top: int = 60, half_life_days: float = 120.0) -> PastEvidence:
    """What the history says of a task.

    Args:
        query: the task's terms.
        history: ancestors of the searched state.
        top: how many of the most similar commits vote.
        half_life_days: after how long a change counts half for ``recent``.
    """
    scores = commit_scores(query, history)
    order = np.argsort(-scores, kind="stable")[:top]
    similar: dict[str, float] = {}
    best: dict[str, str] = {}
    counts: dict[str, int] = {}
    for position in order.tolist():
        score = float(scores[position])
        paths = history.files[position]
        if score <= 0 or not paths:
            continue
        share = score / (1.0 + 0.3 * (len(paths) - 1))  # a commit of many files says less of each
        for path in paths:
            similar[path] = similar.get(path, 0.0) + share
            counts[path] = counts.get(path, 0) + 1
            best.setdefault(path, history.subjects[position])
    return PastEvidence(similar, best, counts, recent_changes(history, half_life_days))


def commit_scores(query: QueryTerms, history: History, k1: float = 1.2, b: float = 0.5) -> NDArray[np.float64]:
    """(n_commits,): BM25 of each message for the task, the title counted most."""
    n = len(history.times)
    if not n or not len(query.keys):
        return np.zeros(n)
    positions, terms = find(history.terms, query.keys)
    owners = np.searchsorted(history.ends, positions, side="right")
    cells, counts = np.unique(owners * len(query.keys) + terms, return_counts=True)
    commit, term = cells // len(query.keys), cells % len(query.keys)
    lengths = np.diff(history.ends, prepend=0).astype(np.float64)
    df = np.bincount(term, minlength=len(query.keys))
    idf = np.log1p((n - df + 0.5) / (df + 0.5))
    weight = idf * (query.weights["title"] + 0.25 * query.weights["all"])
    norm = k1 * (1 - b + b * lengths[commit] / max(1.0, lengths.mean()))
    gains = weight[term] * counts * (k1 + 1) / (counts + norm)
    scores = np.asarray(np.bincount(commit, weights=gains, minlength=n), dtype=np.float64)
    return scores


def recent_changes(history: History, half_life_days: float) -> dict[str, float]:
    """Path -> number of past changes, each halved every ``half_life_days`` before the newest."""
    if not len(history.times):
        return {}
    age = (float(history.times.max()) - history.times) / _DAY
    weights = np.exp2(-age / half_life_days)
    recent: dict[str, float] = {}
    for position, paths in enumerate(history.files):
        weight = float(weights[position])
        if weight < 1e-3:
            continue
        for path in paths:
            recent[path] = recent.get(path, 0.0) + weight
    return recent


def co_changed(history: History, seeds: Mapping[str, float], max_files: int = 20, newest: int = 80) -> dict[str, float]:
    """Path -> how strongly it changed together with the seeds.

    Each seed hands out its weight over the files of its ``newest`` commits, a commit of n files giving 1/n to each,
    relative to how often the seed itself changed.
    """
    joined: dict[str, float] = {}
    for seed, weight in seeds.items():
        positions = [p for p in history.by_path.get(seed, [])[:newest] if 1 < len(history.files[p]) <= max_files]
        for position in positions:
            share = weight / (len(history.files[position]) - 1) / (3.0 + len(positions))
            for path in history.files[position]:
                if path != seed:
                    joined[path] = joined.get(path, 0.0) + share
    return joined
