"""A ledger with a story, and the panel over it: ada asks, bob reviews, root is an admin, vera only looks."""

from __future__ import annotations

import hashlib
import json
import random
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient

from iterative_retrieval.serving.admin.app import admin_app
from iterative_retrieval.serving.admin.settings import AdminSettings
from iterative_retrieval.state.evolution import (
    Cost,
    EvalResult,
    GateReport,
    GenomeRecord,
    Layer,
    Mutation,
    MutationKind,
    PairedDifference,
    QueryOutcome,
    SliceCheck,
)
from iterative_retrieval.state.ledger_ports import CycleRecord
from iterative_retrieval.stores.ledger import LedgerService
from iterative_retrieval.stores.sql import SqlStore

DAY = 86_400.0
PASSWORD = "correct horse battery"
ROLES = {"ada": "reviewer", "bob": "reviewer", "carol": "reviewer", "root": "admin", "vera": "viewer"}

PROMPT = (
    "You answer questions out of numbered sources. Use only what the sources say. "
    "Put the number of its source behind every statement. If the sources do not hold the answer, say so."
)
BETTER = (
    "You answer questions out of numbered sources. Use only what the sources say. "
    "Begin with the answer in one sentence, then give the details. "
    "Put the number of its source behind every statement. If the sources do not hold the answer, say so plainly."
)
QUESTIONS = {
    "factual_lookup": [
        "What is the default port?",
        "Which versions of Python are supported?",
        "How long is a session?",
    ],
    "explanation": ["Why is the cache asked first?", "How does fusion join two lists?", "Why are anchors kept apart?"],
    "how_to": ["How do I add a domain?", "How do I export the ledger?", "How do I move to PostgreSQL?"],
}


