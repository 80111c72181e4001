"""Tune the weights of retrieval on a repository's own past, confirm on its latest, and ask a person."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from pydantic import BaseModel, ConfigDict, Field

from ..evolution.defaults import CODE, parse_genome
from ..evolution.fitting import LEAST_FITTED, Fitting, TaskTable, TimeParts, fit_towards, time_parts
from ..nodes.evolution.start import refuse_restart
from ..state.errors import NotAllowed, UnknownGenome
from ..state.evolution import Budget, GenomeRecord, Mutation, MutationKind, PairedDifference
from ..state.evolution_run import QuerySource
from ..state.genome import RetrievalGenome
from ..state.ledger_ports import CycleRecord
from .evolve import CycleResult, cycle_result, evolve, new_cycle_id
from .past_tasks import MinedTask, PastTasks, ProgressCallback, TuningFolder, mine, tables_of
from .services import FixedGenomes, Services
from .start_up import checkpoints_of

if TYPE_CHECKING:
    from .evolution_services import EvolutionServices
    from .settings import Settings

__all__ = ["FittedWeights", "MinedTask", "PastTasks", "Tuning", "mine", "tune"]

_LAYER: Literal["retrieval"] = "retrieval"
_FITTING = 0.6  # of the time: asking the past; the gate gets the rest
_FASTEST = 0.05  # seconds a task
_NAMED = 12  # weights in the notes

Outcome = Literal["too few", "out of time", "not better", "recorded", "waiting", "activated", "rejected"]


class FittedWeights(BaseModel):
    """What was fitted.

    tasks: it was fitted on. strength: of the hold on the known weights. difference: points of 10 on tasks that were
    left out of the fit, all older than those of the gate. needed: queries that would show such a difference, None when
    it is not above 0. changed: signal -> (weight before, weight after), the largest change first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: int
    strength: float
    difference: PairedDifference
    needed: int | None
    changed: dict[str, tuple[float, float]]


