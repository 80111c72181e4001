"""Refine's thinking: the code base's own words for what the task says.

This is not RM3: nothing is added because it is frequent in the first results. A word is added when it is a definition
of a highly relevant file that shares a part with the task, a word that past commit messages or the thesaurus join with
the task's words, or a longer form of one of them; and only when the code base holds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..state.analysis import FileAnalysis, History
from .task import Task
from .terms import QueryTerms
from .text import content_terms, term_hash, unique
from .thesaurus import related_words


def defined_words(
    high: Mapping[str, FileAnalysis], task_stems: set[str], rarity: Callable[[str], int], limit: int
) -> list[str]:
    """Names that highly relevant files define and that share a part with the task, rarest first.

    Args:
        high: path -> analysis of the highly relevant files.
        task_stems: the task's stems.
        rarity: in how many files a stem stands.
        limit: most names.
    """
    scored: dict[str, float] = {}
    for analysis in high.values():
        for symbol in analysis.structure.symbols:
            parts = content_terms(symbol.name).parts
            shared = [p for p in parts if p in task_stems]
            fresh = [p for p in parts if p not in task_stems]
            if shared and fresh:
                value = max(1.0 / (1 + rarity(p)) for p in shared) * (1.5 if symbol.kind == "class" else 1.0)
                scored[symbol.name] = max(scored.get(symbol.name, 0.0), value)
    return sorted(scored, key=lambda name: (-scored[name], name))[:limit]


def thesaurus_words(task: Task, frequency: Callable[[str], int], size: int, limit: int) -> list[str]:
    """Other words for what the title says that the code base holds, but not everywhere."""
    common = max(8, size // 5)
    words = related_words(task.title, limit=120)
    return [w for w in words if any(0 < frequency(stem) <= common for stem in content_terms(w).parts)][:limit]


def commit_words(query: QueryTerms, history: History, vocabulary: Mapping[int, str], limit: int) -> list[str]:
    """Words that past commit messages join with the task's title words more often than chance would.

    Args:
        query: the task's terms.
        history: past commits.
        vocabulary: term key -> word, for the words that may be given.
        limit: most words.
    """
    titles = {int(k) for k, w in zip(query.keys, query.weights["title"], strict=True) if w >= 1}
    if len(history.times) < 50 or not titles or not vocabulary:
        return []
    owners = np.repeat(np.arange(len(history.times)), np.diff(history.ends, prepend=0))
    hit = np.isin(history.terms, np.array(sorted(titles), dtype=np.uint32))
    commits, counts = np.unique(owners[hit], return_counts=True)
    strong = commits[counts >= min(2, len(titles))]
    if not len(strong):
        return []
    inside = np.isin(owners, strong)
    joined = Counter(history.terms[inside].tolist())
    everywhere = Counter(history.terms.tolist())
    share = len(strong) / len(history.times)
    lift = {
        k: n / (1.0 + everywhere[k] * share)
        for k, n in joined.items()
        if n >= 3 and k in vocabulary and k not in titles
    }
    return [vocabulary[k] for k in sorted(lift, key=lambda k: (-lift[k], k)) if lift[k] > 3.0][:limit]


def longer_forms(
    task: Task, frequency: Callable[[str], int], with_prefix: Callable[[str], Sequence[str]], limit: int
) -> list[str]:
    """Terms of the code base that begin with a title word it lacks, or are that word's beginning (auth)."""
    found: list[str] = []
    for stem in unique(content_terms(task.title).parts):
        if frequency(stem):
            continue
        if len(stem) >= 4:
            found.extend(w for w in with_prefix(stem) if w != stem and len(w) <= len(stem) + 4)
        if len(stem) >= 7:
            found.extend(w for w in with_prefix(stem[:4]) if 4 <= len(w) < len(stem) and stem.startswith(w))
    return unique(found)[:limit]


def vocabulary_of(words: Sequence[str]) -> dict[int, str]:
    """Term key -> word."""
    return {term_hash(w): w for w in words}
