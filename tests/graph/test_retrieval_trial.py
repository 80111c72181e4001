"""Trials of layer retrieval: what they save must not change what they measure."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from iterative_retrieval.evolution.defaults import default_retrieval
from iterative_retrieval.evolution.genes import genes_of
from iterative_retrieval.evolution.steps import stepped
from iterative_retrieval.graph.evolution_services import EvolutionServices, open_evolution_services
from iterative_retrieval.graph.evolve import evolve
from iterative_retrieval.graph.retrieval import build_retrieval_graph
from iterative_retrieval.graph.services import FixedGenomes, Services, open_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.graph.trials.held_workspaces import HeldWorkspaces
from iterative_retrieval.nodes.scene import SCENE_GENES, scene_of
from iterative_retrieval.state.evolution_run import QuerySource
from iterative_retrieval.state.genome import RetrievalGenome
from iterative_retrieval.state.retrieval import RetrievalInput
from tests.repositories import GitRepo, MakeRepo
from tests.samples import RATE_LIMITING, TOKEN_EXPIRY

TASKS = ("Fix the authentication token expiry bug", "Requests are not throttled", "tokens expire one hour too early")
PLAIN = RetrievalGenome(weights={"bm25f_all": 1.0})


@pytest.fixture
def repo(make_repo: MakeRepo) -> GitRepo:
    return make_repo(TOKEN_EXPIRY, {**TOKEN_EXPIRY, **RATE_LIMITING})


@pytest.fixture
def services(tmp_path: Path) -> EvolutionServices:
    opened = open_evolution_services(
        Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache", embedder="none")
    )
    return replace(opened, defaults=lambda layer, domain: PLAIN)


def source(repo: GitRepo, folder: Path, copies: int = 1) -> QuerySource:
    rows = [
        {"task": task + " again" * n, "root": str(repo.path), "ref": commit, "gold_files": [gold], "repo": f"r{n}"}
        for n in range(copies)
        for task in TASKS
        for commit, gold in zip(repo.commits, (sorted(TOKEN_EXPIRY)[0], sorted(RATE_LIMITING)[0]), strict=True)
    ]
    path = folder / "queries.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return QuerySource(queries=str(path), limit=1_000)


def genomes() -> list[RetrievalGenome]:
    """The shipped genome and some around it, steps of what a scene depends on among them."""
    shipped = default_retrieval().model_dump(mode="json")
    genes = genes_of("retrieval", shipped, "code")
    near = [RetrievalGenome.model_validate(stepped(shipped, genes, Random(seed), 8)) for seed in range(3)]
    assert any(getattr(genome, name) != shipped[name] for genome in near for name in SCENE_GENES)
    return [default_retrieval(), PLAIN, *near]


def test_a_trial_ranks_as_the_whole_pipeline_does(repo: GitRepo, services: EvolutionServices, tmp_path: Path) -> None:
    trial = services.trials.of("retrieval", "code", source(repo, tmp_path))
    fresh = open_services(Settings(cache_dir=tmp_path / "other"))
    for genome in genomes():
        graph = build_retrieval_graph(Services(fresh.workspaces, FixedGenomes(genome, fresh.genomes.routing("code"))))
        for query in trial.queries():
            request = RetrievalInput(task=query.text, root=query.reference["root"], ref=query.reference["ref"])
            ranked = graph.invoke(request)["package"].ranked
            assert len(ranked) > 2
            assert trial.run(genome, query, 0).response.split("\n") == ranked[:10]


def test_a_commit_is_opened_once(repo: GitRepo, tmp_path: Path) -> None:
    held = HeldWorkspaces(open_services(Settings(cache_dir=tmp_path / "cache", workspaces_kept=1)).workspaces)
    first, second = (held.open(str(repo.path), commit) for commit in repo.commits)
    assert first.fingerprint != second.fingerprint
    assert held.open(str(repo.path), repo.commits[0]) is first
    assert held.opened(first.root, repo.commits[0], first.fingerprint) is first


def test_what_may_change_is_opened_as_it_is_now(repo: GitRepo, tmp_path: Path) -> None:
    held = HeldWorkspaces(open_services(Settings(cache_dir=tmp_path / "cache")).workspaces)
    for ref in (None, "HEAD"):
        before = held.open(str(repo.path), ref)
        assert held.opened(before.root, ref, before.fingerprint).fingerprint == before.fingerprint
        repo.commit({f"new_{ref}.py": "x = 1\n"})
        assert held.open(str(repo.path), ref).searchable(f"new_{ref}.py")


def test_genomes_that_differ_in_weights_share_a_scene_and_others_do_not(repo: GitRepo, tmp_path: Path) -> None:
    workspace = open_services(Settings(cache_dir=tmp_path / "cache")).workspaces.open(str(repo.path))
    shipped = default_retrieval()
    scene = scene_of(workspace, TASKS[0], shipped)
    same = PLAIN.model_copy(update={name: getattr(shipped, name) for name in SCENE_GENES})
    assert scene_of(workspace, TASKS[0], same) is scene
    for name in SCENE_GENES:
        value = getattr(shipped, name)
        other = shipped.model_copy(update={name: type(value)(value / 2)})
        assert scene_of(workspace, TASKS[0], other) is not scene


def test_a_cycle_judges_weights_and_learns_from_them(
    repo: GitRepo, services: EvolutionServices, tmp_path: Path
) -> None:
    asked = source(repo, tmp_path, copies=12)
    file = tmp_path / "cycles.sqlite"
    for seed in range(2):
        result = evolve("retrieval", "code", "ada", n=3, seed=seed, source=asked, services=services, checkpoints=file)
        assert result.outcome in ("recorded", "waiting")
        assert len(result.candidates) == 3
        assert all(record.score is not None for record in result.candidates)
    [active] = [r for r in services.ledger.genomes("retrieval", "code") if r.status.value == "active"]
    results = services.ledger.results(active.id, pool="select")
    assert results and all(row.judge_score is not None and row.response for row in results)


def test_another_salt_deals_the_queries_into_other_pools(
    repo: GitRepo, services: EvolutionServices, tmp_path: Path
) -> None:
    asked = source(repo, tmp_path, copies=12)

    def hashes(salt: str) -> dict[str, str]:
        salted = asked.model_copy(update={"salt": salt})
        return services.queries.split({"layer": "retrieval", "domain": "code", "source": salted, "cycle": "c"}).hashes

    assert hashes("") == hashes("")
    assert len({str(hashes(salt)) for salt in ("", "1", "2")}) == 3
