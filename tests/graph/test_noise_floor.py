"""How much a judge differs from itself stands in every report, also when each query is judged once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pydantic import BaseModel

from iterative_retrieval.graph.evolution_services import EvolutionServices
from iterative_retrieval.serving.evolve_report import report_rows
from iterative_retrieval.state.evolution import Budget, Cost, EvalQuery, GenomeRecord, Layer
from iterative_retrieval.state.evolution_run import QuerySource
from iterative_retrieval.state.trial_ports import Judgement, Trial, Trials
from tests.graph.cycles import run, services_in


@dataclass(frozen=True)
class Moody:
    """A trial whose judge gives a different score every time it is asked: up to two points more or less."""

    inner: Trial
    judge: str = "moody"
    judge_version: str = "1"

    @property
    def most(self) -> Cost:
        return self.inner.most

    def queries(self) -> Sequence[EvalQuery]:
        return self.inner.queries()

    def run(self, genome: BaseModel, query: EvalQuery, repeat: int) -> Judgement:
        judged = self.inner.run(genome, query, repeat)
        seen = hashlib.sha256(f"{genome.model_dump_json()} {query.id} {repeat}".encode()).digest()
        return replace(judged, score=min(10.0, max(0.0, (judged.score or 0.0) + seen[0] / 64 - 2)))


@dataclass(frozen=True)
class MoodyTrials:
    inner: Trials

    def of(self, layer: Layer, domain: str, source: QuerySource) -> Trial:
        return Moody(self.inner.of(layer, domain, source))


def test_a_deterministic_judge_is_checked_by_judging_some_answers_twice(
    services: EvolutionServices, waiting: GenomeRecord
) -> None:
    report = services.ledger.submission(waiting.id).report
    assert (report.repeats, report.noise_floor, report.judged_twice) == (1, 0.0, 12)
    assert not any("A/A" in warning for warning in report.warnings)
    rows = report_rows(report)
    assert "deterministic judge: noise floor 0, checked by judging 12 answers twice" in rows
    active = services.ledger.active("cache_policy", "general")
    assert active is not None
    again = [r for r in services.ledger.results(active.id) if r.repeat == 1]
    assert len(again) == 12 and {r.pool for r in again} == {"confirm"}
    assert report.cost.calls == services.ledger.spending(waiting.cycle).settled.calls


def test_the_second_judgements_do_not_count_as_scores(services: EvolutionServices, waiting: GenomeRecord) -> None:
    report = services.ledger.submission(waiting.id).report
    assert not any("more often than others" in warning for warning in report.warnings)


def test_a_judge_that_differs_from_itself_has_a_floor(source: QuerySource, tmp_path: Path) -> None:
    services = services_in(tmp_path)
    moody = replace(services, trials=MoodyTrials(services.trials))
    report = next(r for seed in range(8) if (r := run(moody, source, tmp_path, seed=seed).report))
    assert report.noise_floor is not None and report.noise_floor > 0.1
    assert report.judged_twice == 12
    assert f"noise floor {report.noise_floor:.3f} (12 answers judged twice)" in report_rows(report)


def test_the_noise_is_measured_within_the_budget(
    services: EvolutionServices, waiting: GenomeRecord, source: QuerySource, tmp_path_factory: pytest.TempPathFactory
) -> None:
    calls = services.ledger.spending(waiting.cycle).settled.calls
    seed = services.ledger.cycle(waiting.cycle).seed
    folder = tmp_path_factory.mktemp("short")
    short = services_in(folder)
    result = run(short, source, folder, seed=seed, budget=Budget(calls=calls - 7))
    assert result.report is not None and result.report.judged_twice == 5
    assert short.ledger.spending(result.cycle).settled.calls == calls - 7


def test_where_the_budget_leaves_nothing_the_report_says_so(
    services: EvolutionServices, waiting: GenomeRecord, source: QuerySource, tmp_path_factory: pytest.TempPathFactory
) -> None:
    calls = services.ledger.spending(waiting.cycle).settled.calls
    seed = services.ledger.cycle(waiting.cycle).seed
    folder = tmp_path_factory.mktemp("short")
    result = run(services_in(folder), source, folder, seed=seed, budget=Budget(calls=calls - 12))
    assert result.report is not None and result.report.noise_floor is None
    assert any("no A/A run" in warning for warning in result.report.warnings)
