"""How often a worse configuration is promoted: the rule "best of n sampled queries" beside the shipped gate.

usage: python -m benchmarks.promotion_gate --data FILE [--json] [--cycles N] [--seed N]

FILE holds scores of many RAG configurations on the same questions (see benchmarks/README.md); the truth about a
configuration is its mean over all of them. A cycle draws an active configuration and five candidates. The article's
rule scores all six on n questions and promotes the best candidate if it beats the active one. The shipped gate is the
product's own code with its defaults: racing on *select*, then at most three looks at *confirm*.

wrong_promotions: share of promotions that are truly worse. gain: mean true gain per cycle on the scale of 1 to 5, 0
when nobody is promoted; gain_kept: relative to the article's rule with n = 15 on the same kind of data. power: how
often somebody is promoted when a candidate is truly better by more than 0.1. judge_calls: mean per cycle. Intervals
are 95 %: Wilson for shares, normal for means.

Settings: plain; questions drawn with replacement (as from an endless stream; without, the gate's questions are a large
part of the truth and flatter it); a judge with noise of 0.5 and 1.0 per judgement and one or two judgements a question;
pools of *confirm* with fewer queries than the gate would ask; A/A, where all candidates are the active configuration
and every promotion is a false one.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from iterative_retrieval.evolution.gate import GatePolicy
from iterative_retrieval.evolution.racing import RacingPolicy

from .arguments import guarded
from .predictions import BenchmarkError
from .promotion_cycles import CANDIDATES, Cycles, Floats, Setting, article, shipped_gate
from .provenance import provenance

LEFT_OUT = "without-context-gpt-4"  # degenerate: hardly any answer
SIZES = (10, 15, 20)
BASELINE = 15
WORTH_FINDING = 0.1
NOISES = ((0.5, 1), (0.5, 2), (1.0, 1), (1.0, 2))  # standard deviation, judgements
POOLS = (30, 45, 60, 80)  # queries of confirm, fewer than the gate asks at most
SAME_NOISES = ((0.1, 1), (1.0, 1), (1.0, 2))
ARTICLE_TIMES = 40  # its cycles are cheap, so its rates are known to a third of a point
_SAID_EVERY = 500
_Z = 1.96

Progress = Callable[[str, int, int], None]
"""Called with a setting's name, the cycles done and all of them."""

PLAIN = Setting()


def read_scores(path: Path) -> Floats:
    """(n_configurations, n_questions), 1 to 5, by name of the configuration.

    Raises:
        BenchmarkError: the file cannot be read, or does not hold what the gate needs.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["scores"]
        scores = np.array([rows[name] for name in sorted(rows) if name != LEFT_OUT], dtype=np.float64)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchmarkError(f"{path} does not hold scores of configurations: {error}") from error
    needed = RacingPolicy().rounds[-1] + GatePolicy().min_queries
    if scores.ndim != 2 or len(scores) <= CANDIDATES or scores.shape[1] < needed or not np.isfinite(scores).all():
        raise BenchmarkError(
            f"{path}: more than {CANDIDATES} configurations need scores on at least {needed} questions"
        )
    return scores


def summary(cycles: Cycles, baseline: float | None = None) -> dict[str, Any]:
    """The figures of some cycles; baseline: the gain that counts as 1, None when there is none to keep."""
    promoted = ~np.isnan(cycles.gain)
    gains, findable = np.where(promoted, cycles.gain, 0.0), cycles.best > WORTH_FINDING
    wrong, power = int((gains < 0).sum()), int((promoted & findable).sum())
    spread = _Z * float(gains.std()) / math.sqrt(len(gains))
    gain = float(gains.mean())
    return {
        "cycles": len(gains),
        "promotions": _ratio(int(promoted.sum()), len(gains)),
        "promotions_interval": wilson(int(promoted.sum()), len(gains)),
        "wrong_promotions": _ratio(wrong, int(promoted.sum())),
        "wrong_promotions_interval": wilson(wrong, int(promoted.sum())),
        "gain": round(gain, 4),
        "gain_interval": [round(gain - spread, 4), round(gain + spread, 4)],
        "gain_kept": round(gain / baseline, 4) if baseline else None,
        "power": _ratio(power, int(findable.sum())),
        "power_interval": wilson(power, int(findable.sum())),
        "judge_calls": round(float(cycles.calls.mean()), 1),
    }


def wilson(hits: int, n: int) -> list[float] | None:
    """The 95 % interval of a share (Wilson 1927); None of nothing."""
    if not n:
        return None
    p = hits / n
    centre = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    spread = _Z * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
    return [round(max(0.0, centre - spread), 4), round(min(1.0, centre + spread), 4)]


def report(scores: Floats, cycles: int, seed: int, progress: Progress) -> dict[str, Any]:
    """Every setting, the article's rule and the shipped gate beside each other."""

    def rule(n: int, setting: Setting = PLAIN, own_sample: bool = False) -> Cycles:
        return article(scores, n, cycles * ARTICLE_TIMES, seed, setting, own_sample)

    def gate(name: str, setting: Setting = PLAIN, policy: GatePolicy | None = None) -> Cycles:
        return shipped_gate(scores, cycles, seed, setting, lambda done: progress(name, done, cycles), gate=policy)

    def both(name: str, setting: Setting) -> dict[str, Any]:
        usual = rule(BASELINE, setting)
        kept = None if setting.same else usual.mean_gain
        found = {"article": summary(usual, kept), "shipped_gate": summary(gate(name, setting), kept)}
        return {rule: _false(row) for rule, row in found.items()} if setting.same else found

    plain, own = {n: rule(n) for n in SIZES}, {n: rule(n, own_sample=True) for n in SIZES}
    baseline = plain[BASELINE].mean_gain
    return {
        "article": {str(n): summary(found, baseline) for n, found in plain.items()},
        "article_own_sample": {str(n): summary(found, baseline) for n, found in own.items()},
        "shipped_gate": summary(gate("shipped gate"), baseline),
        "pools": {
            str(n): summary(gate(f"{n} queries in confirm", policy=GatePolicy(max_queries=n)), baseline) for n in POOLS
        },
        "replacement": both("with replacement", Setting(replacement=True)),
        "noise": [
            {"sd": sd, "repeats": repeats, **both(f"noise {sd} x{repeats}", Setting(sd, repeats))}
            for sd, repeats in NOISES
        ],
        "a_a": [
            {"sd": sd, "repeats": repeats, **both(f"A/A {sd} x{repeats}", Setting(sd, repeats, same=True))}
            for sd, repeats in SAME_NOISES
        ],
    }


