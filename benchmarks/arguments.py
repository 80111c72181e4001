"""What the benchmarks' command lines share."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from .instances import Instance, chosen, mirror_of, read_instances
from .predictions import BenchmarkError
from .product import Product


def parser_of(text: str | None) -> argparse.ArgumentParser:
    """A parser with a module's docstring as its help, and the arguments of every benchmark over instances."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=Path, required=True, help="JSON lines, see benchmarks/README.md")
    parser.add_argument(
        "--mirrors", required=True, metavar="TEMPLATE", help="git directories: '/some/where/{owner}+{name}/repo'"
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth instance: a fair sample")
    parser.add_argument("--limit", type=int, help="only the first so many of them")
    parser.add_argument("--ids", nargs="+", default=[], metavar="ID", help="only these instances")
    return parser


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what every run of the product over instances asks for."""
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--cache", type=Path, help="folder of indexes; the user's own when absent")
    parser.add_argument(
        "--genomes", type=Path, help="folder of genomes <owner>__<name>.json, each fitted without that repository"
    )
    parser.add_argument("--mixed", action="store_true", help="go on although the rows so far were made in another way")


def chosen_instances(arguments: argparse.Namespace) -> list[Instance]:
    """The instances that the arguments choose.

    Raises:
        BenchmarkError: none is chosen, an id is unknown, or the template does not fit.
    """
    try:
        rows = read_instances(arguments.instances)
    except (OSError, ValueError) as error:
        raise BenchmarkError(f"cannot read the instances: {error}") from error
    if unknown := sorted(set(arguments.ids) - {i["instance_id"] for i in rows}):
        raise BenchmarkError(f"{arguments.instances} has no {', '.join(unknown)}")
    picked = list(chosen(rows, arguments.ids, None))[:: max(1, arguments.every)][: arguments.limit]
    if not picked:
        raise BenchmarkError("no instance is chosen; see --every, --limit and --ids")
    try:
        mirror_of(picked[0], arguments.mirrors)
    except (KeyError, IndexError, ValueError) as error:
        raise BenchmarkError(f"--mirrors takes {{owner}} and {{name}}, not {error}") from error
    return picked


def cache_folder(arguments: argparse.Namespace) -> Path:
    """The folder of indexes: as said, else this user's own."""
    if arguments.cache:
        return Path(arguments.cache).absolute()
    from iterative_retrieval.graph.settings import Settings

    return Settings().cache_dir


def product_of(arguments: argparse.Namespace, instances: Sequence[Instance], max_cycles: int | None) -> Product:
    """The product as the arguments want it; repositories without a held-out genome are named on standard error.

    Raises:
        BenchmarkError: there is no such folder of genomes.
    """
    if arguments.genomes and not arguments.genomes.is_dir():
        raise BenchmarkError(f"there is no folder {arguments.genomes} of genomes")
    tool = Product(cache_folder(arguments), max_cycles, arguments.genomes and arguments.genomes.absolute())
    if missing := tool.without_genome(instances):
        print(f"no held-out genome, so the shipped one serves: {', '.join(missing)}", file=sys.stderr)
    return tool


def guarded(work: Callable[[], int]) -> int:
    """The exit code of ``work``; what the caller can mend is one line on standard error (2), a stop gives 130."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return work()
    except BenchmarkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; run the same command again to go on", file=sys.stderr)
        return 130
    finally:
        signal.signal(signal.SIGTERM, before)
