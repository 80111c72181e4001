"""Who gets in, how long, and how often one may try."""

from __future__ import annotations

import base64
import json
import threading

import pytest

from iterative_retrieval.serving.admin.throttle import WINDOW, Throttle
from tests.serving.admin.scene import PASSWORD, Scene, log_in, person, token_of

PAGES = ["/", "/genomes", "/genomes/1", "/cycles", "/cycles/c-1", "/decisions"]


@pytest.mark.parametrize("page", PAGES)
def test_without_a_login_every_page_leads_to_the_login(full: Scene, page: str) -> None:
    answer = full.client().get(page)
    assert answer.status_code == 303
    assert "/login?next=" in answer.headers["location"]


def test_a_login_leads_back_to_the_page_that_was_wanted(full: Scene) -> None:
    client = full.client()
    wanted = client.get("/genomes/2?baseline=1").headers["location"]
    form = {"username": "bob", "password": PASSWORD, "csrftoken": token_of(client.get(wanted).text)}
    answer = client.post(wanted, data=form)
    assert answer.headers["location"].endswith("/genomes/2?baseline=1")
    assert client.get("/genomes/2").status_code == 200


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x()"])
def test_a_login_leads_to_no_other_site(scene: Scene, elsewhere: str) -> None:
    client = scene.client()
    form = {"username": "bob", "password": PASSWORD, "csrftoken": token_of(client.get("/login").text)}
    answer = client.post("/login", params={"next": elsewhere}, data=form)
    assert answer.status_code == 303
    assert "evil" not in answer.headers["location"] and "javascript" not in answer.headers["location"]


@pytest.mark.parametrize(("name", "password"), [("bob", "wrong"), ("nobody", PASSWORD), ("", ""), ("bob", "")])
def test_a_wrong_name_and_a_wrong_password_are_told_alike(scene: Scene, name: str, password: str) -> None:
    client = scene.client()
    answer = log_in(client, name, password)
    assert answer.status_code == 400
    assert "Name or password is wrong." in answer.text
    assert client.get("/").status_code == 303


def test_names_match_in_any_case_and_are_shown_as_in_the_file(scene: Scene) -> None:
    client = scene.client()
    assert log_in(client, " BOB ").status_code == 303
    assert "<bdi>bob</bdi>" in client.get("/").text


def test_after_five_failures_even_the_right_password_has_to_wait(scene: Scene) -> None:
    client = scene.client()
    assert [log_in(client, "bob", "wrong").status_code for _ in range(5)] == [400] * 5
    answer = log_in(client, "bob")
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= WINDOW
    assert "Too many attempts" in answer.text
    assert log_in(client, "carol").status_code == 303, "others are not locked out"


def test_attempts_are_forgotten_with_time_and_after_a_success() -> None:
    now = [0.0]
    throttle = Throttle(lambda: now[0])
    for _ in range(4):
        assert throttle.attempt("bob", "::1") == 0
    throttle.clear("bob", "::1")
    assert [throttle.attempt("bob", "::1") for _ in range(5)] == [0.0] * 5
    now[0] = 1.0
    assert throttle.attempt("bob", "::1") == WINDOW - 1
    now[0] = WINDOW
    assert throttle.attempt("bob", "::1") == 0


def test_an_address_that_tries_many_names_has_to_wait() -> None:
    throttle = Throttle(lambda: 0.0)
    waits = [throttle.attempt(f"name {number}", "10.0.0.1") for number in range(31)]
    assert waits == [*[0.0] * 30, WINDOW]
    assert throttle.attempt("bob", "10.0.0.2") == 0


def test_attempts_at_the_same_time_do_not_slip_through() -> None:
    throttle, passed, begin = Throttle(lambda: 0.0), [], threading.Barrier(20)

    def attempt() -> None:
        begin.wait()
        if throttle.attempt("bob", "::1") == 0:
            passed.append(1)

    threads = [threading.Thread(target=attempt) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(passed) == 5


def test_the_cookie_is_signed_and_kept_from_scripts_and_other_sites(scene: Scene) -> None:
    client = scene.client()
    cookie = next(c for c in log_in(client, "bob").headers.get_list("set-cookie") if "retrieval_admin=" in c).lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and "secure" not in cookie
    session, _, rest = client.cookies["iterative_retrieval_admin"].partition(".")
    said = json.loads(base64.b64decode(session))
    for changed, status in ((said, 200), (said | {"name": "root"}, 303)):
        forged = scene.client()
        forged.cookies.set(
            "iterative_retrieval_admin", f"{base64.b64encode(json.dumps(changed).encode()).decode()}.{rest}"
        )
        assert forged.get("/").status_code == status


def test_behind_https_the_cookie_travels_over_https_alone(scene: Scene) -> None:
    client = scene.client(scene.app(https_only=True))
    client.base_url = "https://testserver"
    assert all("secure" in cookie.lower() for cookie in log_in(client, "bob").headers.get_list("set-cookie"))


def test_logout_is_a_post_and_ends_copies_of_the_cookie_too(scene: Scene) -> None:
    app = scene.app()
    client = scene.logged_in("bob", app)
    copy = scene.client(app)
    copy.cookies.update(client.cookies)
    assert client.get("/logout").status_code == 405
    assert client.get("/").status_code == 200
    assert client.post("/logout").status_code == 403, "no token"
    assert client.post("/logout", data={"csrftoken": token_of(client.get("/").text)}).status_code == 303
    assert client.get("/").status_code == 303
    assert copy.get("/").status_code == 303


def test_a_login_ends_by_itself(scene: Scene) -> None:
    client = scene.logged_in("bob", scene.app(session_hours=2))
    scene.now += 2 * 3600 - 1
    assert client.get("/").status_code == 200
    scene.now += 2
    assert client.get("/").status_code == 303


def test_who_is_taken_out_of_the_file_is_out_at_once(scene: Scene) -> None:
    client = scene.logged_in("bob")
    scene.people.write_text(json.dumps(person("carol", "reviewer")))
    assert client.get("/").status_code == 303


def test_a_new_password_ends_the_logins_of_the_old_one(scene: Scene) -> None:
    client = scene.logged_in("bob")
    other = person("bob", "reviewer") | {"password": "scrypt$15$8$1$" + "00" * 16 + "$" + "11" * 32}
    scene.people.write_text(json.dumps(other))
    assert client.get("/").status_code == 303


def test_a_new_role_counts_from_the_next_request(full: Scene) -> None:
    client = full.logged_in("vera")
    assert 'id="barrier"' in client.get("/genomes/2").text
    full.people.write_text(json.dumps(person("vera", "reviewer")))
    assert 'id="barrier"' not in client.get("/genomes/2").text


def test_a_damaged_file_lets_nobody_in(scene: Scene) -> None:
    app = scene.app()
    client = scene.logged_in("bob", app)
    scene.people.write_text("{")
    assert client.get("/").status_code == 303
    assert log_in(scene.client(app), "bob").status_code == 400