class Tuning(BaseModel):
    """How far a tuning came.

    outcome: "too few" commits, "out of time" before there was enough to fit on, "not better" on left-out tasks (so the
    gate was not asked); else the cycle's own. parts: pool -> tasks. fitted: None before it. result: of the cycle, None
    when none began. seconds: stage -> seconds of this run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cycle: str
    outcome: Outcome
    reason: str
    past: PastTasks
    parts: dict[str, int] = Field(default_factory=dict)
    fitted: FittedWeights | None = None
    result: CycleResult | None = None
    seconds: dict[str, float] = Field(default_factory=dict)


def tune(
    root: str | Path,
    requester: str,
    *,
    commits: int = 150,
    ref: str = "HEAD",
    seconds: float | None = None,
    cycle: str | None = None,
    progress: ProgressCallback | None = None,
    services: EvolutionServices | None = None,
    code: Services | None = None,
    settings: Settings | None = None,
) -> Tuning:
    """Fit the active weights on older commits and put them before a person if the gate lets them pass on the latest.

    Nothing is activated. A tuning that was stopped goes on under its cycle's id.

    Args:
        root: a work tree, a folder in one, or a bare repository.
        requester: who asks; may not approve the outcome.
        commits: most tasks, the latest ones.
        ref: where the past begins.
        seconds: most time, roughly; None for all it takes.
        cycle: id of the cycle; made when None.
        progress: called with each progress event.
        services: the ledger, the trials and the gate; the process's own when None.
        code: whose workspaces are asked; opened when None.
        settings: of the installation; the environment's when None.

    Raises:
        CallerError: there is no repository, or SciPy is missing.
        EvolutionRefused: the cycle waits for a decision, is over, or is under way in another process.
    """
    from .evolution_services import default_evolution_services, roomy_services
    from .settings import load_settings

    started = time.monotonic()
    settings = settings or load_settings()
    name = cycle or new_cycle_id(_LAYER, "tune")
    folder = TuningFolder.of(settings.data_dir, name)
    past = folder.mined(lambda: mine(root, commits, ref, progress))  # first: what has no past leaves nothing behind
    return _Tuner(
        cycle=name,
        requester=requester,
        services=services or default_evolution_services(),
        code=code or roomy_services(settings),
        folder=folder,
        checkpoints=checkpoints_of(settings),
        seconds=seconds,
        progress=progress,
        started=started,
        took={"mining": round(time.monotonic() - started, 2)},
    ).tuned(past)


@dataclass
class _Tuner:
    """One tuning, step by step; every step finds what an earlier run left.

    started: by ``time.monotonic``. took: stage -> seconds of this run.
    """

    cycle: str
    requester: str
    services: EvolutionServices
    code: Services
    folder: TuningFolder
    checkpoints: Path
    seconds: float | None
    progress: ProgressCallback | None
    started: float
    took: dict[str, float]

    def tuned(self, past: PastTasks) -> Tuning:
        """The tuning, as far as it comes."""
        refuse_restart(self.services.ledger, self.cycle)
        parts = time_parts(len(past.tasks), self.services.gate.min_queries)
        if isinstance(parts, int):
            return self._ended(past, "too few", f"{len(past.tasks)} usable commits found; {parts} more are needed")
        self.folder.keep_queries(past, parts)
        active = self.services.ledger.ensure_default(_LAYER, CODE, self.services.default(_LAYER, CODE))
        with self._timed("asking"):
            names, tables = self._tables(past, parts, active)
        if len(tables) < LEAST_FITTED:
            reason = f"time was over after {len(tables)} tasks; go on with --cycle {self.cycle}, or give more seconds"
            return self._ended(past, "out of time", reason, parts)
        with self._timed("fitting"):
            found = fit_towards(tables, names, _weights(active))
        fitted = _told(found, _weights(active), len(tables))
        if not found.worth_asking:
            return self._ended(past, "not better", _not_better(fitted), parts, fitted)
        with self._timed("gate"):
            result = self._gate(active, fitted, found, len(past.tasks))
        self.folder.forget_signals()
        return self._ended(past, cast(Outcome, result.outcome), result.reason, parts, fitted, result)

    def _tables(self, past: PastTasks, parts: TimeParts, active: GenomeRecord) -> tuple[list[str], list[TaskTable]]:
        """The signals of the tasks that are fitted on, under the active weights."""
        genome = parse_genome(_LAYER, active.genome)
        assert isinstance(genome, RetrievalGenome)
        return tables_of(
            self.folder,
            past,
            past.tasks[: len(past.tasks) - parts.confirm],
            active.genome_hash,
            self.code.workspaces,
            FixedGenomes(genome, self.code.genomes.routing(CODE)),
            None if self.seconds is None else self.started + _FITTING * self.seconds,
            self.progress,
        )

    def _gate(self, active: GenomeRecord, fitted: FittedWeights, found: Fitting, queries: int) -> CycleResult:
        """What the cycle of the fitted genome comes to: the race, the gate, and a person who is asked."""
        ledger = self.services.ledger
        request = CycleRecord(
            id=self.cycle, layer=_LAYER, domain=CODE, requester=self.requester, budget=self._budget(fitted.tasks)
        )
        budget = ledger.open_cycle(request).budget
        if not ledger.genomes(cycle_id=self.cycle):
            try:
                ledger.propose(self.cycle, _mutation(active, fitted, found))
            except NotAllowed as taken:  # fitted before, and turned down or under way
                ledger.finish_cycle(self.cycle, str(taken))
                return cycle_result(self.cycle, self.services)
        return evolve(
            _LAYER,
            CODE,
            self.requester,
            n=1,  # the one that stands in the ledger
            budget=budget,
            source=QuerySource(queries=str(self.folder.queries), limit=queries),
            cycle=self.cycle,
            progress=self.progress,
            services=self.services,
            checkpoints=self.checkpoints,
        )

    def _budget(self, asked: int) -> Budget:
        """The budget of the cycle if it began before; else the calls that the time left allows at the pace so far."""
        try:
            return self.services.ledger.cycle(self.cycle).budget
        except UnknownGenome:
            if self.seconds is None:
                return Budget()
        left = self.started + self.seconds - time.monotonic()
        return Budget(calls=max(0, int(left / max(_FASTEST, self.took["asking"] / asked))))

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.took[stage] = round(time.monotonic() - started, 2)

    def _ended(
        self,
        past: PastTasks,
        outcome: Outcome,
        reason: str,
        parts: TimeParts | None = None,
        fitted: FittedWeights | None = None,
        result: CycleResult | None = None,
    ) -> Tuning:
        return Tuning(
            cycle=self.cycle,
            outcome=outcome,
            reason=reason,
            past=past,
            parts=dict(Counter(parts.pools)) if parts else {},
            fitted=fitted,
            result=result,
            seconds=self.took,
        )


def _weights(active: GenomeRecord) -> dict[str, float]:
    return dict(active.genome["weights"])


def _told(found: Fitting, known: Mapping[str, float], tasks: int) -> FittedWeights:
    changes = {name: (known[name], weight) for name, weight in found.weights.items() if weight != known[name]}
    ordered = sorted(changes, key=lambda name: (-abs(changes[name][1] - changes[name][0]), name))
    return FittedWeights(
        tasks=tasks,
        strength=found.strength,
        difference=found.difference,
        needed=found.needed,
        changed={name: changes[name] for name in ordered},
    )


def _not_better(fitted: FittedWeights) -> str:
    d = fitted.difference
    return (
        f"the active weights stay: on {d.n} tasks that were left out of the fit, fitted weights rank "
        f"{'no better' if d.mean == 0.0 else 'worse'} ({d.mean:+.3f} of 10, {d.confidence:.0%} interval "
        f"{d.low:+.3f} to {d.high:+.3f}); the gate was not asked"
    )


def _mutation(active: GenomeRecord, fitted: FittedWeights, found: Fitting) -> Mutation:
    d = fitted.difference
    named = ", ".join(f"{name} {old:g} to {new:g}" for name, (old, new) in list(fitted.changed.items())[:_NAMED])
    notes = (
        f"weights fitted on {fitted.tasks} past commits, strength {fitted.strength:g}; left-out commits "
        f"{d.mean:+.3f} of 10 ({d.low:+.3f} to {d.high:+.3f}); {named}"
    )
    return Mutation(
        genome={**active.genome, "weights": found.weights},
        notes=notes,
        kind=MutationKind.FITTED,
        parents=[active.genome_hash],
    )
