"""The signals of a task whose files are known, through the product's own steps: what weights are fitted on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..retrieval.relevance import scaled, scales_of
from ..retrieval.signals import Scene
from ..state.loop import by_cycle, keep_best
from ..state.ports import Genomes, Workspace, Workspaces
from ..state.retrieval import RetrievalInput
from .code_subject import CodeSubjects, table_of
from .dispatch import Dispatcher
from .evaluate import Evaluator
from .refine import Refiner
from .route import DOMAIN, Router
from .scene import scene_of

CYCLES = 3


@dataclass(frozen=True)
class Cycle:
    """One cycle of a task that is searched for training: all of them, whether or not the first was enough.

    paths: candidates, with everything that earlier cycles knew. names: of the signals. values: (n_paths, n_signals),
    scaled. state: of the request after the cycle.
    """

    number: int
    workspace: Workspace
    scene: Scene
    paths: list[str]
    names: list[str]
    values: NDArray[np.float32]
    state: dict[str, Any]


def training_cycles(
    task: str, root: str, ref: str | None, workspaces: Workspaces, genomes: Genomes, tabled: tuple[int, ...] = (CYCLES,)
) -> Iterator[Cycle]:
    """The cycles of a task, one after another.

    Args:
        task: in words.
        root: where it is asked.
        ref: likewise; None for the working tree.
        workspaces: open the root.
        genomes: weigh the signals, and so decide what later cycles see.
        tabled: cycles whose signals are wanted; the others give empty tables.

    Raises:
        CallerError: the task cannot be asked.
    """
    subjects = CodeSubjects(workspaces, genomes)
    dispatcher, evaluator, refiner = Dispatcher(subjects), Evaluator(subjects), Refiner(subjects)
    request: Any = RetrievalInput(task=task, root=root, ref=ref)
    routed = Router(genomes, workspaces).route(request)
    # The lists are emptied here for reducers, which this loop has not.
    state: dict[str, Any] = {**routed, "asked": [], "traces": [], "evaluations": []}
    workspace = workspaces.opened(state["root"], state["ref"], state["fingerprint"])
    scene = scene_of(workspace, state["task"], genomes.retrieval(DOMAIN))
    for number in range(1, CYCLES + 1):
        state |= dispatcher.dispatch(state)  # type: ignore[arg-type]
        known = state["evaluations"]
        paths = {c.path for c in state["candidates"]} | {e.path for e in known}
        found, names, values = sorted(paths), list[str](), np.zeros((len(paths), 0), dtype=np.float32)
        if number in tabled:
            table = table_of(workspace, scene, workspace.analyses(paths), known, state["learned"])
            found, names = table.paths, table.names
            values = scaled(table, scales_of(table, state.get("scales", {}))).astype(np.float32)
        update = evaluator.evaluate(state)  # type: ignore[arg-type]
        state |= _joined(state, update) | {"evaluations": keep_best(known, update["evaluations"])}
        yield Cycle(number, workspace, scene, found, names, values, state)
        if number < CYCLES:
            state |= _joined(state, refiner.refine(state))  # type: ignore[arg-type]
            state["cycle"] += 1


def _joined(state: dict[str, Any], update: Any) -> dict[str, Any]:
    """An update whose traces are joined with those that stand there."""
    return {**update, "traces": by_cycle(state["traces"], update["traces"])}
