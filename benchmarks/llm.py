"""The LLM mode as it is measured: each instance once offline and once with the models of the settings, side by side."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import measures as m
from .instances import Instance
from .predictions import BenchmarkError, Row
from .product import Product, row_of, services_of
from .summary import Numbers, numbers_of

if TYPE_CHECKING:
    from iterative_retrieval.graph.services import Services

_MEASURES = ("files, strict", "files, any", "MRR", "context holds all gold", "calibration error", "seconds, median")
_TAKEN = ("calls", "tokens_in", "tokens_out", "seconds", "cost")


@dataclass(frozen=True)
class ModelProduct(Product):
    """The product with language models, beside itself offline; endpoint and keys come from the settings.

    models: role -> name. calls: most model calls of an instance. candidates: most that a model chooses among. memory:
    file of remembered replies and agreements; a run of its own, so that it can be repeated.
    """

    models: tuple[tuple[str, str], ...] = ()
    calls: int = 2
    candidates: int = 50
    memory: Path = Path("advice.sqlite")

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"{super().name}, {' and '.join(sorted({name for _, name in self.models}))}, {self.calls} calls"

    def settings(self) -> dict[str, Any]:
        """What makes two runs comparable; the endpoint's place is not told."""
        own = {"models": dict(self.models), "llm_calls": self.calls, "llm_candidates": self.candidates}
        return {**super().settings(), **own}

    def predict(self, instance: Instance, root: str) -> Row:
        """The row of one instance: the result with models; under ``offline`` the one without, under ``advice`` why."""
        from iterative_retrieval import retrieve

        offline = super().predict(instance, root)
        services = _with_models(self, self.genome_of(instance["repo"]))
        started = time.perf_counter()
        result = retrieve(
            instance["problem_statement"],
            root,
            ref=instance["base_commit"],
            max_cycles=self.max_cycles,
            services=services,
            llm=True,
            max_llm_calls=self.calls,
        )
        return {
            **offline,
            **row_of(result),
            "seconds": round(time.perf_counter() - started, 3),
            "advice": [a.model_dump(mode="json") for a in result.advice],
            "offline": {k: v for k, v in offline.items() if k not in ("instance_id", "genome", "indexing_seconds")},
        }


def model_product(product: Product, calls: int, candidates: int | None, out: Path) -> ModelProduct:
    """The tool of a run with the models that the settings name.

    Raises:
        BenchmarkError: the settings name none.
    """
    from iterative_retrieval.graph.settings import load_settings

    settings = load_settings()
    names = {"planner": settings.model_of("planner"), "evaluator": settings.model_of("evaluator")}
    models = tuple((role, name) for role, name in names.items() if name)
    if not models:
        raise BenchmarkError("--llm needs a model: set IR_MODEL, and OPENAI_BASE_URL unless it is OpenAI's")
    memory = out.absolute().with_name(f"{out.name.removesuffix('.jsonl')}.advice.sqlite")
    wanted = candidates or settings.llm_candidates
    return ModelProduct(product.cache, product.max_cycles, product.genomes, models, calls, wanted, memory)


def compared(instances: Sequence[Instance], rows: Mapping[str, Row]) -> dict[str, Any]:
    """Offline and with models side by side, and what the models took; plain values."""
    offline = {i: {**row.get("offline", {}), "instance_id": i} for i, row in rows.items()}
    sides = {"offline": numbers_of(m.judged(instances, offline)), "with models": numbers_of(m.judged(instances, rows))}
    advice = [a for row in rows.values() for a in row.get("advice", [])]
    return {
        "measures": {name: {side: _values(sides[side], name) for side in sides} for name in _MEASURES},
        "better, worse, equal": _moved(instances, rows, offline),
        "taken": {name: round(sum(a[name] for a in advice), 6) for name in _TAKEN},
        "taken, an instance": {name: round(sum(a[name] for a in advice) / max(1, len(rows)), 4) for name in _TAKEN},
        "advice": {role: _outcomes([a for a in advice if a["role"] == role]) for role in _roles(advice)},
    }


def comparison_text(told: Mapping[str, Any]) -> str:
    """The comparison as a table for people."""
    lines = [f"{'':<28}{'offline':>12}{'with models':>14}"]
    for name, sides in told["measures"].items():
        for column, value in sides["with models"].items():
            cells = [_shown(sides["offline"].get(column)), _shown(value)]
            lines.append(f"{f'{name} {column}'.strip():<28}{cells[0]:>12}{cells[1]:>14}")
    lines.append(f"first gold file: {', '.join(f'{n} {word}' for word, n in told['better, worse, equal'].items())}")
    lines.append(f"taken: {', '.join(f'{name} {value:g}' for name, value in told['taken'].items())}")
    for role, found in told["advice"].items():
        lines.append(f"{role}: {', '.join(f'{name} {value}' for name, value in found.items())}")
    return "\n".join(lines)


def _values(numbers: Numbers, name: str) -> dict[str, float | None]:
    return {column: e.value for column, e in numbers.get(name, {}).items()}


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _moved(instances: Sequence[Instance], rows: Mapping[str, Row], offline: Mapping[str, Row]) -> dict[str, int]:
    """How many instances have their first gold file higher than offline, lower, at the same place."""
    counts = {"better": 0, "worse": 0, "equal": 0}
    for instance in instances:
        name, gold = instance["instance_id"], instance["gold_files"]
        before = m.reciprocal_rank(gold, offline.get(name, {}).get("files", []))
        now = m.reciprocal_rank(gold, rows.get(name, {}).get("files", []))
        counts["better" if now > before else "worse" if now < before else "equal"] += 1
    return counts


def _roles(advice: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted({a["role"] for a in advice})


def _outcomes(advice: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    outcomes = {name: sum(a["outcome"] == name for a in advice) for name in ("used", "weightless", "failed", "skipped")}
    agreed = [a["agreement"] for a in advice if a["agreement"] is not None]
    told: dict[str, Any] = {name: n for name, n in outcomes.items() if n}
    if agreed:
        told["mean agreement"] = round(sum(agreed) / len(agreed), 3)
    told["mean weight"] = round(sum(a["weight"] for a in advice) / max(1, len(advice)), 3)
    told["followed the order"] = sum("follows the order" in a["detail"] for a in advice)
    return told


@lru_cache(maxsize=1)
def _with_models(tool: ModelProduct, genome: Path | None) -> Services:
    """The services of this process, with the models of the settings and a memory of the run's own."""
    from iterative_retrieval.graph.model_roles import Models
    from iterative_retrieval.graph.prompts import advice_prompts
    from iterative_retrieval.graph.services import Services
    from iterative_retrieval.graph.settings import load_settings
    from iterative_retrieval.nodes.advice.asking import Advisers
    from iterative_retrieval.stores.advice import SqlAdviceMemory

    offline = services_of(tool.cache, genome)
    memory = SqlAdviceMemory(tool.memory)
    advisers = Advisers(Models(load_settings()), advice_prompts(), memory, tool.calls, tool.candidates)
    return Services(offline.workspaces, offline.genomes, advisers)
