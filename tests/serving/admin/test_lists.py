"""What waits, genomes, cycles and decisions, filtered and page by page."""

from __future__ import annotations

import re

import pytest

from iterative_retrieval.state.evolution import GenomeStatus
from tests.serving.admin.scene import BETTER, Scene, decide


def listed_genomes(page: str) -> list[int]:
    table = page[page.index('id="genomes"') :]
    return [int(found) for found in re.findall(r'<td><a href="/genomes/(\d+)">Genome', table)]


@pytest.fixture
def many(full: Scene) -> Scene:
    full.ledger.ensure_default("cache_policy", "python", {})
    for number in range(30):
        policy = {"max_age_days": float(number + 100)}
        full.candidate(policy, "p-1", "carol", layer="cache_policy", domain="python")
    return full


def test_the_first_page_shows_what_waits_with_its_difference(full: Scene) -> None:
    page = full.logged_in("bob").get("/").text
    row = page[page.index('href="/genomes/2"') : page.index("</tr>", page.index('href="/genomes/2"'))]
    report = full.ledger.submission(2).report
    assert f"{report.difference.mean:+.3f}" in row and "ada" in row and "2026-06-27" in row
    assert 'href="/genomes/3"' not in page, "a candidate waits for nobody"


def test_the_first_page_says_when_nothing_waits(scene: Scene) -> None:
    assert "Nothing waits for a decision." in scene.logged_in("vera").get("/").text


def test_the_first_page_marks_what_is_over_or_outdated(full: Scene) -> None:
    other = full.pending({"system_prompt": BETTER, "chunk_count": 12}, cycle="c-3")
    decide(full.logged_in("bob"), other, "approve")
    assert "outdated" in full.logged_in("bob").get("/").text


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("layer=postprocess", [3, 2, 1]),
        ("domain=general", [3, 2, 1]),
        ("status=pending_approval", [2]),
        ("status=active&domain=python", [4]),
        ("cycle=c-2", [3]),
        ("layer=&domain=&status=&cycle=c-1", [2]),
        ("layer=routing", []),
        ("domain=nowhere", []),
    ],
)
def test_genomes_are_filtered(many: Scene, query: str, expected: list[int]) -> None:
    page = many.logged_in("vera").get(f"/genomes?{query}").text
    assert listed_genomes(page) == expected
    assert expected or "Nothing here." in page


def test_genomes_come_page_by_page_and_keep_the_filter(many: Scene) -> None:
    client, found, address = many.logged_in("vera"), [], "/genomes?layer=cache_policy"
    while address:
        page = client.get(address).text
        found.append(listed_genomes(page))
        older = re.search(r'rel="next" href="([^"]+)"', page)
        address = "/genomes" + older.group(1).replace("&amp;", "&") if older else ""
    assert [len(rows) for rows in found] == [25, 6]
    assert [row for rows in found for row in rows] == list(range(34, 3, -1))
    assert 'rel="prev" href="?layer=cache_policy&amp;page=1"' in page


@pytest.mark.parametrize("number", ["0", "-1", "x", "٣", "1e9", "99999"])
def test_a_page_that_does_not_exist_is_an_ordinary_page(many: Scene, number: str) -> None:
    assert many.logged_in("vera").get("/genomes", params={"page": number}).status_code == 200


@pytest.mark.parametrize("query", ["/genomes?status=best", "/genomes?layer=x", "/cycles?state=x", "/decisions?layer=x"])
def test_an_unknown_filter_is_told(full: Scene, query: str) -> None:
    assert full.logged_in("vera").get(query).status_code == 404


def test_filters_stay_filled_in(full: Scene) -> None:
    page = full.logged_in("vera").get("/genomes?status=active&domain=a%22b&cycle=c-1").text
    assert '<option value="active" selected>' in page
    assert 'name="domain" list="domains" value="a&#34;b"' in page and 'name="cycle" value="c-1"' in page


def test_cycles_are_listed_with_what_they_spent(full: Scene) -> None:
    page = full.logged_in("vera").get("/cycles").text
    assert page.index("c-2") < page.index("c-1") or "c-1" in page
    assert "waiting" in page and "finished" in page and "nobody passed" in page
    assert "c-1" not in full.logged_in("vera").get("/cycles?state=finished").text


def test_a_cycle_shows_its_candidates_and_its_gate(full: Scene) -> None:
    page = full.logged_in("vera").get("/cycles/c-1").text
    assert listed_genomes(page) == [2]
    assert "the interval lies above 0" in page and "ada" in page


def test_a_cycle_of_any_name_has_its_page(scene: Scene) -> None:
    name = "a/b ü?#&<i>"
    scene.candidate({"system_prompt": BETTER}, cycle=name)
    client = scene.logged_in("vera")
    link = re.search(r'href="(/cycles/[^"]+)"', client.get("/cycles").text)
    assert link
    answer = client.get(link.group(1))
    assert answer.status_code == 200 and "a/b ü?#&amp;&lt;i&gt;" in answer.text


def test_an_unknown_cycle_is_not_found(scene: Scene) -> None:
    assert scene.logged_in("vera").get("/cycles/none").status_code == 404


def test_decisions_of_all_layers_are_listed_the_newest_first(many: Scene) -> None:
    decide(many.logged_in("bob"), many.ledger.genome(2), "reject", "too dull")
    client = many.logged_in("vera")
    page = client.get("/decisions").text
    assert page.index("too dull") < page.index("cache_policy · <bdi>python") < page.index(">default<")
    assert "too dull" in client.get("/decisions?reviewer=bob").text
    assert "too dull" not in client.get("/decisions?reviewer=carol").text
    assert "too dull" not in client.get("/decisions?layer=cache_policy").text
    assert "too dull" in client.get("/decisions?domain=general").text


def test_a_genome_that_is_gone_leaves_the_list(full: Scene) -> None:
    full.ledger.delete(3)
    assert listed_genomes(full.logged_in("vera").get("/genomes").text) == [2, 1]
    assert full.ledger.genome(2).status is GenomeStatus.PENDING_APPROVAL
