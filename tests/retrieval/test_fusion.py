import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.fusion import reciprocal_rank_fusion

_LISTS = st.dictionaries(
    st.sampled_from("abcd"), st.lists(st.sampled_from("pqrstuv"), unique=True, max_size=6), max_size=4
)


def test_scores_are_summed_reciprocal_ranks() -> None:
    fused = reciprocal_rank_fusion({"words": ["x", "y"], "past": ["y"]}, rrf_k=60)
    assert [item for item, _ in fused] == ["y", "x"]
    assert [score for _, score in fused] == pytest.approx([1 / 62 + 1 / 61, 1 / 61])


def test_ties_break_by_item() -> None:
    assert [i for i, _ in reciprocal_rank_fusion({"one": ["b"], "two": ["a"], "three": ["c"]})] == ["a", "b", "c"]


def test_a_list_counts_by_its_weight() -> None:
    assert reciprocal_rank_fusion({"one": ["a"], "two": ["b"]}, 9, {"two": 3.0}) == [("b", 0.3), ("a", 0.1)]


@given(_LISTS)
def test_the_order_of_the_lists_does_not_matter(lists: dict[str, list[str]]) -> None:
    turned = dict(reversed(lists.items()))
    assert reciprocal_rank_fusion(lists) == reciprocal_rank_fusion(turned)


@given(_LISTS)
def test_everything_listed_is_ranked_once(lists: dict[str, list[str]]) -> None:
    fused = reciprocal_rank_fusion(lists)
    assert sorted(i for i, _ in fused) == sorted({i for items in lists.values() for i in items})
    assert [s for _, s in fused] == sorted((s for _, s in fused), reverse=True)