def table(found: Mapping[str, Any]) -> str:
    """The report for reading, as Markdown."""
    lines = [
        "| setting | rule | promotes | wrong promotions | gain per cycle | kept | power | judge calls |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for n in map(str, SIZES):
        lines.append(_line("same questions", f"article, n = {n}", found["article"][n]))
    for n in map(str, SIZES):
        lines.append(_line("own questions each", f"article, n = {n}", found["article_own_sample"][n]))
    lines.append(_line("same questions", "**shipped gate**", found["shipped_gate"]))
    for n in map(str, POOLS):
        lines.append(_line(f"{n} queries in *confirm*", "shipped gate", found["pools"][n]))
    for name, pair in _pairs(found):
        lines.append(_line(name, f"article, n = {BASELINE}", pair["article"]))
        lines.append(_line(name, "shipped gate", pair["shipped_gate"]))
    lines += ["", "| all candidates are the active one | article promotes | shipped gate promotes |", "|---|---|---|"]
    for pair in found["a_a"]:
        rates = " | ".join(_percent(pair[rule], "false_promotions") for rule in ("article", "shipped_gate"))
        lines.append(f"| noise {pair['sd']}, {_times(pair)} | {rates} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="rag_configs_scores.json, see benchmarks/README.md")
    parser.add_argument(
        "--cycles", type=int, default=2_500, help=f"of the gate; the article's rule has {ARTICLE_TIMES}x"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    chosen = parser.parse_args(arguments)
    return guarded(lambda: _run(chosen))


def _run(chosen: argparse.Namespace) -> int:
    if chosen.cycles < 1:
        raise BenchmarkError("--cycles must be at least 1")
    scores = read_scores(chosen.data)
    found = report(scores, chosen.cycles, chosen.seed, _on_stderr(time.monotonic()))
    if chosen.json:
        about = {"configurations": len(scores), "questions": scores.shape[1], "seed": chosen.seed}
        parameters = {"racing": RacingPolicy().model_dump(), "gate": GatePolicy().model_dump()}
        print(json.dumps({**about, **found, "parameters": parameters, "provenance": provenance()}, indent=1))
    else:
        print(table(found))
    return 0


def _false(row: dict[str, Any]) -> dict[str, Any]:
    """The figures of A/A cycles, in which each promotion is a false one and none is a worse or a better one."""
    return {
        "cycles": row["cycles"],
        "false_promotions": row["promotions"],
        "false_promotions_interval": row["promotions_interval"],
        "judge_calls": row["judge_calls"],
    }


def _ratio(hits: int, n: int) -> float | None:
    return round(hits / n, 4) if n else None


def _pairs(found: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "drawn with replacement", found["replacement"]
    for pair in found["noise"]:
        yield f"noise {pair['sd']}, {_times(pair)}", pair


def _times(pair: Mapping[str, Any]) -> str:
    return "judged once" if pair["repeats"] == 1 else f"judged {pair['repeats']} times"


def _line(setting: str, rule: str, row: Mapping[str, Any]) -> str:
    kept = "-" if row["gain_kept"] is None else f"{row['gain_kept']:.0%}"
    return (
        f"| {setting} | {rule} | {_percent(row, 'promotions')} | {_percent(row, 'wrong_promotions')} | "
        f"{row['gain']:.3f} | {kept} | {_percent(row, 'power')} | {row['judge_calls']:.0f} |"
    )


def _percent(row: Mapping[str, Any], key: str) -> str:
    """A share with its interval."""
    if row[key] is None:
        return "-"
    low, high = row[f"{key}_interval"]
    return f"{row[key]:.1%} ({low:.1%} to {high:.1%})"


def _on_stderr(start: float) -> Progress:
    """Says every so often where a setting stands."""

    def progress(name: str, done: int, of: int) -> None:
        if done % _SAID_EVERY == 0 or done == of:
            print(f"{time.monotonic() - start:6.0f} s  {name}: {done} of {of} cycles", file=sys.stderr, flush=True)

    return progress


if __name__ == "__main__":
    sys.exit(main())
