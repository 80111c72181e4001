"""A request ends under the genomes it began with, whatever a person approves meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver

from iterative_retrieval.evolution.defaults import default_genome, genome_hash
from iterative_retrieval.graph.ask import ask
from iterative_retrieval.graph.docsearch import build_docsearch_graph
from iterative_retrieval.graph.docsearch_services import DocsearchServices
from iterative_retrieval.graph.retrieval import build_retrieval_graph
from iterative_retrieval.graph.services import Services, open_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.caching import RequestRecord
from iterative_retrieval.state.docsearch import DocsearchInput
from iterative_retrieval.state.evolution import Layer, Mutation, MutationKind
from iterative_retrieval.state.ledger_ports import CycleRecord
from iterative_retrieval.state.retrieval import RetrievalInput
from iterative_retrieval.stores.ledger import LedgerService
from iterative_retrieval.stores.sql import SqlStore
from tests.graph.handbook import indexed, services_in
from tests.repositories import MakeRepo
from tests.samples import TOKEN_EXPIRY
from tests.stores.ledger.desk import approval, report

QUESTION = "How do I limit retries and time-outs, and what are their defaults?"
TASK = "Fix the authentication token expiry bug"
SHORT = {"chunk_count": 1, "max_tokens": 64}
Activate = Callable[[], object]


def settings_in(folder: Path) -> Settings:
    return Settings(data_dir=folder / "data", cache_dir=folder / "cache", embedder="none")


def approve(place: Path, layer: Layer, domain: str, changes: Mapping[str, Any]) -> str:
    """Let bob approve the default genome with changes; the hash of what is active then."""
    store = SqlStore(settings_in(place).database)
    ledger, default = LedgerService(store), default_genome(layer, domain)
    active = ledger.active(layer, domain) or ledger.ensure_default(layer, domain, default)
    cycle = f"c-{active.id}"
    ledger.open_cycle(CycleRecord(id=cycle, layer=layer, domain=domain, requester="ada"))
    genes = default.model_dump(mode="json") | dict(changes)
    genome = ledger.propose(cycle, Mutation(genome=genes, kind=MutationKind.STEP, parents=[active.genome_hash]))
    genome = ledger.mark_evaluated(genome.id, 9.0)
    genome = ledger.submit(genome.id, report(genome, active.genome_hash), genome.updated + 1e6, cycle)
    ledger.approve(genome.id, approval(genome), {"reviewer"})
    store.close()
    return genome.genome_hash


def asked(services: DocsearchServices, activate: Activate | None = None, after: str = "intake") -> Mapping[str, Any]:
    """What the graph streams last, with an activation after a step."""
    final: Any = {}
    request = DocsearchInput(question=QUESTION, collection="handbook", fresh=True)
    for mode, data in build_docsearch_graph(services).stream(request, stream_mode=["updates", "values"]):
        if mode == "values":
            final = data
        elif activate and after in data:
            activate()
    return dict(final)


def last_row(services: DocsearchServices) -> RequestRecord:
    return services.log.rows(limit=1)[0]


@pytest.mark.parametrize("after", ["intake", "lookup", "route", "evaluate", "postprocess"])
def test_an_answer_under_way_keeps_its_genomes(tmp_path: Path, after: str) -> None:
    services = indexed(tmp_path)
    before = asked(services)
    epoch = services.domains.epoch("general")
    changed: list[str] = []
    during = asked(services, lambda: changed.append(approve(tmp_path, "postprocess", "general", SHORT)), after)
    assert len(changed) == 1
    assert during["answer"] == before["answer"]
    assert last_row(services).genomes["postprocess"] == genome_hash(default_genome("postprocess", "general"))
    assert services.domains.epoch("general") != epoch
    following = asked(services)
    assert last_row(services).genomes["postprocess"] == changed[0]
    assert len(following["answer"].sources) < len(before["answer"].sources)


def test_an_answer_under_way_is_not_kept_for_the_new_genomes(tmp_path: Path) -> None:
    services = indexed(tmp_path)
    asked(services, lambda: approve(tmp_path, "postprocess", "general", SHORT), "evaluate")
    result = ask(QUESTION, "handbook", services=services)
    assert not result.lookup.hit
    assert ask(QUESTION, "handbook", services=services).lookup.hit == result.admission.admitted


def test_a_thread_that_another_process_resumes_keeps_its_genomes(tmp_path: Path) -> None:
    services = indexed(tmp_path)
    first = approve(tmp_path, "postprocess", "general", {"chunk_count": 6})
    before = asked(services)
    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    request = DocsearchInput(question=QUESTION, collection="handbook", fresh=True)
    with SqliteSaver.from_conn_string(str(tmp_path / "threads.sqlite")) as saver:
        build_docsearch_graph(services, saver).invoke(request, config, interrupt_before=["postprocess"])
        approve(tmp_path, "postprocess", "general", SHORT)
        other = services_in(tmp_path)
        graph = build_docsearch_graph(other, saver)
        kept = graph.get_state(config).values["genomes"]
        assert kept["postprocess"] == first and all(len(digest) == 64 for digest in kept.values())
        final = graph.invoke(None, config)
    assert final["answer"] == before["answer"]
    assert last_row(other).genomes["postprocess"] == first


def test_a_thread_whose_genome_is_gone_goes_on_under_the_active_one(tmp_path: Path) -> None:
    services = indexed(tmp_path)
    active = approve(tmp_path, "postprocess", "general", SHORT)
    with pytest.warns(UserWarning, match="is not in the ledger"):
        domain = services.domains.of("general", services.domains.pins("general") | {"postprocess": "0" * 64})
    assert genome_hash(domain.postprocess) == active


@pytest.mark.parametrize("after", ["route", "dispatch", "evaluate"])
def test_a_retrieval_under_way_keeps_its_genomes(make_repo: MakeRepo, tmp_path: Path, after: str) -> None:
    services = open_services(settings_in(tmp_path))  # before there is a ledger
    root = make_repo(TOKEN_EXPIRY).path
    before = found(services, root)
    changed: list[str] = []
    during = found(
        services, root, lambda: changed.append(approve(tmp_path, "retrieval", "code", {"packed": 1.0})), after
    )
    assert len(changed) == 1
    assert during.files == before.files != []
    assert len(found(services, root).files) < len(before.files)


def found(services: Services, root: Path, activate: Activate | None = None, after: str = "route") -> Any:
    """The package that the graph streams, with an activation after a step."""
    final: Any = {}
    request = RetrievalInput(task=TASK, root=str(root))
    for mode, data in build_retrieval_graph(services).stream(request, stream_mode=["updates", "values"]):
        if mode == "values":
            final = data
        elif activate and after in data:
            activate()
            activate = None
    return final["package"]
