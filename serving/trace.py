"""The cycles as they happen, shaped like the worked examples of the original text.

Cycle 1:
  DISPATCH: Search for "token", "auth" in src/** (212 candidates)
  EVALUATE: Found auth.ts (0.90), tokens.ts (0.80), user.ts (0.30)
  REFINE:   Add "refresh", "jwt"; exclude 1 file
"""

from __future__ import annotations

from rich.text import Text

from ..state.advice import Advice
from ..state.candidate import Gap, GapKind, band_of
from ..state.package import StopReason
from ..state.progress import (
    Advised,
    AnswerComposed,
    AnswerToken,
    CacheAsked,
    CycleDispatched,
    CycleEvaluated,
    CycleRefined,
    CycleStarted,
    GenomeJudged,
    IndexProgress,
    LoopDecided,
    MutationsProposed,
    PastRead,
    Progress,
    RaceDecided,
    Routed,
)
from ..state.query import Query
from .lines import BAND_STYLES, Line, line, listing, printable

SHOWN_WORDS = 8
SHOWN_FILES = 5
SHOWN_RELEVANCE = 0.2  # below, the rubric says "not relevant"

STOP_WORDS = {
    StopReason.SUFFICIENT: "Sufficient context",
    StopReason.SATURATED: "Nothing new to be had",
    StopReason.MAX_CYCLES: "That was the last cycle",
    StopReason.NOTHING_FOUND: "Nothing relevant found, nothing left to try",
}


_TOLD_EVERY = 20
"""Past commits between two lines."""


def trace_lines(event: Progress) -> list[Line]:
    """The lines that tell ``event``; none for events that only move a progress bar."""
    match event:
        case Routed():
            return [_routed(event)]
        case CycleDispatched():
            return [line(), line(f"Cycle {event.cycle}:", style="bold"), _dispatched(event)]
        case CycleEvaluated():
            return [_step("EVALUATE:", _evaluated(event))]
        case CycleRefined():
            return [_step("REFINE:", Text(_refined(event)))]
        case Advised():
            return [_advised(event.advice)]
        case LoopDecided(decision=StopReason() as stop):
            return [_step("STOP:", Text(_with_reason(STOP_WORDS[stop], event.reason)))]
        case CacheAsked(hit=True):
            return [line(f"Served from the cache ({event.reason})", style="dim")]
        case PastRead(stage="asking") if event.done == event.total or event.done % _TOLD_EVERY == 0:
            return [_step("ASKED:", Text(f"{event.done:,} of {event.total:,} past commits"))]
        case CycleStarted():
            sizes = ", ".join(f"{number:,} {printable(pool)}" for pool, number in event.queries.items())
            return [line(f"Cycle {printable(event.cycle)}: genome {event.parent}, queries {sizes}", style="bold")]
        case MutationsProposed():
            return _proposed(event)
        case GenomeJudged() if event.done == event.total:
            return [_step("JUDGED:", Text(_judged(event)))]
        case RaceDecided():
            return _raced(event)
        case _:
            return []


def activity(event: Progress) -> str:
    """What is being done once ``event`` has happened, for a progress line."""
    match event:
        case IndexProgress():
            return f"indexing: {printable(event.phase)}"
        case PastRead():
            return "reading the past" if event.stage == "mining" else "asking past commits"
        case CycleDispatched():
            return f"cycle {event.cycle}: judging {event.candidates:,} candidates"
        case CycleEvaluated():
            return f"cycle {event.cycle}: deciding"
        case CycleRefined() | Routed():
            return "searching"
        case Advised():
            return "weighing advice"
        case GenomeJudged():
            return f"judging: {_judged(event)}"
        case AnswerToken():
            return "writing the answer"
        case AnswerComposed():
            return "checking the answer"
        case _:
            return "packing"


def _advised(advice: Advice) -> Line:
    """``planner m: look for "expires"; 1 call, 210 tokens, 0.8 s``; dim when nothing of it counts."""
    words = f"{advice.role} {printable(advice.model)}".rstrip()
    outcome = "" if advice.outcome in ("used", "weightless") else f" {advice.outcome}"
    calls = f"{advice.calls} {'call' if advice.calls == 1 else 'calls'}"
    tokens = f"{advice.tokens_in + advice.tokens_out:,} tokens, {advice.seconds:.1f} s"
    took = "; remembered" if advice.remembered else f"; {calls}, {tokens}" if advice.calls else ""
    cost = f", cost {advice.cost:.4g}" if advice.cost else ""
    style = "" if advice.outcome == "used" else "dim"
    return _step("MODEL:", Text(f"{words}{outcome}: {printable(advice.detail)}{took}{cost}", style))


