"""The one object that ``--json`` prints. Its keys are a promise; docs/cli.md lists them."""

from __future__ import annotations

import json

from ..state.package import ContextPackage, CycleTrace, FileContext


def package_object(package: ContextPackage, seconds: float) -> dict[str, object]:
    """The package as plain values. seconds: how long the request took.

    The ranking after each single cycle stays out: it repeats ``ranked`` and is for measuring, through the Python API.
    """
    return {
        "task": package.task,
        "root": package.root,
        "ref": package.ref,
        "query_type": package.query_type.value,
        "profile": package.profile,
        "files": [_file(file) for file in package.files],
        "ranked": package.ranked,
        "functions": package.functions,
        "gaps": [gap.model_dump() for gap in package.gaps],
        "cycles": [_cycle(cycle) for cycle in package.cycles],
        "stopped_by": package.stopped_by.value,
        "sufficient": package.sufficient,
        "tokens": package.tokens,
        "budget": package.budget,
        "seconds": round(seconds, 3),
        "left_out": package.left_out,
        "warnings": package.warnings,
        "gap": package.gap,
        "fingerprint": package.fingerprint,
        "advice": [advice.model_dump() for advice in package.advice],
    }


def dumps(value: dict[str, object]) -> str:
    r"""``value`` as indented JSON in ASCII, so that a path that is not UTF-8 (kept as ``\udcXX``) cannot break it."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, indent=2)


def _file(file: FileContext) -> dict[str, object]:
    return {
        "path": file.path,
        "relevance": file.relevance,
        "probability": file.probability,
        "band": file.band.value,
        "role": file.role,
        "cycle": file.cycle,
        "reason": file.reason,
        "missing_context": file.missing_context,
        "spans": [[span.first, span.last] for span in file.spans],
        "symbols": [span.symbol for span in file.spans],
        "known": [[span.first, span.last] for span in file.known],
    }


def _cycle(cycle: CycleTrace) -> dict[str, object]:
    return cycle.model_dump(exclude={"ranking"})
