"""Instances beside their predictions, as a person reads them: ranks, the winner, what spoke for whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from iterative_retrieval.retrieval.languages import language_of

from .instances import Instance
from .predictions import Row

_TELLING = 0.05
"""Less difference between two files' contributions of a signal says nothing."""
_UNKNOWN = "unknown"


@dataclass(frozen=True)
class Contribution:
    """What a signal adds to the score of a gold file and of the winner."""

    signal: str
    gold: float
    winner: float

    @property
    def favours_winner(self) -> float:
        """Above 0: it speaks for the winner."""
        return self.winner - self.gold


@dataclass(frozen=True)
class Gold:
    """A file of the fix. rank: from 1, None when it is not ranked. by_cycle: after each cycle. said: why, in words."""

    path: str
    rank: int | None
    by_cycle: list[int | None]
    probability: float | None = None
    said: str = ""
    contributions: list[Contribution] = field(default_factory=list)


@dataclass(frozen=True)
class Case:
    """One row of the page.

    hit: every gold file is among the first k. winner: the first file that is none, '' when there is none. moved: the
    product ranks a gold file otherwise now than when it was predicted. gaps, cycles, winner_said: of the product asked
    again; empty without mirrors. functions: (``path:name``, rank or None) of each edited one.
    """

    name: str
    repo: str
    language: str
    query_type: str
    title: str
    text: str
    hit: bool
    gold: list[Gold]
    first: list[str]
    winner: str
    winner_said: str
    moved: bool
    gaps: list[dict[str, Any]]
    cycles: list[dict[str, Any]]
    functions: list[tuple[str, int | None]]
    found_functions: list[str]
    facts: dict[str, str]
    error: str

    @property
    def worst(self) -> int | None:
        """The rank of the gold file that comes last; None when one is not ranked."""
        ranks = [g.rank for g in self.gold]
        return None if None in ranks or not ranks else max(r for r in ranks if r is not None)


@dataclass(frozen=True)
class Favour:
    """A signal over all missed gold files. wrong, right: how often it spoke for the winner, or for the gold file.

    net: sum of what it added to winners over gold files.
    """

    signal: str
    wrong: int
    right: int
    net: float


def case_of(instance: Instance, row: Row, examined: Row, k: int) -> Case:
    """The case of one instance.

    Args:
        instance: with its issue and gold files.
        row: its prediction, {} when there is none.
        examined: of the product asked again, {} when it was not.
        k: how many files count as found.
    """
    gold, ranked = list(instance["gold_files"]), list(row.get("files", []))
    explained = examined.get("explained", {})
    winner = examined.get("winner") or next((path for path in ranked if path not in gold), "")
    files = [_gold(path, row, explained, winner) for path in gold]
    title, _, _ = instance["problem_statement"].strip().partition("\n")
    functions = list(instance.get("edit_functions") or instance.get("gold_functions") or [])
    return Case(
        name=instance["instance_id"],
        repo=instance["repo"],
        language=instance.get("language") or _language(gold),
        query_type=examined.get("query_type") or row.get("query_type") or row.get("profile") or _UNKNOWN,
        title=title.strip() or "(no title)",
        text=instance["problem_statement"],
        hit=bool(gold) and all(g.rank is not None and g.rank <= k for g in files),
        gold=files,
        first=ranked[: max(k, 10)],
        winner=winner,
        winner_said=_said(explained.get(winner, {})),
        moved="files" in examined and any(_rank(examined["files"], g.path) != g.rank for g in files),
        gaps=list(examined.get("gaps", [])),
        cycles=list(examined.get("cycles", [])),
        functions=[(name, _rank(row.get("functions", []), name)) for name in functions],
        found_functions=list(row.get("functions", []))[:8],
        facts=_facts(row),
        error=str(row.get("error") or examined.get("error") or ("" if row else "no prediction of this instance")),
    )


def favours(cases: Sequence[Case]) -> list[Favour]:
    """Which signals spoke for the wrong file where a gold file was missed, the one that cost most first.

    A gold file that ranks before the winner was beaten by nobody, so it does not count.
    """
    wrong: dict[str, int] = defaultdict(int)
    right: dict[str, int] = defaultdict(int)
    net: dict[str, float] = defaultdict(float)
    for case in (case for case in cases if not case.hit):
        for c in (c for g in case.gold if beaten(case, g) for c in g.contributions):
            net[c.signal] += c.favours_winner
            wrong[c.signal] += c.favours_winner > _TELLING
            right[c.signal] += c.favours_winner < -_TELLING
    told = [Favour(name, wrong[name], right[name], net[name]) for name in net if wrong[name] or right[name]]
    return sorted(told, key=lambda f: (-f.net, f.signal))


def beaten(case: Case, gold: Gold) -> bool:
    """Whether the winner ranks before a gold file."""
    place = _rank(case.first, case.winner)
    return place is not None and (gold.rank is None or gold.rank > place)


def counted(cases: Sequence[Case], by: str) -> list[tuple[str, int, int]]:
    """(value of a field, cases, hits), the most missed first."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for case in cases:
        groups[getattr(case, by)].append(case.hit)
    rows = [(name, len(hits), sum(hits)) for name, hits in groups.items()]
    return sorted(rows, key=lambda row: (row[2] - row[1], row[0]))


def _gold(path: str, row: Row, explained: Mapping[str, Any], winner: str) -> Gold:
    told, best = explained.get(path, {}), explained.get(winner, {})
    return Gold(
        path=path,
        rank=_rank(row.get("files", []), path),
        by_cycle=[_rank(ranking, path) for ranking in row.get("cycles", [])],
        probability=row.get("probabilities", {}).get(path),
        said=_said(told),
        contributions=_contributions(told.get("signals", {}), best.get("signals", {})),
    )


def _contributions(gold: Mapping[str, float], winner: Mapping[str, float]) -> list[Contribution]:
    """Signals of two files, those that differ most first; none when one of the files was not judged."""
    if not gold or not winner:
        return []
    rows = [Contribution(name, gold.get(name, 0.0), winner.get(name, 0.0)) for name in sorted({*gold, *winner})]
    return sorted(rows, key=lambda c: (-abs(c.favours_winner), c.signal))


def _said(explained: Mapping[str, Any]) -> str:
    return str(explained.get("sentence", ""))


def _rank(ranking: Sequence[str], name: str) -> int | None:
    return ranking.index(name) + 1 if name in ranking else None


def _language(paths: Sequence[str]) -> str:
    """The language of the first gold file."""
    return (language_of(PurePosixPath(paths[0]).name) if paths else "") or _UNKNOWN


def _facts(row: Row) -> dict[str, str]:
    """Further values of a prediction, in words."""
    names = {"stopped_by": "stopped by", "sufficient": "sufficient", "tokens": "tokens", "seconds": "seconds"}
    facts = {words: str(row[name]) for name, words in names.items() if name in row}
    return facts | ({"warnings": "; ".join(row["warnings"])} if row.get("warnings") else {})
