from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from iterative_retrieval.evolution.pools import POOLS, PoolShares, draw, query_id, snapshot_hash, split_pools
from iterative_retrieval.state.evolution import EvalQuery, Pool


def _query(text: str, cluster: str = "", kind: str = "", anchor: bool = False) -> EvalQuery:
    return EvalQuery(id=query_id(text), text=text, cluster=cluster, slice=kind, anchor=anchor)


def _many(n: int, clusters: int = 0) -> list[EvalQuery]:
    return [_query(f"how does part{i} work", f"doc{i % clusters}" if clusters else "") for i in range(n)]


def _pool_of(queries: list[EvalQuery], salt: str = "") -> dict[str, str]:
    split = split_pools(queries, salt=salt)
    return {query.id: pool for pool, members in split.pools.items() for query in members}


queries_strategy = st.lists(
    st.builds(
        _query,
        st.text("ab c?", min_size=1, max_size=6),
        st.sampled_from(["", "x", "y", "z"]),
        st.sampled_from(["", "how"]),
        st.booleans(),
    ),
    max_size=30,
)


@given(queries_strategy)
@settings(deadline=None)
def test_every_query_falls_into_exactly_one_pool(queries: list[EvalQuery]) -> None:
    split = split_pools(queries)
    placed = [query.id for members in split.pools.values() for query in members]
    assert sorted(placed) == sorted({query.id for query in queries})


@given(queries_strategy)
@settings(deadline=None)
def test_order_of_arrival_does_not_matter(queries: list[EvalQuery]) -> None:
    unique = list({query.id: query for query in queries}.values())
    assert split_pools(unique).pools == split_pools(unique[::-1]).pools


@given(queries_strategy)
@settings(deadline=None)
def test_queries_of_one_cluster_are_never_parted(queries: list[EvalQuery]) -> None:
    unique = list({query.id: query for query in queries}.values())
    pool_of = _pool_of(unique)
    for cluster in {query.cluster for query in unique if query.cluster}:
        assert len({pool_of[query.id] for query in unique if query.cluster == cluster}) == 1


def test_shares_are_kept_roughly() -> None:
    report = split_pools(_many(3000), PoolShares(mutate=1, select=1, confirm=2)).report()
    assert [row.share for row in report] == pytest.approx([0.25, 0.25, 0.5], abs=0.03)


def test_tomorrows_queries_move_none_of_todays() -> None:
    today = _pool_of(_many(200, clusters=40))
    tomorrow = _pool_of(_many(400, clusters=40))
    assert all(tomorrow[name] == pool for name, pool in today.items())


def test_another_salt_gives_another_split() -> None:
    assert _pool_of(_many(50)) != _pool_of(_many(50), salt="b")


@pytest.mark.parametrize(
    "other", ["HOW do I   install it", "how do I install it?!", "Install it: how do I?", "\tｈｏｗ do i install it"]
)
def test_near_duplicates_fall_together(other: str) -> None:
    queries = [_query("How do I install it?"), EvalQuery(id="other", text=other)]
    for salt in "abcdefgh":
        assert len(set(_pool_of(queries, salt=salt).values())) == 1


def test_near_duplicates_count_as_one_cluster() -> None:
    queries = [EvalQuery(id="a", text="Install it, how?"), EvalQuery(id="b", text="how install it"), _query("else")]
    clusters = {q.id: q.cluster for members in split_pools(queries).pools.values() for q in members}
    assert clusters["a"] == clusters["b"] == "a"
    assert clusters[query_id("else")] == ""


def test_a_duplicate_ties_two_documents_together() -> None:
    queries = [_query("first", "doc1"), _query("second", "doc2")]
    bridge = [
        EvalQuery(id="x", text="same words", cluster="doc1"),
        EvalQuery(id="y", text="words same", cluster="doc2"),
    ]
    for salt in "abcdefgh":
        split = split_pools([*queries, *bridge], salt=salt)
        (members,) = [found for found in split.pools.values() if found]
        assert {query.cluster for query in members} == {"doc1"}


