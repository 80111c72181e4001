from __future__ import annotations

import argparse
import pickle
from pathlib import Path

import numpy as np
import pytest

from benchmarks.evolution import usable_salt
from benchmarks.evolution_recorded import run
from iterative_retrieval.evolution.pools import split_pools
from iterative_retrieval.state.evolution import EvalQuery

REPOS, EACH, FILES = 16, 12, 40
NAMES = ["bm25f_all", "path_title", "path_all", "role_test"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Instances in which BM25 is nearly noise and the words of the path nearly tell the file."""
    target, rng = tmp_path_factory.mktemp("signals"), np.random.default_rng(0)
    for number in range(REPOS * EACH):
        values = rng.random((FILES, len(NAMES))).astype(np.float32)
        values[0, 0], values[0, 1:3], values[:, 3] = values[0, 0] + 0.2, 1.3, 0.0
        row = {
            "instance_id": f"i{number:03}",
            "repo": f"repo{number % REPOS}",
            "paths3": [f"f{i}.py" for i in range(FILES)],
            "names": NAMES,
            "values3": values,
            "gold": ["f0.py"],
        }
        (target / f"i{number:03}.pickle").write_bytes(pickle.dumps(row))
    return target


def arguments(folder: Path, **more: object) -> argparse.Namespace:
    options = {"start": "plain", "lineages": 2, "splits": 2, "cycles": 6, "n": 5, "rounds": [16, 48]} | more
    return argparse.Namespace(signals=folder, unseen=folder, **options)


def test_lineages_find_what_the_instances_hide_and_can_be_repeated(folder: Path) -> None:
    found = run(arguments(folder))
    again = run(arguments(folder))
    assert found["lineages"] == again["lineages"]
    assert found["cycles"] == 12
    assert found["promotions"] >= 1 and found["wrong_promotions"] == 0
    assert found["mean_gain"]["unseen"] > 1.0


def test_without_cycles_nothing_changes(folder: Path) -> None:
    found = run(arguments(folder, cycles=0))
    assert found["promotions"] == 0
    assert all(lineage["confirm"]["difference"] == [0.0, 0.0, 0.0] for lineage in found["lineages"])


def test_a_usable_split_leaves_confirm_enough_repositories() -> None:
    queries = [
        EvalQuery(id=f"{repo}-{i}", text=f"r{repo}q{i}", cluster=f"repo{repo}") for repo in range(14) for i in range(12)
    ]
    salts = [usable_salt(queries, number) for number in range(4)]
    assert len(set(salts)) == 4 and "" not in salts
    for salt in salts:
        pools = split_pools(queries, salt=salt).pools
        assert len({query.cluster for query in pools["confirm"]}) >= 6
        assert 30 <= len(pools["confirm"]) <= 80 and len(pools["select"]) >= 48


def test_where_no_split_is_usable_there_is_no_salt() -> None:
    assert usable_salt([EvalQuery(id="a", text="a", cluster="r")], 0) == ""
