import math

import pytest

from iterative_retrieval.retrieval.modules import ModuleMap
from iterative_retrieval.retrieval.neighbours import file_stem, imported_by, neighbourhood, stems
from iterative_retrieval.retrieval.signals import Neighbourhood
from tests.retrieval.builders import analyses_of, history_of

TEXTS = {
    "app/views.py": "from app.store import Store\nimport app.urls\n\n\nclass View(Base):\n    pass\n",
    "app/store.py": "class Store:\n    pass\n",
    "app/urls.py": "import app.store\n",
    "lib/base.py": "class Base:\n    pass\n",
    "lib/views.js": "",
    "tests/test_store.py": "from app.store import Store\n",
    ".gitignore": "x\n",
    "tests/tests.py": "x = 1\n",
}
ANALYSES = analyses_of(TEXTS)
MODULES = ModuleMap(TEXTS)


def around(seeds: dict[str, float], tests: dict[str, float] | None = None) -> Neighbourhood:
    return neighbourhood(
        seeds,
        ANALYSES,
        MODULES,
        lambda path: ["app/views.py", "app/urls.py"] if path == "app/store.py" else ["x"] * 61,
        history_of([("m", ["app/views.py", "app/urls.py"])]),
        stems(sorted(TEXTS)),
        lambda name: ["lib/base.py"] if name == "Base" else [],
        tests or {},
    )


def test_imports_are_resolved_in_order_of_mention() -> None:
    assert imported_by("app/views.py", ANALYSES["app/views.py"], MODULES) == ["app/store.py", "app/urls.py"]


def test_a_seed_hands_its_weight_to_what_it_imports() -> None:
    found = around({"app/views.py": 0.8})
    assert found.imports == pytest.approx(dict.fromkeys(["app/store.py", "app/urls.py"], 0.8 / math.sqrt(2)))


def test_importers_of_a_seed_are_near_and_those_of_a_utility_are_not() -> None:
    assert set(around({"app/store.py": 1.0}).importers) == {"app/views.py", "app/urls.py"}
    assert around({"app/views.py": 1.0}).importers == {}


def test_twins_base_classes_folders_and_history_are_edges() -> None:
    found = around({"app/views.py": 1.0})
    assert found.siblings == {"lib/views.js": 1.0}
    assert found.bases == {"lib/base.py": 1.0}
    assert found.co_changed == {"app/urls.py": 1 / 4}
    assert (found.folders["app/store.py"], found.folders["app/views.py"], found.folders["lib/base.py"]) == (1, 0, 0)


def test_a_test_speaks_for_what_it_imports_and_for_what_it_is_named_after() -> None:
    assert around({}, {"tests/test_store.py": 1.0}).tested == {"app/store.py": 2.0}


def test_a_file_called_tests_is_not_named_after_a_dotfile() -> None:
    assert around({}, {"tests/tests.py": 1.0}).tested == {}


@pytest.mark.parametrize(("path", "stem"), [("a/Views.test.TS", "views"), ("Makefile", "makefile"), (".env", "")])
def test_the_stem_is_the_name_without_endings(path: str, stem: str) -> None:
    assert file_stem(path) == stem


def test_a_stem_that_many_files_share_makes_no_twins() -> None:
    assert stems([f"d{i}/index.js" for i in range(9)]) == {}
    assert stems(["a/x.c", "b/x.h", "y.c"]) == {"x": ["a/x.c", "b/x.h"]}
