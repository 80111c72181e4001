"""What the calls of a request are spent on.

More calls of the same kind add nothing, so a known model plans once and evaluates once. A model that nobody has
measured judges two orders first: its agreement is what its weight is made of. One that never agrees is asked only now
and then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ...state.advice import Schedule
from .agreement import pooled, trust

__all__ = ["KNOWN", "scheduled"]

KNOWN = 3
"""Measured requests after which one order is enough."""
_GIVEN_UP = 6  # measured requests without agreement after which a model is asked no more
_LOOK_AGAIN = 8  # one request in so many measures again, whatever is known


def scheduled(calls: int, task: str, agreements: Sequence[float], planner: bool, evaluator: bool) -> Schedule:
    """How a request spends its calls.

    Args:
        calls: most calls.
        task: decides, by its hash, which requests measure again.
        agreements: what earlier requests measured of the evaluator's model.
        planner: whether there is a planner.
        evaluator: whether there is an evaluator.
    """
    known = len(agreements)
    mean = round(sum(agreements) / known, 4) if known else 0.0
    if calls <= 0 or not (planner or evaluator):
        return Schedule(known=known, mean=mean, reason="no call is allowed" if calls <= 0 else "")
    if not evaluator:
        return Schedule(planner=True)
    again, doubted = _draw(task) == 0, trust(pooled(None, known, mean)) == 0.0
    if known >= _GIVEN_UP and not again and doubted:
        reason = f"its agreement over {known} requests is {mean:.2f}: it would weigh nothing"
        return Schedule(known=known, mean=mean, reason=reason)
    if known < KNOWN or again or doubted:
        if calls < 2 and known == 0:
            reason = "its agreement is not measured yet; one request with two calls measures it"
            return Schedule(known=known, mean=mean, reason=reason)
        orders = min(2, calls)
        return Schedule(
            orders=orders,
            planner=planner and calls > orders and not doubted,
            rubric=calls >= 4,
            known=known,
            mean=mean,
        )
    plan = planner and calls >= 2
    return Schedule(planner=plan, orders=2 if calls >= 4 else 1, rubric=calls >= 3, known=known, mean=mean)


def _draw(task: str) -> int:
    return hashlib.sha256(task.encode(errors="surrogatepass")).digest()[0] % _LOOK_AGAIN
