from iterative_retrieval.retrieval.gaps import dependency_gaps, no_match_gap, path_gaps, symbol_gaps
from iterative_retrieval.retrieval.modules import ModuleMap
from iterative_retrieval.retrieval.task import read_task
from iterative_retrieval.retrieval.text import content_terms
from iterative_retrieval.state.candidate import Gap, GapKind
from tests.retrieval.builders import analyses_of

MODULES = ModuleMap(["app/views.py", "app/store.py"])


def test_a_symbol_of_the_title_without_its_definition_is_critical() -> None:
    assert symbol_gaps(read_task("Fix parse_url"), set(), lambda name: 2) == [
        Gap(
            kind=GapKind.SYMBOL,
            target="parse_url",
            detail="parse_url is named in the task and defined in 2 files, none of them among the relevant ones",
            critical=True,
        )
    ]


def test_a_symbol_of_the_prose_is_a_gap_but_not_critical() -> None:
    assert [g.critical for g in symbol_gaps(read_task("Slow\nsee parse_url"), set(), lambda name: 1)] == [False]


def test_held_unknown_and_common_names_are_no_gaps() -> None:
    task = read_task("Fix parse_url")
    assert symbol_gaps(task, {"parse_url"}, lambda name: 1) == []
    assert symbol_gaps(task, set(), lambda name: 0) == []
    assert symbol_gaps(task, set(), lambda name: 13) == []


def test_a_quoted_path_outside_the_corpus_is_a_gap() -> None:
    assert [(g.target, g.critical) for g in path_gaps(read_task("Fix lib/gone.py"), MODULES, set())] == [
        ("lib/gone.py", True)
    ]
    assert [(g.target, g.critical) for g in path_gaps(read_task("Fix\nlib/gone.py"), MODULES, set())] == [
        ("lib/gone.py", False)
    ]
    assert path_gaps(read_task("Fix gone.py"), MODULES, set()) == []


def test_a_quoted_path_that_is_not_relevant_is_a_gap_under_its_real_path() -> None:
    found = path_gaps(read_task("Fix views.py"), MODULES, set())
    assert [(g.target, g.critical) for g in found] == [("app/views.py", True)]
    assert path_gaps(read_task("Fix views.py"), MODULES, {"app/views.py"}) == []


def test_a_dependency_that_the_task_speaks_of_and_nobody_retrieved_is_a_gap() -> None:
    high = analyses_of({"app/views.py": "import app.store\n"})

    def gaps(known: set[str], terms: set[str]) -> list[tuple[str, str]]:
        found = dependency_gaps(high, known, lambda p, a: ["app/store.py"], terms, lambda p: content_terms(p).parts)
        return [(g.target, g.wanted_by) for g in found]

    assert gaps(set(), {"store"}) == [("app/store.py", "app/views.py")]
    assert gaps({"app/store.py"}, {"store"}) == []
    assert gaps(set(), {"router"}) == []


def test_an_empty_result_says_what_was_not_looked_at() -> None:
    gap = no_match_gap(read_task("Unicorns"), 7, {"ignored": 42, "too_large": 1})
    assert gap.detail == "none of 7 searched files speaks of the task (left out: 42 ignored, 1 too large)"
    assert gap.critical
    assert no_match_gap(read_task("x"), 0, {}).detail == "the root holds no searchable file"
