"""An error browser: one static page with an instance a row, its ranks, and what spoke for the wrong file.

usage: python -m benchmarks.inspect predictions.jsonl --instances FILE [--mirrors TEMPLATE] [--out page.html]
           [--only misses|hits] [--k 5] [--genomes FOLDER] [--cache DIR] [--jobs 2]
           [--every N] [--limit N] [--ids ID ...]

Reads what ``benchmarks.localization`` wrote. With --mirrors every instance shown is asked again, and the page tells
what each signal added to its gold files and to the first wrong file, and which signals favour the wrong file most
often. Without, it tells what the predictions hold. The page needs no network and opens from a file.
Exit codes: 0; 2 when the arguments do not fit; 130 when interrupted.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .arguments import guarded, product_of
from .cases import Case, beaten, case_of, counted, favours
from .examining import Examiner
from .instances import Instance, chosen, mirror_of, read_instances
from .predictions import BenchmarkError, Row, read_rows, write_whole
from .runner import run

_HERE = Path(__file__).parent
_SHOWN_FAVOURS = 20


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; the answer is the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("predictions", type=Path, help="what benchmarks.localization wrote")
    parser.add_argument("--instances", type=Path, required=True, help="the instances it was made of")
    parser.add_argument("--mirrors", metavar="TEMPLATE", help="git directories: '/some/where/{owner}+{name}/repo'")
    parser.add_argument("--out", type=Path, help="the page; beside the predictions when absent")
    parser.add_argument("--only", choices=("all", "misses", "hits"), default="all")
    parser.add_argument("--k", type=int, default=5, help="a hit has every gold file among the first k")
    parser.add_argument("--genomes", type=Path, help="genomes that the predictions were made with")
    parser.add_argument("--cache", type=Path, help="folder of indexes; the user's own when absent")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth instance")
    parser.add_argument("--limit", type=int, help="only the first so many of them")
    parser.add_argument("--ids", nargs="+", default=[], metavar="ID", help="only these instances")
    arguments = parser.parse_args(argv)
    return guarded(lambda: _run(arguments))


def page(cases: Sequence[Case], k: int, source: str, examined: bool) -> str:
    """The page as HTML; everything in it is escaped, and only its own script may run.

    Args:
        cases: its rows.
        k: how many files count as found.
        source: name of the predictions.
        examined: whether the product was asked again.
    """
    files = Environment(loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    script, style = ((_HERE / f"inspect.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    told = favours(cases)
    return files.get_template("inspect.html").render(
        cases=cases,
        k=k,
        source=source,
        examined=examined,
        beaten=beaten,
        favours=[f for f in told if f.net > 0][:_SHOWN_FAVOURS],
        groups=[(label, counted(cases, by)) for label, by in _GROUPS],
        hits=sum(case.hit for case in cases),
        script=Markup(script),
        style=Markup(style),
        digests={"script": _digest(script), "style": _digest(style)},
    )


_GROUPS = (("Repository", "repo"), ("Language", "language"), ("Query type", "query_type"))


def _run(arguments: argparse.Namespace) -> int:
    rows = read_rows(arguments.predictions)
    if not rows:
        raise BenchmarkError(f"{arguments.predictions} holds no prediction; benchmarks.localization writes them")
    if arguments.k < 1:
        raise BenchmarkError("--k must be 1 or more")
    shown = _shown(arguments, rows)
    asked = _examined(arguments, shown, rows) if arguments.mirrors else {}
    name = [i["instance_id"] for i in shown]
    cases = [case_of(i, rows.get(n, {}), asked.get(n, {}), arguments.k) for i, n in zip(shown, name, strict=True)]
    out = arguments.out or arguments.predictions.with_suffix(".html")
    write_whole(out, page(cases, arguments.k, arguments.predictions.name, bool(arguments.mirrors)))
    print(f"{out}: {len(cases)} instances, {sum(not case.hit for case in cases)} missed at {arguments.k}")
    return 0


def _shown(arguments: argparse.Namespace, rows: dict[str, Row]) -> list[Instance]:
    """The instances of the page.

    Raises:
        BenchmarkError: none is left, or the instances cannot be read.
    """
    try:
        known = read_instances(arguments.instances)
    except (OSError, ValueError) as error:
        raise BenchmarkError(f"cannot read the instances: {error}") from error
    picked = [i for i in chosen(known, arguments.ids, None) if i["instance_id"] in rows or arguments.ids]
    picked = picked[:: max(1, arguments.every)]
    if arguments.only != "all":
        wanted = arguments.only == "hits"
        picked = [i for i in picked if case_of(i, rows.get(i["instance_id"], {}), {}, arguments.k).hit is wanted]
    if not picked[: arguments.limit]:
        raise BenchmarkError(
            f"no instance of {arguments.instances} is left to show; see --only, --ids, and whether the predictions "
            "were made of these instances"
        )
    return picked[: arguments.limit]


def _examined(arguments: argparse.Namespace, shown: Sequence[Instance], rows: dict[str, Row]) -> dict[str, Row]:
    """Instance id -> what the product says when it is asked again.

    Raises:
        BenchmarkError: the template does not fit.
    """
    try:
        mirror_of(shown[0], arguments.mirrors)
    except (KeyError, IndexError, ValueError) as error:
        raise BenchmarkError(f"--mirrors takes {{owner}} and {{name}}, not {error}") from error
    winners = {i["instance_id"]: case_of(i, rows.get(i["instance_id"], {}), {}, arguments.k).winner for i in shown}
    found: dict[str, Row] = {}

    def done(row: Row) -> None:
        found[row["instance_id"]] = row
        print(f"[{len(found)}/{len(shown)}] {row['instance_id']} {row.get('error', '')}".rstrip(), file=sys.stderr)

    run(shown, Examiner(product_of(arguments, shown, None), winners), arguments.mirrors, arguments.jobs, done)
    return found


def _digest(text: str) -> str:
    """What a content security policy calls a text that it allows."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


__all__ = ["main", "page"]

if __name__ == "__main__":
    sys.exit(main())
