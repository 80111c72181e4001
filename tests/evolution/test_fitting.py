"""Fitting weights: what the loss asks for, what the pull holds, and what left-out tasks say."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from iterative_retrieval.evolution.fitting import LEAST_FITTED, TaskTable, TimeParts, fit_towards, time_parts
from iterative_retrieval.evolution.listwise import FLOORS, MOST, Lists, bounds_of, fit_weights, joined

NAMES = ["told", "noise", "prior_long"]
KNOWN = {"told": 0.5, "noise": 1.0, "prior_long": 0.0}


def tasks(number: int, seed: int = 0) -> list[TaskTable]:
    """Tasks whose wanted file has more of "told" and less of "prior_long", and "noise" by chance."""
    rng = np.random.default_rng(seed)
    made = []
    for n in range(number):
        values = rng.random((12, 3)).astype(np.float32)
        values[n % 12, 0] += 0.6
        values[n % 12, 2] *= 0.3
        made.append(TaskTable(f"t{n}", [f"f{i}.py" for i in range(12)], values, [f"f{n % 12}.py"]))
    return made


def lists(number: int) -> Lists:
    made = tasks(number)
    return joined([t.values for t in made], [[p in t.gold for p in t.paths] for t in made])


def test_fitted_weights_have_no_downhill_direction_left() -> None:
    data, centre, bounds = lists(40), np.zeros(3), bounds_of(NAMES)
    found = fit_weights(data, centre, bounds, 0.01)
    assert loss(data, found, centre) < loss(data, centre, centre)
    for i in range(3):
        for step in (-1e-3, 1e-3):
            moved = found.copy()
            moved[i] = np.clip(moved[i] + step, *bounds[i])
            assert loss(data, moved, centre) >= loss(data, found, centre) - 1e-7


def loss(data: Lists, weights: np.ndarray, centre: np.ndarray, strength: float = 0.01) -> float:
    """The listwise loss, task by task, written down a second time."""
    total = 0.0
    for start, length in zip(data.starts, data.lengths, strict=True):
        rows = slice(start, start + length)
        logits = data.values[rows] @ weights
        total += float(np.log(np.exp(logits).sum()) - data.target[rows] @ logits)
    return total / len(data.starts) + strength * float((weights - centre) @ (weights - centre))


def test_evidence_never_lowers_a_file_and_a_prior_may() -> None:
    assert bounds_of(["told", "prior_long", "role_test", "learned", "spent"], without=("spent",)) == [
        (0.0, MOST),
        (-MOST, MOST),
        (-MOST, MOST),
        (FLOORS["learned"], MOST),
        (0.0, 0.0),
    ]
    weights = fit_weights(lists(40), np.zeros(3), bounds_of(NAMES), 0.001)
    assert weights[0] > 1.0 and weights[1] >= 0.0 and weights[2] < -0.5


def test_a_strong_pull_keeps_the_known_weights() -> None:
    centre = np.array([0.5, 1.0, 0.0])
    near = fit_weights(lists(40), centre, bounds_of(NAMES), 100.0)
    far = fit_weights(lists(40), centre, bounds_of(NAMES), 0.001)
    assert np.abs(near - centre).max() < 0.01 < np.abs(far - centre).max()


def test_tasks_whose_files_nobody_found_pull_nowhere() -> None:
    missed = [TaskTable("m", ["a.py", "b.py"], np.array([[9, 0, 0], [0, 9, 0]], dtype=np.float32), ["c.py"])]
    both = tasks(20) + missed * 20
    data = joined([t.values for t in both], [[p in t.gold for p in t.paths] for t in both])
    assert np.allclose(
        fit_weights(data, np.zeros(3), bounds_of(NAMES), 0.01),
        fit_weights(lists(20), np.zeros(3), bounds_of(NAMES), 0.01),
        atol=1e-3,
    )


def test_wrong_weights_are_seen_on_left_out_tasks() -> None:
    found = fit_towards(tasks(60), NAMES, KNOWN)
    assert found.worth_asking and found.difference.low > 0.5 and found.difference.n == 60
    assert found.needed is not None and found.needed < 60
    assert found.weights["told"] > 2.0 and found.weights["noise"] < 0.6
    assert min(found.losses, key=lambda s: found.losses[s]) == found.strength


def test_right_weights_stay_and_the_gate_is_not_worth_asking() -> None:
    rng = np.random.default_rng(3)
    noise = [
        TaskTable(f"t{n}", ["a.py", "b.py", "c.py"], rng.random((3, 3)).astype(np.float32), ["abc"[n % 3] + ".py"])
        for n in range(40)
    ]
    found = fit_towards(noise, NAMES, KNOWN)
    assert found.difference.high < 1.0
    assert found.needed is None or found.needed > 40
    assert abs(found.weights["prior_long"]) < 1.0


def test_a_signal_without_a_weight_stays_without() -> None:
    found = fit_towards(tasks(30), NAMES, {"noise": 1.0, "of_another_table": 2.0})
    assert found.weights.keys() == {"noise", "of_another_table"} and found.weights["of_another_table"] == 2.0


def test_the_same_tasks_give_the_same_weights() -> None:
    assert fit_towards(tasks(30), NAMES, KNOWN) == fit_towards(tasks(30), NAMES, KNOWN)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, 20 + LEAST_FITTED),
        (35, 1),
        (36, TimeParts(8, 8, 20)),
        (80, TimeParts(36, 16, 28)),
        (400, TimeParts(244, 16, 140)),
    ],
)
def test_the_latest_tasks_confirm_and_too_few_say_how_many_are_missing(number: int, expected: TimeParts | int) -> None:
    assert time_parts(number, 20) == expected


def test_pools_follow_time() -> None:
    pools = TimeParts(2, 1, 3).pools
    assert pools == ["mutate", "mutate", "select", "confirm", "confirm", "confirm"]


def test_without_scipy_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['scipy.optimize'] = None\n"
        "import numpy as np\n"
        "from iterative_retrieval.evolution.listwise import fit_weights, joined\n"
        "try: fit_weights(joined([np.ones((2, 1))], [[True, False]]), np.zeros(1), [(0, 1)], 1.0)\n"
        "except ValueError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'iterative-retrieval[tune]'" in done.stdout
