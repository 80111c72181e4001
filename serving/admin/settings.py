"""What a deployment may say about the panel, and the secret that signs its cookies."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import SettingsConfigDict

from ...graph.env_file import FileSettings
from ...state.errors import CallerError, StoreUnavailable
from .people import HOW_TO, PeopleFile

_SECRET_FILE = "admin.secret"
_SHORTEST = 32


class AdminSettings(FileSettings):
    """Read from the environment (prefix ``IR_ADMIN_``) and the user's ``.env``."""

    model_config = SettingsConfigDict(env_prefix="IR_ADMIN_")

    users: Path | None = Field(default=None, description="JSON file of the people: name, role, password hash.")
    secret: SecretStr | None = Field(
        default=None, description="Signs the cookies; made and kept in the data folder when absent."
    )
    session_hours: float = Field(default=8.0, gt=0.0, le=24 * 31, description="After which a login ends.")
    https_only: bool = Field(default=False, description="Whether cookies travel over HTTPS alone.")

    @field_validator("users")
    @classmethod
    def _home(cls, path: Path | None) -> Path | None:
        return path and path.expanduser()

    def people(self) -> PeopleFile:
        """The people who may log in.

        Raises:
            CallerError: no file is named, or it does not hold people.
        """
        if self.users is None:
            raise CallerError(
                f"the admin panel needs people who may log in: `{HOW_TO} >> people.jsonl`, "
                "then IR_ADMIN_USERS=people.jsonl"
            )
        people = PeopleFile(self.users)
        people.everyone()
        return people

    def signing_key(self, data_dir: Path) -> str:
        """The secret that signs cookies.

        Raises:
            CallerError: it is short enough to be guessed.
            StoreUnavailable: it cannot be kept in the data folder.
        """
        key = kept_secret(data_dir / _SECRET_FILE) if self.secret is None else self.secret.get_secret_value()
        if len(key) < _SHORTEST:
            raise CallerError(f"the secret of the admin panel has {len(key)} characters; {_SHORTEST} are needed")
        return key


def kept_secret(path: Path) -> str:
    """The secret in a file that only its owner may read; made when absent, once, also by several processes.

    Raises:
        StoreUnavailable: the file cannot be read or written, or others may read it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _make(path)
        if path.stat().st_mode & 0o077:
            raise StoreUnavailable(f"{path} can be read by others; `chmod 600` it, or delete it to get a new one")
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreUnavailable(f"the secret of the admin panel cannot be kept: {error}") from error


def _make(path: Path) -> None:
    """Whole or not at all: written beside, then linked; who comes second finds the first one's."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32) + "\n")
        os.link(beside, path)
    except FileExistsError:
        return
    finally:
        beside.unlink(missing_ok=True)
