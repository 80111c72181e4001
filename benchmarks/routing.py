"""How often the route of a documentation question is right, per domain and language.

usage: python -m benchmarks.routing [--half test|tuning|all] [--domain NAME ...] [--fit] [--json]

The labelled sets are benchmarks/data/routes.<domain>.jsonl. A fixed hash of the text sends each question to the tuning
or to the test half; cues and constants were made looking at the tuning half only. Beside the classifier stand what its
cues alone, its examples alone, and always naming the commonest type of the tuning half would reach. --fit prints the
constants with the least log loss on the tuning half and the shipped examples.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from iterative_retrieval.evolution.domain_files import load_domain
from iterative_retrieval.retrieval.route_examples import ExampleBook, ExampleVotes
from iterative_retrieval.retrieval.routing import EXAMPLE_WEIGHT, SHARPNESS, QuestionClassifier, probabilities
from iterative_retrieval.state.documents import LANGUAGES
from iterative_retrieval.state.domains import Domain, RouteExample

from .predictions import BenchmarkError

DATA = Path(__file__).parent / "data"
_Z = 1.96
_WEIGHTS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_SHARPNESSES = (0.5, 0.7, 0.9, 1.1, 1.3, 1.6, 2.0)
_BINS = 5


@dataclass(frozen=True, slots=True)
class Judged:
    """One labelled question and what each way of classifying says; sure: not sent to the default profile."""

    gold: str
    language: str
    said: str
    cues_alone: str
    examples_alone: str
    majority: str
    confidence: float
    sure: bool


def half_of(question: str) -> str:
    """The half of a question, "tuning" or "test", by a hash of its text that never changes."""
    return "test" if hashlib.sha256(question.encode()).digest()[0] % 2 else "tuning"


def labelled(domain: str, half: str) -> list[RouteExample]:
    """The labelled questions of a domain in one half, or in both for "all".

    Raises:
        BenchmarkError: there is no such set.
    """
    path = DATA / f"routes.{domain}.jsonl"
    if not path.is_file():
        raise BenchmarkError(f"no labelled set {path.name}; there are {', '.join(sets())}")
    rows = [RouteExample.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if half in ("all", half_of(row.question))]


def sets() -> list[str]:
    """The domains that have a labelled set."""
    return sorted(path.name.split(".")[1] for path in DATA.glob("routes.*.jsonl"))


def judge(domain: str, half: str) -> list[Judged]:
    """What the classifier of a domain says to each question."""
    majority = Counter(row.query_type for row in labelled(domain, "tuning")).most_common(1)[0][0]
    loaded = load_domain(domain)
    classifier = QuestionClassifier(loaded.cues, loaded.examples)
    types = sorted(loaded.routing.profiles)
    judged = []
    for row in labelled(domain, half):
        route = classifier.route(row.question, row.language, loaded.routing)
        cues = probabilities(types, classifier.cues.votes(row.question, row.language).votes, ExampleVotes())
        examples = probabilities(types, {}, classifier.examples.votes(row.question, row.language))
        judged.append(
            Judged(
                gold=row.query_type,
                language=row.language,
                said=route.query_type,
                cues_alone=_best(cues),
                examples_alone=_best(examples),
                majority=majority,
                confidence=route.confidence,
                sure=route.profile != "default",
            )
        )
    return judged


def summary(rows: Sequence[Judged]) -> dict[str, Any]:
    """Shares with Wilson intervals: right at all, when sure, per language, and what the parts reach."""
    sure = [r for r in rows if r.sure]
    return {
        "n": len(rows),
        "accuracy": share(r.said == r.gold for r in rows),
        "default share": share(not r.sure for r in rows),
        "accuracy when confident": share(r.said == r.gold for r in sure),
        "cues alone": share(r.cues_alone == r.gold for r in rows),
        "examples alone": share(r.examples_alone == r.gold for r in rows),
        "commonest type": share(r.majority == r.gold for r in rows),
        "calibration error": calibration_error(rows),
    }


def share(hits: Iterable[bool]) -> list[float] | None:
    """The share of hits and its 95 % Wilson interval (Wilson 1927); None of nothing."""
    values = list(hits)
    n = len(values)
    if not n:
        return None
    p = sum(values) / n
    centre = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    spread = _Z * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
    return [round(p, 4), round(max(0.0, centre - spread), 4), round(min(1.0, centre + spread), 4)]


def calibration_error(rows: Sequence[Judged]) -> float | None:
    """Mean distance of confidence and accuracy over bins of equal size; None of nothing."""
    ordered = sorted(rows, key=lambda r: r.confidence)
    size = max(1, math.ceil(len(ordered) / _BINS))
    bins = [ordered[i : i + size] for i in range(0, len(ordered), size)]
    gaps = [abs(sum(r.confidence for r in b) - sum(r.said == r.gold for r in b)) for b in bins]
    return round(sum(gaps) / len(rows), 4) if rows else None


def confusion(rows: Sequence[Judged]) -> dict[str, dict[str, int]]:
    """Labelled type -> said type -> how often."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        table[row.gold][row.said] += 1
    return {gold: dict(sorted(said.items())) for gold, said in sorted(table.items())}


