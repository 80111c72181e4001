"""Settings told one by one: variable, value, where it came from; and the table and the file made of them."""

from __future__ import annotations

import json
import os
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin
from urllib.parse import urlsplit

from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from .env_file import read_env_file

Source = Literal["environment", "file", "default"]


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting.

    variables: the names it may be given by, the first that is set counts. value: as it may be shown; of a secret only
    "set" or "unset". default, bounds: in words, '' for none.
    """

    name: str
    variables: list[str]
    value: object
    source: Source
    default: str
    bounds: str
    description: str
    secret: bool

    @property
    def told(self) -> str:
        """Description and bounds in one sentence."""
        return f"{self.description.rstrip('.')}; {self.bounds}." if self.bounds else self.description


def rows_of(settings: BaseSettings) -> list[SettingRow]:
    """Every setting of a model, in its order, with the present values."""
    file = {name.upper(): value for name, value in read_env_file().items()}
    return [
        _row(name, field, getattr(settings, name), file, type(settings))
        for name, field in type(settings).model_fields.items()
    ]


def variables_of(settings: type[BaseSettings]) -> list[str]:
    """Every variable that a model reads."""
    return [v for name, field in settings.model_fields.items() for v in _variables(name, field, settings)]


def shown(value: object) -> object:
    """A value as it may be shown: no secret, no password of an address."""
    match value:
        case SecretStr():
            return "set"
        case Path():
            return str(value)
        case str() if "://" in value:
            return _without_password(value)
        case list():
            return [shown(v) for v in value]
        case dict():
            return {k: shown(v) for k, v in value.items()}
    return value.model_dump() if hasattr(value, "model_dump") else value


def _row(
    name: str, field: FieldInfo, value: object, file: Mapping[str, str | None], model: type[BaseSettings]
) -> SettingRow:
    variables, secret = _variables(name, field, model), _is_secret(field)
    told = ("unset" if value is None else "set") if secret else shown(value)
    return SettingRow(
        name=name,
        variables=variables,
        value=told,
        source=_source(variables, file),
        default=_default(field),
        bounds=_bounds(field),
        description=field.description or "",
        secret=secret,
    )


def _variables(name: str, field: FieldInfo, model: type[BaseSettings]) -> list[str]:
    alias = field.validation_alias
    if isinstance(alias, AliasChoices):
        return [str(choice) for choice in alias.choices if str(choice).isupper()]
    return [f"{model.model_config.get('env_prefix', '')}{name}".upper()]


def _source(variables: Iterable[str], file: Mapping[str, str | None]) -> Source:
    if any(os.environ.get(v) for v in variables):
        return "environment"
    return "file" if any(file.get(v) for v in variables) else "default"


def _is_secret(field: FieldInfo) -> bool:
    return SecretStr in _types(field.annotation)


def _types(annotation: object) -> tuple[object, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else (annotation,)


def _default(field: FieldInfo) -> str:
    if field.default_factory is Path or (field.default_factory and Path in _types(field.annotation)):
        return "a folder of the user's"
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is None or value in ("", [], {}):
        return ""
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _bounds(field: FieldInfo) -> str:
    found: dict[str, Any] = {}
    for piece in field.metadata:
        found |= {sign: getattr(piece, sign) for sign in ("gt", "ge", "lt", "le") if hasattr(piece, sign)}
    words = {"gt": "above", "ge": "from", "lt": "below", "le": "to"}
    return " ".join(f"{words[sign]} {_number(found[sign])}" for sign in ("gt", "ge", "lt", "le") if sign in found)


def _number(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) and not value.is_integer() else f"{int(value):,}"


def _without_password(url: str) -> str:
    """An address without what stands before its "@"."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "***"
    if "@" not in parts.netloc:
        return url
    return parts._replace(netloc=f"***@{parts.netloc.rpartition('@')[2]}").geturl()


def markdown_table(rows: Iterable[SettingRow]) -> str:
    """The rows as a table for the documentation; it holds no present value."""
    lines = ["| variable | default | what it sets |", "|---|---|---|"]
    for row in rows:
        names = " or ".join(f"`{v}`" for v in row.variables)
        default = f"`{row.default}`" if row.default and row.default != "a folder of the user's" else row.default
        lines.append(f"| {names} | {default} | {_cell(row.told)} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def example_lines(rows: Iterable[SettingRow]) -> list[str]:
    """The rows as lines of a ``.env``, every one commented out."""
    lines: list[str] = []
    for row in rows:
        lines.append(f"# {row.told}")
        lines += [f"#{row.variables[0]}={_quoted(row.default)}", ""]
    return lines


def _quoted(default: str) -> str:
    return "" if default == "a folder of the user's" else default if " " not in default else json.dumps(default)


__all__ = ["SettingRow", "example_lines", "markdown_table", "rows_of", "shown", "variables_of"]
