"""Tuning on a repository's own past: a small one whose every commit mends one module."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from iterative_retrieval.evolution.defaults import default_retrieval
from iterative_retrieval.graph.evolution_services import (
    EvolutionServices,
    default_evolution_services,
    open_evolution_services,
)
from iterative_retrieval.graph.evolve import decide
from iterative_retrieval.graph.past_tasks import mine
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.graph.start_up import checkpoints_of
from iterative_retrieval.graph.tune import Tuning, tune
from iterative_retrieval.serving.cli import main
from iterative_retrieval.state.errors import CallerError, NotAllowed
from iterative_retrieval.state.evolution import Budget, GenomeStatus, MutationKind
from iterative_retrieval.state.genome import RetrievalGenome
from iterative_retrieval.state.ledger_ports import CycleRecord
from iterative_retrieval.state.progress import PastRead, Progress
from iterative_retrieval.stores.ledger import LedgerService
from iterative_retrieval.stores.sql import SqlStore
from tests.docs.pages import blocks
from tests.docs.test_commands import lines
from tests.graph.cycles import review, settings_in
from tests.repositories import GitRepo
from tests.workshop import TRADES, message, workshop

WRONG = RetrievalGenome(weights={"bm25f_all": 0.1, "past_recent": 8.0})
"""Ranks what changed last first: in the workshop that is always another module than the task's."""
TASKS = 46


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the repository and, once a test has tuned, the outcome."""
    return tmp_path_factory.mktemp("workshop")


@pytest.fixture
def repo(made_once: Path, isolated_git: Path) -> GitRepo:
    found = GitRepo(made_once / "repo")
    if not found.path.exists():
        found.path.mkdir()
        found.git("init", "--quiet")
        workshop(found, TASKS)
    return found


def services_of(settings: Settings, start: RetrievalGenome = WRONG) -> EvolutionServices:
    return replace(open_evolution_services(settings), defaults=lambda layer, domain: start)


@pytest.fixture
def waiting(made_once: Path, repo: GitRepo, tmp_path: Path) -> tuple[Tuning, Settings]:
    """A tuning that was stopped, went on and passed the gate, in a folder of the test's own; it is run once."""
    kept = made_once / "passed"
    if not kept.exists():
        settings = settings_in(made_once / "work")
        stopped_and_gone_on(repo, settings)
        shutil.move(made_once / "work", kept)
    shutil.copytree(kept, tmp_path / "own")
    return Tuning.model_validate_json((tmp_path / "own" / "tuning.json").read_bytes()), settings_in(tmp_path / "own")


def stopped_and_gone_on(repo: GitRepo, settings: Settings) -> None:
    services, events = services_of(settings), list[Progress]()
    cut = tune(repo.path, "ada", cycle="mine", seconds=0.01, services=services, settings=settings)
    assert cut.outcome == "out of time" and "--cycle mine" in cut.reason and cut.result is None
    found = tune(repo.path, "ada", cycle="mine", services=services, settings=settings, progress=events.append)
    asked = [e for e in events if isinstance(e, PastRead) and e.stage == "asking"]
    assert [e.done for e in asked] == list(range(1, 27)) and {e.total for e in asked} == {26}
    (settings.data_dir.parent / "tuning.json").write_text(found.model_dump_json())


def test_the_past_is_mined_in_order_and_asked_before_each_change(repo: GitRepo) -> None:
    found = mine(repo.path, 10)
    assert [t.commit for t in found.tasks] == repo_commits(repo)[-10:]
    assert [t.ref for t in found.tasks] == repo_commits(repo)[-11:-1]
    assert found.tasks[-1].gold == [f"shop/{list(TRADES)[TASKS % len(TRADES)]}.py"]
    assert found.tasks[-1].task == message(TASKS).strip()


def repo_commits(repo: GitRepo) -> list[str]:
    return repo.git("rev-list", "--reverse", "HEAD").splitlines()


def test_equal_words_are_one_task_so_that_nothing_confirms_what_was_fitted(make_repo: Callable[..., GitRepo]) -> None:
    repo = make_repo({"a.py": "0", "b.py": "0"})
    repo.commit({"a.py": "1"}, "Count the loaves in the oven")
    repo.commit({"b.py": "1"}, "count the loaves in the oven!")
    found = mine(repo.path, 10)
    assert [t.gold for t in found.tasks] == [["b.py"]]
    assert found.refused == {"same words as a later one": 1, "first commit": 1}


def test_better_weights_wait_for_a_person_and_nothing_is_activated(waiting: tuple[Tuning, Settings]) -> None:
    found, settings = waiting
    assert found.outcome == "waiting" and found.parts == {"mutate": 13, "select": 13, "confirm": 20}
    assert found.fitted and found.result and found.result.report and found.result.genome
    assert found.result.report.difference.mean > 2.0 and found.result.report.difference.n == 20
    ledger = LedgerService(SqlStore(settings.database))
    record = ledger.genome(found.result.genome.id)
    assert record.status is GenomeStatus.PENDING_APPROVAL and record.mutation is MutationKind.FITTED
    active = ledger.active("retrieval", "code")
    assert active and record.parent == active.id and record.parents == [active.genome_hash]
    assert RetrievalGenome.model_validate(active.genome) == WRONG
    assert record.notes.startswith("weights fitted on 26 past commits")
    changed = {name for name in WRONG.weights if record.genome["weights"][name] != WRONG.weights[name]}
    assert changed == set(found.fitted.changed)
    assert {k: v for k, v in record.genome.items() if k != "weights"} == WRONG.model_dump(exclude={"weights"})
    assert ledger.report("mine") == found.result.report