def _proposed(event: MutationsProposed) -> list[Line]:
    rows = [_step("PROPOSED:", Text(f"genome {genome}: {printable(notes)}")) for genome, notes in event.notes.items()]
    return [*rows, *(_step("DROPPED:", Text(printable(why), "dim")) for why in event.refused)]


def _judged(event: GenomeJudged) -> str:
    score = "unmeasured" if event.score is None else f"mean {event.score:.2f}"
    left = "" if event.calls_left is None else f", {event.calls_left:,} calls left"
    return f"genome {event.genome} on {event.pool}: {event.done:,} of {event.total:,}, {score}{left}"


def _raced(event: RaceDecided) -> list[Line]:
    names = ", ".join(f"genome {genome}" for genome in event.go_on) or "nobody"
    head = f"{names} {'goes' if len(event.go_on) < 2 else 'go'} on" if event.stage == "select" else names
    rows = [_step("RACE:" if event.stage == "select" else "GATE:", Text(_with_reason(head, event.reason)))]
    return [*rows, *(_step("STOPPED:", Text(f"genome {g}: {printable(w)}", "dim")) for g, w in event.stopped.items())]


def _routed(event: Routed) -> Line:
    kind = event.query_type.replace("_", " ")
    words = f"Task read as {kind} ({event.confidence:.2f}), profile {printable(event.profile)}"
    return line(_with_reason(words, event.reason), style="dim")


def _dispatched(event: CycleDispatched) -> Line:
    return _step("DISPATCH:", Text(f"{search_words(event.query)} ({event.candidates:,} candidates)"))


def search_words(query: Query) -> str:
    """What ``query`` searches for, in words."""
    words = f"Search for {_quoted(query.keywords)}" if query.keywords else "Search"
    if query.patterns:
        words += f" in {listing(query.patterns, SHOWN_WORDS)}"
    if query.focus_areas:
        words += f", looking for {listing(query.focus_areas, SHOWN_WORDS)}"
    return f"{words}, without {_paths(len(query.excludes))}" if query.excludes else words


def _evaluated(event: CycleEvaluated) -> Text:
    relevant = [(path, relevance) for path, relevance in event.top if relevance >= SHOWN_RELEVANCE]
    text = _found(relevant[:SHOWN_FILES]) if relevant else Text(_nothing(event))
    missing = [gap for gap in event.gaps if gap.critical] or event.gaps
    if missing:
        text.append(f" - {_gap_words(missing)}", "red" if missing[0].critical else "dim")
    return text


def _nothing(event: CycleEvaluated) -> str:
    """A later cycle that brings no file is no failed search, as long as an earlier one found something."""
    unmatched = any(gap.kind is GapKind.NO_MATCH for gap in event.gaps)
    return "No matches" if unmatched or event.cycle == 1 else "Nothing new"


def _found(files: list[tuple[str, float]]) -> Text:
    text = Text("Found ")
    for place, (path, relevance) in enumerate(files):
        text.append(", " if place else "")
        text.append(f"{printable(path)} ({relevance:.2f})", BAND_STYLES[band_of(relevance)])
    return text


def _gap_words(gaps: list[Gap]) -> str:
    if len(gaps) == 1:
        return printable(gaps[0].detail or f"missing {gaps[0].target}")
    return f"missing {listing([gap.target for gap in gaps], 3)}"


def _refined(event: CycleRefined) -> str:
    words = f"Add {_quoted(event.learned)}" if event.learned else "No new word to add"
    return f"{words}; exclude {_paths(event.excluded)}" if event.excluded else words


def _quoted(words: list[str]) -> str:
    return listing([f'"{word}"' for word in words], SHOWN_WORDS)


def _paths(count: int) -> str:
    return f"{count:,} path{'' if count == 1 else 's'}"


def _with_reason(words: str, reason: str) -> str:
    return f"{words}: {printable(reason)}" if reason else words


def _step(label: str, body: Text) -> Line:
    return Line(body, label, indent=2)
