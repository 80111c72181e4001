"""File localization: does the product find the files that a fix touched, given the issue text and the commit before?

usage: python -m benchmarks.localization --instances FILE --mirrors '/some/where/{owner}+{name}/repo' --out FILE
           [--every N] [--limit N] [--ids ID ...] [--jobs 2] [--cache DIR] [--genomes DIR] [--max-cycles N]
           [--baseline rg|bm25] [--llm] [--llm-calls N] [--llm-candidates N] [--mixed] [--score]

Runs a tool over an instances file and appends one row an instance to the predictions file. Run it again after an
interruption: finished instances are kept, failed ones are tried again. Beside the predictions stands a summary
(``FILE.summary.json``): the product's commit and source, versions, machine, settings, and the numbers.
With ``--llm`` every instance runs offline and with the models of the settings (IR_MODEL, OPENAI_BASE_URL, ...); the
summary then compares the two and tells calls, tokens, seconds, cost and agreement.
Exit codes: 0; 1 when an instance failed; 2 when the arguments do not fit; 130 when interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .arguments import add_run_arguments, chosen_instances, guarded, parser_of, product_of
from .instances import Instance
from .llm import ModelProduct, compared, comparison_text, model_product
from .rankers import BASELINES, baseline
from .recording import Recording, record, tell_failures
from .runner import Tool
from .summary import summarize


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; the answer is the exit code."""
    parser = parser_of(__doc__)
    add_run_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="predictions file; its summary stands beside it")
    parser.add_argument(
        "--max-cycles", type=int, choices=(1, 2, 3), help="cycles at most; the profile decides when absent"
    )
    parser.add_argument(
        "--baseline", choices=("none", *BASELINES), default="none", help="run this instead of the product"
    )
    parser.add_argument("--llm", action="store_true", help="with the models of the settings, beside offline")
    parser.add_argument("--llm-calls", type=int, default=2, metavar="N", help="most model calls of an instance")
    parser.add_argument("--llm-candidates", type=int, metavar="N", help="most candidates shown, else the settings'")
    parser.add_argument("--score", action="store_true", help="print the numbers, with 95 %% bootstrap intervals")
    arguments = parser.parse_args(argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    instances = chosen_instances(arguments)
    tool = _tool(arguments, instances)
    further = {"llm": compared} if isinstance(tool, ModelProduct) else {}
    recording = Recording(
        instances,
        arguments.instances.name,
        arguments.mirrors,
        tool,
        arguments.out,
        arguments.jobs,
        arguments.mixed,
        further,
    )
    rows = record(recording)
    if arguments.score:
        print(summarize(instances, rows).as_text())
    if further:
        print(comparison_text(compared(instances, rows)))
    return tell_failures(rows)


def _tool(arguments: argparse.Namespace, instances: Sequence[Instance]) -> Tool:
    if arguments.baseline != "none":
        return baseline(arguments.baseline)
    product = product_of(arguments, instances, arguments.max_cycles)
    if arguments.llm:
        return model_product(product, arguments.llm_calls, arguments.llm_candidates, arguments.out)
    return product


if __name__ == "__main__":
    sys.exit(main())
