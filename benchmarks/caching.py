"""How often does the answer cache take one question for another, and how often does it know a paraphrase?

Every pair of ``cache_pairs.py`` is put to the guard, (a) as if similarity and evidence had passed, which is the worst
case, and (b) beside the similarity of a real embedder. A *wrong hit* is a pair that needs different answers and would
share one. Evidence agreement needs an index; ``measure`` takes it as a function.

    python -m benchmarks.caching [--json] [--embedder NAME] [--threshold 0.9] [--every N] [--half dev|heldout]
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iterative_retrieval.retrieval.answer_cache.guard import compare_readings
from iterative_retrieval.retrieval.answer_cache.normalise import normalise
from iterative_retrieval.retrieval.answer_cache.reading import Reading, read_question
from iterative_retrieval.state.document_ports import Embedder

from .cache_pairs import Pair, pairs, polarity_pairs
from .predictions import BenchmarkError
from .provenance import provenance

_Z = 1.959964  # of a 95 % interval

Agreement = Callable[[Pair], bool]
"""Whether a further test lets a pair share an answer."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its Wilson interval."""

    count: int
    of: int

    @property
    def share(self) -> float:
        """0 to 1; 0 of nothing is 0."""
        return self.count / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of Wilson 1927, 0 to 1."""
        if not self.of:
            return 0.0, 1.0
        p, n, zz = self.share, self.of, _Z * _Z
        middle, half = p + zz / (2 * n), _Z * math.sqrt(p * (1 - p) / n + zz / (4 * n * n))
        return max(0.0, (middle - half) / (1 + zz / n)), min(1.0, (middle + half) / (1 + zz / n))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        low, high = self.interval
        return {"count": self.count, "of": self.of, "share": self.share, "low": low, "high": high}


def guard_agrees() -> Agreement:
    """The guard; each question is read once."""
    readings: dict[tuple[str, str], Reading] = {}

    def reading(question: str, language: str) -> Reading:
        if (question, language) not in readings:
            readings[question, language] = read_question(question, language)
        return readings[question, language]

    return lambda pair: compare_readings(reading(pair.a, pair.language), reading(pair.b, pair.language)).agrees


def spelled_alike(pair: Pair) -> bool:
    """Whether the pair is an exact hit."""
    return normalise(pair.a, pair.language) == normalise(pair.b, pair.language)


def similarities(embedder: Embedder, tested: Sequence[Pair], batch: int = 64) -> Mapping[frozenset[str], float]:
    """Pair of questions -> cosine."""
    texts = list(dict.fromkeys(text for pair in tested for text in (pair.a, pair.b)))
    place = {text: number for number, text in enumerate(texts)}
    vectors = [v for start in range(0, len(texts), batch) for v in embedder.questions(texts[start : start + batch])]
    return {frozenset((p.a, p.b)): float(vectors[place[p.a]] @ vectors[place[p.b]]) for p in tested}


def measure(tested: Iterable[Pair], agreement: Agreement, further: Agreement = lambda _: True) -> dict[str, Any]:
    """Wrong hits and hits of a rule. further: what else must agree, such as similarity or evidence."""
    served = [(pair, agreement(pair) and further(pair)) for pair in tested]
    different = [(p, hit) for p, hit in served if not p.same]
    same = [(p, hit) for p, hit in served if p.same]
    return {
        "wrong_hits": _rate(different).as_dict(),
        "wrong_hits_by_kind": _by(different, lambda p: p.kind),
        "wrong_hits_by_language": _by(different, lambda p: p.language),
        "hits": _rate(same).as_dict(),
        "hits_by_language": _by(same, lambda p: p.language),
        "hits_by_half": _by(same, lambda p: p.half),
        "wrong": [f"{p.kind}: {p.a} | {p.b}" for p, hit in different if hit],
    }


def run(half: str | None, every: int, threshold: float, embedder: Embedder | None) -> dict[str, Any]:
    """All that is reported. half: "dev" or "heldout" pairs only."""
    tested = [p for p in pairs() if half in (None, p.half)][:: max(1, every)]
    polar = [p for p in polarity_pairs() if half in (None, p.half)]
    if not tested:
        raise BenchmarkError("no pair is chosen; see --every and --half")
    guard = guard_agrees()
    report: dict[str, Any] = {
        "pairs": len(tested),
        "paraphrases": sum(p.same for p in tested),
        "spelling alone": measure(tested, spelled_alike),
        "guard alone": measure(tested, guard),
        "polarity": {part: measure((p for p in polar if p.half == part), guard) for part in ("dev", "heldout")},
    }
    if embedder is not None:
        alike = similarities(embedder, [*tested, *polar])

        def similar(pair: Pair) -> bool:
            return alike[frozenset((pair.a, pair.b))] >= threshold

        report["embedder"] = {"name": embedder.name, "threshold": threshold}
        report["similarity alone"] = measure(tested, similar)
        report["similarity alone, polarity"] = measure(polar, similar)
        report["guard and similarity"] = measure(tested, guard, similar)
        report["hits by threshold"] = _sweep(tested, guard, alike)
    return report


def _sweep(tested: Sequence[Pair], guard: Agreement, alike: Mapping[frozenset[str], float]) -> dict[str, Any]:
    """Threshold -> hits on paraphrases and wrong hits, of similarity alone and with the guard."""
    agreed = {p: guard(p) for p in tested}
    rows = {}
    for threshold in (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95):
        above = [(p, alike[frozenset((p.a, p.b))] >= threshold) for p in tested]
        rows[f"{threshold:.2f}"] = {
            "hits": _rate([(p, hit and agreed[p]) for p, hit in above if p.same]).as_dict(),
            "wrong_hits": _rate([(p, hit and agreed[p]) for p, hit in above if not p.same]).as_dict(),
            "hits, similarity alone": _rate([(p, hit) for p, hit in above if p.same]).as_dict(),
            "wrong_hits, similarity alone": _rate([(p, hit) for p, hit in above if not p.same]).as_dict(),
        }
    return rows


def _rate(served: Sequence[tuple[Pair, bool]]) -> Rate:
    return Rate(sum(hit for _, hit in served), len(served))


def _by(served: Sequence[tuple[Pair, bool]], name: Callable[[Pair], str]) -> dict[str, Any]:
    groups: dict[str, list[tuple[Pair, bool]]] = defaultdict(list)
    for pair, hit in served:
        groups[name(pair)].append((pair, hit))
    return {group: _rate(groups[group]).as_dict() for group in sorted(groups)}


def _embedder(name: str, folder: Path | None) -> Embedder | None:
    """The embedder of that name, the installed default for "auto", None for "none" or when none is installed."""
    if name == "none":
        return None
    from iterative_retrieval.graph.settings import Settings
    from iterative_retrieval.stores.embedders import default_embedder, embedder_named

    folder = folder or Settings().cache_dir / "embedders"
    found = default_embedder(folder) if name == "auto" else embedder_named(name, folder)
    if found is None and name != "auto":
        raise BenchmarkError(f"no embedder {name!r} is installed")
    return found


def _lines(report: Mapping[str, Any]) -> Iterable[str]:
    yield f"{report['pairs']} pairs, {report['paraphrases']} of them paraphrases"
    for name in ("spelling alone", "guard alone", "similarity alone", "guard and similarity"):
        if name in report:
            yield f"{name:22} wrong {_shown(report[name]['wrong_hits'])}   hits {_shown(report[name]['hits'])}"
    for title in ("wrong_hits_by_kind", "wrong_hits_by_language", "hits_by_language", "hits_by_half"):
        yield f"guard alone, {title}:"
        yield from (f"  {group:16} {_shown(rate)}" for group, rate in report["guard alone"][title].items())
    for part, found in report["polarity"].items():
        if found["wrong_hits"]["of"]:
            yield f"polarity, {part:12} wrong {_shown(found['wrong_hits'])}"
    for threshold, row in report.get("hits by threshold", {}).items():
        yield f"similarity >= {threshold}: " + "; ".join(f"{name} {_shown(rate)}" for name, rate in row.items())
    for name in ("guard alone",):
        yield from (f"WRONG {pair}" for pair in report[name]["wrong"])
    yield from (f"WRONG {pair}" for found in report["polarity"].values() for pair in found["wrong"])


def _shown(rate: Mapping[str, Any]) -> str:
    return f"{rate['count']}/{rate['of']} = {rate['share']:.2%} ({rate['low']:.2%} to {rate['high']:.2%})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; exit code 2 with one line when the arguments cannot be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="the whole report as JSON, with versions and machine")
    parser.add_argument("--embedder", default="auto", help="its name; 'auto' for the installed one, 'none' for none")
    parser.add_argument("--embedder-folder", type=Path, help="where converted models are kept")
    parser.add_argument("--threshold", type=float, default=0.9, help="least similarity of a hit")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth pair")
    parser.add_argument("--half", choices=("dev", "heldout"), help="only this half of the seeds")
    chosen = parser.parse_args(arguments)
    try:
        embedder = _embedder(chosen.embedder, chosen.embedder_folder)
        report = run(chosen.half, chosen.every, chosen.threshold, embedder)
    except BenchmarkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if chosen.json:
        print(json.dumps({**report, "provenance": provenance()}, ensure_ascii=False, indent=1))
    else:
        print("\n".join(_lines(report)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
