"""Makes the pictures of docs/admin.md: ``python docs/make_screenshots.py`` from the root of the repository."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from iterative_retrieval.state.evolution import GenomeRecord
from tests.serving.admin.browser import chromium, log_in, missing, served
from tests.serving.admin.scene import BETTER, PROMPT, Scene, decide, outcomes_of

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

IMAGES = Path(__file__).resolve().parent / "images"
MOST_BYTES = 200_000


def main() -> int:
    """Make them all; the exit code."""
    if reason := missing():
        print(f"no pictures: {reason}", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as folder, chromium(1180, 760) as driver:
        scene = story(Path(folder))
        with served(scene) as address:
            pictures(driver, address)
        scene.close()
    return 0


def story(folder: Path) -> Scene:
    """A ledger in which something happened already, and something waits."""
    scene = Scene(folder)
    scene.ledger.ensure_default("cache_policy", "general", {})
    first = waiting(scene, "1f0c", {"system_prompt": PROMPT, "chunk_count": 9}, seed=1)
    decide(scene.logged_in("carol"), first, "approve", "Better on every slice, and no dearer.")
    scene.now += 86_400.0
    second = waiting(scene, "77ab", {"system_prompt": PROMPT, "chunk_count": 14}, seed=2)
    decide(scene.logged_in("bob"), second, "reject", "Answers grow without need.")
    scene.now += 86_400.0
    waiting(scene, "9d31", {"system_prompt": BETTER, "chunk_count": 10, "max_tokens": 896}, seed=3)
    scene.candidate({"max_age_days": 14.0}, "cache_policy-general-02be", "bob", layer="cache_policy")
    return scene


def waiting(scene: Scene, cycle: str, genome: dict[str, object], seed: int) -> GenomeRecord:
    """A genome that waits for a decision, judged on sixty queries."""
    return scene.pending(genome, f"postprocess-general-{cycle}", queries=outcomes_of(60, seed))


def pictures(driver: WebDriver, address: str) -> None:
    """Login, what waits, the review from the top, its table of queries."""
    driver.get(f"{address}/login")
    keep(driver, "admin-login.png")
    log_in(driver, address, "bob")
    keep(driver, "admin-queue.png")
    driver.get(f"{address}/genomes/5")
    driver.set_window_size(1180, 1560)
    keep(driver, "admin-review.png")
    driver.get(f"{address}/genomes/5?slice=how_to#queries")
    driver.find_element("css selector", "#queries summary").click()
    driver.set_window_size(1180, 860)
    keep(driver, "admin-queries.png")


def keep(driver: WebDriver, name: str) -> None:
    """The visible part of the page as a file."""
    file = IMAGES / name
    if not driver.save_screenshot(str(file)):
        raise OSError(f"{file} cannot be written")
    size = os.path.getsize(file)
    if size > MOST_BYTES:
        raise ValueError(f"{name} has {size} bytes; at most {MOST_BYTES}")
    print(f"{name}: {size} bytes")


if __name__ == "__main__":
    sys.exit(main())