def test_an_anchor_and_its_cluster_go_to_confirm() -> None:
    for i in range(20):
        split = split_pools([_query(f"anchor {i}", "doc", anchor=True), _query(f"near {i}", "doc"), *_many(5)])
        assert {query_id(f"anchor {i}"), query_id(f"near {i}")} <= {query.id for query in split.pools["confirm"]}


def test_a_repeated_query_is_kept_once_and_reported() -> None:
    split = split_pools([_query("one"), _query("two"), _query("One!")])
    assert sum(map(len, split.pools.values())) == 2
    assert split.repeated == [query_id("one")]


def test_texts_without_words_are_told_apart() -> None:
    assert query_id("???") != query_id("!!!")
    assert query_id("C") == query_id("c?")


def test_the_report_is_stratified() -> None:
    queries = [_query(f"question {i}", f"doc{i % 7}", "how" if i % 3 else "what", anchor=i == 4) for i in range(60)]
    split = split_pools(queries)
    report = {row.pool: row for row in split.report()}
    assert tuple(report) == POOLS
    assert sum(row.queries for row in report.values()) == 60
    assert sum(row.clusters for row in report.values()) == 7
    assert report["confirm"].anchors == 1
    assert Counter(q.slice for q in split.pools["confirm"]) == report["confirm"].slices
    assert {row.pool: row.hash for row in report.values()} == split.hashes


def test_empty_pools_and_unseen_slices_are_said() -> None:
    warnings = split_pools([_query("only", "doc", "rare", anchor=False)]).warnings()
    assert sum("is empty" in warning for warning in warnings) == 2
    drafts = (_query(f"lonely {i}", "", "rare") for i in range(20))
    lonely = next(query for query in drafts if _pool_of([query])[query.id] == "mutate")
    assert any("slice rare" in warning for warning in split_pools([lonely]).warnings())


def test_the_snapshot_hash_knows_the_ids_and_not_their_order() -> None:
    queries = _many(5)
    assert snapshot_hash(queries) == snapshot_hash(queries[::-1])
    assert snapshot_hash(queries) != snapshot_hash(queries[:4])


def test_shares_must_be_positive() -> None:
    with pytest.raises(ValidationError, match="greater than 0"):
        PoolShares(confirm=0)


def test_drawing_more_goes_on_where_it_stopped() -> None:
    queries = _many(50)
    assert draw(queries, 40, seed=3)[:15] == draw(queries, 15, seed=3)
    assert draw(queries, 40, seed=3) == draw(queries[::-1], 40, seed=3)


def test_another_seed_rotates_the_queries() -> None:
    assert draw(_many(50), 10, seed=1) != draw(_many(50), 10, seed=2)


def test_slices_are_drawn_in_proportion() -> None:
    queries = [_query(f"how {i}", kind="how") for i in range(60)] + [_query(f"bsl {i}", kind="bsl") for i in range(30)]
    for n in (9, 30, 60):
        counts = Counter(query.slice for query in draw(queries, n, seed=n))
        assert counts["how"] == pytest.approx(2 * n / 3, abs=1)


def test_anchors_are_asked_first() -> None:
    queries = [*_many(30), _query("anchor a", anchor=True), _query("anchor b", anchor=True)]
    assert {query.text for query in draw(queries, 2)} == {"anchor a", "anchor b"}


def test_there_are_no_more_than_there_are() -> None:
    assert len(draw(_many(5), 50)) == 5
    assert draw(_many(5), 0) == []
    assert draw([], 5) == []


def test_a_query_that_names_its_pool_stands_there_whatever_it_shares() -> None:
    named: list[Pool | None] = ["mutate", "select", "confirm", "confirm", None]
    shared = [EvalQuery(id=f"q{n}", text="the same words", cluster="one", pool=p) for n, p in enumerate(named)]
    split = split_pools(shared)
    assert {q.id: pool for pool, found in split.pools.items() for q in found if q.id != "q4"} == {
        "q0": "mutate",
        "q1": "select",
        "q2": "confirm",
        "q3": "confirm",
    }
    assert sum(map(len, split.pools.values())) == 5
