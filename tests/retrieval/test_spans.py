import numpy as np
import pytest

from iterative_retrieval.retrieval.spans import OWN_SIGNALS, chunk_chances, chunk_signals
from iterative_retrieval.state.genome import RetrievalGenome
from tests.retrieval.builders import analyses_of, scene_in

TEXTS = {
    "store.py": '''import os


def save(data):
    """Save the data to a place that lasts for a long time, whatever happens to the machine."""
    first = os.path.join(data, "upload")
    second = os.path.join(data, "upload")
    third = os.path.join(data, "upload")
    fourth = os.path.join(data, "upload")
    return first, second, third, fourth


def load(data):
    """Load what was saved a long time ago and hand it to whoever asks for it, one after another."""
    first = os.path.exists(data)
    second = os.path.exists(data)
    third = os.path.exists(data)
    fourth = os.path.exists(data)
    return first, second, third, fourth
''',
    "empty.py": "",
}
ANALYSES = analyses_of(TEXTS)
GENOME = RetrievalGenome(chunk_weights={"chunk_title": 2.0, "chunk_named": 2.0, "chunk_framed": 4.0})


def column(task: str, name: str) -> dict[str, float]:
    scene = scene_in(task, TEXTS)
    values = chunk_signals(scene, ANALYSES)["store.py"][:, OWN_SIGNALS.index(name)].tolist()
    return dict(zip((c.symbol for c in ANALYSES["store.py"].structure.chunks), values, strict=True))


def likeliest(task: str) -> str:
    chances = chunk_chances(scene_in(task, TEXTS), ANALYSES, GENOME)["store.py"]
    return ANALYSES["store.py"].structure.chunks[int(np.argmax(chances))].symbol


def test_chances_of_a_file_sum_to_one() -> None:
    chances = chunk_chances(scene_in("upload is slow", TEXTS), ANALYSES, GENOME)
    assert chances["store.py"].sum() == pytest.approx(1.0)
    assert len(chances["store.py"]) == len(ANALYSES["store.py"].structure.chunks)


def test_a_file_without_chunks_has_no_chances() -> None:
    assert chunk_chances(scene_in("upload", TEXTS), ANALYSES, GENOME)["empty.py"].tolist() == []


def test_without_evidence_all_chunks_are_as_likely() -> None:
    chances = chunk_chances(scene_in("unicorn", TEXTS), ANALYSES, GENOME)["store.py"]
    assert chances.tolist() == pytest.approx([1 / len(chances)] * len(chances))


def test_the_chunk_that_speaks_of_the_title_is_likeliest() -> None:
    assert likeliest("upload is slow") == "save"


def test_the_chunk_of_a_named_function_is_likeliest() -> None:
    assert likeliest("Fix `load`") == "load"
    assert column("Fix `load`", "chunk_named")["load"] == 1.0


def test_the_chunk_of_a_frames_line_is_likeliest() -> None:
    assert likeliest('It fails\n  File "store.py", line 15, in x\n') == "load"
    assert column('It fails\n  File "store.py", line 15, in x\n', "chunk_framed")["save"] == 0.0


def test_signals_of_words_are_scaled_within_the_file() -> None:
    assert max(column("upload", "chunk_title").values()) == 1.0


def test_a_chunk_that_the_likeliest_one_speaks_of_gains_in_the_second_look() -> None:
    call = "".join(f"    part_{i} = check_the_seal(part_{i})\n" for i in range(6))
    texts = {
        "a.py": f"def upload_parcel(parcel):\n{call}    return parcel\n",
        "b.py": "\n\n".join(
            f"def {name}(part):\n" + "    part = part + 1\n" * 6 + "    return part\n"
            for name in ("check_the_seal", "break_the_seal")
        ),
    }
    analyses = analyses_of(texts)
    genome = RetrievalGenome(chunk_weights={"chunk_title": 2.0, "chunk_spoken_of": 3.0})
    scene = scene_in("upload of a parcel fails", texts)
    symbols = [c.symbol for c in analyses["b.py"].structure.chunks]
    second = chunk_chances(scene, analyses, genome, probabilities={"a.py": 0.9, "b.py": 0.1})["b.py"]
    assert symbols[int(np.argmax(second))] == "check_the_seal"
    unlikely = chunk_chances(scene, analyses, genome, probabilities={"a.py": 0.01, "b.py": 0.99})["b.py"]
    assert second.max() > unlikely.max()
