from __future__ import annotations

from typing import Any

from benchmarks.instances import mirror_of, pieces


def row(name: str, mirror: str) -> dict[str, Any]:
    return {"instance_id": name, "repo": "o/n", "mirror": mirror}


def test_a_template_names_the_mirror() -> None:
    assert mirror_of(row("a", "fork/n"), "/m/{owner}+{name}/repo") == "/m/fork+n/repo"


def test_without_a_mirror_the_repository_is_its_own() -> None:
    assert mirror_of({"instance_id": "a", "repo": "o/n"}, "/m/{owner}/{name}") == "/m/o/n"


def test_pieces_hold_one_mirror_each_and_the_longest_comes_first() -> None:
    rows = [row("b-1", "b/b"), row("a-10", "a/a"), row("a-9", "a/a"), row("a-11", "a/a")]
    cut = pieces(rows, 2)
    assert [[r["instance_id"] for r in piece] for piece in cut] == [["a-9", "a-10"], ["a-11"], ["b-1"]]
