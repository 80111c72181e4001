"""Small corpora and queries for the tests of pure retrieval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from iterative_retrieval.retrieval.analysis import analyse_file
from iterative_retrieval.retrieval.lexical_signals import FieldWeights
from iterative_retrieval.retrieval.modules import ModuleMap
from iterative_retrieval.retrieval.named import places
from iterative_retrieval.retrieval.past import past_evidence
from iterative_retrieval.retrieval.signals import Scene
from iterative_retrieval.retrieval.task import read_task
from iterative_retrieval.retrieval.terms import QueryTerms, query_terms
from iterative_retrieval.retrieval.text import analyse, content_terms, term_hash
from iterative_retrieval.state.analysis import NO_HISTORY, FileAnalysis, History
from iterative_retrieval.state.candidate import Evaluation

DAY = 86_400


def analyses_of(texts: Mapping[str, str]) -> dict[str, FileAnalysis]:
    """Path -> analysis of a small corpus."""
    return {path: analyse_file(path, text.encode())[0] for path, text in texts.items()}


def frequency_in(texts: Mapping[str, str]) -> Callable[[str], int]:
    """Document frequency of a term in a small corpus."""
    held = [set(a.parts) | set(a.wholes) for a in map(analyse, texts.values())]
    return lambda term: sum(term in terms for terms in held)


def definers_in(analyses: Mapping[str, FileAnalysis]) -> Callable[[str], int]:
    """How many files of a small corpus define a name."""
    return lambda name: sum(any(s.name == name for s in a.structure.symbols) for a in analyses.values())


def query_of(text: str, texts: Mapping[str, str], limit: int = 200) -> QueryTerms:
    """The terms of a task in a small corpus."""
    return query_terms(read_task(text), frequency_in(texts), len(texts), limit)


def scene_in(text: str, texts: Mapping[str, str], history: History = NO_HISTORY) -> Scene:
    """The scene of a task in a small corpus."""
    analyses = analyses_of(texts)
    task, query = read_task(text), query_of(text, texts)
    return Scene(
        task=task,
        query=query,
        places=places(task, ModuleMap(texts)),
        past=past_evidence(query, history),
        definers=definers_in(analyses),
        mean_length=float(np.mean([len(a.parts) for a in analyses.values()])) if analyses else 1.0,
        languages={"python": 1.0},
        knobs=FieldWeights(),
    )


def history_of(commits: Sequence[tuple[str, Sequence[str]]], days: Sequence[float] | None = None) -> History:
    """A history from (message, files) pairs, newest first; days: age of each commit."""
    ages = days if days is not None else [float(i) for i in range(len(commits))]
    keys = [[term_hash(t) for t in content_terms(message).parts] for message, _ in commits]
    return History(
        ids=[f"{i:040x}" for i in range(len(commits))],
        times=np.array([1_700_000_000 - int(a * DAY) for a in ages], dtype=np.int64),
        terms=np.array([k for some in keys for k in some], dtype=np.uint32),
        ends=np.cumsum([len(some) for some in keys]).astype(np.int64),
        files=[list(files) for _, files in commits],
        subjects=[message for message, _ in commits],
    )


def evaluation(
    path: str, score: float = 1.0, relevance: float = 0.5, cycle: int = 1, chance: float = 0.1
) -> Evaluation:
    """What evaluate would say of a path."""
    return Evaluation(path=path, score=score, relevance=relevance, probability=chance, reason="", cycle=cycle)