def test_the_gate_asked_the_latest_commits_alone(waiting: tuple[Tuning, Settings], repo: GitRepo) -> None:
    found, settings = waiting
    rows = [json.loads(line) for line in (settings.data_dir / "tune/mine/queries.jsonl").read_text().splitlines()]
    assert [r["commit"] for r in rows] == repo_commits(repo)[1:]
    latest = {r["id"] for r in rows[-20:]}
    assert found.result and found.result.report
    assert {q.query_id for q in found.result.report.queries} == latest
    assert {r["pool"] for r in rows[-20:]} == {"confirm"} and "confirm" not in {r["pool"] for r in rows[:-20]}


def test_a_person_approves_what_was_fitted(waiting: tuple[Tuning, Settings]) -> None:
    found, settings = waiting
    services, places = services_of(settings), checkpoints_of(settings)
    assert found.result and found.result.genome
    record = services.ledger.genome(found.result.genome.id)
    with pytest.raises(NotAllowed):
        decide(record.id, review(record, reviewer="ada"), services=services, checkpoints=places)
    decide(record.id, review(record), services=services, checkpoints=places)
    active = services.ledger.active("retrieval", "code")
    assert active and active.id == record.id
    assert services.ledger.cycle("mine").note == "activated by bob: as it should be"


def test_a_waiting_tuning_is_not_begun_anew(waiting: tuple[Tuning, Settings], repo: GitRepo) -> None:
    _, settings = waiting
    services = services_of(settings)
    with pytest.raises(NotAllowed, match="waits for a decision"):
        tune(repo.path, "ada", cycle="mine", services=services, settings=settings)
    assert len(services.ledger.genomes()) == 2


def test_time_that_ends_while_the_gate_asks_leaves_the_verdict_open(repo: GitRepo, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    services = services_of(settings)
    record = CycleRecord(id="mine", layer="retrieval", domain="code", requester="ada", budget=Budget(calls=30))
    services.ledger.ensure_default("retrieval", "code", WRONG)
    services.ledger.open_cycle(record)
    found = tune(repo.path, "ada", cycle="mine", services=services, settings=settings)
    assert found.outcome == "recorded" and found.result and found.result.report
    assert found.result.report.verdict == "undecided" and "unmeasured" in found.reason


def test_signals_are_asked_once(repo: GitRepo, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)

    class Stopped(Exception):
        pass

    def stop(event: Progress) -> None:
        if isinstance(event, PastRead) and event.done == 5:
            raise Stopped

    services = services_of(settings)
    with pytest.raises(Stopped):
        tune(repo.path, "ada", cycle="mine", services=services, settings=settings, progress=stop)
    kept = {f: f.stat().st_mtime_ns for f in (settings.data_dir / "tune/mine/signals").iterdir()}
    assert len(kept) == 5
    with pytest.raises(Stopped):
        tune(repo.path, "ada", cycle="mine", services=services, settings=settings, progress=stop)
    assert {f: f.stat().st_mtime_ns for f in kept} == kept


def test_weights_that_rank_everything_right_are_left_alone(repo: GitRepo, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    services = services_of(settings, default_retrieval())
    found = tune(repo.path, "ada", commits=36, services=services, settings=settings)
    assert found.outcome == "not better" and found.result is None and found.fitted
    assert "the active weights stay" in found.reason and "the gate was not asked" in found.reason
    assert services.ledger.cycles() == []


def test_a_short_past_says_how_many_commits_are_missing(repo: GitRepo, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    found = tune(repo.path, "ada", commits=30, services=services_of(settings), settings=settings)
    assert (found.outcome, found.reason) == ("too few", "30 usable commits found; 6 more are needed")


def test_an_id_that_is_no_file_name_is_refused(repo: GitRepo, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    with pytest.raises(CallerError, match="cannot name a tuning"):
        tune(repo.path, "ada", cycle="../elsewhere", services=services_of(settings), settings=settings)


def test_the_page_runs(
    repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("cache", "data"):
        monkeypatch.setenv(f"IR_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv("IR_EMBEDDER", "none")
    monkeypatch.chdir(repo.path)
    default_evolution_services.cache_clear()
    [shell], [python] = blocks("docs/tune.md", "sh"), blocks("docs/tune.md", "python")
    _, dry, wet = lines(shell)
    assert (main(dry[1:]), main(wet[1:])) == (0, 1)
    assert "46 tasks out of 47 commits" in capsys.readouterr().out
    space: dict[str, Any] = {}
    exec(python.code, space)
    default_evolution_services.cache_clear()
    assert space["found"].outcome == "not better" and "past_read" in capsys.readouterr().out
