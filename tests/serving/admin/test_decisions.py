"""What a person may decide, and everything that is refused."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from iterative_retrieval.state.evolution import DecisionKind, GenomeStatus, Review
from tests.serving.admin.scene import BETTER, DAY, PROMPT, Scene, decide, seen, token_of


def rows(scene: Scene) -> list[str]:
    return list(scene.ledger.export())


def test_a_reviewer_approves(full: Scene) -> None:
    client = full.logged_in("bob")
    answer = decide(client, full.ledger.genome(2), "approve", "reads better")
    assert (answer.status_code, answer.headers["location"]) == (303, "/genomes/2")
    page = client.get("/genomes/2").text
    assert "Genome 2 is approved and active." in page and "Approved by bob" in page
    decision = full.ledger.decisions(2)[-1]
    assert (decision.kind, decision.reviewer, decision.reason) == (DecisionKind.APPROVE, "bob", "reads better")
    assert full.ledger.genome(1).status is GenomeStatus.RETIRED
    assert full.woken == [2]


def test_a_reviewer_rejects_with_a_reason(full: Scene) -> None:
    client = full.logged_in("bob")
    assert decide(client, full.ledger.genome(2), "reject", "  too long,\r\nand dull ").status_code == 303
    decision = full.ledger.decisions(2)[-1]
    assert (decision.kind, decision.reason) == (DecisionKind.REJECT, "too long,\nand dull")
    assert full.ledger.genome(1).status is GenomeStatus.ACTIVE
    assert full.woken == [2]
    assert "too long,\nand dull" in client.get("/genomes/2").text


def test_a_rejection_without_a_reason_is_asked_for_one(full: Scene) -> None:
    before = rows(full)
    answer = decide(full.logged_in("bob"), full.ledger.genome(2), "reject", "   ")
    assert answer.status_code == 422
    assert "A reason is needed" in answer.text and 'id="reject"' in answer.text
    assert rows(full) == before and not full.woken


def test_a_reason_that_is_too_long_is_not_lost(full: Scene) -> None:
    before, reason = rows(full), "x" * 4001
    answer = decide(full.logged_in("bob"), full.ledger.genome(2), "approve", reason)
    assert answer.status_code == 422
    assert "at most 4000" in answer.text and reason in answer.text
    assert rows(full) == before


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_a_viewer_cannot_decide(full: Scene, decision: str) -> None:
    before, client = rows(full), full.logged_in("vera")
    page = client.get("/genomes/2").text
    for button in ("approve", "reject"):
        assert f'id="{button}" name="decision" value="{button}" disabled' in page
    answer = decide(client, full.ledger.genome(2), decision, "because")
    assert answer.status_code == 403 and "only a reviewer or admin may decide" in answer.text
    assert rows(full) == before and not full.woken


def test_who_asked_cannot_approve(full: Scene) -> None:
    before, client = rows(full), full.logged_in("ada")
    page = client.get("/genomes/2").text
    assert 'id="approve" name="decision" value="approve" disabled' in page
    answer = decide(client, full.ledger.genome(2), "approve", "because")
    assert answer.status_code == 403 and "ada asked for genome 2 and cannot approve it" in answer.text
    assert rows(full) == before and not full.woken


def test_who_asked_may_withdraw(full: Scene) -> None:
    client = full.logged_in("ada")
    page = client.get("/genomes/2").text
    assert 'id="reject" name="decision" value="reject">Withdraw' in page
    assert decide(client, full.ledger.genome(2), "reject", "  ").status_code == 422
    assert decide(client, full.ledger.genome(2), "reject", "found something better").status_code == 303
    decision = full.ledger.decisions(2)[-1]
    assert (decision.kind, decision.reviewer) == (DecisionKind.REJECT, "ada")
    assert full.woken == [2]


def test_a_requester_of_another_spelling_is_locked_out_too(scene: Scene) -> None:
    genome = scene.pending({"system_prompt": BETTER}, requester="ＡDA")
    client = scene.logged_in("ada")
    assert "You asked for this genome" in client.get(f"/genomes/{genome.id}").text
    assert decide(client, genome, "approve").status_code == 403


def test_whoever_proposed_the_same_genes_before_is_a_requester_too(scene: Scene) -> None:
    scene.candidate({"system_prompt": BETTER}, cycle="c-0", requester="bob")
    scene.ledger.finish_cycle("c-0", "nobody passed")
    genome = scene.pending({"system_prompt": BETTER}, cycle="c-1", requester="ada")
    assert decide(scene.logged_in("bob"), genome, "approve").status_code == 403
    assert decide(scene.logged_in("carol"), genome, "approve").status_code == 303


def test_the_second_decision_is_told_who_decided_what_and_when(full: Scene) -> None:
    genome, bob, carol = full.ledger.genome(2), full.logged_in("bob"), full.logged_in("carol")
    token = token_of(carol.get("/genomes/2").text)  # carol's page is open while bob decides
    decide(bob, genome, "approve", "reads better")
    before = rows(full)
    answer = carol.post("/genomes/2", data=seen(genome, "reject", "no") | {"csrftoken": token})
    assert answer.status_code == 409
    assert "Approved by bob on 2026-05-28 20:26 UTC." in answer.text and "reads better" in answer.text
    assert rows(full) == before and full.woken == [2]


def test_pressing_twice_makes_one_row(full: Scene) -> None:
    genome, client = full.ledger.genome(2), full.logged_in("bob")
    form = seen(genome, "approve") | {"csrftoken": token_of(client.get("/genomes/2").text)}
    with ThreadPoolExecutor(4) as pool:
        codes = sorted(pool.map(lambda _: client.post("/genomes/2", data=form).status_code, range(4)))
    assert codes == [303, 409, 409, 409]
    assert len(full.ledger.decisions(2)) == 1 and full.woken == [2]


def test_a_stale_version_is_a_conflict(full: Scene) -> None:
    genome, client = full.ledger.genome(2), full.logged_in("bob")
    token = token_of(client.get("/genomes/2").text)
    report = full.ledger.submission(2).report
    full.ledger.submit(2, report.model_copy(update={"reason": "judged anew"}), full.now + DAY, "c-1")
    before = rows(full)
    answer = client.post("/genomes/2", data=seen(genome, "approve") | {"csrftoken": token})
    assert answer.status_code == 409
    assert "no longer as you saw it" in answer.text and "version" in answer.text
    assert rows(full) == before


@pytest.mark.parametrize("changed", [{"version": 7}, {"genome_hash": "0" * 64}])
def test_another_version_or_hash_is_a_conflict(full: Scene, changed: dict[str, object]) -> None:
    answer = decide(full.logged_in("bob"), full.ledger.genome(2), "approve", **changed)
    assert answer.status_code == 409
    assert full.ledger.genome(2).status is GenomeStatus.PENDING_APPROVAL


def test_when_another_genome_became_active_approval_is_closed_and_refused(full: Scene) -> None:
    other = full.pending({"system_prompt": PROMPT, "chunk_count": 12}, cycle="c-3")
    decide(full.logged_in("bob"), other, "approve")
    client = full.logged_in("carol")
    page = client.get("/genomes/2").text
    assert 'id="stale"' in page and 'value="approve" disabled' in page and 'value="reject" disabled' not in page
    assert decide(client, full.ledger.genome(2), "approve").status_code == 409
    assert decide(client, full.ledger.genome(2), "reject", "compared with an older one").status_code == 303


def test_after_its_time_a_genome_cannot_be_approved(full: Scene) -> None:
    client = full.logged_in("bob", full.app(session_hours=700))
    full.now += 29 * DAY
    assert 'id="barrier"' not in client.get("/genomes/2").text
    full.now += 2 * DAY
    client = full.logged_in("bob")
    before = rows(full)
    assert "The time to decide is over" in client.get("/genomes/2").text
    assert rows(full) == before, "looking expires nothing"
    answer = decide(client, full.ledger.genome(2), "approve")
    assert answer.status_code == 409 and "Expired on" in answer.text
    assert full.ledger.genome(2).status is GenomeStatus.EXPIRED


def test_a_decision_made_elsewhere_shows(full: Scene) -> None:
    genome = full.ledger.genome(2)
    answer = Review(decision="approve", reviewer="carol", version=genome.version, genome_hash=genome.genome_hash)
    full.ledger.decide(2, answer, {"reviewer"})
    assert "Approved by carol" in full.logged_in("bob").get("/genomes/2").text


@pytest.mark.parametrize("token", [None, "", "wrong", "another person's"])
def test_a_post_without_the_right_token_is_refused(full: Scene, token: str | None) -> None:
    before, client = rows(full), full.logged_in("bob")
    if token and token.startswith("another"):
        token = token_of(full.client().get("/login").text)
    form = seen(full.ledger.genome(2), "approve") | ({} if token is None else {"csrftoken": token})
    assert client.post("/genomes/2", data=form).status_code == 403
    assert rows(full) == before and not full.woken


def test_a_form_of_another_site_is_refused_even_with_a_token(full: Scene) -> None:
    before, client = rows(full), full.logged_in("bob")
    form = seen(full.ledger.genome(2), "approve") | {"csrftoken": token_of(client.get("/genomes/2").text)}
    for site in ("cross-site", "same-site"):
        assert client.post("/genomes/2", data=form, headers={"sec-fetch-site": site}).status_code == 403
    assert rows(full) == before
    assert client.post("/genomes/2", data=form, headers={"sec-fetch-site": "same-origin"}).status_code == 303


def test_a_post_without_a_login_decides_nothing(full: Scene) -> None:
    before, client = rows(full), full.client()
    form = seen(full.ledger.genome(2), "approve") | {"csrftoken": token_of(client.get("/login").text)}
    assert "/login" in client.post("/genomes/2", data=form).headers["location"]
    assert rows(full) == before


def test_get_and_head_change_nothing(full: Scene) -> None:
    client = full.logged_in("root")
    before = rows(full)
    form = seen(full.ledger.genome(2), "approve", "because")
    for path in ("/", "/genomes", "/genomes/1", "/genomes/2", "/genomes/3", "/cycles", "/cycles/c-1", "/decisions"):
        for method in ("GET", "HEAD"):
            assert client.request(method, path, params=form).status_code == 200
    for method in ("PUT", "PATCH", "DELETE"):
        token = token_of(client.get("/genomes/3").text)
        assert client.request(method, "/genomes/3", data=form | {"csrftoken": token}).status_code == 405
    assert rows(full) == before and not full.woken


@pytest.mark.parametrize("wrong", [{"decision": "activate"}, {"version": "x"}, {"version": "-1"}, {"genome_hash": ""}])
def test_a_form_that_says_nothing_is_refused(full: Scene, wrong: dict[str, str]) -> None:
    before = rows(full)
    assert decide(full.logged_in("root"), full.ledger.genome(2), "approve", **wrong).status_code == 400
    assert rows(full) == before


def test_a_decision_about_an_unknown_genome_is_not_found(full: Scene) -> None:
    client = full.logged_in("bob")
    token = token_of(client.get("/").text)
    for number in ("99", "2147483648", "9" * 40):
        form = {"decision": "approve", "csrftoken": token, "version": "1", "genome_hash": "0" * 64}
        assert client.post(f"/genomes/{number}", data=form).status_code == 404
        assert client.get(f"/genomes/{number}").status_code == 404


def test_a_genome_that_nobody_was_asked_about_cannot_be_approved(full: Scene) -> None:
    assert decide(full.logged_in("bob"), full.ledger.genome(3), "approve").status_code == 404
    assert full.ledger.genome(3).status is GenomeStatus.CANDIDATE


def test_a_graph_that_does_not_wake_does_not_undo_the_decision_but_is_told(full: Scene) -> None:
    full.trouble = RuntimeError("checkpoints are <b>locked</b>")
    client = full.logged_in("bob")
    assert decide(client, full.ledger.genome(2), "approve").status_code == 303
    assert full.ledger.genome(2).status is GenomeStatus.ACTIVE
    page = client.get("/genomes/2").text
    assert "The decision is recorded and holds." in page and "checkpoints are &lt;b&gt;locked&lt;/b&gt;" in page


def test_an_admin_rolls_back(full: Scene) -> None:
    decide(full.logged_in("bob"), full.ledger.genome(2), "approve")
    client = full.logged_in("root")
    assert 'href="/genomes/1"' in client.get("/genomes/2").text
    page = client.get("/genomes/1").text
    form = {"decision": "rollback", "seen": "2", "csrftoken": token_of(page)}
    assert 'id="rollback"' in page
    assert client.post("/genomes/1", data=form).status_code == 422, "a reason is needed"
    assert client.post("/genomes/1", data=form | {"reason": "users complain"}).status_code == 303
    active = full.ledger.active("postprocess", "general")
    assert active is not None and active.id == 1
    last = full.ledger.decisions(1)[-1]
    assert (last.kind, last.reviewer, last.reason, last.replaced) == ("rollback", "root", "users complain", 2)


def test_a_rollback_of_what_is_no_longer_active_is_a_conflict(full: Scene) -> None:
    decide(full.logged_in("bob"), full.ledger.genome(2), "approve")
    client = full.logged_in("root")
    token = token_of(client.get("/genomes/1").text)
    form = {"decision": "rollback", "seen": "3", "reason": "why not", "csrftoken": token}
    assert client.post("/genomes/1", data=form).status_code == 409
    assert full.ledger.genome(2).status is GenomeStatus.ACTIVE


@pytest.mark.parametrize("action", ["rollback", "delete"])
@pytest.mark.parametrize("name", ["bob", "vera"])
def test_only_an_admin_rolls_back_or_deletes(full: Scene, name: str, action: str) -> None:
    decide(full.logged_in("carol"), full.ledger.genome(2), "approve")
    before, client = rows(full), full.logged_in(name)
    for genome in (1, 3):
        page = client.get(f"/genomes/{genome}").text
        assert f'id="{action}"' not in page
        form = {"decision": action, "seen": "2", "reason": "because", "csrftoken": token_of(page)}
        answer = client.post(f"/genomes/{genome}", data=form)
        assert answer.status_code == 403 and "only an admin" in answer.text
    assert rows(full) == before


def test_an_admin_deletes_a_candidate_that_nobody_was_asked_about(full: Scene) -> None:
    client = full.logged_in("root")
    page = client.get("/genomes/3").text
    assert 'id="delete"' in page
    answer = client.post("/genomes/3", data={"decision": "delete", "csrftoken": token_of(page)})
    assert (answer.status_code, answer.headers["location"]) == (303, "/genomes")
    assert "Genome 3 is deleted." in client.get("/genomes").text
    assert client.get("/genomes/3").status_code == 404


def test_what_was_once_submitted_is_not_deleted(full: Scene) -> None:
    client = full.logged_in("root")
    page = client.get("/genomes/2").text
    assert 'id="delete"' not in page
    answer = client.post("/genomes/2", data={"decision": "delete", "csrftoken": token_of(page)})
    assert answer.status_code == 403 and "kept for the record" in answer.text
    assert full.ledger.genome(2).status is GenomeStatus.PENDING_APPROVAL


def test_a_decision_keeps_the_report_that_was_seen(full: Scene) -> None:
    decide(full.logged_in("bob"), full.ledger.genome(2), "approve")
    decision = json.loads(full.ledger.decisions(2)[-1].model_dump_json())
    assert decision["report"]["p_adjusted"] == 0.0063 and len(decision["report"]["queries"]) == 9
