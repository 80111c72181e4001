"""The commands that look at the installation itself: ``doctor``, ``config show`` and ``config path``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .as_json import dumps
from .exits import ExitCode
from .lines import Line, line, printable
from .output import standard_output
from .views import show

if TYPE_CHECKING:
    from ..graph.checkup import Checkup, Finding
    from ..graph.settings_rows import SettingRow

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

config_app = typer.Typer(help="Look at the settings.", no_args_is_help=True)

_STYLES = {"ok": "green", "off": "dim", "notice": "yellow", "problem": "bold red"}
_UNITS = ("B", "kB", "MB", "GB", "TB")


def doctor_command(as_json: Json = False) -> None:
    """Tell what is installed, configured and reachable, where data lives, and what to do about problems."""
    from ..graph.checkup import check_up
    from .settings_sections import SECTIONS

    found = check_up([model for _, model in SECTIONS])
    if as_json:
        standard_output().write(dumps({**found.model_dump(mode="json"), "healthy": not found.problems}))
    else:
        show(checkup_lines(found))
    raise typer.Exit(ExitCode.WORLD if found.problems else ExitCode.FOUND)


@config_app.command("show")
def config_show(as_json: Json = False) -> None:
    """List every setting: its value, where it came from, and what it sets."""
    from ..graph.settings_rows import rows_of
    from .settings_sections import SECTIONS, loaded

    sections = [(title, rows_of(loaded(model))) for title, model in SECTIONS]
    if as_json:
        standard_output().write(dumps({"settings": [_row_object(title, r) for title, rows in sections for r in rows]}))
    else:
        show([row for title, rows in sections for row in (line(title, style="bold"), *_rows(rows), line())])


@config_app.command("path")
def config_path() -> None:
    """Print where the file of settings is, or would be."""
    from ..graph.env_file import env_file

    standard_output().write(str(env_file()))


def checkup_lines(found: Checkup) -> list[Line]:
    """The findings, the places, the extras, the versions, and the verdict."""
    rows = [
        line(f"iterative-retrieval {found.version}, Python {found.python}, {found.platform}, mode {found.mode}"),
        line(),
        *(row for finding in found.findings for row in _finding(finding)),
        line(),
        line("Places:", style="bold"),
    ]
    rows += [line(f"{p.what:9} {_size(p.bytes):>9}  {printable(p.path)}", indent=2) for p in found.places]
    rows += [line(), line("Extras:", style="bold")]
    rows += [line(f"{e.name:13} {_lacking(e.name, e.missing)}", indent=2) for e in found.extras]
    rows += [line(), line("Packages:", style="bold"), line(_versions(found), indent=2), line()]
    number = len(found.problems)
    verdict = f"{number} problem{'' if number == 1 else 's'}" if number else "No problem found"
    return [*rows, line(verdict, style="bold red" if number else "bold green")]


def _finding(finding: Finding) -> list[Line]:
    style = _STYLES[finding.status.value]
    rows = [line(f"{finding.status.value:8} {finding.name}: {printable(finding.detail)}", style=style)]
    return [*rows, line(printable(finding.advice), indent=9)] if finding.advice else rows


def _lacking(extra: str, missing: list[str]) -> str:
    if not missing:
        return "installed"
    return f"lacks {', '.join(missing)}: pip install 'iterative-retrieval[{extra}]'"


def _versions(found: Checkup) -> str:
    return ", ".join(f"{name} {version or 'is MISSING'}" for name, version in found.packages.items()) or "not installed"


def _size(size: int | None) -> str:
    """Bytes for a person; "-" for what does not exist."""
    if size is None:
        return "-"
    amount, unit = float(size), 0
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.0f} {_UNITS[unit]}" if unit == 0 else f"{amount:.1f} {_UNITS[unit]}"


def _rows(rows: list[SettingRow]) -> list[Line]:
    told = []
    for row in rows:
        value = "" if row.value is None else printable(str(row.value))
        told += [line(f"{row.variables[0]} = {value}  ({row.source})", indent=2), line(row.told, indent=6, style="dim")]
    return told


def _row_object(title: str, row: SettingRow) -> dict[str, object]:
    return {
        "section": title,
        "name": row.name,
        "variables": row.variables,
        "value": row.value,
        "source": row.source,
        "default": row.default,
        "secret": row.secret,
        "description": row.told,
    }


__all__ = ["config_app", "doctor_command"]
