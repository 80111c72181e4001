"""Reasons in words: the strongest evidence of a file, as a person would say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .signals import Scene, SignalTable

_MOST = 3
_TELLING = {"past_recent": 0.3, "words": 0.6}
"""Evidence that counts but says little to a reader."""


def reason_for(scene: Scene, table: SignalTable, i: int, evidence: Mapping[str, float]) -> str:
    """The reason of file ``i``: its strongest kinds of evidence, strongest first.

    Args:
        scene: the request.
        table: its signals.
        i: row of the file.
        evidence: signal -> what it adds to the file's score.
    """
    by_kind: dict[str, float] = {}
    for signal, gain in evidence.items():
        if gain > 0:
            kind = _kind(signal)
            by_kind[kind] = by_kind.get(kind, 0.0) + gain * _TELLING.get(kind, 1.0)
    said: list[str] = []
    for kind in sorted(by_kind, key=lambda k: (-by_kind[k], k)):
        words = _PHRASES[kind](scene, table, i) if kind in _PHRASES else ""
        if words and words not in said:
            said.append(words)
    return "; ".join(said[:_MOST]) or "shares few words with the task"


def _kind(signal: str) -> str:
    if signal.startswith("defines_"):
        return "defines"
    if signal.startswith(("bm25f_", "chunk", "rare_", "wholes", "coverage_", "names_")):
        return "words"
    if signal.startswith(("path_", "stem_")):
        return "name"
    if signal.startswith(("pairs_", "planned_")):
        return signal.partition("_")[0]
    return signal


def _defines(scene: Scene, table: SignalTable, i: int) -> str:
    names = table.rows[i].named.names[:2]
    return f"defines {' and '.join(names)}, named in the task" if names else ""


def _words(scene: Scene, table: SignalTable, i: int) -> str:
    terms = table.rows[i].speaks
    return f"speaks of {', '.join(terms)}" if terms else ""


def _name(scene: Scene, table: SignalTable, i: int) -> str:
    held = table.rows[i].path_says
    return f"its path says {', '.join(held)}" if held else ""


def _past(scene: Scene, table: SignalTable, i: int) -> str:
    path = table.paths[i]
    count = scene.past.counts.get(path, 0)
    subject = scene.past.best.get(path, "")
    return f'changed in {count} similar commit{"s" * (count != 1)} ("{subject[:60]}")' if count else ""


def _fixed(words: str) -> Callable[[Scene, SignalTable, int], str]:
    return lambda scene, table, i: words


_PHRASES: dict[str, Callable[[Scene, SignalTable, int], str]] = {
    "defines": _defines,
    "words": _words,
    "name": _name,
    "pairs": _fixed("holds phrases of the task"),
    "past_similar": _past,
    "past_recent": _fixed("changed often of late"),
    "frame": _fixed("stands in the stack trace"),
    "quoted_path": _fixed("its path is quoted in the task"),
    "dotted": _fixed("its module is named in the task"),
    "imported": _fixed("imported by the task's code"),
    "graph_imports": _fixed("imported by a relevant file"),
    "graph_importers": _fixed("imports a relevant file"),
    "graph_co_changed": _fixed("changes together with a relevant file"),
    "graph_bases": _fixed("defines a base class of a relevant file"),
    "graph_folder": _fixed("stands beside relevant files"),
    "graph_tested": _fixed("tested by tests that read like the task"),
    "graph_siblings": _fixed("twin of a relevant file"),
    "planned": _fixed("matches what the model proposed to look for"),
    "learned": _fixed("holds the code base's own words for the task"),
}
