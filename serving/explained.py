"""Why a file is where it is, as lines and as an object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lines import Line, line, printable

if TYPE_CHECKING:
    from ..graph.api import Explanation


def explanation_lines(explanation: Explanation) -> list[Line]:
    """The sentence first, then where the file stands and what spoke for it, strongest signal first."""
    rows = [
        line(printable(explanation.sentence), style="bold"),
        line(_standing(explanation), indent=2),
    ]
    if explanation.reason:
        rows.append(line(printable(explanation.reason), indent=2))
    if explanation.signals:
        rows.append(line("Signals:", indent=2))
        rows.extend(_signal(name, value) for name, value in _strongest_first(explanation.signals))
    return rows


def explanation_object(explanation: Explanation) -> dict[str, object]:
    """The explanation as ``--json`` prints it."""
    return {
        "path": explanation.path,
        "status": explanation.status,
        "rank": explanation.rank,
        "relevance": explanation.relevance,
        "probability": explanation.probability,
        "reason": explanation.reason,
        "signals": dict(_strongest_first(explanation.signals)),
        "sentence": explanation.sentence,
    }


def _standing(explanation: Explanation) -> str:
    words = [f"status {explanation.status.replace('_', ' ')}"]
    if explanation.rank is not None:
        words.append(f"rank {explanation.rank}")
        words.append(f"relevance {explanation.relevance:.2f}")
        words.append(f"probability {explanation.probability:.2f}")
    return ", ".join(words)


def _signal(name: str, value: float) -> Line:
    return line(f"{value:10.3f}  {printable(name)}", indent=2)


def _strongest_first(signals: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(signals.items(), key=lambda item: (-abs(item[1]), item[0]))
