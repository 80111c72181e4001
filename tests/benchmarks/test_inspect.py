"""The error browser: what it tells of a run, that it escapes, and that it works in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks import inspect, localization
from benchmarks.cases import Case, beaten, case_of, counted, favours
from benchmarks.inspect import page
from tests.benchmarks.conftest import Bench, instance
from tests.serving.admin.browser import chromium, requires_browser

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

ATTACK = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


def asked(winner: str, **signals: dict[str, float]) -> dict[str, Any]:
    """What the product says of paths; keywords are paths without their suffix."""
    said = {f"{path}.py": {"sentence": f"{path} is judged", "signals": s} for path, s in signals.items()}
    return {"explained": said, "winner": winner, "query_type": "bug_fix"}


def made(name: str, files: list[str], *gold: str, **examined: Any) -> Case:
    told = instance(name, f"acme/{name[0]}", "c", f"{name} is broken\nvery", *gold)
    return case_of(told, {"instance_id": name, "files": files, "cycles": [files[::-1], files]}, examined, 2)


def test_a_case_tells_ranks_the_winner_and_what_spoke_for_whom() -> None:
    told = asked("a.py", a={"title": 2.0, "past": 0.5}, c={"title": 0.5, "past": 0.6, "path": 1.0})
    case = made("x", ["a.py", "b.py", "c.py"], "c.py", **told)
    assert not case.hit and case.winner == "a.py" and case.worst == 3 and case.title == "x is broken"
    assert (case.language, case.query_type) == ("python", "bug_fix")
    [gold] = case.gold
    assert gold.by_cycle == [1, 3] and gold.said == "c is judged" and beaten(case, gold)
    found = [(c.signal, round(c.favours_winner, 3)) for c in gold.contributions]
    assert found == [("title", 1.5), ("path", -1.0), ("past", -0.1)]


def test_signals_that_favour_the_wrong_file_are_counted_over_misses_alone() -> None:
    told = asked("a.py", a={"title": 2.0, "past": 0.5}, c={"title": 0.5, "past": 0.52, "path": 1.0})
    missed = [made(n, ["a.py", "b.py", "c.py"], "c.py", **told) for n in ("x1", "x2")]
    found = made("x3", ["c.py", "a.py"], "c.py", **told)
    assert [(f.signal, f.wrong, f.right) for f in favours([*missed, found])] == [("title", 2, 0), ("path", 0, 2)]
    assert favours([found]) == []
    assert counted([*missed, found], "repo") == [("acme/x", 3, 1)]


def test_a_gold_file_before_the_winner_was_beaten_by_nobody() -> None:
    told = asked("a.py", a={"title": 1.0}, c={"title": 0.1}, d={"title": 0.3})
    case = made("x", ["d.py", "a.py", "b.py", "c.py"], "c.py", "d.py", **told)
    assert [beaten(case, gold) for gold in case.gold] == [True, False]
    assert round(favours([case])[0].net, 3) == 0.9


def test_an_instance_without_a_prediction_is_a_miss_that_says_so() -> None:
    case = case_of(instance("x", "acme/x", "c", "", "a.py"), {}, {}, 5)
    assert not case.hit and case.worst is None and case.error == "no prediction of this instance"
    assert case.title == "(no title)" and "no prediction of this instance" in page([case], 5, "p", False)


def test_texts_of_issues_and_paths_are_escaped() -> None:
    case = case_of(
        instance(ATTACK, ATTACK, "c", ATTACK, ATTACK),
        {"instance_id": ATTACK, "files": [ATTACK], "functions": [ATTACK], "warnings": [ATTACK]},
        {"gaps": [{"kind": ATTACK, "detail": ATTACK, "critical": True, "target": ""}]},
        5,
    )
    html = page([case], 5, ATTACK, True)
    assert html.count("<script>") == html.count("</script>") == 1 and "<img" not in html
    assert "http://" not in html and "https://" not in html


@pytest.fixture
def predictions(bench: Bench, tmp_path: Path) -> Path:
    out = tmp_path / "predictions.jsonl"
    options = ["--out", str(out), "--cache", str(bench.cache), "--jobs", "1"]
    assert localization.main(bench.arguments(*options)) == 0
    return out


def test_a_run_is_asked_again_and_its_signals_are_told(
    bench: Bench, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--cache", str(bench.cache), "--jobs", "1", "--k", "1"]
    assert inspect.main([str(predictions), *bench.arguments(*options)]) == 0
    assert "predictions.html: 3 instances, 0 missed at 1" in capsys.readouterr().out
    html = predictions.with_suffix(".html").read_text()
    for expected in ("shop/tokens.py:expiry_of", "shop/tokens.py before ", "Speaks for", "3 instances;", "rotate.go"):
        assert expected in html
    assert "otherwise" not in html  # asked again, it ranks as it was predicted


def test_without_repositories_the_page_tells_what_predictions_hold(bench: Bench, predictions: Path) -> None:
    rows = [json.loads(line) for line in predictions.read_text().splitlines()]
    rows[0]["files"] = rows[0]["files"][1:]
    predictions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = predictions.with_name("misses.html")
    common = [str(predictions), "--instances", str(bench.instances), "--out", str(out)]
    assert inspect.main([*common, "--only", "misses"]) == 0
    html = out.read_text()
    assert html.count('data-outcome="miss"') == 1 and 'data-outcome="hit"' not in html
    assert "run it again with <code>--mirrors</code>" in html and "not ranked" in html


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--instances", "nowhere.jsonl"], "cannot read the instances"),
        (["--k", "0"], "--k must be 1 or more"),
        (["--mirrors", "{nothing}"], "--mirrors takes {owner} and {name}"),
        (["--only", "misses"], "is left to show"),
    ],
)
def test_what_does_not_fit_is_said(
    arguments: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "i.jsonl").write_text(json.dumps(instance("x", "acme/x", "c", "t", "a.py")) + "\n")
    (tmp_path / "p.jsonl").write_text(json.dumps({"instance_id": "x", "files": ["a.py"]}) + "\n")
    instances = [] if "--instances" in arguments else ["--instances", str(tmp_path / "i.jsonl")]
    assert inspect.main([str(tmp_path / "p.jsonl"), *instances, *arguments]) == 2
    assert complaint in capsys.readouterr().err


@pytest.fixture(scope="module")
def driver() -> Iterator[WebDriver]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def opened(driver: WebDriver, tmp_path: Path) -> WebDriver:
    """The page of four instances of two repositories, from a file."""
    told = asked("a.py", a={"title": 2.0}, c={"title": 0.5, "path": 1.0})
    cases = [
        made("x1", ["a.py", "b.py", "c.py"], "c.py", **told),
        made("x2", ["c.py", "a.py"], "c.py", **told),
        made("y1", ["a.py", "b.py"], "z.py"),
        case_of(instance("y2", "acme/y", "c", ATTACK, ATTACK), {"files": [ATTACK]}, {}, 2),
    ]
    (tmp_path / "page.html").write_text(page(cases, 2, "p.jsonl", True))
    driver.get((tmp_path / "page.html").as_uri())
    return driver


def names(driver: WebDriver) -> list[str]:
    rows = driver.find_elements("css selector", "#cases tbody tr")
    return [str(row.get_attribute("data-name")) for row in rows if row.is_displayed()]


@pytest.mark.slow
@requires_browser
def test_rows_are_filtered_and_sorted_by_keyboard_and_a_screen_reader_hears_of_it(opened: WebDriver) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select

    status = opened.find_element(By.ID, "shown")
    assert status.text == "4 of 4 instances shown" and status.get_attribute("role") == "status"
    Select(opened.find_element(By.NAME, "outcome")).select_by_visible_text("missed")
    assert names(opened) == ["x1", "y1"] and status.text == "2 of 4 instances shown"
    opened.find_element(By.NAME, "worst-from").send_keys("4")
    assert names(opened) == ["y1"]
    opened.find_element(By.CSS_SELECTOR, "button[type=reset]").send_keys(Keys.ENTER)
    assert names(opened) == ["x1", "x2", "y1", "y2"]
    opened.find_element(By.NAME, "words").send_keys("X2 broken")
    assert names(opened) == ["x2"]
    opened.find_element(By.NAME, "words").send_keys(Keys.CONTROL + "a", Keys.DELETE)
    heading = opened.find_element(By.CSS_SELECTOR, "th[data-sort=worst]")
    heading.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
    assert names(opened) == ["x2", "y2", "x1", "y1"] and heading.get_attribute("aria-sort") == "ascending"
    heading.find_element(By.TAG_NAME, "button").send_keys(Keys.SPACE)
    assert names(opened) == ["y1", "x1", "x2", "y2"] and heading.get_attribute("aria-sort") == "descending"


@pytest.mark.slow
@requires_browser
def test_details_open_and_nothing_of_an_issue_runs(opened: WebDriver) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    row = opened.find_element(By.CSS_SELECTOR, "tr[data-name=x1]")
    signals = row.find_elements(By.TAG_NAME, "summary")[1]
    assert "the winner 1.500" not in row.text
    signals.send_keys(Keys.ENTER)
    assert "c.py against a.py" in row.text and "the winner 1.500" in row.text and "gold 1.000" in row.text
    assert opened.title == "Misses of p.jsonl"
    assert [e for e in opened.get_log("browser") if e["level"] == "SEVERE"] == []  # type: ignore[no-untyped-call]
    injected = (
        "const s = document.createElement('script'); s.textContent = 'document.title = 1'; document.body.append(s)"
    )
    opened.execute_script(injected)
    assert opened.title == "Misses of p.jsonl"


@pytest.mark.slow
@requires_browser
def test_every_control_has_a_name_and_every_table_its_headings(opened: WebDriver) -> None:
    from selenium.webdriver.common.by import By

    for control in opened.find_elements(By.CSS_SELECTOR, "select, input, button, summary"):
        if control.is_displayed():
            assert control.accessible_name.strip(), control.get_attribute("outerHTML")
    for table in opened.find_elements(By.TAG_NAME, "table"):
        assert table.find_elements(By.TAG_NAME, "caption") and table.find_elements(By.CSS_SELECTOR, "th[scope=col]")
    assert opened.find_element(By.TAG_NAME, "html").get_attribute("lang") == "en"
