"""The offline classifier of documentation questions: cues and nearest labelled examples, one calibrated confidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from ..state.domains import RouteCues, RouteExample
from ..state.routing import Route, RoutingGenome
from .route_cues import CueBook, CueVotes
from .route_examples import ExampleBook, ExampleVotes

DEFAULT = "default"
"""Name of the profile of whoever is unsure."""

EXAMPLE_WEIGHT = 1.5
SHARPNESS = 1.2
"""How much the examples' votes count beside the cues' weights, and how steeply evidence becomes confidence.

``python -m benchmarks.routing --fit`` finds 0.5 to 2.0 for the weight (a flat optimum) and 2.0 or more for the
sharpness. Less is in use: one hand wrote cues and labelled questions, and on other people's questions confidence at 1.2
was as high as accuracy (0.82 and 0.81 on a hundred), at 2.0 eleven points higher.
"""


class QuestionClassifier:
    """The classifier of one domain; cues and examples are compiled and analysed once.

    Raises:
        InvalidGenome: a cue is no regular expression of the small language in ``state/cue_patterns.py``.
    """

    def __init__(self, cues: Iterable[RouteCues], examples: Sequence[RouteExample]) -> None:
        self.cues, self.examples = CueBook(cues), ExampleBook(examples)

    def route(
        self, question: str, language: str, genome: RoutingGenome, similarities: Sequence[float] | None = None
    ) -> Route:
        """The query type of a question and the profile it activates.

        Args:
            question: as asked.
            language: en, de, ru, zh, or '' when not known: then cues and examples of every language speak.
            genome: the active routing genome; its profiles are the query types, below min_confidence the default
                profile serves.
            similarities: (n_examples,), an embedder's cosine of the question with each example; None without one.
        """
        types = sorted(genome.profiles)
        cues = self.cues.votes(question, language)
        examples = self.examples.votes(question, language, similarities)
        chances = probabilities(types, cues.votes, examples)
        if not chances:
            return Route(query_type=DEFAULT, profile=DEFAULT, confidence=0.0, reason="the genome names no query type")
        best = max(types, key=lambda t: chances[t])
        confidence = round(chances[best], 3)
        sure = confidence >= genome.min_confidence
        return Route(
            query_type=best,
            profile=best if sure else DEFAULT,
            confidence=confidence,
            reason=_reason(best, cues, examples),
        )


def classify_question(
    question: str, language: str, cues: Sequence[RouteCues], examples: Sequence[RouteExample], genome: RoutingGenome
) -> Route:
    """``QuestionClassifier(cues, examples).route(question, language, genome)``, for one question."""
    return QuestionClassifier(cues, examples).route(question, language, genome)


def probabilities(
    types: Sequence[str],
    cues: Mapping[str, float],
    examples: ExampleVotes,
    *,
    example_weight: float = EXAMPLE_WEIGHT,
    sharpness: float = SHARPNESS,
) -> dict[str, float]:
    """Query type -> chance, together 1: a softmax of cue weights and example votes.

    An example far away votes less: its share counts by the similarity of the nearest one.
    """
    trust = example_weight * math.sqrt(examples.similarity)
    evidence = {t: sharpness * (cues.get(t, 0.0) + trust * examples.shares.get(t, 0.0)) for t in types}
    highest = max(evidence.values(), default=0.0)
    powers = {t: math.exp(e - highest) for t, e in evidence.items()}
    total = sum(powers.values())
    return {t: p / total for t, p in powers.items()}


def _reason(best: str, cues: CueVotes, examples: ExampleVotes) -> str:
    said = [f'says "{word}"' for word in cues.words.get(best, [])[:3]]
    if examples.nearest:
        like = f'like "{_short(examples.nearest.question)}"'
        said.append(like if examples.nearest.query_type == best else f"{like} ({examples.nearest.query_type})")
    return ", ".join(said) or "no cue and no similar example"


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
