"""How each way of asking did beside the original wording of the same issues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from . import measures as m
from .askings import KINDS
from .instances import Instance
from .measures import Judged
from .predictions import Row

Numbers = dict[str, dict[str, Any]]
"""Kind -> measure -> estimate (value, low, high, n) or number."""
_KS = (1, 5, 10)


@dataclass(frozen=True)
class Limits:
    """What a pasted log may cost: seconds, as a multiple of the original's (median of pairs), and MB of peak memory."""

    times: float = 1.5
    mb: float = 200.0


def compared(askings: Sequence[Instance], rows: Mapping[str, Row]) -> Numbers:
    """Kind -> its numbers, in the order of ``KINDS``; a missing row is a miss."""
    kinds = [k for k in KINDS if any(a["asked_as"] == k for a in askings)]
    items = {k: m.judged([a for a in askings if a["asked_as"] == k], rows) for k in kinds}
    original = {x.instance["issue"]: x for x in items.get("original", [])}
    return {kind: _numbers(items[kind], original) for kind in kinds}


def over_limits(numbers: Numbers, limits: Limits) -> list[str]:
    """One line for each way in which a log costs more than it may."""
    found = []
    for kind in (k for k in numbers if k.startswith("log")):
        times, grown = numbers[kind]["times"], numbers[kind]["grown_mb"]
        if times is not None and times > limits.times:
            found.append(f"{kind}: {times:.2f} times the seconds of the original, at most {limits.times}")
        if grown > limits.mb:
            found.append(f"{kind}: peak memory rose by {grown:.0f} MB, at most {limits.mb:.0f}")
    return found


def table(numbers: Numbers) -> str:
    """A Markdown table, shares in per cent."""
    lines = [
        "| asked as | n | strict @1 | @5 | @10 | @5 gained | context | sufficient | right | seconds | times | MB |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for kind, found in numbers.items():
        shares = " | ".join(_share(found[name]) for name in ("@1", "@5", "@10", "gained @5", "context"))
        rest = f"{_bare(found['sufficient'])} | {_bare(found['sufficient and right'])} | {_number(found['seconds'])}"
        lines.append(
            f"| {kind} | {found['n']} | {shares} | {rest} | {_number(found['times'])} | {found['grown_mb']:.0f} |"
        )
    return "\n".join(lines)


def _numbers(items: Sequence[Judged], original: Mapping[str, Judged]) -> dict[str, Any]:
    holds = [float(set(x.gold) <= m.packed_paths(x.row)) for x in items]
    said = [h if x.row.get("sufficient") else None for x, h in zip(items, holds, strict=True)]
    pairs = [(x, original[x.instance["issue"]]) for x in items if x.instance["issue"] in original]
    times = [x.row["seconds"] / o.row["seconds"] for x, o in pairs if x.row.get("seconds") and o.row.get("seconds")]
    seconds = [x.row["seconds"] for x in items if x.row.get("seconds")]
    return {
        "n": len(items),
        **{f"@{k}": _mean([_hit(x, k) for x in items]) for k in _KS},
        **{f"gained @{k}": _mean([_hit(x, k) - _hit(o, k) for x, o in pairs]) for k in _KS},
        "context": _mean(holds),
        "sufficient": _mean([float(s is not None) for s in said]),
        "sufficient and right": _mean(said),
        "seconds": median(seconds) if seconds else None,
        "times": median(times) if times else None,
        "grown_mb": max((x.row.get("grown_mb", 0.0) for x in items), default=0.0),
    }


def _hit(item: Judged, k: int) -> float:
    return float(m.strict_at(item.gold, item.ranked, k))


def _mean(values: Sequence[float | None]) -> dict[str, Any]:
    return asdict(m.estimate(m.mean(values), m.drawings(len(values)), sum(v is not None for v in values)))


def _share(e: Mapping[str, Any]) -> str:
    if e["value"] is None:
        return "-"
    value, low, high = (f"{100 * e[name]:.0f}" for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def _bare(e: Mapping[str, Any]) -> str:
    return "-" if e["value"] is None else f"{100 * e['value']:.0f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
