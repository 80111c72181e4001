"""What a person is asked, in the form of agent-inbox too, and the answers that are understood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...evolution.diff import field_diff
from ...state.evolution import Review
from ...state.ledger_ports import Submission

_LISTED = 12


class ApprovalResponse(BaseModel):
    """A decision.

    The list with one ``{"type": "accept" | "ignore" | "response", "args": ...}`` of agent-inbox is understood too; it
    names no reviewer, so "agent-inbox" is one.
    """

    model_config = ConfigDict(extra="forbid")

    decision: Literal["approve", "reject"] = Field(description="approve makes the genome active at once.")
    reviewer: str = Field(min_length=1, max_length=200, description="Who decides; not whoever asked for the cycle.")
    reason: str = Field(default="", max_length=4000, description="Why; required for a rejection.")
    version: int | None = Field(default=None, ge=1, description="The version of the genome that was seen.")
    genome_hash: str | None = Field(default=None, min_length=8, description="The hash of the genome that was seen.")

    @model_validator(mode="before")
    @classmethod
    def _inbox(cls, value: Any) -> Any:
        return _from_inbox(value[0]) if isinstance(value, list) and len(value) == 1 else value

    def review(self, asked: Mapping[str, Any]) -> Review:
        """The decision as the ledger takes it; a version or hash left out is the one that was asked about."""
        return Review(
            decision=self.decision,
            reviewer=self.reviewer,
            reason=self.reason,
            version=self.version or int(asked["version"]),
            genome_hash=self.genome_hash or str(asked["genome_hash"]),
        )


def approval_payload(submission: Submission, active: Mapping[str, Any], refusal: str) -> dict[str, Any]:
    """The question: ``action_request``, ``config`` and ``description`` are those of agent-inbox; all values are JSON.

    Args:
        submission: what was submitted.
        active: genes of the active genome.
        refusal: why the last answer was refused, '' at first.
    """
    record, report = submission.genome, submission.report
    diff = field_diff(active, record.genome)
    return {
        "action_request": {
            "action": "approve_genome",
            "args": {
                "genome_id": str(record.id),
                "layer": record.layer,
                "domain": record.domain,
                "genome_hash": record.genome_hash,
                "version": str(record.version),
            },
        },
        "config": {"allow_accept": True, "allow_ignore": True, "allow_respond": True, "allow_edit": False},
        "description": _description(submission, diff, refusal),
        "genome_id": record.id,
        "version": record.version,
        "genome_hash": record.genome_hash,
        "diff": diff,
        "report": report.model_dump(mode="json", exclude={"queries"}),
        "requesters": submission.requesters,
        "expires": submission.expires,
        "refused": refusal if refusal.startswith("refused") else "",
    }


def _description(submission: Submission, diff: Mapping[str, list[Any]], refusal: str) -> str:
    record, report = submission.genome, submission.report
    d = report.difference
    lines = [
        f"## Genome {record.id}: {record.layer} of {record.domain}",
        "",
        f"{report.reason}",
        "",
        f"- difference on confirm: {d.mean:+.3f} [{d.low:+.3f}, {d.high:+.3f}], p {report.p_adjusted:.4f}, n {d.n}",
        f"- won {len(report.won)}, lost {len(report.lost)} queries",
        f"- notes: {_one_line(record.notes)}",
        "",
        "| gene | active | candidate |",
        "|---|---|---|",
        *(f"| {name} | {_cell(old)} | {_cell(new)} |" for name, (old, new) in list(diff.items())[:_LISTED]),
    ]
    warnings = [f"- {_one_line(w)}" for w in report.warnings]
    refused = [f"**{_one_line(refusal)}**", ""] if refusal.startswith("refused") else []
    return "\n".join([*refused, *lines, "", *warnings])


def _from_inbox(item: Any) -> Any:
    """One answer of agent-inbox as fields of a decision; what is none is left for the validation to refuse."""
    if not isinstance(item, Mapping) or item.get("type") not in ("accept", "ignore", "response"):
        return item
    args = item.get("args")
    inner = args.get("args", args) if isinstance(args, Mapping) else {}
    if not isinstance(inner, Mapping):
        inner = {}
    accepted = item["type"] == "accept"
    return {
        "decision": "approve" if accepted else "reject",
        "reviewer": str(inner.get("reviewer") or "agent-inbox"),
        "reason": "" if accepted else (args if isinstance(args, str) and args else "turned down in agent-inbox"),
        "version": inner.get("version"),
        "genome_hash": inner.get("genome_hash"),
    }


def _cell(value: Any) -> str:
    return _one_line(str(value)).replace("|", "\\|")[:200]


def _one_line(text: str) -> str:
    return " ".join(text.split())