class Scene:
    """Everything in a folder: the database, the people, the secret."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 1_780_000_000.0
        self.woken: list[int] = []
        self.trouble: Exception | None = None
        self._app: Starlette | None = None
        self.store = SqlStore(folder / "ledger.sqlite")
        self.ledger = LedgerService(self.store, clock=lambda: self.now)
        self.people = folder / "people.jsonl"
        self.people.write_text("\n".join(json.dumps(person(name, role)) for name, role in ROLES.items()))
        self.default = self.ledger.ensure_default("postprocess", "general", {"system_prompt": PROMPT})

    def app(self, **settings: Any) -> Starlette:
        given = AdminSettings(users=self.people, **settings)
        return admin_app(self.ledger, given, wake=self.wake, data_dir=self.folder / "data", clock=lambda: self.now)

    def wake(self, genome_id: int) -> None:
        if self.trouble:
            raise self.trouble
        self.woken.append(genome_id)

    def client(self, app: Starlette | None = None, headers: dict[str, str] | None = None) -> TestClient:
        self._app = self._app or self.app()
        return TestClient(app or self._app, headers=headers, follow_redirects=False)

    def logged_in(self, name: str, app: Starlette | None = None, headers: dict[str, str] | None = None) -> TestClient:
        client = self.client(app, headers)
        answer = log_in(client, name)
        assert answer.status_code == 303, answer.text
        return client

    def candidate(
        self,
        genome: dict[str, Any],
        cycle: str = "c-1",
        requester: str = "ada",
        layer: Layer = "postprocess",
        domain: str = "general",
        **values: Any,
    ) -> GenomeRecord:
        self.ledger.open_cycle(CycleRecord(id=cycle, layer=layer, domain=domain, requester=requester))
        active = self.ledger.active(layer, domain)
        assert active is not None
        given: dict[str, Any] = {"kind": MutationKind.MODEL, "parents": [active.genome_hash], "notes": "a try"} | values
        return self.ledger.propose(cycle, Mutation(genome=genome, **given))

    def pending(
        self, genome: dict[str, Any], cycle: str = "c-1", requester: str = "ada", count: int = 9, **report: Any
    ) -> GenomeRecord:
        """A genome that waits for a person, with results of every query."""
        active = self.ledger.active("postprocess", "general")
        assert active is not None
        candidate = self.candidate(genome, cycle, requester)
        outcomes = report.get("queries") or outcomes_of(count)
        for outcome in outcomes:
            self.judged(active, outcome, outcome.active_score, outcome.active_response)
            self.judged(candidate, outcome, outcome.candidate_score, outcome.candidate_response)
        evaluated = self.ledger.mark_evaluated(candidate.id, 8.1)
        told = report_of(evaluated, active, outcomes, **report)
        return self.ledger.submit(evaluated.id, told, self.now + 30 * DAY, cycle)

    def judged(self, genome: GenomeRecord, outcome: QueryOutcome, score: float, response: str) -> None:
        measured = {"completeness": score, "accuracy": score, "sources": None, "conciseness": min(10.0, score + 1)}
        of_genome: dict[str, Any] = {"genome_id": genome.id, "genome_hash": genome.genome_hash}
        of_query = {"query_id": outcome.query_id, "query": outcome.query, "slice": outcome.slice, "pool": "confirm"}
        of_judge: dict[str, Any] = {"judge": "offline", "judge_version": "1", "judge_score": score, "metrics": measured}
        told = {"response": response, "judge_reasoning": f"covers the reference at {score:.1f}"}
        cost = Cost(calls=1, tokens=700, seconds=0.4)
        self.ledger.record_result(EvalResult(**of_genome | of_query | of_judge | told, cost=cost))

    def close(self) -> None:
        self.store.close()


def outcomes_of(count: int, seed: int = 7) -> list[QueryOutcome]:
    """Queries of three slices, most of them won."""
    chance = random.Random(seed)
    made = []
    for number in range(count):
        slice_name = list(QUESTIONS)[number % 3]
        text = QUESTIONS[slice_name][number // 3 % 3]
        active = round(chance.uniform(5.5, 8.5), 2)
        candidate = round(min(10.0, max(0.0, active + chance.gauss(0.6, 0.8))), 2)
        made.append(
            QueryOutcome(
                query_id=f"q{seed}-{number:03}",
                query=text if number < 9 else f"{text} ({number // 9 + 1})",
                slice=slice_name,
                active_score=active,
                candidate_score=candidate,
                active_response=f"The sources say so [1], and more on it stands elsewhere [2]. ({number})",
                candidate_response=f"In one sentence: it is so [1]. The details follow [2]. ({number})",
                flags=["shorter"] if number % 5 == 0 else [],
            )
        )
    return made


def report_of(genome: GenomeRecord, active: GenomeRecord, outcomes: list[QueryOutcome], **values: Any) -> GateReport:
    differences = [o.candidate_score - o.active_score for o in outcomes]
    mean = sum(differences) / len(differences)
    paired = PairedDifference(mean=mean, low=mean - 0.25, high=mean + 0.25, p=0.0021, n=len(outcomes), sd=0.8)
    given: dict[str, Any] = {
        **{"verdict": "promote", "reason": "the interval lies above 0 and no slice is worse"},
        **{"layer": genome.layer, "domain": genome.domain},
        **{"candidate_hash": genome.genome_hash, "active_hash": active.genome_hash, "difference": paired},
        **{"p_adjusted": 0.0063, "variants": 3, "repeats": 2, "noise_floor": 0.11, "optimism": 0.08},
        **{"won": [o.query_id for o in outcomes if o.candidate_score > o.active_score]},
        **{"lost": [o.query_id for o in outcomes if o.candidate_score < o.active_score]},
        **{
            "queries": outcomes,
            "candidate_score": 8.1,
            "active_score": 7.4,
            "pools": {"confirm": "5f2c", "select": "a1b9"},
        },
        "cost": Cost(calls=412, tokens=288_400, seconds=613.5),
        "checks": [
            SliceCheck(name=name, kind="slice", difference=paired, margin=0.3, worse=False) for name in QUESTIONS
        ],
    }
    return GateReport(**given | values)


def person(name: str, role: str) -> dict[str, str]:
    return {"name": name, "role": role, "password": _password_hash()}


@lru_cache(maxsize=1)
def _password_hash() -> str:
    """A cheaper one than the command makes: the tests log in often."""
    digest = hashlib.scrypt(PASSWORD.encode(), salt=b"0" * 16, n=2**8, r=8, p=1, dklen=32)
    return f"scrypt$8$8$1${(b'0' * 16).hex()}${digest.hex()}"


def token_of(page: str) -> str:
    found = re.search(r'name="csrftoken" value="([^"]+)"', page)
    assert found, page
    return found.group(1)


def log_in(client: TestClient, name: str, password: str = PASSWORD, path: str = "/login") -> Any:
    token = token_of(client.get(path).text)
    return client.post(path, data={"username": name, "password": password, "csrftoken": token})


def seen(genome: GenomeRecord, decision: str, reason: str = "", /, **values: Any) -> dict[str, Any]:
    """What the form of a genome's page sends."""
    return {
        **{"decision": decision, "version": genome.version, "genome_hash": genome.genome_hash, "reason": reason},
        **values,
    }


def decide(client: TestClient, genome: GenomeRecord, decision: str, reason: str = "", /, **values: Any) -> Any:
    """Open a genome's page and press a button."""
    token = token_of(client.get(f"/genomes/{genome.id}").text)
    return client.post(f"/genomes/{genome.id}", data=seen(genome, decision, reason, **values) | {"csrftoken": token})
