"""The numbers of one run: estimated, as a table for people and as JSON for filing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from . import measures as m
from .instances import Instance
from .measures import Estimate, Judged
from .predictions import Row

Numbers = dict[str, dict[str, Estimate]]
"""Measure -> column ("@5", or "" when it has only one) -> estimate."""

Ranking = Callable[[Judged], list[str]]
Hit = Callable[[Sequence[str], Sequence[str], int], bool]
_WIDTH = 28
_DECIMALS = {"MRR": 3, "files a context": 1, "tokens, median": 0, "calibration error": 3, "seconds, median": 2}
"""Measures that are no shares: shown as they are, with so many decimals; the others in per cent."""


@dataclass(frozen=True)
class Summary:
    """What a run reached.

    n: instances. missing: how many have no prediction. failed: ids whose row holds an error. numbers: over all
    instances. groups: kind ("repository", "language") -> name -> numbers of that group. lost: ids with fewer gold files
    in the ranking after the last cycle than after the first. reliability: for each bin of probability how many packed
    files it holds, their mean probability, and the share of them that was right.
    """

    n: int
    missing: int
    failed: list[str]
    numbers: Numbers
    groups: dict[str, dict[str, Numbers]]
    lost: list[str]
    reliability: list[list[float]]

    def as_json(self) -> dict[str, Any]:
        """The summary as plain values."""
        return asdict(self)

    def as_text(self) -> str:
        """The summary as tables, every number with its 95 % interval."""
        lines = [f"instances {self.n}, without a prediction {self.missing}, failed {len(self.failed)}"]
        lines += [f"{name:<{_WIDTH}} {_cells(name, columns)}" for name, columns in self.numbers.items()]
        if self.lost:
            lines.append(f"fewer gold files after the last cycle than after the first: {', '.join(self.lost)}")
        for kind, groups in self.groups.items():
            lines += ["", *_group_table(kind, groups)]
        return "\n".join(lines)


def summarize(instances: Sequence[Instance], rows: Mapping[str, Row]) -> Summary:
    """The summary of the rows of these instances."""
    items = m.judged(instances, rows)
    return Summary(
        n=len(items),
        missing=sum(not x.row for x in items),
        failed=[x.instance["instance_id"] for x in items if "error" in x.row],
        numbers=numbers_of(items),
        groups={kind: _groups(items, key) for kind, key in (("repository", "repo"), ("language", "language"))},
        lost=[x.instance["instance_id"] for x in items if _held(x, _cycles(items)) < _held(x, 1)],
        reliability=_reliability(items),
    )


def numbers_of(items: Sequence[Judged]) -> Numbers:
    """Every measure that the rows allow."""
    subset = [x for x in items if x.instance.get("in_274")]
    numbers: Numbers = {
        "files, strict": rates(items, _files, m.strict_at),
        "files, any": rates(items, _files, m.any_at),
    }
    if 0 < len(subset) < len(items):
        numbers[f"files, strict, {len(subset)}"] = rates(subset, _files, m.strict_at)
    numbers["MRR"] = _mean([m.reciprocal_rank(x.gold, x.ranked) for x in items])
    numbers |= _function_numbers(items)
    numbers |= _cycle_numbers(items)
    if any("context" in x.row for x in items):
        numbers |= _context_numbers([x for x in items if x.row.get("context") is not None])
    numbers["seconds, median"] = _median([x.row.get("seconds") for x in items])
    return numbers


def rates(items: Sequence[Judged], ranked: Ranking, hit: Hit, gold: Ranking = lambda x: x.gold) -> dict[str, Estimate]:
    """The share of hits within the first k, for each k."""
    draws = m.drawings(len(items))
    values = {k: [float(hit(gold(x), ranked(x), k)) for x in items] for k in m.KS}
    return {f"@{k}": m.estimate(m.mean(v), draws, len(items)) for k, v in values.items()}


def _files(item: Judged) -> list[str]:
    return item.ranked


def _functions(item: Judged) -> list[str]:
    return list(item.row.get("functions", []))


def _function_numbers(items: Sequence[Judged]) -> Numbers:
    told = [x for x in items if x.gold_functions and x.row.get("functions")]
    if not told:
        return {}
    return {f"functions, strict, {len(told)}": rates(told, _functions, m.strict_at, lambda x: x.gold_functions)}


def _cycle_numbers(items: Sequence[Judged]) -> Numbers:
    """Rates after each cycle, and the share of gold files that stand anywhere in the ranking by then."""
    numbers: Numbers = {}
    for cycle in range(1, _cycles(items) + 1):
        numbers[f"after cycle {cycle}"] = rates(items, lambda x, c=cycle: m.ranking_after(x.row, c), m.strict_at)  # type: ignore[misc]
    for cycle in range(1, _cycles(items) + 1):
        found = [_held(x, cycle) / len(x.gold) if x.gold else None for x in items]
        numbers[f"gold ranked after cycle {cycle}"] = _mean(found)
    return numbers


def _context_numbers(items: Sequence[Judged]) -> Numbers:
    """What the packed context holds, whether "sufficient" was right, and how well probabilities are calibrated."""
    holds = [float(set(x.gold) <= m.packed_paths(x.row)) for x in items]
    said = [h if x.row.get("sufficient") else None for x, h in zip(items, holds, strict=True)]
    chances = [x.row.get("probabilities", {}) for x in items]
    error = m.calibration_error(chances, [set(x.gold) for x in items])
    return {
        "context holds all gold": _mean(holds),
        "gold hunks inside spans": _mean([m.hunk_share(x.instance.get("gold_lines", []), x.row) for x in items]),
        "files a context": _mean([float(len(m.packed_paths(x.row))) for x in items]),
        "tokens, median": _median([float(x.row.get("tokens", 0)) for x in items]),
        "said sufficient": _mean([float(s is not None) for s in said]),
        "sufficient and right": _mean(said),
        "calibration error": {"": m.estimate(error, m.drawings(len(items)), sum(map(bool, chances)))},
    }


def _mean(values: Sequence[float | None]) -> dict[str, Estimate]:
    return {"": m.estimate(m.mean(values), m.drawings(len(values)), sum(v is not None for v in values))}


def _median(values: Sequence[float | None]) -> dict[str, Estimate]:
    return {"": m.estimate(m.median(values), m.drawings(len(values)), sum(v is not None for v in values))}


def _cycles(items: Sequence[Judged]) -> int:
    return max((len(x.row.get("cycles") or []) for x in items), default=0)


def _held(item: Judged, cycle: int) -> int:
    return len(set(item.gold) & set(m.ranking_after(item.row, cycle)))


def _reliability(items: Sequence[Judged]) -> list[list[float]]:
    sums = m.reliability([x.row.get("probabilities", {}) for x in items], [set(x.gold) for x in items]).sum(axis=0)
    shares = np.divide(sums[:, 1:], sums[:, :1], out=np.zeros((len(sums), 2)), where=sums[:, :1] > 0)
    return [
        [float(n), round(float(p), 4), round(float(right), 4)] for n, (p, right) in zip(sums[:, 0], shares, strict=True)
    ]


def _groups(items: Sequence[Judged], key: str) -> dict[str, Numbers]:
    names = sorted({str(x.instance[key]) for x in items if x.instance.get(key)})
    return {name: numbers_of([x for x in items if x.instance.get(key) == name]) for name in names}


def _cells(name: str, columns: Mapping[str, Estimate]) -> str:
    return "  ".join(f"{column} {_interval(e, name)}".strip() for column, e in columns.items())


def _interval(e: Estimate, name: str) -> str:
    """``61.3 [55.7, 66.7]``."""
    if e.value is None or e.low is None or e.high is None:
        return "-"
    decimals, factor = (_DECIMALS[name], 1) if name in _DECIMALS else (1, 100)
    value, low, high = (f"{factor * x:.{decimals}f}" for x in (e.value, e.low, e.high))
    return f"{value} [{low}, {high}]"


def _group_table(kind: str, groups: Mapping[str, Numbers]) -> list[str]:
    """Shares in per cent, without intervals: a group is small."""
    columns = [("files, strict", f"@{k}") for k in (1, 3, 5, 10)] + [("files, any", "@10"), ("MRR", "")]
    if any("context holds all gold" in numbers for numbers in groups.values()):
        columns.append(("context holds all gold", ""))
    heads = ["strict @1", "@3", "@5", "@10", "any @10", "MRR", "context"][: len(columns)]
    lines = [f"{kind:<{_WIDTH}} {'n':>4} " + " ".join(f"{h:>9}" for h in heads)] if groups else []
    for name, numbers in groups.items():
        cells = [_value(numbers.get(measure, {}).get(column), measure) for measure, column in columns]
        lines.append(f"{name:<{_WIDTH}} {numbers['files, strict']['@1'].n:>4} " + " ".join(f"{c:>9}" for c in cells))
    return lines


def _value(e: Estimate | None, name: str) -> str:
    if e is None or e.value is None:
        return "-"
    decimals, factor = (_DECIMALS[name], 1) if name in _DECIMALS else (1, 100)
    return f"{factor * e.value:.{decimals}f}"
