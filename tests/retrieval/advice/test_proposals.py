from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.advice.proposals import CodeBase, confirmed
from iterative_retrieval.retrieval.text import content_terms
from iterative_retrieval.state.advice import Plan

PATHS = ["app/session.py", "app/tokens.py", "docs/[id]/page.md", *(f"lib/part{i}.py" for i in range(60))]
DEFINED = {"SessionStore", "expires"}
WORDS = set(content_terms("session store expires token idle seconds").parts)
CODE = CodeBase(
    frequency=lambda term: int(term in WORDS),
    defined=lambda name: int(name in DEFINED),
    find=lambda text: [p for p in PATHS if f"/{p}".endswith(f"/{text}")],
    paths=lambda: PATHS,
)
SAID = set(content_terms("the token is logged out").parts)


def plan(**given: list[str]) -> Plan:
    return confirmed({"identifiers": [], "words": [], "paths": [], **given}, SAID, CODE)


def test_only_what_the_code_base_knows_is_kept() -> None:
    found = plan(identifiers=["SessionStore", "FooBar"], words=["idle", "zebra"], paths=["session.py", "no/way.py"])
    assert (found.names, found.words, found.paths) == (["SessionStore"], ["idle"], {"app/session.py": 1.0})
    assert found.dropped == {"no such path": 1, "unknown identifier": 1, "unknown word": 1}


def test_what_the_task_says_is_no_news() -> None:
    assert plan(words=["token", "Tokens"]).dropped == {"said by the task": 2}


def test_an_identifier_may_come_with_its_class_and_brackets() -> None:
    assert plan(identifiers=["SessionStore.expires()"]).names == ["SessionStore", "expires"]


def test_a_glob_weighs_what_it_singles_out() -> None:
    assert plan(paths=["app/*.py"]).paths == {"app/session.py": 0.5, "app/tokens.py": 0.5}
    assert plan(paths=["lib/**"]).dropped == {"glob of too many files": 1}


def test_patterns_that_explode_match_nothing() -> None:
    for hostile in ("{a,b}" * 20 + "*", "*a" * 40, "**/" * 30 + "*.py", "{" * 50, "[" * 50):
        assert plan(paths=[hostile]).paths == {}


def test_more_than_asked_for_is_cut_and_counted() -> None:
    found = plan(words=["idle", *(f"w{i}" for i in range(50))])
    assert found.words == ["idle"]
    assert found.dropped["too many or too long"] == 39
    assert plan(words=["x" * 5000]).dropped == {"too many or too long": 1}


def test_nothing_left_is_an_empty_plan() -> None:
    assert not plan(words=["zebra"])
    assert plan(words=["idle"])


@given(
    st.fixed_dictionaries({k: st.lists(st.text(max_size=200), max_size=20) for k in ("identifiers", "words", "paths")})
)
def test_any_texts_give_a_plan_of_known_things(reply: dict[str, Any]) -> None:
    found = confirmed(reply, SAID, CODE)
    assert set(found.paths) <= set(PATHS)
    assert all(0 < share <= 1 for share in found.paths.values())
