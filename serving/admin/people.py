"""Who may use the panel: names, password hashes and roles out of a JSON file."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...state.errors import CallerError

HOW_TO = "python -m iterative_retrieval.serving.admin.passwords NAME ROLE"


class Role(StrEnum):
    """What a person may do: each may also do what those before it may."""

    VIEWER = "viewer"  # sees
    REVIEWER = "reviewer"  # approves and rejects
    ADMIN = "admin"  # rolls back, deletes candidates that nobody was asked about

    @property
    def decides(self) -> bool:
        """Whether the role approves and rejects."""
        return self is not Role.VIEWER


class Person(BaseModel):
    """One line of the file. password: its hash, as ``passwords`` prints it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=200, pattern=r"^\S(.*\S)?$")
    role: Role
    password: str = Field(pattern=r"^scrypt\$\d{1,3}\$\d{1,3}\$\d{1,3}\$[0-9a-f]{32,128}\$[0-9a-f]{64,128}$")


class PeopleFile:
    """The people of a file, read anew for every question: who is taken out of it is out at once.

    Args:
        path: a JSON list of objects with name, role and password, or one such object a line.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def find(self, name: str) -> Person | None:
        """The person of that name, in whatever case; None when there is none.

        Raises:
            CallerError: the file cannot be read, or says something else than people.
        """
        return self.everyone().get(plain(name))

    def everyone(self) -> dict[str, Person]:
        """Plain name -> person.

        Raises:
            CallerError: the file cannot be read, names nobody, or says something else than people.
        """
        found: dict[str, Person] = {}
        for number, entry in enumerate(self._entries(), start=1):
            person = self._person(number, entry)
            if plain(person.name) in found:  # else one person could ask as "Ada" and approve as "ada"
                raise CallerError(f"{self.path}, person {number}: {person.name!r} is there twice; remove one")
            found[plain(person.name)] = person
        if not found:
            raise CallerError(f"{self.path} names nobody; add a line with `{HOW_TO}`")
        return found

    def _entries(self) -> Iterator[Any]:
        try:
            text = self.path.read_text(encoding="utf-8").strip()
            if text.startswith("["):
                yield from json.loads(text)
            else:
                yield from (json.loads(line) for line in text.splitlines() if line.strip())
        except (OSError, UnicodeDecodeError) as error:
            raise CallerError(f"the file of people cannot be read: {error}") from error
        except json.JSONDecodeError as error:
            raise CallerError(f"{self.path} is not JSON: {error}; add lines with `{HOW_TO}`") from error

    def _person(self, number: int, entry: Any) -> Person:
        try:
            return Person.model_validate(entry)
        except ValidationError as error:
            first = error.errors(include_input=False)[0]  # the input is a hash, and does not belong into a log
            place = ".".join(str(part) for part in first["loc"])
            raise CallerError(f"{self.path}, person {number}, {place}: {first['msg']}; see `{HOW_TO}`") from error


def plain(name: str) -> str:
    """By which names are compared, as the ledger does: case, outer blanks and the form of letters do not matter."""
    return unicodedata.normalize("NFKC", name).strip().casefold()
