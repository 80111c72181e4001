"""Judges of answers: a deterministic one, and one that asks a model with anchored scales.

Both score completeness, accuracy, sources and conciseness from 0 to 10. Contract violations are settled before anyone
is asked: an empty answer has no completeness, fabricated sources have no points.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..evolution.judging import concision, points, repeated_share, score_of
from ..retrieval.answers.citations import check_citations
from ..retrieval.answers.fences import Fence
from ..retrieval.answers.support import support, support_share
from ..retrieval.passages.words import question_words, words
from ..state.answer import Answer
from ..state.document_ports import ChatModel
from ..state.documents import StoredChunk
from ..state.errors import ModelError
from ..state.evolution import METRICS, Cost
from ..state.spending import Spending
from ..state.trial_ports import Judgement

_SHOWN = 6_000
_EVIDENCE = 5  # best chunks whose words stand in for a missing reference
_SCALE = ["0", "2", "4", "6", "8", "10", "null"]


class AnswerJudge(Protocol):
    """Scores one answer."""

    @property
    def name(self) -> str:
        """Names the judge."""

    @property
    def version(self) -> str:
        """Changes whenever the same answer could be judged otherwise."""

    @property
    def most(self) -> Cost:
        """The most that one judgement takes."""

    def judge(self, question: str, answer: Answer, chunks: Sequence[StoredChunk], reference: str) -> Judgement:
        """The judgement; unmeasured when the judge cannot be read."""


@dataclass(frozen=True)
class OfflineJudge:
    """Coverage of the reference (or of the best evidence), support of sentences, valid citations, length."""

    name: str = "offline"
    version: str = "1"
    most: Cost = field(default_factory=lambda: Cost(calls=1, seconds=30.0))

    def judge(self, question: str, answer: Answer, chunks: Sequence[StoredChunk], reference: str) -> Judgement:
        """The judgement; the same for the same words."""
        said = list(words(answer.answer, answer.language))
        checks = check_citations(answer, list(chunks))
        share = support_share(support(answer, list(chunks), question))
        valid = sum(c.verdict == "supported" for c in checks) / len(checks) if checks else 0.0
        terms = list(words(reference, answer.language))
        metrics = {
            "completeness": points(_coverage(said, reference, question, chunks, answer.language)),
            "accuracy": points(share) if answer.answer else 0.0,
            "sources": points(valid) if answer.answer else 0.0,
            "conciseness": points(concision(len(said), len(terms), repeated_share(said))) if answer.answer else None,
        }
        wrong = [f"source {c.number} {c.verdict}: {c.detail}" for c in checks if c.verdict != "supported"]
        return Judgement(score_of(metrics), metrics=metrics, reasoning="; ".join(wrong), cost=Cost(calls=1))


@dataclass(frozen=True)
class ModelJudge:
    """A model's judgement beside the sources; the contract is checked first. rules: the scales, the file judge.v1."""

    model: ChatModel
    rules: str
    version: str = "2"

    @property
    def name(self) -> str:
        """Names the judge's model."""
        return f"model:{self.model.name}"

    @property
    def most(self) -> Cost:
        """One call, with a repair."""
        return Cost(calls=2, tokens=2 * (_SHOWN + 1_000), seconds=300.0)

    def judge(self, question: str, answer: Answer, chunks: Sequence[StoredChunk], reference: str) -> Judgement:
        """The judgement; unmeasured when the model fails, 0 for an empty answer without asking."""
        if not answer.answer.strip():
            metrics = dict.fromkeys(METRICS, 0.0)
            return Judgement(0.0, metrics=metrics, reasoning="an empty answer", cost=Cost(calls=0))
        case, spending = _case(question, answer, chunks, reference), Spending()
        fence = Fence.around([case])
        try:
            reply = self.model.within(spending).structured(
                f"{self.rules}\n\n{fence.rule}", fence.block("case", case), _SCHEMA
            )
        except ModelError as error:
            return Judgement(None, reasoning=f"unmeasured: {error}", cost=_cost(spending))
        raw = json.dumps(reply, ensure_ascii=False)
        found = {name: _number(reply.get(name)) for name in METRICS}
        if any(c.verdict == "fabricated" for c in check_citations(answer, list(chunks))):
            found["sources"] = 0.0
        reasoning = str(reply.get("reasoning", ""))
        return Judgement(score_of(found), metrics=found, reasoning=reasoning, raw=raw, cost=_cost(spending))


def _cost(spending: Spending) -> Cost:
    """What a judgement took; a call at least, as it was asked for."""
    return Cost(calls=max(1, spending.new.calls), tokens=spending.new.tokens)


_SCHEMA: Mapping[str, Any] = {
    "title": "judgement",
    "type": "object",
    "properties": {
        "reasoning": {"type": "string", "maxLength": 600},
        **{name: {"type": "string", "enum": _SCALE} for name in METRICS},
    },
    "required": ["reasoning", *METRICS],
    "additionalProperties": False,
}


def _coverage(
    said: Sequence[str], reference: str, question: str, chunks: Sequence[StoredChunk], language: str
) -> float | None:
    """Share of the reference's content words that the answer says; of the best evidence's when there is none."""
    if reference:
        wanted = set(question_words(reference, language))
    else:
        asked = set(question_words(question, language))
        evidence = {w for c in chunks[:_EVIDENCE] for w in words(" ".join(c.heading), c.language)}
        wanted = asked | evidence
    return len(wanted & set(said)) / len(wanted) if wanted else None


def _case(question: str, answer: Answer, chunks: Sequence[StoredChunk], reference: str) -> str:
    cited = {s.chunk for s in answer.sources}
    shown = [c for c in chunks if c.key in cited] or list(chunks)[:_EVIDENCE]
    each = _SHOWN // max(1, len(shown))
    case = {
        "question": question[:2_000],
        "answer": answer.answer[:_SHOWN],
        "reference": reference[:_SHOWN],
        "sources": [{"chunk": c.key, "text": c.text[:each]} for c in shown],
    }
    return json.dumps(case, ensure_ascii=False)


def _number(value: object) -> float | None:
    """A criterion as a number; None for null and for what is none."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if 0.0 <= number <= 10.0 else None
