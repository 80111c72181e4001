"""What a crash, or two processes at once, may do to a cycle's thread: nothing that is not made good."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from iterative_retrieval.graph.cycle_threads import thread_of
from iterative_retrieval.graph.evolution import build_evolution_graph
from iterative_retrieval.graph.evolution_services import EvolutionServices
from iterative_retrieval.graph.evolve import cycle_result, decide, evolve
from iterative_retrieval.graph.reconcile import reconcile
from iterative_retrieval.graph.start_up import reconcile_at_start
from iterative_retrieval.state.errors import CallerError, NotAllowed
from iterative_retrieval.state.evolution import GenomeRecord, GenomeStatus
from iterative_retrieval.state.evolution_run import EvolutionInput, QuerySource
from iterative_retrieval.state.ledger_ports import CycleState
from iterative_retrieval.stores.checkpoints import open_checkpoints
from iterative_retrieval.stores.cycle_lock import cycle_held
from tests.graph.cycles import checkpoints_in, review, run, services_in, settings_in


def config(cycle: str) -> RunnableConfig:
    return {"configurable": {"thread_id": cycle}}


def stopped_before(step: str, given: Any, cycle: str, services: EvolutionServices, folder: Path) -> None:
    """Leave the thread as a process leaves it that dies right before a step."""
    with open_checkpoints(checkpoints_in(folder)) as saver:
        build_evolution_graph(services, saver).invoke(given, config(cycle), interrupt_before=[step])


def request(source: QuerySource, seed: int) -> EvolutionInput:
    return EvolutionInput(layer="cache_policy", domain="general", requester="ada", seed=seed, source=source)


@pytest.fixture(scope="module")
def unasked_folder(waiting_folder: Path, source: QuerySource, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a process died after it submitted a genome and before its thread asked."""
    folder = tmp_path_factory.mktemp("unasked")
    seed = services_in(waiting_folder).ledger.cycles()[0].seed
    stopped_before("await_approval", request(source, seed), "c-1", services_in(folder), folder)
    return folder


@pytest.fixture
def unasked(unasked_folder: Path, tmp_path: Path) -> tuple[EvolutionServices, GenomeRecord]:
    """A genome that waits in the ledger, and whose thread never asked."""
    shutil.copytree(unasked_folder, tmp_path, dirs_exist_ok=True)
    services = services_in(tmp_path)
    [genome] = services.ledger.genomes(status=GenomeStatus.PENDING_APPROVAL)
    return services, genome


def test_a_genome_submitted_before_the_crash_is_asked_about_when_the_cycle_goes_on(
    unasked: tuple[EvolutionServices, GenomeRecord], source: QuerySource, tmp_path: Path
) -> None:
    services, genome = unasked
    paid = services.ledger.spending("c-1").settled.calls
    assert run(services, source, tmp_path, cycle="c-1").outcome == "waiting"
    with thread_of("c-1", services, checkpoints_in(tmp_path)) as thread:
        assert thread is not None and not thread.stopped_halfway
    assert services.ledger.spending("c-1").settled.calls == paid
    assert services.ledger.genome(genome.id).version == genome.version


def test_a_decision_reaches_a_thread_that_never_asked(
    unasked: tuple[EvolutionServices, GenomeRecord], tmp_path: Path
) -> None:
    services, genome = unasked
    decide(genome.id, review(genome), services=services, checkpoints=checkpoints_in(tmp_path))
    assert services.ledger.genome(genome.id).status is GenomeStatus.ACTIVE
    assert cycle_result("c-1", services).outcome == "activated"
    assert services.ledger.cycle("c-1").state is CycleState.FINISHED


