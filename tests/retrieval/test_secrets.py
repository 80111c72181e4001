"""Secrets by name; source and templates about secrets are none."""

from __future__ import annotations

import pytest

from iterative_retrieval.retrieval.secrets import is_secret

SECRETS = """
    .env app/.env .ENV .env.local .env.production prod.env server.pem tls/server.key store.p12 cert.pfx app.jks
    id_rsa .ssh/config deploy/id_ed25519 id_rsa.pub home/.ssh/known_hosts .npmrc .pypirc .netrc .htpasswd
    credentials.json service-account.json service_account_prod.json my/.aws/credentials vault.kdbx .git-credentials
    secrets.yml config/secrets.yaml client_secret_123.json kubeconfig _netrc .kube/config infra/terraform.tfstate
"""
HARMLESS = """
    .env.example .env.sample .env.template env.py .environment secrets.py secret.go src/secrets/store.ts monkey.py
    keys.json key pem turkey.py credentials.py docs/credentials.md service_account.py service-account.md example.env
    id_rsa_loader.py client_secrets.rb secrets.example.yml public.asc aws/credentials sshd/config .envoy/x.yaml
"""


@pytest.mark.parametrize("path", SECRETS.split())
def test_secret(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize("path", HARMLESS.split())
def test_harmless(path: str) -> None:
    assert not is_secret(path)
