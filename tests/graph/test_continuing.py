"""Continuing an earlier search: what is known stays, what is missing is added, nothing is paid twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from iterative_retrieval import aretrieve, build_retrieval_graph, explain, retrieve
from iterative_retrieval.graph.api import RetrievalResult
from iterative_retrieval.graph.services import Services, open_services
from iterative_retrieval.graph.settings import Settings
from iterative_retrieval.state.candidate import GapKind
from iterative_retrieval.state.errors import BudgetTooSmall, CallerError, EmptyTask, ForeignResult
from iterative_retrieval.state.package import ContextPackage
from tests.repositories import GitRepo, MakeRepo
from tests.samples import TOKEN_EXPIRY

TASK = "Fix the authentication token expiry bug"
GAP = "How is the invoice total of the billing lines computed?"


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return open_services(Settings(cache_dir=tmp_path / "cache"))


@pytest.fixture
def repo(make_repo: MakeRepo) -> GitRepo:
    return make_repo(TOKEN_EXPIRY)


@pytest.fixture
def first(repo: GitRepo, services: Services) -> RetrievalResult:
    return retrieve(TASK, repo.path, services=services)


def test_a_gap_brings_the_file_that_was_missing(first: RetrievalResult, services: Services) -> None:
    assert "src/billing/invoice.ts" not in {f.path for f in first.files}
    second = retrieve(previous=first, gap=GAP, services=services)
    [invoice] = [f for f in second.files if f.path == "src/billing/invoice.ts"]
    assert invoice.known == []
    assert invoice.added == invoice.spans
    assert "totalOf" in "".join(second.texts("src/billing/invoice.ts"))


def test_what_was_known_is_kept_as_it_was_and_marked(first: RetrievalResult, services: Services) -> None:
    second = {f.path: f for f in retrieve(previous=first, gap=GAP, services=services).files}
    for file in first.files:
        assert second[file.path].known == file.spans
        assert set(map(str, file.spans)) <= set(map(str, second[file.path].spans))
        assert second[file.path].relevance >= file.relevance
        assert second[file.path].cycle == file.cycle


def test_known_spans_are_not_paid_again(first: RetrievalResult, services: Services) -> None:
    second = retrieve(previous=first, gap=GAP, services=services)
    fresh = [f for f in second.files if f.added]
    assert first.tokens > 2 * second.tokens > 0
    assert second.tokens <= sum(60 + sum(s.last - s.first + 1 for s in f.added) * 25 for f in fresh)


def test_budget_and_cycles_count_anew(first: RetrievalResult, services: Services) -> None:
    second = retrieve(previous=first, gap=GAP, budget=300, max_cycles=1, services=services)
    assert second.budget == 300
    assert second.tokens <= 300
    assert len(second.cycles) == len(first.cycles) + 1
    with pytest.raises(BudgetTooSmall):
        retrieve(previous=first, gap=GAP, budget=10, services=services)


def test_the_trace_goes_on(first: RetrievalResult, services: Services) -> None:
    told: list[int] = []
    second = retrieve(
        previous=first,
        gap=GAP,
        services=services,
        progress=lambda e: told.append(e.cycle) if e.kind == "cycle_dispatched" else None,
    )
    assert second.cycles[: len(first.cycles)] == first.cycles
    assert [t.cycle for t in second.cycles] == list(range(1, len(second.cycles) + 1))
    assert told == [t.cycle for t in second.cycles[len(first.cycles) :]]
    assert {"invoice", "total", "billing"} <= set(second.cycles[len(first.cycles)].query.keywords)
    [invoice] = [f for f in second.files if f.path == "src/billing/invoice.ts"]
    assert invoice.cycle > len(first.cycles)


def test_the_result_remembers_task_and_gap(first: RetrievalResult, services: Services) -> None:
    second = retrieve(previous=first, gap=GAP, services=services)
    assert (first.gap, second.gap) == ("", GAP)
    assert (second.task, second.root, second.query_type) == (first.task, first.root, first.query_type)


@pytest.mark.parametrize(
    "plain",
    [
        lambda r: r.model_dump(),
        lambda r: json.loads(r.model_dump_json()),
        lambda r: ContextPackage.model_validate_json(r.model_dump_json()),
    ],
)
def test_the_earlier_result_may_come_from_json(
    plain: Callable[[RetrievalResult], ContextPackage], first: RetrievalResult, services: Services
) -> None:
    again = retrieve(previous=plain(first), gap=GAP, services=services)
    direct = retrieve(previous=first, gap=GAP, services=services)
    assert again.model_dump(exclude={"cycles"}) == direct.model_dump(exclude={"cycles"})


def test_more_lines_of_a_known_file_are_added(make_repo: MakeRepo, services: Services) -> None:
    bodies = [
        f"def {name}(value):\n"
        + "".join(f"    value = value + {i}  # {name}\n" for i in range(60))
        + "    return value\n"
        for name in ("issue_token", "draw_chart", "send_mail", "parse_table", "sort_rows")
    ]
    root = make_repo({"work.py": "\n\n".join(bodies), "other.py": "x = 1\n"}).path
    first = retrieve("Fix issue_token", root, budget=900, services=services)
    assert "def issue_token" in first.to_markdown()
    assert "def draw_chart" not in first.to_markdown()
    second = retrieve(previous=first, gap="What does draw_chart do?", budget=1500, services=services)
    [work] = [f for f in second.files if f.path == "work.py"]
    assert work.known == first.files[0].spans
    assert "def draw_chart" in second.to_markdown()
    assert "def issue_token" not in second.to_markdown()


def test_the_prompt_shows_what_is_new_and_lists_what_is_known(first: RetrievalResult, services: Services) -> None:
    prompt = retrieve(previous=first, gap=GAP, services=services).to_markdown()
    assert "export function totalOf" in prompt
    assert "class Authenticator" not in prompt
    assert "- src/auth.ts, lines 1-18" in prompt
    assert GAP in prompt
    assert TASK in prompt


def test_a_gap_that_nothing_fills_is_said_to_be_open(first: RetrievalResult, services: Services) -> None:
    second = retrieve(previous=first, gap="quantum chromodynamics lattice", services=services)
    assert [f.path for f in second.files] == [f.path for f in first.files]
    assert second.gaps[0].kind is GapKind.NO_MATCH
    assert second.gaps[0].critical
    assert not second.sufficient
    assert second.tokens == 0
    assert "No further file was found" in second.to_markdown()


def test_asking_the_same_gap_again_adds_nothing(first: RetrievalResult, services: Services) -> None:
    second = retrieve(previous=first, gap=GAP, services=services)
    third = retrieve(previous=second, gap=GAP, services=services)
    assert {f.path for f in third.files} >= {f.path for f in second.files}
    assert not any(f.path == "src/billing/invoice.ts" and f.added for f in third.files)
    assert {t.cycle for t in third.cycles} == set(range(1, len(third.cycles) + 1))


def test_an_earlier_gap_that_was_filled_is_closed(make_repo: MakeRepo, services: Services) -> None:
    files = {
        "src/a.py": "def handle_order(order):\n    return order\n",
        "src/b.py": "class LedgerBook:\n    rows = []\n",
    }
    first = retrieve("Fix handle_order", make_repo(files).path, patterns=["src/a.py"], services=services)
    missing = {"kind": "symbol", "target": "LedgerBook", "detail": "not found", "critical": True}
    open_gap = first.model_dump() | {"gaps": [missing, missing | {"target": "NeverDefined"}]}
    second = retrieve(previous=open_gap, gap="Where is LedgerBook defined?", services=services)
    assert "src/b.py" in {f.path for f in second.files}
    assert "LedgerBook" not in {g.target for g in second.gaps}
    assert "NeverDefined" in {g.target for g in second.gaps}
    assert not second.sufficient


def test_a_result_of_another_root_is_refused(first: RetrievalResult, make_repo: MakeRepo, services: Services) -> None:
    other = make_repo(TOKEN_EXPIRY, name="other").path
    with pytest.raises(ForeignResult, match=r"is of .*/repo, not of .*/other; continue it there"):
        retrieve(TASK, other, previous=first, gap=GAP, services=services)


def test_a_result_of_another_ref_is_refused(first: RetrievalResult, repo: GitRepo, services: Services) -> None:
    with pytest.raises(ForeignResult, match="at HEAD"):
        retrieve(previous=first, gap=GAP, ref="HEAD", services=services)
    at_head = retrieve(TASK, repo.path, ref="HEAD", services=services)
    assert retrieve(previous=at_head, gap=GAP, services=services).ref == "HEAD"


def test_a_changed_tree_is_no_obstacle(first: RetrievalResult, repo: GitRepo, services: Services) -> None:
    repo.write(
        {
            "src/jwt-utils.ts": None,
            "src/auth.ts": "export class Authenticator {}\n",
            "src/billing/total.ts": "/** The invoice total of all billing lines. */\nexport function grandTotal() {}\n",
        }
    )
    second = retrieve(previous=first, gap=GAP, services=services)
    paths = {f.path: f for f in second.files}
    assert "src/jwt-utils.ts" not in {*paths, *second.ranked}
    assert "src/billing/total.ts" in paths
    assert [(s.first, s.last) for s in paths["src/auth.ts"].known] == [(1, 2)]
    assert any("src/jwt-utils.ts of the earlier package is no longer there" in w for w in second.warnings)
    assert any("may have moved" in w for w in second.warnings)


def test_an_untouched_tree_warns_of_nothing(first: RetrievalResult, services: Services) -> None:
    assert retrieve(previous=first, gap=GAP, services=services).warnings == []


@pytest.mark.parametrize("half", [{"previous": True}, {"gap": GAP}])
def test_previous_and_gap_go_together(half: dict[str, object], first: RetrievalResult, services: Services) -> None:
    given = {name: first if name == "previous" else value for name, value in half.items()}
    with pytest.raises(CallerError, match="previous and gap go together"):
        retrieve(TASK, first.root, services=services, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("gap", ["", " ", "?!"])
def test_a_gap_without_a_word_is_refused(gap: str, first: RetrievalResult, services: Services) -> None:
    with pytest.raises(EmptyTask, match="the gap holds no word"):
        retrieve(previous=first, gap=gap, services=services)


def test_something_else_than_a_result_is_named(services: Services) -> None:
    with pytest.raises(CallerError, match="give a result of retrieve, or its model_dump; task: Field required"):
        retrieve(previous={"answer": 42}, gap=GAP, services=services)


async def test_it_goes_on_asynchronously_too(first: RetrievalResult, services: Services) -> None:
    second = await aretrieve(previous=first, gap=GAP, services=services)
    assert "src/billing/invoice.ts" in {f.path for f in second.files}


def test_explain_knows_why_an_added_file_is_there(first: RetrievalResult, services: Services) -> None:
    told = explain(None, None, "src/billing/invoice.ts", previous=first, gap=GAP, services=services)
    assert told.status == "packed"
    assert told.signals


def test_the_graph_takes_an_earlier_package_as_input(first: RetrievalResult, services: Services) -> None:
    graph = build_retrieval_graph(services)
    for earlier in (first, first.model_dump(mode="json")):
        out = graph.invoke({"previous": earlier, "gap": GAP})  # type: ignore[call-overload]
        assert "src/billing/invoice.ts" in {f.path for f in out["package"].files}


def test_a_new_request_on_the_thread_does_not_continue_the_one_before(
    first: RetrievalResult, services: Services
) -> None:
    graph = build_retrieval_graph(services, checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "1"}}
    graph.invoke({"previous": first.model_dump(), "gap": GAP}, config)  # type: ignore[call-overload]
    again = graph.invoke({"task": TASK, "root": first.root}, config)["package"]  # type: ignore[call-overload]
    assert again.ranked == first.ranked
    assert again.gap == ""
    third = graph.invoke({"previous": again, "gap": GAP}, config)["package"]  # type: ignore[call-overload]
    assert "src/billing/invoice.ts" in {f.path for f in third.files}