def test_a_thread_that_died_in_the_middle_of_the_answer_is_finished_at_the_next_start(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    services.ledger.approve(waiting.id, review(waiting), {"reviewer"})
    answer: Command[str] = Command(resume={"decision": "approve", "reviewer": "bob"})
    stopped_before("activate", answer, waiting.cycle, services, tmp_path)
    done = reconcile_at_start(settings_in(tmp_path))
    assert any(waiting.cycle in words for words in done)
    assert services.ledger.cycle(waiting.cycle).state is CycleState.FINISHED
    assert reconcile_at_start(settings_in(tmp_path)) == []


def test_a_thread_that_died_at_the_very_end_comes_to_it_at_the_next_start(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    answer: Command[str] = Command(resume={"decision": "approve", "reviewer": "bob"})
    services.ledger.approve(waiting.id, review(waiting), {"reviewer"})
    stopped_before("activate", answer, waiting.cycle, services, tmp_path)
    services.ledger.finish_cycle(waiting.cycle, "activated by bob")  # what the step wrote before it died
    assert reconcile_at_start(settings_in(tmp_path)) == [f"the thread of cycle {waiting.cycle} came to its end"]
    assert reconcile_at_start(settings_in(tmp_path)) == []
    with thread_of(waiting.cycle, services, checkpoints_in(tmp_path)) as thread:
        assert thread is not None and not thread.stopped_halfway
    assert len(services.ledger.decisions(waiting.id)) == 1


def test_a_cycle_goes_on_though_every_task_of_the_step_was_done(source: QuerySource, tmp_path: Path) -> None:
    """The process died after the last task had written, and before the checkpoint of their step was there."""
    services, place = services_in(tmp_path), checkpoints_in(tmp_path)
    stopped_before("promote_best", request(source, 0), "c-1", services, tmp_path)
    with sqlite3.connect(place) as database:
        database.execute("DELETE FROM checkpoints WHERE checkpoint_id = (SELECT max(checkpoint_id) FROM checkpoints)")
    paid = services.ledger.spending("c-1").settled.calls
    with thread_of("c-1", services, place) as thread:
        assert thread is not None and thread.stopped_halfway
        assert thread.graph.get_state(config("c-1")).next == ()
        list(thread.graph.stream(None, config("c-1"), interrupt_before=["promote_best"]))
    assert services.ledger.spending("c-1").settled.calls == paid
    unasked = evolve("cache_policy", "general", "eve", cycle="c-1", services=services, checkpoints=place)
    assert unasked.outcome in ("waiting", "recorded")  # though nobody said again where the queries are


def test_new_input_over_a_question_loses_nothing(
    services: EvolutionServices, source: QuerySource, waiting: GenomeRecord, tmp_path: Path
) -> None:
    with open_checkpoints(checkpoints_in(tmp_path)) as saver, pytest.raises(NotAllowed, match="waits for a decision"):
        build_evolution_graph(services, saver).invoke(request(source, 1), config(waiting.cycle))
    decide(waiting.id, review(waiting), services=services, checkpoints=checkpoints_in(tmp_path))
    with thread_of(waiting.cycle, services, checkpoints_in(tmp_path)) as thread:
        assert thread is not None and not thread.stopped_halfway
    assert services.ledger.cycle(waiting.cycle).state is CycleState.FINISHED


def test_a_cycle_that_stopped_before_its_first_step_knows_what_was_asked(source: QuerySource, tmp_path: Path) -> None:
    services = services_in(tmp_path)
    stopped_before("select_parent", request(source, 5), "c-1", services, tmp_path)
    with thread_of("c-1", services, checkpoints_in(tmp_path)) as thread:
        assert thread is not None and thread.stopped_halfway
        thread.run(None)
    assert services.ledger.cycle("c-1").seed == 5


def test_one_process_at_a_time_works_on_a_cycle(
    services: EvolutionServices, source: QuerySource, waiting: GenomeRecord, tmp_path: Path
) -> None:
    with cycle_held(checkpoints_in(tmp_path), "c-2") as held:
        assert held
        with pytest.raises(NotAllowed, match="under way in another process"):
            run(services, source, tmp_path, cycle="c-2")
    with cycle_held(checkpoints_in(tmp_path), waiting.cycle):
        services.ledger.approve(waiting.id, review(waiting), {"reviewer"})
        assert reconcile(services, checkpoints_in(tmp_path)) == []  # left to who has it
    assert reconcile(services, checkpoints_in(tmp_path)) != []


def test_an_interrupted_cycle_goes_on_only_as_what_it_is(
    unasked: tuple[EvolutionServices, GenomeRecord], source: QuerySource, tmp_path: Path
) -> None:
    services, _ = unasked
    place = checkpoints_in(tmp_path)
    with pytest.raises(CallerError, match="is of cache_policy of general"):
        evolve("routing", "general", "ada", cycle="c-1", source=source, services=services, checkpoints=place)


def test_a_decision_stands_though_its_thread_cannot_go_on(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    place = checkpoints_in(tmp_path)
    place.rename(tmp_path / "aside")
    place.mkdir()
    with pytest.warns(UserWarning, match="the decision stands"):
        decide(waiting.id, review(waiting), services=services, checkpoints=place)
    [words] = reconcile_at_start(settings_in(tmp_path))
    assert "could not go on" in words
    assert services.ledger.genome(waiting.id).status is GenomeStatus.ACTIVE
    place.rmdir()
    (tmp_path / "aside").rename(place)
    assert any("went on" in words for words in reconcile_at_start(settings_in(tmp_path)))
    assert services.ledger.cycle(waiting.cycle).state is CycleState.FINISHED


def test_a_genome_whose_rival_changed_while_it_was_tried_is_recorded(
    services: EvolutionServices, waiting: GenomeRecord, source: QuerySource, tmp_path: Path
) -> None:
    asked = request(source, services.ledger.cycle(waiting.cycle).seed + 1)
    stopped_before("promote_best", asked, "c-2", services, tmp_path)
    decide(waiting.id, review(waiting), services=services, checkpoints=checkpoints_in(tmp_path))
    result = run(services, source, tmp_path, cycle="c-2")
    assert result.outcome == "recorded"
    assert services.ledger.cycle("c-2").state is CycleState.FINISHED


def test_a_genome_approved_and_replaced_before_the_thread_heard_was_activated(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    services.ledger.approve(waiting.id, review(waiting), {"reviewer"})
    services.ledger.rollback("cache_policy", "general", "carol", "worse", roles={"admin"})
    reconcile(services, checkpoints_in(tmp_path))
    assert services.ledger.cycle(waiting.cycle).note.startswith("activated")
    assert cycle_result(waiting.cycle, services).outcome == "activated"


def test_starting_without_a_ledger_makes_none(tmp_path: Path) -> None:
    assert reconcile_at_start(settings_in(tmp_path)) == []
    assert not list(tmp_path.rglob("*.sqlite"))


def test_what_was_not_decided_in_time_expires_at_the_next_start(
    services: EvolutionServices, waiting: GenomeRecord, tmp_path: Path
) -> None:
    expires = services.ledger.submission(waiting.id).expires
    assert services.ledger.expire_due(expires + 1.0)
    assert json.dumps(reconcile_at_start(settings_in(tmp_path))).count(waiting.cycle) == 1
    assert cycle_result(waiting.cycle, services).outcome == "rejected"
