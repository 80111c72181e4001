"""Whole cycles of real processes, killed at random points, decided by two people at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.evolution_faults import run
from tests.stores.ledger.postgres import binaries, running_cluster


@pytest.fixture
def server() -> Iterator[str]:
    """URL of a database of a PostgreSQL server."""
    pytest.importorskip("psycopg")
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL server on this machine")
    with running_cluster(programs) as cluster:
        yield cluster.create("faults")


def test_killed_cycles_lose_no_decision_and_pay_nothing_twice(tmp_path: Path) -> None:
    tally = run(points=2, seed=1, database=None, folder=tmp_path, kinds=1)
    assert tally.sound, tally
    assert tally.points == 2 and tally.kills >= 2


@pytest.mark.slow
def test_killed_cycles_on_a_server_lose_no_decision_and_pay_nothing_twice(server: str, tmp_path: Path) -> None:
    tally = run(points=1, seed=2, database=server, folder=tmp_path, kinds=1)
    assert tally.sound, tally
