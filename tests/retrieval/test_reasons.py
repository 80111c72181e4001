import pytest

from iterative_retrieval.retrieval.reasons import reason_for
from iterative_retrieval.retrieval.signals import signal_table
from tests.retrieval.builders import analyses_of, history_of, scene_in

TEXTS = {"app/upload.py": "class UploadHandler:\n    pass\n", "b.py": "x = 1\n"}
SCENE = scene_in(
    "Fix `UploadHandler`", TEXTS, history_of([("Upload limits", ["app/upload.py"]), ("upload", ["app/upload.py"])])
)
TABLE = signal_table(SCENE, analyses_of(TEXTS))


def reason(i: int = 0, **evidence: float) -> str:
    return reason_for(SCENE, TABLE, i, evidence)


@pytest.mark.parametrize(
    ("signal", "words"),
    [
        ("defines_title", "defines UploadHandler, named in the task"),
        ("bm25f_title", "speaks of upload, handler, UploadHandler"),
        ("path_title", "its path says upload"),
        ("frame", "stands in the stack trace"),
        ("graph_imports", "imported by a relevant file"),
        ("learned", "holds the code base's own words for the task"),
    ],
)
def test_a_kind_of_evidence_has_its_words(signal: str, words: str) -> None:
    assert reason_for(SCENE, TABLE, 0, {signal: 1.0}) == words


def test_the_past_is_told_with_a_commit() -> None:
    assert reason(past_similar=1.0).startswith('changed in 2 similar commits ("')


def test_the_strongest_evidence_comes_first_and_three_kinds_are_enough() -> None:
    said = reason(frame=1.0, dotted=3.0, imported=2.0, quoted_path=0.5)
    assert said == "its module is named in the task; imported by the task's code; stands in the stack trace"


def test_signals_of_one_kind_add_up() -> None:
    assert reason(defines_title=0.4, defines_code=0.4, frame=0.7).startswith("defines UploadHandler")


def test_recent_changes_say_little() -> None:
    assert reason(past_recent=1.0, frame=0.5) == "stands in the stack trace; changed often of late"


def test_what_counts_against_a_file_is_no_reason() -> None:
    assert reason(frame=-1.0, prior_length=5.0) == "shares few words with the task"


def test_a_reason_that_the_file_cannot_back_is_not_given() -> None:
    assert reason(1, defines_title=1.0, past_similar=1.0, frame=0.1) == "stands in the stack trace"
