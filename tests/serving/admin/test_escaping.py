"""What genomes, queries and answers say stays text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.serving.admin.shown import visible
from tests.serving.admin.scene import Scene, decide, outcomes_of

ATTACKS = [
    "<script>alert('x1')</script>",
    '"><img src=x onerror=alert("x2")>',
    "'><svg onload=alert('x3')>",
    "</textarea></title></details><iframe src=javascript:alert('x4')>",
    "{{ 7 * 191 }} {% raw %} {{ config }} ${7*191} #{7*191}",
    "javascript:alert('x5')",
    "<!-- x6 --><base href=//evil.example>",
]
ALLOWED = frozenset(
    """html head meta title link body a header div nav form input button span main section h1 h2 h3 h4 table thead tbody
    tr th td p strong bdi dl dt dd details summary ul li aside label textarea ins del code datalist option select svg
    rect line text polyline circle ol pre blockquote""".split()  # noqa: SIM905
)


class Elements(HTMLParser):
    """Every element of a page with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def assert_harmless(page: str) -> None:
    for tag, attributes in Elements(page).found:
        assert tag in ALLOWED, f"an element <{tag}> came in"
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "srcdoc")]
        for name in ("href", "src", "action"):
            assert (attributes.get(name) or "").startswith(("/", "#", "?", "")) and ":" not in (
                attributes.get(name) or ""
            )
    assert "1337" not in page, "a template in the data was run"


@pytest.fixture
def attacked(scene: Scene) -> Iterator[Scene]:
    """Every text that others write holds every attack."""
    everything = " ".join(ATTACKS)
    outcomes = [
        o.model_copy(
            update={"query": everything, "active_response": everything, "candidate_response": everything}
            | {"slice": ATTACKS[n % len(ATTACKS)], "flags": [everything]}
        )
        for n, o in enumerate(outcomes_of(9))
    ]
    scene.ledger.ensure_default("postprocess", everything, {"system_prompt": everything})
    genome = {"system_prompt": everything * 2, "system_prompt_reduce": everything}
    cycle = f"c {everything}"
    pending = scene.pending(genome, cycle, f"ada {everything}", reason=everything, warnings=[everything])
    report = scene.ledger.submission(pending.id).report
    checks = [check.model_copy(update={"name": everything}) for check in report.checks]
    told = {"queries": outcomes, "checks": checks, "pools": {everything: everything}}
    scene.ledger.submit(pending.id, report.model_copy(update=told), scene.now + 1000, cycle)
    values: dict[str, Any] = {"notes": everything, "eval_seed_prompt": everything}
    scene.candidate({"system_prompt": everything * 3}, cycle, f"ada {everything}", **values)
    result = scene.ledger.results(pending.id)[0].model_copy(update={"query_id": outcomes[0].query_id, "repeat": 1})
    scene.ledger.record_result(result.model_copy(update={"query": everything, "judge_reasoning": everything}))
    yield scene


def test_no_page_holds_an_element_that_is_not_ours(attacked: Scene) -> None:
    client = attacked.logged_in("root")
    cycle = attacked.ledger.cycles()[0].id
    pages = ["/", "/genomes", "/cycles", "/decisions", "/genomes/1", "/genomes/2", "/genomes/3", "/genomes/4"]
    for path in [*pages, "/genomes/3?baseline=4"]:
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert_harmless(answer.text)
    for path, query in (
        ("/genomes", "cycle"),
        ("/genomes", "domain"),
        ("/genomes/3", "slice"),
        ("/decisions", "reviewer"),
    ):
        assert_harmless(client.get(path, params={query: " ".join(ATTACKS)}).text)
    assert_harmless(client.get("/genomes", params={"cycle": cycle}).text)
    assert "&lt;script&gt;alert(&#39;x1&#39;)&lt;/script&gt;" in client.get("/genomes/3").text


def test_a_refusal_repeats_no_markup(attacked: Scene) -> None:
    client = attacked.logged_in("bob")
    for attack in ATTACKS:
        assert_harmless(client.get("/genomes", params={"status": attack}).text)
        assert_harmless(client.get("/genomes", params={"layer": attack}).text)
    decide(client, attacked.ledger.genome(3), "reject", " ".join(ATTACKS))
    second = decide(client, attacked.ledger.genome(3), "reject", " ".join(ATTACKS))
    assert second.status_code == 409
    assert_harmless(second.text)
    assert_harmless(client.get("/decisions").text)


def test_a_name_that_nobody_has_is_not_repeated(scene: Scene) -> None:
    client = scene.client()
    token = client.get("/login").text.split('name="csrftoken" value="')[1].split('"')[0]
    answer = client.post("/login", data={"username": ATTACKS[1], "password": "x", "csrftoken": token})
    assert_harmless(answer.text)
    assert "onerror" not in answer.text


def test_characters_that_hide_or_turn_text_are_seen(scene: Scene) -> None:
    sly = "Cite sources.\u202eyllanigiro\u202c Never\u200b mind\u2066x\u2069 \U000e0041\U000e0042\u00ad\ufeff\u3164\x07"
    pending = scene.pending({"system_prompt": sly}, reason=sly)
    page = scene.logged_in("bob").get(f"/genomes/{pending.id}").text
    for hidden in "\u202e\u202c\u200b\u2066\u2069\U000e0041\u00ad\ufeff\u3164\x07":
        assert hidden not in page
        assert f"⟨U+{ord(hidden):04X}⟩" in page


@pytest.mark.parametrize("text", ["plain", "Ä ß 你好 привет שלום مرحبا", "a\tb\nc", "✓ → €", "e\u0301", "🙂", "\u00a0"])
def test_ordinary_writing_is_left_alone(text: str) -> None:
    assert visible(text) == text


@given(st.text())
def test_what_is_visible_stays_visible_and_hides_nothing(text: str) -> None:
    once = visible(text)
    assert visible(once) == once
    assert not [
        c for c in once if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and c not in "\n\r\t"
    ]
    assert [c for c in text if c.isalnum() and c.isascii()] == [
        c for c in re.sub(r"⟨U\+[0-9A-F]{4,6}⟩", "", once) if c.isalnum() and c.isascii()
    ]
