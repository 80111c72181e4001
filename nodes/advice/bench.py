"""The candidates on the bench: what a request knows of them and may be shown to a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...retrieval.advice.evidence import row_of, term_values
from ...retrieval.advice.listing import Row
from ...retrieval.advice.rubric import Excerpt, excerpt
from ...retrieval.spans import chunk_chances
from ..code_subject import CodeSubject

__all__ = ["Bench"]


@dataclass(frozen=True)
class Bench:
    """Borrows the subject of a request."""

    subject: CodeSubject

    def rows(self, paths: Sequence[str]) -> list[Row]:
        """A row for each file, in their order: names that the task says, and the lines that hold most of its words."""
        scene, analyses = self.subject.scene, self.subject.workspace.analyses(paths)
        chances = chunk_chances(scene, analyses, self.subject.genome)
        values = term_values(scene.query)
        texts = self.subject.workspace.texts(paths)  # a file that is gone has no line to show, and keeps its rank
        held = [(path, analyses[path]) for path in paths if path in analyses]
        return [row_of(scene, p, a, chances[p], texts.get(p, ""), values) for p, a in held]

    def excerpts(self, paths: Sequence[str]) -> list[Excerpt]:
        """The likeliest chunks of each file, as many lines as fit; files without text are left out."""
        analyses = self.subject.workspace.analyses(paths)
        chances = chunk_chances(self.subject.scene, analyses, self.subject.genome)
        texts = self.subject.workspace.texts(paths)
        found = []
        for path, analysis in sorted(analyses.items()):
            order = sorted(range(len(chances[path])), key=lambda i: (-float(chances[path][i]), i))
            chunks = [analysis.structure.chunks[i] for i in order]
            found.append(excerpt(path, texts.get(path, ""), [(c.first, c.last) for c in chunks]))
        return [e for e in found if e.text.strip()]
