"""What happens in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from iterative_retrieval.state.evolution import GenomeStatus
from tests.serving.admin.browser import chromium, log_in, next_page, requires_browser, served, wait_for
from tests.serving.admin.scene import BETTER, Scene, outcomes_of
from tests.serving.admin.test_escaping import ATTACKS

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver
    from selenium.webdriver.remote.webelement import WebElement

pytestmark = [pytest.mark.slow, requires_browser]


@pytest.fixture(scope="module")
def process() -> Iterator[WebDriver]:
    """One browser for all tests; starting it is the slow part."""
    with chromium() as driver:
        yield driver


@pytest.fixture
def driver(process: WebDriver) -> WebDriver:
    """The browser without cookies and with one tab."""
    process.execute_cdp_cmd("Network.clearBrowserCookies", {})
    for extra in process.window_handles[1:]:
        process.switch_to.window(extra)
        process.close()
    process.switch_to.window(process.window_handles[0])
    return process


@pytest.fixture
def address(full: Scene) -> Iterator[str]:
    with served(full) as place:
        yield place


def press(driver: WebDriver, identifier: str) -> None:
    driver.find_element("id", identifier).click()


def text_of(driver: WebDriver, identifier: str) -> str:
    return driver.find_element("id", identifier).text


def complaints(driver: WebDriver) -> list[str]:
    """What the browser logged: refused styles or scripts, failed loads."""
    entries: list[dict[str, Any]] = driver.get_log("browser")  # type: ignore[no-untyped-call]
    return [str(entry["message"]) for entry in entries]


def test_a_person_logs_in_reviews_and_approves(full: Scene, driver: WebDriver, address: str) -> None:
    complaints(driver)
    log_in(driver, address, "bob")
    driver.find_element("link text", "Genome 2").click()
    wait_for(driver, "verdict")
    assert "may be promoted" in text_of(driver, "verdict")
    assert "Begin with the answer in one sentence" in driver.find_element("css selector", "ins").text
    assert driver.find_element("id", "difference-plot").size["height"] > 100
    summary = driver.find_element("css selector", "#queries summary")
    answers = driver.find_element("css selector", "#queries .panel-answers")
    assert not answers.is_displayed()
    summary.click()
    assert answers.is_displayed() and "In one sentence" in answers.text
    driver.find_element("id", "approve-reason").send_keys("reads better")
    press(driver, "approve")
    wait_for(driver, "decided")
    assert "Approved by bob" in text_of(driver, "decided")
    assert full.ledger.genome(2).status is GenomeStatus.ACTIVE and full.woken == [2]
    assert complaints(driver) == []


def test_a_second_tab_gets_a_conflict_that_says_who_was_first(full: Scene, driver: WebDriver, address: str) -> None:
    log_in(driver, address, "carol")
    driver.get(f"{address}/genomes/2")
    driver.switch_to.new_window("tab")
    driver.get(f"{address}/genomes/2")
    first, second = driver.window_handles
    press(driver, "approve")
    wait_for(driver, "decided")
    driver.switch_to.window(first)
    driver.find_element("id", "reject-reason").send_keys("not good enough")
    press(driver, "reject")
    wait_for(driver, "conflict")
    assert "Genome 2 has been decided already" in text_of(driver, "conflict")
    assert "Approved by carol" in text_of(driver, "conflict")
    assert [d.kind for d in full.ledger.decisions(2)] == ["approve"] and second != first


def test_a_hostile_genome_does_nothing(scene: Scene, driver: WebDriver) -> None:
    from selenium.common.exceptions import NoAlertPresentException

    everything = " ".join(ATTACKS)
    hostile = {"query": everything, "active_response": everything, "candidate_response": everything}
    outcomes = [o.model_copy(update={**hostile, "flags": [everything]}) for o in outcomes_of(3)]
    pending = scene.pending({"system_prompt": everything * 2}, f"c {everything}", queries=outcomes, reason=everything)
    with served(scene) as address:
        log_in(driver, address, "bob")
        for path in ("/", f"/genomes/{pending.id}", "/genomes", "/cycles", "/decisions"):
            driver.get(address + path)
            for details in driver.find_elements("css selector", "details"):
                driver.execute_cdp_cmd("DOM.getDocument", {})
                details.find_element("css selector", "summary").click()
            with pytest.raises(NoAlertPresentException):
                _ = driver.switch_to.alert.text
            assert driver.find_elements("css selector", "script, iframe, img, base, object, embed, svg[onload]") == []
            assert driver.current_url.startswith(address)
        driver.get(f"{address}/genomes/{pending.id}")
        assert "<script>alert('x1')</script>" in driver.find_element("css selector", "[data-gene] ins").text


def test_even_an_injected_script_would_not_run(driver: WebDriver, address: str) -> None:
    log_in(driver, address, "bob")
    driver.get(f"{address}/genomes/2")
    complaints(driver)
    driver.execute_script(
        "const s = document.createElement('script'); s.textContent = 'document.title = \"taken over\"';"
        "document.body.append(s);"
        "const i = document.createElement('img'); i.setAttribute('onerror', 'document.title = \"taken over\"');"
        "i.src = 'data:,x'; document.body.append(i);"
    )
    assert driver.title.startswith("Genome 2")
    assert any("Content Security Policy" in line for line in complaints(driver))


def test_the_requester_may_withdraw_and_nothing_else(driver: WebDriver, address: str, full: Scene) -> None:
    log_in(driver, address, "ada")
    driver.get(f"{address}/genomes/2")
    assert "You asked for this genome, so another person must approve it." in text_of(driver, "barrier")
    assert not driver.find_element("id", "approve").is_enabled()
    driver.execute_script("document.querySelectorAll('[disabled]').forEach(e => e.disabled = false)")
    with next_page(driver):
        press(driver, "approve")
    wait_for(driver, "main")
    assert "ada asked for genome 2 and cannot approve it" in text_of(driver, "main")
    assert full.ledger.genome(2).status is GenomeStatus.PENDING_APPROVAL
    driver.get(f"{address}/genomes/2")
    driver.find_element("id", "reject-reason").send_keys("found something better")
    with next_page(driver):
        press(driver, "reject")
    wait_for(driver, "decided")
    assert full.ledger.genome(2).status is GenomeStatus.REJECTED


def test_a_decision_needs_no_mouse(full: Scene, driver: WebDriver, address: str) -> None:
    from selenium.webdriver import Keys

    log_in(driver, address, "bob")
    press_keys_until(driver, lambda element: element.text == "Genome 2", Keys.ENTER)
    wait_for(driver, "reject")
    press_keys_until(
        driver, lambda element: element.get_attribute("href") == f"{address}/genomes/2#decision", Keys.ENTER
    )
    press_keys_until(driver, lambda element: element.get_attribute("id") == "reject-reason", "too long")
    press_keys_until(driver, lambda element: element.get_attribute("id") == "reject", Keys.SPACE)
    wait_for(driver, "decided")
    assert full.ledger.decisions(2)[-1].reason == "too long"


def press_keys_until(driver: WebDriver, found: Callable[[WebElement], bool], keys: str) -> None:
    """Tab from element to element to the one that is meant, then type."""
    from selenium.webdriver import ActionChains, Keys

    for _ in range(60):
        ActionChains(driver).send_keys(Keys.TAB).perform()
        if found(driver.switch_to.active_element):
            ActionChains(driver).send_keys(keys).perform()
            return
    raise AssertionError("the keyboard does not lead there")


def test_a_rejection_without_a_reason_is_not_sent(full: Scene, driver: WebDriver, address: str) -> None:
    log_in(driver, address, "bob")
    driver.get(f"{address}/genomes/2")
    press(driver, "reject")
    assert driver.find_element("css selector", "#reject-reason:invalid").is_displayed()
    assert full.ledger.decisions(2) == []


def test_the_language_is_switched_on_any_page(driver: WebDriver, address: str) -> None:
    log_in(driver, address, "vera")
    driver.get(f"{address}/genomes/2?baseline=1")
    for code, says in (("de", "Genehmigen"), ("ru", "Одобрить"), ("en", "Approve")):
        with next_page(driver):
            driver.find_element("css selector", f"button[name=language][value={code}]").click()
        wait_for(driver, "approve")
        assert text_of(driver, "approve") == says and driver.current_url.endswith("/genomes/2?baseline=1")


def test_a_filter_makes_an_address_to_share(driver: WebDriver, address: str) -> None:
    log_in(driver, address, "vera")
    driver.get(f"{address}/genomes/2")
    driver.find_element("css selector", "#slice option[value=explanation]").click()
    with next_page(driver):
        press(driver, "filter-slice")
    wait_for(driver, "queries")
    assert "slice=explanation" in driver.current_url
    assert len(driver.find_elements("css selector", ".panel-queries tbody > tr")) == 3
    driver.find_element("id", "baseline").clear()
    with next_page(driver):
        driver.find_element("id", "baseline").send_keys("3\n")
    wait_for(driver, "differences")
    assert "slice=explanation" in driver.current_url and "baseline=3" in driver.current_url


def test_a_narrow_screen_needs_no_sideways_scrolling(driver: WebDriver, address: str) -> None:
    log_in(driver, address, "bob")
    driver.set_window_size(500, 900)
    try:
        for path in ("/", "/genomes", "/genomes/2", "/cycles", "/decisions"):
            driver.get(address + path)
            width, inner = driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
            assert width <= inner + 1, path
    finally:
        driver.set_window_size(1280, 900)


def test_logging_out_leads_to_the_login(driver: WebDriver, address: str) -> None:
    log_in(driver, address, "bob")
    press(driver, "logout")
    wait_for(driver, "username")
    driver.get(f"{address}/genomes/2")
    assert "/login" in driver.current_url
    assert BETTER not in driver.page_source
