"""Baselines: what a user gets from counting words, and from plain BM25, over the same files at the same commit.

Files of other roles (tests, docs, data) stand behind source files, as in the product: a baseline that mixed them in
would only look weaker.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .instances import Instance
from .predictions import Row

QueryPart = Literal["title", "issue"]
BASELINES = ("rg", "bm25", "bm25_title")
KEPT = 200
"""Ranked files in a row."""


def baseline(name: str) -> Baseline:
    """The baseline of a name; where there is no ``rg``, counting words in this process stands in for it."""
    if name == "rg":
        return Baseline("ripgrep" if shutil.which("rg") else "word count", "title")
    return Baseline("bm25s", "title" if name == "bm25_title" else "issue")


@dataclass(frozen=True)
class Baseline:
    """One baseline and the part of an issue that it is asked with."""

    engine: Literal["ripgrep", "word count", "bm25s"]
    part: QueryPart

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"{self.engine}, {self.part}"

    @property
    def nothing(self) -> Row:
        """What a failed instance gets."""
        return {"files": []}

    def settings(self) -> dict[str, Any]:
        """Nothing but its name."""
        return {}

    def predict(self, instance: Instance, root: str) -> Row:
        """The row of one instance: files alone, since a baseline packs nothing."""
        from iterative_retrieval.retrieval.task import read_task

        started = time.perf_counter()
        text = instance["problem_statement"]
        query = read_task(text).title if self.part == "title" else text
        rank = {"ripgrep": by_ripgrep, "word count": by_word_count, "bm25s": by_bm25}[self.engine]
        files = rank(query, root, instance["base_commit"])[:KEPT]
        return {
            "instance_id": instance["instance_id"],
            "files": files,
            "seconds": round(time.perf_counter() - started, 3),
        }


def query_words(text: str) -> list[str]:
    """The words of a text that a user would search for: lower case, without stop words, each once."""
    from iterative_retrieval.retrieval.text import is_stopword, raw_words, unique

    return unique(w.lower() for w in raw_words(text) if len(w) > 2 and not is_stopword(w))


def by_word_count(query: str, root: str, ref: str) -> list[str]:
    """Files by how many different words of the query they hold, then by how often; substrings, case ignored."""
    words = [w.encode() for w in query_words(query)]
    counts: dict[str, list[int]] = {}
    for path, data in _files(root, ref):
        if b"\0" not in data:
            lowered = data.lower()
            counts[path] = [lowered.count(w) for w in words]
    return _most_words(counts)


def by_ripgrep(query: str, root: str, ref: str) -> list[str]:
    """The same order, counted by ``rg`` on an exported tree, one run a word."""
    with tempfile.TemporaryDirectory(prefix="exported-") as folder:
        export(root, ref, Path(folder))
        per_word = [ripgrep_counts(word, folder) for word in query_words(query)]
    paths = {path for counts in per_word for path in counts}
    return _most_words({path: [counts.get(path, 0) for counts in per_word] for path in paths})


def ripgrep_counts(word: str, folder: str) -> dict[str, int]:
    """Path -> how often a word stands in it, case ignored; hidden and ignored files count like all others."""
    everything = ["--no-config", "--no-ignore", "--hidden", "--no-messages"]
    command = ["rg", *everything, "--count-matches", "--null", "-i", "-F", "-e", word, "./"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if done.returncode > 1:
        raise RuntimeError(f"rg failed: {os.fsdecode(done.stderr).strip()}")
    pairs = (os.fsdecode(line).rpartition("\0") for line in done.stdout.splitlines())
    return {path.removeprefix("./"): int(count) for path, _, count in pairs}


def by_bm25(query: str, root: str, ref: str) -> list[str]:
    """Files by BM25 (bm25s, Lucene's form) over path and text, identifiers split by the product's own analysis."""
    import bm25s  # type: ignore[import-untyped]
    import numpy as np

    from iterative_retrieval.retrieval.text import content_terms

    documents = dict(_term_ids(root, ref))
    found = content_terms(query)
    terms = [_vocabulary[t] for t in (*found.parts, *found.wholes) if t in _vocabulary]
    if not documents or not terms:
        return []
    paths = sorted(documents)
    engine = bm25s.BM25(k1=1.2, b=0.75)
    corpus = ([documents[p].tolist() for p in paths], dict(_vocabulary))
    engine.index(corpus, create_empty_token=False, show_progress=False)
    scores = np.asarray(engine.get_scores(terms), dtype=float).tolist()
    return _sources_first({p: (s,) for p, s in zip(paths, scores, strict=True) if s > 0})


def export(root: str, ref: str, folder: Path) -> None:
    """Write the files of a commit below ``folder``: those that the product lists."""
    for path, data in _files(root, ref):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _files(root: str, ref: str) -> Iterator[tuple[str, bytes]]:
    from iterative_retrieval.stores.corpus import open_corpus

    corpus = open_corpus(root, ref)
    for entry, data in corpus.read_many(corpus.files):
        yield entry.path, data


def _most_words(counts: Mapping[str, Sequence[int]]) -> list[str]:
    return _sources_first({p: (sum(n > 0 for n in c), sum(c)) for p, c in counts.items() if any(c)})


def _sources_first(keys: Mapping[str, tuple[float, ...]]) -> list[str]:
    """Paths by role, then by falling key, ties by path."""
    from iterative_retrieval.retrieval.roles import role_of
    from iterative_retrieval.state.source import FileRole

    order = lambda p: (role_of(p) is not FileRole.SOURCE, *(-k for k in keys[p]), p)  # noqa: E731
    return sorted(keys, key=order)


_vocabulary: dict[str, int] = {}
_analysed: dict[str, array[int]] = {}
"""Blob id -> term ids: a worker sees one repository, so neighbouring commits share most of them."""


def _term_ids(root: str, ref: str) -> Iterator[tuple[str, array[int]]]:
    """Each readable file with the ids of its path's and its text's terms."""
    from iterative_retrieval.retrieval.contents import sniff
    from iterative_retrieval.stores.corpus import open_corpus

    corpus = open_corpus(root, ref)
    new = [e for e in corpus.files if e.blob not in _analysed]
    for entry, data in corpus.read_many(new):
        _analysed[entry.blob] = _ids(sniff(data).text or "")
    for entry in corpus.files:
        if entry.blob in _analysed and len(_analysed[entry.blob]):
            yield entry.path, _ids(entry.path) + _analysed[entry.blob]


def _ids(text: str) -> array[int]:
    from iterative_retrieval.retrieval.text import stream

    return array("i", [_vocabulary.setdefault(t, len(_vocabulary)) for t in stream(text).text.split()])
