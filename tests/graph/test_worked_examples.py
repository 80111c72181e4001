"""The two worked examples of the original text, on small repositories that follow it."""

from __future__ import annotations

from pathlib import Path

import pytest

from iterative_retrieval import RetrievalResult, retrieve
from iterative_retrieval.graph.services import Services, open_services
from iterative_retrieval.graph.settings import Settings
from tests.repositories import MakeRepo
from tests.samples import RATE_LIMITING, TOKEN_EXPIRY


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return open_services(Settings(cache_dir=tmp_path / "cache"))


@pytest.fixture
def token_expiry(make_repo: MakeRepo, services: Services) -> RetrievalResult:
    root = make_repo(TOKEN_EXPIRY).path
    return retrieve("Fix the authentication token expiry bug", root, services=services)


@pytest.fixture
def rate_limiting(make_repo: MakeRepo, services: Services) -> RetrievalResult:
    root = make_repo(RATE_LIMITING).path
    return retrieve("Add rate limiting to API endpoints", root, services=services)


def test_token_expiry_finds_auth_and_tokens_in_the_first_cycle(token_expiry: RetrievalResult) -> None:
    found = dict(token_expiry.cycles[0].found)
    assert found["src/auth.ts"] >= 0.8
    assert found["src/tokens.ts"] >= 0.8


def test_token_expiry_learns_the_words_of_the_code_base(token_expiry: RetrievalResult) -> None:
    assert {"refresh", "jwt"} <= set(token_expiry.cycles[0].learned)


def test_token_expiry_finds_session_manager_and_jwt_helpers_in_the_second_cycle(token_expiry: RetrievalResult) -> None:
    after_two = {path for trace in token_expiry.cycles[:2] for path, relevance in trace.found if relevance >= 0.4}
    assert {"src/session-manager.ts", "src/jwt-utils.ts"} <= after_two
    assert {"src/session-manager.ts", "src/jwt-utils.ts"} <= {f.path for f in token_expiry.files}


def test_token_expiry_leaves_the_user_file_out(token_expiry: RetrievalResult) -> None:
    assert any("src/user.ts" in trace.excluded for trace in token_expiry.cycles)
    assert "src/user.ts" not in {f.path for f in token_expiry.files}


def test_rate_limiting_starts_without_a_match(rate_limiting: RetrievalResult) -> None:
    assert all(relevance < 0.2 for _, relevance in rate_limiting.cycles[0].found)
    assert rate_limiting.cycles[0].gaps[0].kind == "no_match"


def test_rate_limiting_learns_that_the_code_says_throttle(rate_limiting: RetrievalResult) -> None:
    assert "throttle" in rate_limiting.cycles[0].learned


def test_rate_limiting_ends_with_throttle_middleware_and_router(rate_limiting: RetrievalResult) -> None:
    wanted = {"src/throttle.ts", "src/middleware/index.ts", "src/router-setup.ts"}
    assert wanted <= {f.path for f in rate_limiting.files if f.relevance >= 0.7}
    assert rate_limiting.sufficient