def report(domains: Sequence[str], half: str) -> dict[str, Any]:
    """Domain -> summary, languages, confusion."""
    result: dict[str, Any] = {}
    for domain in domains:
        rows = judge(domain, half)
        spoken = [language for language in LANGUAGES if any(r.language == language for r in rows)]
        result[domain] = {
            **summary(rows),
            "languages": {lang: summary([r for r in rows if r.language == lang]) for lang in spoken},
            "confusion": confusion(rows),
        }
    return result


def fit(domains: Sequence[str]) -> list[tuple[float, float, float]]:
    """(mean log loss, example weight, sharpness) on the tuning half and the shipped examples, best first.

    The cues were written looking at the tuning half, so it alone would call for too much confidence; each shipped
    example is judged without itself among the examples.
    """
    losses: dict[tuple[float, float], list[float]] = defaultdict(list)
    for domain in domains:
        loaded = load_domain(domain)
        types = sorted(loaded.routing.profiles)
        for row, votes, near in _evidence(loaded, labelled(domain, "tuning")):
            for weight, sharpness in product(_WEIGHTS, _SHARPNESSES):
                chances = probabilities(types, votes, near, example_weight=weight, sharpness=sharpness)
                losses[weight, sharpness].append(-math.log(max(chances[row.query_type], 1e-9)))
    return sorted((round(sum(v) / len(v), 4), *key) for key, v in losses.items())


def _evidence(
    domain: Domain, rows: Sequence[RouteExample]
) -> Iterator[tuple[RouteExample, dict[str, float], ExampleVotes]]:
    classifier = QuestionClassifier(domain.cues, domain.examples)
    for row in rows:
        near = classifier.examples.votes(row.question, row.language)
        yield row, classifier.cues.votes(row.question, row.language).votes, near
    for i, row in enumerate(domain.examples):
        others = ExampleBook([*domain.examples[:i], *domain.examples[i + 1 :]])
        votes = classifier.cues.votes(row.question, row.language).votes
        yield row, votes, others.votes(row.question, row.language)


def as_text(result: dict[str, Any], half: str) -> str:
    """The report as tables; shares in per cent."""
    heads = ["accuracy", "default share", "accuracy when confident", "cues alone", "examples alone", "commonest type"]
    lines = [f"{half} half" if half != "all" else "both halves"]
    lines.append(f"{'':<18}{'n':>4}  " + "  ".join(f"{head:>24}" for head in heads))
    for domain, numbers in result.items():
        for name, row in ((domain, numbers), *((f"  {k}", v) for k, v in numbers["languages"].items())):
            lines.append(f"{name:<18}{row['n']:>4}  " + "  ".join(f"{_interval(row[head]):>24}" for head in heads))
        lines.append(f"  calibration error {numbers['calibration error']}")
        lines += [
            f"  {gold:<16} said " + ", ".join(f"{said} {n}" for said, n in row.items())
            for gold, row in numbers["confusion"].items()
        ]
    return "\n".join(lines)


def _interval(value: list[float] | None) -> str:
    return "-" if value is None else f"{100 * value[0]:.1f} [{100 * value[1]:.1f}, {100 * value[2]:.1f}]"


def _best(chances: dict[str, float]) -> str:
    return max(sorted(chances), key=lambda t: chances[t])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; 2 when the caller asked for something that is not there."""
    from .arguments import guarded

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("test", "tuning", "all"), default="test")
    parser.add_argument("--domain", nargs="+", default=[], metavar="NAME", help="only these domains")
    parser.add_argument("--fit", action="store_true", help="the best constants")
    parser.add_argument("--json", action="store_true")
    return guarded(lambda: _run(parser.parse_args(arguments)))


def _run(chosen: argparse.Namespace) -> int:
    domains = chosen.domain or sets()
    if chosen.fit:
        for loss, weight, sharpness in fit(domains)[:5]:
            print(f"log loss {loss:.4f}  EXAMPLE_WEIGHT {weight}  SHARPNESS {sharpness}")
        print(f"in use: EXAMPLE_WEIGHT {EXAMPLE_WEIGHT}  SHARPNESS {SHARPNESS}")
        return 0
    result = report(domains, chosen.half)
    print(json.dumps(result, ensure_ascii=False, indent=1) if chosen.json else as_text(result, chosen.half))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
