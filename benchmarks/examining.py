"""Why a file stands where it stands: one instance asked again, with the signals of its gold files and of the winner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .instances import Instance
from .predictions import Row
from .product import Product, services_of

if TYPE_CHECKING:
    from iterative_retrieval import RetrievalResult


@dataclass(frozen=True)
class Examiner:
    """The product, asked for reasons. winners: instance id -> the first wrong file of its prediction, '' for none."""

    product: Product
    winners: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What progress calls it."""
        return "examined"

    @property
    def nothing(self) -> Row:
        """What an instance that cannot be asked again gets."""
        return {"explained": {}, "gaps": [], "cycles": []}

    def settings(self) -> dict[str, Any]:
        """As the product's."""
        return self.product.settings()

    def predict(self, instance: Instance, root: str) -> Row:
        """query_type; files, as they rank now; gaps; cycles; explained: path -> where it stands, why, and its signals.

        The signals of a path add up to its score: signal -> what it adds.
        """
        from iterative_retrieval import retrieve
        from iterative_retrieval.graph.api import explain_in

        services = services_of(self.product.cache, self.product.genome_of(instance["repo"]))
        result = retrieve(
            instance["problem_statement"],
            root,
            ref=instance["base_commit"],
            max_cycles=self.product.max_cycles,
            services=services,
            llm=False,
        )
        gold = list(instance["gold_files"])
        winner = self.winners.get(instance["instance_id"], "")
        if winner not in result.ranked:
            winner = next((path for path in result.ranked if path not in gold), "")
        told = {path: explain_in(result, path, services) for path in [*gold, *([winner] if winner else [])]}
        return {
            "instance_id": instance["instance_id"],
            "query_type": result.query_type.value,
            "files": result.ranked,
            "winner": winner,
            "gaps": [gap.model_dump(mode="json") for gap in result.gaps],
            "cycles": _cycles(result),
            "explained": {path: e.model_dump(mode="json") for path, e in told.items()},
        }


def _cycles(result: RetrievalResult) -> list[dict[str, Any]]:
    return [
        {
            "candidates": c.candidates,
            "new_files": c.new_files,
            "keywords": c.query.keywords[:16],
            "learned": c.learned,
            "decision": c.decision,
        }
        for c in result.cycles
    ]
