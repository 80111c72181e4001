from collections.abc import Iterable, Sequence

from iterative_retrieval.retrieval.gather import basket, best_first, ranked_lists
from iterative_retrieval.retrieval.named import Places
from iterative_retrieval.retrieval.past import PastEvidence
from iterative_retrieval.retrieval.task import read_task
from iterative_retrieval.state.ports import Clause, Hit
from tests.retrieval.builders import query_of

SOURCES = [f"s{i}.py" for i in range(20)]
TESTS = [f"tests/test_{i}.py" for i in range(20)]


def everything(path: str) -> bool:
    return True


def test_candidates_are_fused_and_say_which_lists_hold_them() -> None:
    found = basket({"words": ["a.py", "b.py"], "past": ["b.py"]}, everything, 10, 10, 60)
    assert [c.path for c in found] == ["b.py", "a.py"]
    assert found[0].found_by == ["past", "words"]
    assert found[0].signals == {"fusion": 1 / 62 + 1 / 61}


def test_a_path_that_is_not_allowed_is_no_candidate() -> None:
    assert [c.path for c in basket({"words": ["a.py", "b.py"]}, lambda p: p == "b.py", 10, 10, 60)] == ["b.py"]


def test_demoted_files_get_an_eighth_of_the_depth() -> None:
    lists = {"words": [p for pair in zip(TESTS, SOURCES, strict=True) for p in pair]}
    found = [c.path for c in basket(lists, everything, 16, 100, 60, demoted=TESTS.__contains__)]
    assert sum(p in SOURCES for p in found) == 16
    assert sum(p in TESTS for p in found) == 3


def test_the_limit_keeps_the_best() -> None:
    assert [c.path for c in basket({"words": SOURCES}, everything, 20, 2, 60)] == SOURCES[:2]


def test_a_list_may_weigh_more() -> None:
    lists = {"words": ["a.py"], "past": ["b.py"]}
    assert [c.path for c in basket(lists, everything, 5, 5, 60, {"past": 2.0})] == ["b.py", "a.py"]


def test_best_first_breaks_ties_by_path() -> None:
    assert best_first({"b": 1.0, "a": 1.0, "c": 2.0}, 2) == ["c", "a"]


def test_a_first_query_asks_by_field_by_whole_and_by_definition() -> None:
    asked: list[tuple[list[Clause], int]] = []

    def search(clauses: Iterable[Clause], limit: int) -> Sequence[Hit]:
        asked.append((list(clauses), limit))
        return [Hit("a.py", 1.0)]

    texts = {"a.py": "def parse_url(): pass"}
    past = PastEvidence({"p.py": 1.0}, {}, {}, {"r.py": 1.0})
    text = "Fix parse_url"
    lists = ranked_lists(
        read_task(text), query_of(text, texts), search, lambda n: n == "parse_url", Places({"f.py": 1}), past, 8
    )
    assert list(lists) == ["title", "words", "identifiers", "definitions", "paths", "places", "past", "recent"]
    assert (lists["places"], lists["past"], lists["recent"]) == (["f.py"], ["p.py"], ["r.py"])
    title, _, identifiers, definitions, paths = asked
    assert title == ([Clause(f, t, w) for t in ("pars", "url", "parseurl")
                      for f, w in (("path", 2.0), ("definitions", 1.5), ("body", 1.0))], 48)  # fmt: skip
    assert identifiers[0] == [Clause("body", "parseurl", 1.0)]
    assert definitions[0] == [Clause("symbols", "parse_url", 3.0)]
    assert (paths[0][0], paths[1]) == (Clause("path", "pars", 1.0), 24)
