"""What enters the answer cache: rules in a fixed order, each with its reason; only what passes all of them is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...state.answer import Answer, CitationCheck
from ...state.caching import AdmissionReason as Reason
from ...state.caching import AdmissionVerdict, CachePolicyGenome, Evidence
from .contract import contract_problem, evidence_of, sources_disagree
from .sensitive import instructs, personal, poses, time_sensitive


@dataclass(frozen=True)
class Proposal:
    """An answer that asks to be kept, and how it came about.

    citations: a check of every source. evidence_texts: of the chunks it was composed from, cited or not. current:
    whether pieces of evidence still have that content. from_cache: whether the cache served it. enabled: whether the
    cache may be written. candidate: whether a genome that is not active took part. error: what failed, '' when nothing.
    """

    question: str
    answer: Answer
    citations: Sequence[CitationCheck]
    evidence_texts: Sequence[str]
    current: Callable[[Sequence[Evidence]], bool]
    from_cache: bool = False
    enabled: bool = True
    candidate: bool = False
    error: str = ""
    warnings: Sequence[str] = field(default_factory=list)


Denial = tuple[Reason, str]
Rule = Callable[[Proposal, CachePolicyGenome], Denial | None]


def admit(proposal: Proposal, policy: CachePolicyGenome) -> AdmissionVerdict:
    """The verdict: the first rule that denies, else ADMITTED."""
    for rule in RULES:
        if denial := rule(proposal, policy):
            return AdmissionVerdict(admitted=False, reason=denial[0], detail=denial[1])
    return AdmissionVerdict(admitted=True, reason=Reason.ADMITTED)


def _from_cache(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    return (Reason.FROM_CACHE, "the cache served it") if proposal.from_cache else None


def _disabled(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    return None if proposal.enabled else (Reason.DISABLED, "the cache is switched off")


def _error(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    return (Reason.ERROR, proposal.error) if proposal.error else None


def _candidate(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    return (Reason.CANDIDATE_GENOME, "shadow traffic never writes") if proposal.candidate else None


def _contract(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    problem = contract_problem(proposal.answer)
    return (Reason.INVALID_CONTRACT, problem) if problem else None


def _empty(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    return None if proposal.answer.answer.strip() else (Reason.EMPTY_ANSWER, "the answer is empty")


def _sources(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    count = len(evidence_of(proposal.answer))
    if policy.require_sources and not count:
        return Reason.NO_SOURCES, "the answer names no source"
    if count < policy.min_sources_count:
        return Reason.TOO_FEW_SOURCES, f"{count} of {policy.min_sources_count} sources"
    return None


def _citations(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    """Every check must say "supported", and every source must have one: a missing check is no check passed."""
    for check in proposal.citations:
        if check.verdict != "supported":
            return Reason.INVALID_CITATION, f"source {check.number}: {check.verdict} {check.detail}".strip()
    unchecked = {source.number for source in proposal.answer.sources} - {check.number for check in proposal.citations}
    return (Reason.INVALID_CITATION, f"source {min(unchecked)} was not checked") if unchecked else None


def _stale(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    evidence = evidence_of(proposal.answer)
    if sources_disagree(proposal.answer.sources) or (evidence and not proposal.current(evidence)):
        return Reason.STALE_SOURCES, "a source changed while the answer was written"
    return None


def _support(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    support = proposal.answer.support
    if support is None:
        return Reason.UNSUPPORTED, "support was not measured"
    if support < policy.min_supportedness:
        return Reason.UNSUPPORTED, f"support {support:.2f}, {policy.min_supportedness:.2f} wanted"
    return None


def _warnings(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    said = [*proposal.answer.warnings, *proposal.warnings]
    return (Reason.WARNINGS, said[0]) if said and policy.block_if_warnings else None


def _key_points(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    count, wanted = len(proposal.answer.key_points), policy.confidence_key_points_min
    return (Reason.TOO_FEW_KEY_POINTS, f"{count} of {wanted} key points") if count < wanted else None


def _time_sensitive(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    cue = time_sensitive(proposal.question)
    return (Reason.TIME_SENSITIVE, f'the question says "{cue}"') if cue else None


def _personal(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    kind = personal(proposal.question)
    return (Reason.PERSONAL, f"the question holds a {kind}") if kind else None


def _injection(proposal: Proposal, policy: CachePolicyGenome) -> Denial | None:
    if order := poses(proposal.question):
        return Reason.INJECTION, f'the question says "{order}"'
    texts = [*proposal.evidence_texts, *(source.quote for source in proposal.answer.sources), proposal.answer.answer]
    order = next((found for text in texts if (found := instructs(text))), "")
    return (Reason.INJECTION, f'the evidence says "{order}"') if order else None


RULES: Sequence[Rule] = (
    _from_cache,
    _disabled,
    _error,
    _candidate,
    _contract,
    _empty,
    _sources,
    _citations,
    _stale,
    _support,
    _warnings,
    _key_points,
    _time_sensitive,
    _personal,
    _injection,
)
"""In this order; the first that denies gives the reason."""

__all__ = ["RULES", "Proposal", "admit"]
