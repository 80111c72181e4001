"""Replaying a labelled request log under a cache policy: what would have been kept, and whether that was right.

Answers are the same under every policy, so a judge of answers cannot tell policies apart. What tells them apart is what
they let in: an answer worth keeping saves the next one's work, a wrong one is repeated to everybody who asks.
"""

from __future__ import annotations

from typing import Literal

Label = Literal["right", "unsupported", "warned", "stale", "wrong"]
LABELS: tuple[Label, ...] = ("right", "unsupported", "warned", "stale", "wrong")

KEPT_RIGHT = 10.0
REFUSED_RIGHT = 4.0
REFUSED_BAD = 9.0
KEPT_BAD = 0.0
"""Points of one decision. A refusal is never a disaster: the question is answered anew."""


def decision_score(label: Label, admitted: bool) -> float:
    """The points of admitting, or refusing, an answer of this label."""
    if label == "right":
        return KEPT_RIGHT if admitted else REFUSED_RIGHT
    return KEPT_BAD if admitted else REFUSED_BAD
