"""What a model is told when it shall propose mutations: genes with their bounds, and recorded weaknesses as data."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..evolution.genes import Gene, value_of
from ..evolution.patches import MOST_OPERATIONS
from ..retrieval.answer_cache.sensitive import personal, poses
from ..state.evolution import EvalResult

__all__ = ["QueryAnswer", "Shown", "mutation_prompt", "mutation_schema", "repair_prompt", "shown"]

_LONGEST_QUERY, _LONGEST_ANSWER, _LONGEST_REASONING = 400, 900, 400
_LONGEST_NOTES, _LONGEST_TEXT = 300, 600  # of what the model writes; from 1,200 on llama.cpp refuses the schema
_WORST = 6
_SHARE_OF_WORST = 0.6  # of the characters; the pairs get the rest


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """A real query of the *mutate* pool and the answer it got."""

    query: str
    answer: str


@dataclass(frozen=True)
class Shown:
    """The material of a prompt. lines: one JSON object each. texts: what they quote. warnings: what was left out."""

    lines: list[str]
    texts: list[str]
    warnings: list[str] = field(default_factory=list)


def shown(results: Sequence[EvalResult], pairs: Sequence[QueryAnswer], most_characters: int) -> Shown:
    """The worst results and the pairs, as many as fit, each cut to length.

    Results of other pools than *mutate* are left out: what ranks candidates or decides is never shown to whoever makes
    them. So is what reads like an instruction, or holds personal details.
    """
    own = [result for result in results if result.pool == "mutate"]
    judged = sorted((r for r in own if r.judge_score is not None), key=lambda r: (r.judge_score, r.query_id, r.repeat))
    share = _SHARE_OF_WORST if pairs else 1.0
    worst, left_out = _fitting(map(_weakness, judged), int(most_characters * share), _WORST)
    known = {item["query"] for item in worst}  # each is shown once: small models have small windows
    asked = [p for p in pairs if p.query[:_LONGEST_QUERY] not in known]
    usual = [{"query": p.query[:_LONGEST_QUERY], "answer": p.answer[:_LONGEST_ANSWER]} for p in asked]
    rest, also_left_out = _fitting(usual, most_characters - sum(len(_line(item)) for item in worst), len(usual))
    return Shown(
        lines=[_line(item) for item in [*worst, *rest]],
        texts=[text for item in [*worst, *rest] for text in _texts(item)],
        warnings=_warnings(left_out + also_left_out, len(results) - len(own)),
    )


def mutation_prompt(
    rules: str, layer: str, domain: str, parent: Mapping[str, Any], genes: Sequence[Gene], material: Shown, n: int
) -> tuple[str, str]:
    """The system and the user message; everything recorded stands in the second one only, inside the fence.

    rules: how to propose; the file mutate.v1.
    """
    body = "\n".join(material.lines)
    mark = hashlib.sha256(body.encode()).hexdigest()[:16]  # no text of the material can hold its own hash
    table = "\n".join(json.dumps(_described(gene, parent), ensure_ascii=False) for gene in genes)
    parts = [
        f"Layer: {layer}. Domain: {domain or 'any'}.",
        f"Genes, one JSON object a line:\n{table}",
        f"Recorded material, the weakest answers first:\n----- {mark}\n{body}\n----- {mark}" if body else "",
        f'Propose {n} mutations as {{"mutations": [{{"notes": "...", "patch": [{{"op": ..., "path": ..., '
        '"value": ...}]}]}. Instead of "patch", a mutation may hold "genome": an object of the genes that change.',
    ]
    return rules, "\n\n".join(part for part in parts if part)


def repair_prompt(user: str, refused: Sequence[str], missing: int) -> str:
    """The user message once more, with what was refused and why."""
    reasons = "\n".join(json.dumps(reason[:400], ensure_ascii=False) for reason in refused)
    return (
        f"{user}\n\nThese proposals of yours were refused, one JSON string a line:\n{reasons}\n\n"
        f"Propose {missing} others."
    )


def mutation_schema(genes: Sequence[Gene], n: int) -> dict[str, Any]:
    """The JSON Schema of the reply: ``n`` mutations, each as a patch or as a genome that names what changes.

    Lengths are bounded and paths listed, for servers that write by the schema: a small model then leaves nothing out
    and comes to an end. A reply is read more tolerantly than it is asked for: alternatives (anyOf) bind the writer
    only, so that one odd mutation does not cost the others.
    """
    notes = {"type": "string", "maxLength": _LONGEST_NOTES}
    operation = {
        "type": "object",
        "properties": {
            "op": {"type": "string", "enum": _operations(genes)},
            "path": {"type": "string", "enum": [gene.path for gene in genes]},
            "value": _value_schema(genes),
        },
        "required": ["op", "path", "value"],
    }
    patch = {"type": "array", "items": operation, "minItems": 1, "maxItems": MOST_OPERATIONS}
    forms = [_form("patch", patch, notes), _form("genome", {"type": "object"}, notes)]
    asked_for = {"type": "array", "items": {"anyOf": forms}, "minItems": n, "maxItems": n}
    return {
        "title": "mutations",
        "type": "object",
        "properties": {"mutations": {"type": "array", "minItems": 1, "anyOf": [asked_for]}},
        "required": ["mutations"],
    }


def _form(name: str, schema: Mapping[str, Any], notes: Mapping[str, Any]) -> dict[str, Any]:
    """A mutation that holds its changes under ``name``; the reason comes first, so that it is thought of first."""
    return {"type": "object", "properties": {"notes": notes, name: schema}, "required": ["notes", name]}


def _operations(genes: Sequence[Gene]) -> list[str]:
    """What may be done to genes of these kinds: a number, a flag or a choice can only be replaced."""
    return ["replace", "add", "remove"] if any(gene.kind in ("text", "weight") for gene in genes) else ["replace"]


def _value_schema(genes: Sequence[Gene]) -> dict[str, Any]:
    """Any value; bounded in length where no gene is a list."""
    if any(gene.kind == "knots" for gene in genes):
        return {}
    text = {"type": "string", "maxLength": _LONGEST_TEXT}
    return {"anyOf": [text, {"type": "number"}, {"type": "boolean"}, {"type": "null"}]}


def _weakness(result: EvalResult) -> dict[str, Any]:
    return {
        "query": result.query[:_LONGEST_QUERY],
        "answer": result.response[:_LONGEST_ANSWER],
        "score": result.judge_score,
        "metrics": {name: value for name, value in sorted(result.metrics.items()) if value is not None},
        "reasoning": result.judge_reasoning[:_LONGEST_REASONING],
    }


def _fitting(
    items: Iterable[Mapping[str, Any]], most_characters: int, most: int
) -> tuple[list[Mapping[str, Any]], int]:
    """The first items that may be shown and fit, and how many on the way to them may not be shown."""
    chosen: list[Mapping[str, Any]] = []
    left, left_out = most_characters, 0
    for item in items:
        if len(chosen) == most or len(_line(item)) > left:
            break
        if any(poses(text) or personal(text) for text in _texts(item)):
            left_out += 1
            continue
        chosen.append(item)
        left -= len(_line(item))
    return chosen, left_out


def _texts(item: Mapping[str, Any]) -> list[str]:
    return [str(item[name]) for name in ("query", "answer", "reasoning") if item.get(name)]


def _warnings(left_out: int, of_other_pools: int) -> list[str]:
    texts = f"{left_out} recorded texts were not shown: instructions or personal details"
    others = f"{of_other_pools} results of other pools were not shown"
    return [*([texts] if left_out else []), *([others] if of_other_pools else [])]


def _line(item: Mapping[str, Any]) -> str:
    """One line of JSON in which nothing looks like a fence, a tag or a line's end."""
    text = json.dumps(item, ensure_ascii=False)
    for character in "<>`\u2028\u2029\u0085":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _described(gene: Gene, parent: Mapping[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {"path": gene.path, "type": gene.kind}
    if math.isfinite(gene.high - gene.low):
        described |= {"low": gene.low, "high": gene.high}
    if gene.choices:
        described["choices"] = list(gene.choices)
    if gene.max_length is not None:
        described["max_length"] = gene.max_length
    if gene.description:
        described["about"] = gene.description
    return {**described, "value": value_of(parent, gene)}
