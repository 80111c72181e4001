import pytest

from iterative_retrieval.retrieval.modules import ModuleMap
from iterative_retrieval.retrieval.named import Places, named_definitions, places
from iterative_retrieval.retrieval.task import read_task
from tests.retrieval.builders import analyses_of, definers_in

MODULES = ModuleMap(["app/views.py", "app/storage.py", "lib/storage.py", "app/__init__.py"])


def test_the_innermost_frame_weighs_most() -> None:
    trace = 'T\n  File "app/views.py", line 1, in a\n  File "lib/storage.py", line 2, in b\n'
    assert places(read_task(trace), MODULES).frames == {"lib/storage.py": 1.0, "app/views.py": 0.8}


@pytest.mark.timeout(20)
def test_a_deep_recursion_is_one_place() -> None:
    trace = "T\n" + '  File "app/views.py", line 1, in a\n' * 5_000
    many = ModuleMap([f"a{i}/views.py" for i in range(3_000)] + ["app/views.py"])
    assert places(read_task(trace), many).frames == {"app/views.py": 1.0}


@pytest.mark.timeout(20)
def test_a_dotted_run_of_two_hundred_kilobytes_is_no_name() -> None:
    found = places(read_task("a." * 100_000 + "\nimport " + "b." * 50_000), MODULES)
    assert (found.dotted, found.imported) == ({}, {})


def test_an_ambiguous_mention_is_shared() -> None:
    found = places(read_task("look at storage.py and app/views.py"), MODULES)
    assert found.quoted == {"app/storage.py": 0.5, "lib/storage.py": 0.5, "app/views.py": 1.0}


def test_dotted_names_and_imports_point_at_modules() -> None:
    found = places(read_task("app.views.index fails\n```\nfrom lib.storage import Store\n```"), MODULES)
    assert found.dotted["app/views.py"] == 1.0
    assert found.imported == {"lib/storage.py": 1.0}


def test_all_places_keep_their_strongest_weight() -> None:
    assert Places(frames={"a": 0.8}, quoted={"a": 0.5, "b": 1.0}).all() == {"a": 0.8, "b": 1.0}


TEXTS = {
    "a.py": "class Router:\n    def add(self):\n        pass\n",
    "b.py": "class Table:\n    def add(self):\n        pass\n\n\ndef parse_url():\n    pass\n",
    "c.py": "x = 1\n",
}
ANALYSES = analyses_of(TEXTS)


def named(text: str, path: str) -> tuple[dict[str, float], list[str]]:
    found = named_definitions(read_task(text), ANALYSES, definers_in(ANALYSES))[path]
    return found.strength, found.names


def test_a_name_counts_in_the_section_that_says_it() -> None:
    assert named("Fix parse_url", "b.py") == ({"title": 1.0}, ["parse_url"])
    assert named("Broken\nsee parse_url", "b.py") == ({"prose": 1.0}, ["parse_url"])


def test_a_plain_word_of_the_title_may_be_a_name() -> None:
    assert named("Router: broken", "a.py") == ({"title_word": 1.0}, ["Router"])


def test_a_name_that_two_files_define_says_less_of_each() -> None:
    strength, names = named("Fix `add`", "a.py")
    assert names == ["add"]
    assert strength["title"] == pytest.approx(0.8 / 4)


def test_a_qualified_name_picks_its_class() -> None:
    assert named("Fix `Router.add`", "a.py")[0]["qualified"] == 1.0
    assert "qualified" not in named("Fix `Router.add`", "b.py")[0]


def test_a_file_that_defines_nothing_named_is_empty() -> None:
    assert named("Fix parse_url", "c.py") == ({}, [])
