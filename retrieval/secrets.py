"""Which files hold secrets, by name: they are neither read, nor returned, nor sent anywhere."""

from __future__ import annotations

import re

from .roles import is_source_like


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAMES = _words(
    """
    .env .envrc .npmrc .pypirc .netrc _netrc .htpasswd .pgpass .my.cnf .git-credentials .dockercfg .dockerconfigjson
    .boto .s3cfg .vault-token .vault_pass .vault-pass kubeconfig credentials.json credentials.yml.enc
    application_default_credentials.json secrets.yml secrets.yaml secrets.json secrets.toml secrets.ini secrets.env
    secrets.tfvars terraform.tfstate.backup
    """
)

_SUFFIXES = _words("pem key p8 p12 pfx jks keystore ppk kdb kdbx ovpn env tfstate")

_KEY_PREFIXES = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".env.")
_DATA_PREFIXES = ("service-account", "service_account", "client_secret")

_FOLDERS = re.compile(r"(?:^|/)(?:\.ssh/|\.gnupg/|\.aws/(?:credentials|config)$|\.kube/config$|\.docker/config\.json$)")

_TEMPLATE = re.compile(r"(?:^|[._-])(?:example|sample|template|tmpl|dist|defaults?|schema)(?:$|\.)")


def is_secret(path: str) -> bool:
    """Whether the file's name says that it holds keys, passwords or tokens.

    Templates (``.env.example``) and source files about secrets (``secrets.py``) do not.
    """
    name = path.rpartition("/")[2].lower()
    _, dot, suffix = name.rpartition(".")
    if name in _NAMES or (dot and suffix in _SUFFIXES):
        return not _TEMPLATE.search(name)
    if name.startswith(_KEY_PREFIXES):
        return not (is_source_like(name) or _TEMPLATE.search(name))
    if name.startswith(_DATA_PREFIXES):
        return suffix in ("json", "yml", "yaml") and not _TEMPLATE.search(name)
    return "/." in f"/{path}" and _FOLDERS.search(path) is not None
