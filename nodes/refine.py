"""refine: learn words and places from the best files, and leave out what is confirmed irrelevant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..retrieval.expansion import commit_words, defined_words, longer_forms, thesaurus_words, vocabulary_of
from ..retrieval.signals import Scene
from ..retrieval.text import content_terms, unique
from ..state.candidate import Evaluation, GapKind
from ..state.ports import Genomes, Workspace, Workspaces
from ..state.progress import CycleRefined
from ..state.query import Query
from ..state.retrieval import RetrievalState
from .clock import announce
from .route import DOMAIN
from .scene import scene_of

_MOST_EXCLUDED = 100
_MOST_FOCUS = 24
_PREFIXES = 30


@dataclass(frozen=True)
class Refiner:
    """Borrows the workspaces and the genomes."""

    workspaces: Workspaces
    genomes: Genomes

    def refine(self, state: RetrievalState) -> RetrievalState:
        """The next cycle's query, and the words whose meaning is the task's: they count as evidence from now on."""
        workspace = self.workspaces.opened(state["root"], state["ref"], state["fingerprint"])
        genome = self.genomes.retrieval(DOMAIN)
        scene = scene_of(workspace, state["task"], genome)
        evaluations, old = state["evaluations"], state["query"]
        high = [e for e in evaluations[:12] if e.relevance >= genome.related]
        meanings, names = words_to_learn(workspace, scene, high, genome.learned_words)
        learned = [w for w in [*meanings, *names] if w not in old.keywords]
        gaps = [g.target for g in state["gaps"] if g.kind is not GapKind.NO_MATCH]
        irrelevant = (
            [e.path for e in evaluations if e.relevance < genome.irrelevant and e.cycle == state["cycle"]]
            if high
            else []
        )
        query = Query(
            patterns=old.patterns,
            keywords=unique([*learned, *old.keywords])[:48],
            excludes=unique([*old.excludes, *irrelevant[:_MOST_EXCLUDED]]),
            focus_areas=unique([*gaps, *old.focus_areas])[:_MOST_FOCUS],
        )
        announce(
            CycleRefined(cycle=state["cycle"], learned=learned, excluded=len(query.excludes) - len(state["excludes"]))
        )
        trace = state["traces"][-1].model_copy(update={"learned": learned, "excluded": irrelevant[:_MOST_EXCLUDED]})
        return {"query": query, "learned": unique([*state["learned"], *meanings]), "traces": [trace]}


def words_to_learn(
    workspace: Workspace, scene: Scene, high: Sequence[Evaluation], limit: int
) -> tuple[list[str], list[str]]:
    """The code base's own words for the task, and names that relevant files define; most trusted first.

    Only the words are evidence: a name that was learned from a file would speak for that very file again.
    """
    stems = set(content_terms(f"{scene.task.title}\n{scene.task.prose}").parts)
    analyses = workspace.analyses(e.path for e in high)
    frequency = workspace.document_frequency
    definitions = defined_words(analyses, stems, frequency, limit)
    meanings = thesaurus_words(scene.task, frequency, workspace.size, limit)
    forms = longer_forms(
        scene.task, frequency, lambda prefix: workspace.words_with_prefix(prefix, _PREFIXES), limit // 2
    )
    spoken = unique(t for a in analyses.values() for s in a.structure.symbols for t in content_terms(s.name).parts)
    joined = commit_words(scene.query, workspace.history, vocabulary_of([*meanings, *spoken]), limit // 2)
    half = limit // 2
    words = [
        w for w in unique([*meanings[:half], *joined[:half], *forms[:half]]) if not set(content_terms(w).parts) <= stems
    ]
    return words[:limit], [n for n in definitions if n not in words][: limit - len(words[:limit])]
