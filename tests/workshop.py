"""A small repository with a past: every commit mends one module, in the words that module is written in."""

from __future__ import annotations

from tests.repositories import GitRepo

TRADES = {
    "bakery": ("oven", "dough", "yeast", "crust", "loaf"),
    "smithy": ("anvil", "forge", "hammer", "tongs", "rivet"),
    "pottery": ("kiln", "glaze", "clay", "wheel", "slip"),
    "weaving": ("loom", "warp", "weft", "shuttle", "heddle"),
    "printing": ("press", "ink", "platen", "typeface", "galley"),
    "sailing": ("mast", "jib", "keel", "rudder", "halyard"),
    "brewing": ("mash", "hops", "wort", "barrel", "lager"),
    "beekeeping": ("hive", "queen", "nectar", "comb", "swarm"),
}
"""Module -> its words."""

_FAULTS = ("leaks on restart", "counts twice", "forgets its state", "raises when empty", "ignores the limit")


def module(trade: str, version: int) -> str:
    """The source of a trade's module."""
    parts = [
        f'class {word.title()}:\n    """The {word} of the {trade}."""\n\n    def use_{word}(self, count: int) -> int:\n'
        f"        return count + {version}"
        for word in TRADES[trade]
    ]
    return f'"""{trade.title()}."""\n\n\n' + "\n\n\n".join(parts) + "\n"


def workshop(repo: GitRepo, tasks: int) -> GitRepo:
    """A past of so many tasks, after a first commit that brings everything."""
    repo.commit({f"shop/{t}.py": module(t, 0) for t in TRADES}, "Begin the workshop")
    for number in range(1, tasks + 1):
        trade = list(TRADES)[number % len(TRADES)]
        repo.commit({f"shop/{trade}.py": module(trade, number)}, message(number))
    return repo


def message(number: int) -> str:
    """What the commit of a task says; no two say the same."""
    trade = list(TRADES)[number % len(TRADES)]
    word = TRADES[trade][number // len(TRADES) % len(TRADES[trade])]
    return f"The {word} {_FAULTS[number % len(_FAULTS)]} in case {number}\n\nSeen when the {word} is used.\n"
