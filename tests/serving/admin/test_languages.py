"""English, German, Russian."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from string import Formatter

import pytest

from iterative_retrieval.serving.admin import texts as texts_module
from iterative_retrieval.serving.admin.texts import LANGUAGES, Texts, catalogue, preferred
from iterative_retrieval.state.evolution import METRICS, DecisionKind, GenomeStatus, MutationKind
from iterative_retrieval.state.ledger_ports import CycleState
from tests.serving.admin.scene import BETTER, Scene, decide, token_of

SOURCES = Path(texts_module.__file__).parent
CHOSEN: dict[str, Sequence[str]] = {
    "status.": list(GenomeStatus),
    "state.": list(CycleState),
    "mutation.": list(MutationKind),
    "kind.": list(DecisionKind),
    "decided.": list(DecisionKind),
    "metric.": METRICS,
    "done.": ["approve", "reject", "rollback", "delete"],
    "verdict.": ["promote", "reject", "undecided"],
    "check.": ["slice", "objective", "anchor"],
    "role.": ["viewer", "reviewer", "admin"],
    "nav.": ["index", "genomes", "cycles", "decisions"],
    "barrier.": ["not_pending", "viewer", "requester", "expired"],
    "refused.": ["400", "403", "404", "405", "503"],
    "decide.": ["reason_missing", "reason_long"],
    "risk.": ["guard", "order", "copied", "hidden", "growth", "contract", "verdict", "worse"],
    "": [
        "risk.flags",
        "risk.told",
        "risk.noise",
        "risk.no_noise_floor",
        "refused.form",
        "verdict.not_reached",
        "verdict.reached",
    ],
}


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_every_language_says_the_same_with_the_same_values(language: str) -> None:
    english, other = catalogue("en"), catalogue(language)
    assert list(other) == list(english)
    assert {key: places(text) for key, text in other.items()} == {key: places(text) for key, text in english.items()}
    assert all(text.strip() for text in other.values())


def test_every_text_is_used_and_every_used_text_is_there() -> None:
    used = {prefix + name for prefix, names in CHOSEN.items() for name in names}
    for file in [*SOURCES.glob("*.py"), *SOURCES.glob("templates/*.html")]:
        used |= set(re.findall(r"""\bt\(\s*["']([a-z_.0-9]*[a-z0-9_])["']\s*[,)]""", file.read_text(encoding="utf-8")))
    assert used == set(catalogue("en"))


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,en;q=0.8", "de"),
        ("fr-FR,ru;q=0.7,en;q=0.3", "ru"),
        ("en;q=0.2, RU;q=0.9", "ru"),
        ("fr, zh", "en"),
        ("de;q=0, ru;q=0.1", "ru"),
        ("de;q=x, *;q=0.5", "en"),
        (",;q=,de", "de"),
    ],
)
def test_the_browser_s_language_is_spoken_when_we_can(header: str, language: str) -> None:
    assert preferred(header) == language


@pytest.mark.parametrize(("language", "says"), [("en", "Approve"), ("de", "Genehmigen"), ("ru", "Одобрить")])
def test_every_page_speaks_the_language(full: Scene, language: str, says: str) -> None:
    client = full.logged_in("bob", headers={"accept-language": language})
    for path in ("/", "/genomes", "/cycles", "/cycles/c-1", "/decisions", "/genomes/2", "/genomes/99"):
        page = client.get(path).text
        assert f'<html lang="{language}"' in page
    assert says in client.get("/genomes/2").text
    decide(client, full.ledger.genome(2), "approve")
    assert decide(client, full.ledger.genome(2), "approve").status_code == 409


def test_the_switch_wins_over_the_browser_and_comes_before_the_login(scene: Scene) -> None:
    client = scene.client(headers={"accept-language": "de"})
    page = client.get("/login").text
    assert "Anmelden" in page
    form = {"language": "ru", "back": "/login", "csrftoken": token_of(page)}
    assert client.post("/language", data=form | {"csrftoken": ""}).status_code == 403
    answer = client.post("/language", data=form)
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert "Вход" in client.get("/login").text
    assert client.get("/language").status_code in (303, 405)


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "/\\evil.example", "", "javascript:x()"])
def test_the_switch_leads_to_no_other_site_and_takes_no_other_language(scene: Scene, back: str) -> None:
    client = scene.client()
    form = {"language": "fr", "back": back, "csrftoken": token_of(client.get("/login").text)}
    answer = client.post("/language", data=form)
    assert answer.headers["location"] == "/" and "set-cookie" not in answer.headers


def test_numbers_are_written_as_the_language_writes_them() -> None:
    assert Texts("en").number(-1234.5, 2) == "−1234.50"
    assert Texts("de").number(0.25, 3, sign=True) == "+0,250"
    assert [Texts("ru").number(odd) for odd in (None, float("nan"), float("inf"))] == ["–", "–", "∞"]


def test_a_german_review_writes_german_numbers(scene: Scene) -> None:
    scene.pending({"system_prompt": BETTER})
    page = scene.logged_in("bob", headers={"accept-language": "de"}).get("/genomes/2").text
    assert "0,0063" in page and "0.0063" not in page
