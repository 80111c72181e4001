"""What a request spent on language models, in words and as plain values."""

from __future__ import annotations

from ..state.spending import Spent


def spent_words(spent: Spent) -> str:
    """One clause; '' when no model was asked and nothing was kept back."""
    parts = [f"{spent.calls} model call{'' if spent.calls == 1 else 's'}"] if spent.calls else []
    if spent.tokens:
        about = "about " if spent.estimated else ""
        parts.append(f"{about}{spent.tokens:,} tokens")
    if spent.cost:
        parts.append(f"cost {spent.cost:.4g}")
    if spent.refused:
        parts.append(f"{spent.refused} not made: over the budget")
    if spent.redacted:
        parts.append(f"{spent.redacted} redacted")
    return ", ".join(parts)


def spent_object(spent: Spent) -> dict[str, object]:
    """Its figures; seconds and cost rounded."""
    return spent.model_dump() | {"seconds": round(spent.seconds, 3), "cost": round(spent.cost, 6)}


__all__ = ["spent_object", "spent_words"]
