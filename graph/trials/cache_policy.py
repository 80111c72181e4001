"""Layer ``cache_policy``: admission under a candidate's policy, by replay of a labelled request log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from ...evolution.cache_replay import LABELS, Label, decision_score
from ...evolution.pools import query_id
from ...retrieval.answer_cache.admission import Proposal, admit
from ...state.answer import Answer, CitationCheck
from ...state.caching import CachePolicyGenome
from ...state.errors import CallerError
from ...state.evolution import Cost, EvalQuery
from ...state.evolution_run import QuerySource
from ...state.trial_ports import Judgement
from ..docsearch_services import DocsearchServices
from .query_files import read_rows


@dataclass(frozen=True)
class CachePolicyTrial:
    """Labelled answers."""

    asked: tuple[EvalQuery, ...]
    judge: str = "replay"
    judge_version: str = "1"
    most: Cost = field(default_factory=lambda: Cost(calls=1, seconds=10.0))

    def queries(self) -> tuple[EvalQuery, ...]:
        """The answers."""
        return self.asked

    def run(self, genome: BaseModel, query: EvalQuery, repeat: int) -> Judgement:
        """Decide on the stored answer as the graph would, and look at the label."""
        assert isinstance(genome, CachePolicyGenome)
        row = query.reference
        verdict = admit(
            Proposal(
                question=query.text,
                answer=Answer.model_validate(row["answer"]),
                citations=[CitationCheck.model_validate(c) for c in row.get("citations", [])],
                evidence_texts=list(row.get("evidence_texts", [])),
                current=lambda evidence: bool(row.get("current", True)),
                from_cache=False,
                enabled=True,
                candidate=False,
            ),
            genome,
        )
        label = cast(Label, row["label"])
        right = (label == "right") == verdict.admitted
        return Judgement(
            score=decision_score(label, verdict.admitted),
            response=f"{'admitted' if verdict.admitted else 'refused'}: {verdict.reason.value}",
            metrics={"accuracy": 10.0 * right},
            objectives={"no_bad_kept": float(label == "right" or not verdict.admitted)},
            reasoning=f"label {label}",
            cost=Cost(calls=1),
        )


def cache_policy_trial(services: DocsearchServices, domain: str, source: QuerySource) -> CachePolicyTrial:
    """The trial over a file of ``question``, ``answer`` (a whole answer contract) and ``label`` a line.

    Raises:
        CallerError: there is no file, or a row cannot be read.
    """
    if source.queries is None:
        raise CallerError("layer cache_policy needs --queries FILE.jsonl: question, answer, citations and label a line")
    rows = read_rows(source.queries, "question", "answer", "label")[: source.limit]
    return CachePolicyTrial(tuple(_query(number, row) for number, row in enumerate(rows, start=1)))


def _query(number: int, row: dict[str, Any]) -> EvalQuery:
    if row["label"] not in LABELS:
        raise CallerError(f"query {number}: label '{row['label']}' is none of {', '.join(LABELS)}")
    try:
        Answer.model_validate(row["answer"])
    except ValidationError as error:
        raise CallerError(f"query {number}: its answer is no answer: {error.errors()[0]['msg']}") from error
    text = str(row["question"])
    return EvalQuery(
        id=query_id(f"{text} {row['label']} {row['answer'].get('answer', '')}"),
        text=text,
        slice=row["label"],
        cluster=query_id(text),
        reference={k: row[k] for k in ("answer", "citations", "evidence_texts", "current", "label") if k in row},
    )
