"""The queries of a cycle in their pools, the same at every step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...evolution.pools import Split, draw, split_pools
from ...state.evolution import EvalQuery, Pool
from ...state.trial_ports import Trial, Trials
from ..scene import Memo


@dataclass(frozen=True)
class CycleQueries:
    """Opens the trial of a cycle and deals its queries into pools, once. Borrows the trials."""

    trials: Trials
    _opened: Memo[tuple[Trial, Split]] = field(default_factory=lambda: Memo(8), repr=False)

    def trial(self, state: Mapping[str, Any]) -> Trial:
        """The trial of the cycle's layer."""
        return self._open(state)[0]

    def split(self, state: Mapping[str, Any]) -> Split:
        """All pools."""
        return self._open(state)[1]

    def pool(self, state: Mapping[str, Any], pool: Pool) -> list[EvalQuery]:
        """The queries of a pool in the order in which they are asked, which depends on the cycle's seed alone."""
        queries = self.split(state).pools[pool]
        return draw(queries, len(queries), state["seed"])

    def _open(self, state: Mapping[str, Any]) -> tuple[Trial, Split]:
        key = (state["layer"], state["domain"], state["source"].model_dump_json(), state["cycle"])

        def make() -> tuple[Trial, Split]:
            trial = self.trials.of(state["layer"], state["domain"], state["source"])
            return trial, split_pools(trial.queries(), salt=state["source"].salt)

        return self._opened.get(key, make)
