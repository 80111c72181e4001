"""Robust to the asker: does the product find the same files when an issue is put otherwise?

usage: python -m benchmarks.askers --instances lite.jsonl --mirrors '/some/where/{owner}+{name}/repo'
           [--kinds KIND ...] [--out FILE] [--json] [--jobs 2] [--cache DIR] [--genomes DIR]

Forty issues of SWE-bench Lite are asked as they were written, by title and by first half, paraphrased in English,
German, Russian and Chinese, as a bare line, and with a log of twenty pages before or behind them. Prints strict @1, @5
and @10, how often the packed context holds the gold files, and the seconds, each with its 95 % bootstrap interval, and
the gain in @5 over the original wording of the same issues. ``--out`` keeps rows, so that a stopped run goes on.
Exit codes: 0; 1 when an instance failed or the log costs too much; 2 when the arguments do not fit; 130 on a stop.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .arguments import add_run_arguments, chosen_instances, guarded, parser_of, product_of
from .asker_numbers import Limits, compared, over_limits, table
from .askings import KINDS, asked, read_askings
from .instances import Instance
from .memory import own_peak_mb
from .predictions import BenchmarkError, Row
from .product import Product
from .recording import Recording, record, tell_failures
from .runner import Tool, run

DATA = Path(__file__).parent / "data" / "askers.jsonl"


@dataclass(frozen=True)
class Watched:
    """The product, and by how much an answer raised the peak memory of its process."""

    product: Product

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.product.name

    @property
    def nothing(self) -> Row:
        """What a failed instance gets."""
        return self.product.nothing

    def settings(self) -> dict[str, Any]:
        """The product's."""
        return self.product.settings()

    def predict(self, instance: Instance, root: str) -> Row:
        """The product's row with ``grown_mb``: 0 unless this answer took more memory than every one before."""
        before = own_peak_mb()
        row = self.product.predict(instance, root)
        return {**row, "grown_mb": round(own_peak_mb() - before, 1)}


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; the answer is the exit code."""
    parser = parser_of(__doc__)
    add_run_arguments(parser)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), help="only these ways of asking")
    parser.add_argument("--data", type=Path, default=DATA, help="ways of asking, JSON lines")
    parser.add_argument("--out", type=Path, help="predictions file; its summary stands beside it")
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    arguments = parser.parse_args(argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    askings = _askings(arguments)
    rows = _rows(arguments, askings)
    found = compared(askings, rows)
    broken = over_limits(found, Limits())
    print(json.dumps({"kinds": found, "over": broken}, indent=1) if arguments.json else table(found))
    for line in broken:
        print(f"too dear: {line}", file=sys.stderr)
    return max(tell_failures(rows), int(bool(broken)))


def _askings(arguments: argparse.Namespace) -> list[Instance]:
    """Every chosen way of asking the issues that the data file speaks of; always the original wording.

    The title is always asked too: the first question about a commit pays for opening it, which no other kind should.
    """
    written = read_askings(arguments.data)
    instances = [i for i in chosen_instances(arguments) if i["instance_id"] in written]
    if not instances:
        raise BenchmarkError(f"{arguments.data} has other words for none of the chosen instances")
    kinds = [k for k in KINDS if k in {"original", "title", *arguments.kinds}]
    return [asking for instance in instances for asking in asked(instance, written[instance["instance_id"]], kinds)]


def _rows(arguments: argparse.Namespace, askings: list[Instance]) -> dict[str, Row]:
    tool: Tool = Watched(product_of(arguments, askings, None))
    if arguments.out:
        name = f"{arguments.instances.name}, {arguments.data.name}"
        return record(Recording(askings, name, arguments.mirrors, tool, arguments.out, arguments.jobs, arguments.mixed))
    rows: dict[str, Row] = {}
    run(askings, tool, arguments.mirrors, arguments.jobs, lambda row: rows.update({row["instance_id"]: row}))
    return rows


if __name__ == "__main__":
    sys.exit(main())
