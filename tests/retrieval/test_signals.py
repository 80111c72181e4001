import math

import numpy as np
import pytest

from iterative_retrieval.retrieval.signals import (
    STATIC_SIGNALS,
    Neighbourhood,
    SignalTable,
    language_shares,
    signal_table,
)
from iterative_retrieval.retrieval.terms import keyword_terms
from tests.retrieval.builders import analyses_of, frequency_in, history_of, scene_in

TEXTS = {
    "app/upload.py": "class UploadHandler:\n    def save(self):\n        return upload\n",
    "app/__init__.py": "upload = 1\n",
    "tests/test_upload.py": "def test_upload(): upload()\n",
    "docs/a.md": "throttle\n",
}
ANALYSES = analyses_of(TEXTS)
TASK = "Fix `UploadHandler` in app/upload.py"


def table(task: str = TASK) -> SignalTable:
    return signal_table(scene_in(task, TEXTS, history_of([("upload", ["app/upload.py"])])), ANALYSES)


def column(name: str, task: str = TASK) -> dict[str, float]:
    found = table(task)
    return dict(zip(found.paths, found.column(name).tolist(), strict=True))


def test_rows_are_paths_in_order_and_columns_have_names() -> None:
    found = table()
    assert found.paths == sorted(TEXTS)
    assert found.values.shape == (4, len(found.names))
    assert len(set(found.names)) == len(found.names)
    assert np.isfinite(found.values).all()
    assert tuple(found.names[: len(STATIC_SIGNALS)]) == STATIC_SIGNALS


def test_roles_are_signals() -> None:
    assert column("role_test") == {p: float(p.startswith("tests")) for p in sorted(TEXTS)}
    assert column("role_doc")["docs/a.md"] == 1.0


def test_places_names_and_the_past_are_signals() -> None:
    assert column("quoted_path")["app/upload.py"] == 1.0
    assert column("defines_title") == {p: float(p == "app/upload.py") for p in sorted(TEXTS)}
    assert column("past_recent")["app/upload.py"] == pytest.approx(math.log(2))


def test_the_stem_is_judged_by_its_words() -> None:
    assert column("stem_title", "upload") == {
        "app/__init__.py": 0.0, "app/upload.py": 1.0, "docs/a.md": 0.0, "tests/test_upload.py": 0.5
    }  # fmt: skip
    assert column("stem_title", "app")["app/__init__.py"] == 1.0


def test_priors_know_nothing_of_the_task() -> None:
    names = [n for n in table().names if n.startswith("prior_")]
    assert all(column(n, "zebra") == column(n) for n in names)
    assert column("prior_depth")["app/upload.py"] == 1.0
    assert column("prior_package")["app/__init__.py"] == 1.0


def test_a_row_does_not_depend_on_the_other_files() -> None:
    alone = signal_table(scene_in(TASK, TEXTS), {"app/upload.py": ANALYSES["app/upload.py"]})
    among = signal_table(scene_in(TASK, TEXTS), ANALYSES)
    assert alone.values[0].tolist() == among.values[among.paths.index("app/upload.py")].tolist()


def test_the_graph_and_learned_words_are_signals_of_later_cycles() -> None:
    scene = scene_in(TASK, TEXTS)
    near = Neighbourhood({"docs/a.md": 0.5}, {}, {}, {}, {}, {}, {})
    learned = keyword_terms(["throttle"], frequency_in(TEXTS), len(TEXTS))
    found = signal_table(scene, ANALYSES, near, learned)
    assert found.column("graph_imports").tolist() == [0, 0, 0.5, 0]
    assert [v > 0 for v in found.column("learned")] == [False, False, True, False]
    assert signal_table(scene, ANALYSES).column("learned").tolist() == [0, 0, 0, 0]


def test_no_files_give_an_empty_table() -> None:
    found = signal_table(scene_in(TASK, TEXTS), {})
    assert (found.paths, found.values.shape) == ([], (0, len(found.names)))


def test_languages_share_the_files_that_have_one() -> None:
    assert language_shares(["go", "go", "", "c", "c"]) == {"go": 0.5, "c": 0.5}
    assert language_shares(["", ""]) == {}
