"""A headless Chromium, and the panel on a port of its own."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
import uvicorn

from tests.serving.admin.scene import PASSWORD, Scene

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

_PATIENCE = 30.0


def missing() -> str:
    """Why no browser can be driven on this machine; '' when one can."""
    if importlib.util.find_spec("selenium") is None:
        return "selenium is not installed: pip install selenium"
    for program in (("chromium", "chromium-browser", "google-chrome"), ("chromedriver",)):
        if not any(map(shutil.which, program)):
            return f"{program[0]} is not installed: apt-get install chromium chromium-driver"
    return ""


@contextmanager
def chromium(width: int = 1280, height: int = 900, language: str = "en") -> Iterator[WebDriver]:
    """A browser of its own profile; told about every script that runs and every page that fails."""
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    options = ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    options.add_argument(f"--window-size={width},{height}")
    options.add_experimental_option("prefs", {"intl.accept_languages": language})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=ChromeService(shutil.which("chromedriver")))
    try:
        driver.set_page_load_timeout(_PATIENCE)
        yield driver
    finally:
        driver.quit()


@contextmanager
def served(scene: Scene) -> Iterator[str]:
    """The panel over HTTP; its address."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(scene.app(), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until = time.monotonic() + _PATIENCE
    while not server.started:
        assert thread.is_alive() and time.monotonic() < until, "the panel did not start"
        time.sleep(0.02)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(_PATIENCE)


def log_in(driver: WebDriver, address: str, name: str) -> None:
    """Through the form, as a person does."""
    driver.get(f"{address}/login")
    driver.find_element("id", "username").send_keys(name)
    with next_page(driver):
        driver.find_element("id", "password").send_keys(PASSWORD + "\n")
    wait_for(driver, "logout")


def wait_for(driver: WebDriver, identifier: str) -> None:
    """Until an element of that id is there."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(driver, _PATIENCE).until(lambda d: d.find_elements("id", identifier), f"no #{identifier} came")


@contextmanager
def next_page(driver: WebDriver) -> Iterator[None]:
    """What happens inside leads to another page; waits until the old one is gone, so that nothing is read from it."""
    from selenium.webdriver.support.expected_conditions import staleness_of
    from selenium.webdriver.support.ui import WebDriverWait

    old = driver.find_element("css selector", "html")
    yield
    WebDriverWait(driver, _PATIENCE).until(staleness_of(old), "the page stayed")


requires_browser = pytest.mark.skipif(bool(missing()), reason=missing())
