"""A model's word on the type of a question; whatever it does wrong, the offline route stands in and says so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..state.document_ports import ChatModel
from ..state.errors import ModelError, ModelUnreadable
from ..state.routing import Route, RoutingGenome

CONFIDENCES: Mapping[str, float] = {"high": 0.95, "medium": 0.75, "low": 0.3}
"""What the model's word counts; "low" means two types fit equally well, so the default profile serves."""

_MOST_CHARACTERS = 4_000


def classify_with_model(model: ChatModel, rules: str, question: str, genome: RoutingGenome, offline: Route) -> Route:
    """The model's route; ``offline`` with the failure in its reason when the model fails or names an unknown type.

    rules: what holds of every question; the file classify.v1.
    """
    if not genome.profiles:
        return offline
    system, user = classifier_prompt(rules, question, genome)
    try:
        query_type, confidence = _read(model.structured(system, user, classifier_schema(genome)), genome)
    except ModelError as error:
        return offline.model_copy(update={"reason": f"{offline.reason}; the model did not classify: {error}"})
    return Route(
        query_type=query_type,
        profile=query_type if CONFIDENCES[confidence] >= genome.min_confidence else "default",
        confidence=CONFIDENCES[confidence],
        reason=f"{model.name} says {query_type}, confidence {confidence}; offline: {offline.query_type}",
    )


def classifier_prompt(rules: str, question: str, genome: RoutingGenome) -> tuple[str, str]:
    """The system and the user message; the question stands in the second one only, as a JSON string."""
    profiles = "\n".join(f"- {name}: {profile.system_prompt}" for name, profile in sorted(genome.profiles.items()))
    system = f"{genome.classifier_prompt}\n\nTypes, and how each is answered:\n{profiles}\n\n{rules}".strip()
    return system, "Question: " + json.dumps(_shortened(question), ensure_ascii=False)


def classifier_schema(genome: RoutingGenome) -> dict[str, Any]:
    """The JSON Schema of the model's reply: one of the genome's query types, and how sure it is."""
    return {
        "title": "question_type",
        "type": "object",
        "properties": {
            "query_type": {"type": "string", "enum": sorted(genome.profiles)},
            "confidence": {"type": "string", "enum": list(CONFIDENCES)},
        },
        "required": ["query_type", "confidence"],
        "additionalProperties": False,
    }


def _read(reply: Mapping[str, Any], genome: RoutingGenome) -> tuple[str, str]:
    query_type, confidence = reply.get("query_type"), reply.get("confidence")
    if not isinstance(query_type, str) or query_type not in genome.profiles:
        raise ModelUnreadable(f"unknown query type {_shown(query_type)}")
    if not isinstance(confidence, str) or confidence not in CONFIDENCES:
        raise ModelUnreadable(f"unknown confidence {_shown(confidence)}")
    return query_type, confidence


def _shown(value: object) -> str:
    return repr(value)[:60]


def _shortened(question: str) -> str:
    if len(question) <= _MOST_CHARACTERS:
        return question
    half = _MOST_CHARACTERS // 2
    return f"{question[:half]} … {question[-half:]}"
