"""The product beside its baselines, on the same instances in one run.

usage: python -m benchmarks.baselines --instances FILE --mirrors '/some/where/{owner}+{name}/repo' --out FOLDER
           [--every N] [--limit N] [--ids ID ...] [--tools rg bm25 bm25_title one_cycle product] [--jobs 2]
           [--genomes DIR] [--cache DIR]

Each tool gets a predictions file and a summary in the folder, and a line in a Markdown table; a second table compares
it with the product, paired. Run it again after an interruption. Exit codes: as benchmarks.localization.

rg: files by how many different words of the title they hold, then by how often (an in-process count of the same, named
"word count", when there is no rg). bm25, bm25_title: bm25s over path and text, identifiers split, asked with the whole
issue or its title. one_cycle: the product without its loop.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from .arguments import add_run_arguments, chosen_instances, guarded, parser_of, product_of
from .instances import Instance
from .measures import Estimate, Judged, any_at, drawings, estimate, judged, mean, strict_at
from .predictions import Row, write_whole
from .rankers import BASELINES, baseline
from .recording import Recording, record, tell_failures
from .runner import Tool
from .summary import Hit, summarize

TOOLS = (*BASELINES, "one_cycle", "product")
_COLUMNS = [("files, strict", f"@{k}") for k in (1, 3, 5, 10)] + [("files, any", "@10"), ("MRR", "")]


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; the answer is the exit code."""
    parser = parser_of(__doc__)
    add_run_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder of predictions and summaries")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=list(TOOLS))
    arguments = parser.parse_args(argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    instances = chosen_instances(arguments)
    rows: dict[str, dict[str, Row]] = {}
    code = 0
    for name in arguments.tools:
        tool = _tool(name, arguments, instances)
        out = arguments.out / f"{name}.jsonl"
        source, mirrors = arguments.instances.name, arguments.mirrors
        rows[tool.name] = record(Recording(instances, source, mirrors, tool, out, arguments.jobs, arguments.mixed))
        code = max(code, tell_failures(rows[tool.name]))
    text = "\n".join([table(instances, rows), *gains(instances, rows)])
    write_whole(arguments.out / "table.md", text + "\n")
    print(text)
    return code


def table(instances: Sequence[Instance], rows: Mapping[str, Mapping[str, Row]]) -> str:
    """A Markdown table, a line a tool: per cent, and MRR, with 95 % intervals. For time see benchmarks.speed."""
    heads = ["strict @1", "@3", "@5", "@10", "any @10", "MRR"]
    lines = [f"{len(instances)} instances", "", f"| tool | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    for name, found in rows.items():
        numbers = summarize(instances, found).numbers
        cells = [_cell(numbers[measure][column], measure) for measure, column in _COLUMNS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def gains(instances: Sequence[Instance], rows: Mapping[str, Mapping[str, Row]]) -> list[str]:
    """A Markdown table of what the product finds more than each tool, compared instance by instance, in points."""
    own = rows.get("product")
    if own is None or len(rows) < 2:
        return []
    draws = drawings(len(instances))
    lines = ["", "| product minus | strict @1 | @5 | @10 | any @10 |", "|---|---|---|---|---|"]
    for name, found in rows.items():
        if found is not own:
            pairs = list(zip(judged(instances, own), judged(instances, found), strict=True))
            cells = [
                _points(estimate(mean([_hit(a, hit, k) - _hit(b, hit, k) for a, b in pairs]), draws, len(pairs)))
                for hit, k in ((strict_at, 1), (strict_at, 5), (strict_at, 10), (any_at, 10))
            ]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _tool(name: str, arguments: argparse.Namespace, instances: Sequence[Instance]) -> Tool:
    if name in BASELINES:
        return baseline(name)
    return product_of(arguments, instances, 1 if name == "one_cycle" else None)


def _cell(e: Estimate, measure: str) -> str:
    if e.value is None or e.low is None or e.high is None:
        return "-"
    if measure == "MRR":
        return f"{e.value:.3f} ({e.low:.2f} to {e.high:.2f})"
    return f"{100 * e.value:.1f} ({100 * e.low:.0f} to {100 * e.high:.0f})"


def _hit(item: Judged, hit: Hit, k: int) -> float:
    return float(hit(item.gold, item.ranked, k))


def _points(e: Estimate) -> str:
    if e.value is None or e.low is None or e.high is None:
        return "-"
    return f"{100 * e.value:+.1f} ({100 * e.low:+.0f} to {100 * e.high:+.0f})"


if __name__ == "__main__":
    sys.exit(main())
