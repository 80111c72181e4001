"""Offline proposals: numeric steps, recombination, and prompt rules, each new, within bounds, and told in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from ..state.evolution import EvalQuery, Layer, Mutation, MutationKind
from .defaults import genome_hash, parse_genome
from .families import families_moved, families_of
from .genes import Gene, Genes, changed, genes_of, value_of
from .learning import Tried, farther, learned_step, reach_of
from .novelty import Novelty
from .prompt_rules import switched
from .recombination import recombined
from .seed_prompt import session_script
from .steps import can_step, stepped

__all__ = ["OFFLINE_KINDS", "propose", "seed_prompt", "told"]

OFFLINE_KINDS = (MutationKind.STEP, MutationKind.RECOMBINATION, MutationKind.RULE)
"""Kinds that need no model. A rule changes answers only where a model composes them."""

_TRIES = 400  # a slot, before it stays empty: one seed serves many cycles of the same parent
_TOLD = 12  # changes named in the notes

_STEPS = ("genes", "families", "learned", "farther")
_ODDS, _ODDS_WITHOUT_FAMILIES = (1, 3, 3, 1), (2, 0, 1, 1)


def propose(
    parent: Mapping[str, Any],
    second_parents: Sequence[Mapping[str, Any]],
    layer: Layer,
    n: int,
    rng: Random,
    seen_hashes: Collection[str] = (),
    *,
    domain: str = "",
    language: str = "en",
    queries: Sequence[EvalQuery] = (),
    beside: Sequence[Mapping[str, Any]] = (),
    kinds: Collection[MutationKind] = OFFLINE_KINDS,
    tried: Sequence[Tried] = (),
) -> list[Mutation]:
    """At most n new genomes, of each kind in turn; fewer where nothing new is found.

    Args:
        parent: all or some genes; what is missing stands at the model's default.
        second_parents: other good genomes of the layer, for recombination.
        layer: of the genomes.
        n: 5 is usual: more variants a cycle find more winners by luck.
        rng: the chance; the same state gives the same proposals.
        seen_hashes: genomes that were proposed before, in any cycle.
        domain: for the signals and rules that are of one domain, and for the script of a test session.
        language: of rules in an empty prompt: en, de, ru or zh.
        queries: of the *mutate* pool, for the script of a test session (layer routing).
        beside: further proposals of this cycle, to keep apart from.
        kinds: those wanted, out of ``OFFLINE_KINDS``.
        tried: judged candidates, oldest first; they say how far steps go, and where to.

    Raises:
        InvalidGenome: a parent is out of bounds, or the layer unknown.
    """
    whole = _whole(layer, parent)
    partners = [partner for other in second_parents if (partner := _whole(layer, other)) != whole]
    genes = genes_of(layer, whole, domain)
    novelty = Novelty.of(layer, genes, seen_hashes, [whole, *partners, *(_whole(layer, other) for other in beside)])
    known = [Tried(_whole(layer, t.parent), _whole(layer, t.genome), t.difference, t.n) for t in tried]
    maker = _Maker(layer, whole, partners, genes, domain, language, rng, known)
    order = maker.order([kind for kind in OFFLINE_KINDS if kind in kinds])
    mutations: list[Mutation] = []
    for slot in range(n if order else 0):
        found = _new_one(maker, [*order[slot % len(order) :], *order[: slot % len(order)]], novelty)
        if found is None:
            break
        script = seed_prompt(layer, whole, found.genome, queries, domain)
        mutations.append(found.model_copy(update={"eval_seed_prompt": script}))
    return mutations


def seed_prompt(
    layer: str, parent: Mapping[str, Any], genome: Mapping[str, Any], queries: Sequence[EvalQuery], domain: str = ""
) -> str:
    """The script of a test session for a routing genome; '' for the other layers."""
    if layer != "routing":
        return ""
    types = {gene.keys[1] for gene in changed(parent, genome, genes_of(layer, parent)) if gene.field == "profiles"}
    return session_script(genome, queries, domain, types)


def told(parent: Mapping[str, Any], genome: Mapping[str, Any], genes: Sequence[Gene]) -> str:
    """What a genome changes, in words: ``chunk_count 8 -> 11; weights.frame 1.43 -> off``."""
    differing = changed(parent, genome, genes)
    shown = [_told_one(gene, value_of(parent, gene), value_of(genome, gene)) for gene in differing[:_TOLD]]
    more = len(differing) - len(shown)
    return "; ".join([*shown, *([f"and {more} more"] if more else [])])


@dataclass(frozen=True)
class _Maker:
    """Makes one candidate of a kind; whether it is new is another's affair."""

    layer: Layer
    parent: Genes
    partners: Sequence[Genes]
    genes: Sequence[Gene]
    domain: str
    language: str
    rng: Random
    tried: Sequence[Tried]

    def order(self, kinds: Sequence[MutationKind]) -> list[MutationKind]:
        """The kinds that this parent allows, shuffled."""
        possible = [kind for kind in kinds if kind is not MutationKind.RECOMBINATION or self.partners]
        self.rng.shuffle(possible)
        return possible

    def make(self, kind: MutationKind) -> Mutation | None:
        """One candidate; None when the kind has nothing to offer."""
        match kind:
            case MutationKind.STEP:
                return self._step()
            case MutationKind.RECOMBINATION:
                return self._recombination()
            case MutationKind.RULE:
                return self._rule()
        raise ValueError(f"mutations of kind '{kind}' are not made offline")

    def _step(self) -> Mutation:
        genome = self._stepped()
        return self._mutation(MutationKind.STEP, genome, told(self.parent, genome, self.genes))

    def _stepped(self) -> Genes:
        """A few genes, whole families, where earlier steps point, or an earlier step again."""
        reach, rng = reach_of(self.tried, self.parent), self.rng
        families = families_of(self.genes)
        way = rng.choices(_STEPS, _ODDS if families else _ODDS_WITHOUT_FAMILIES)[0]
        found = None
        if way == "learned":
            found = learned_step(self.tried, self.parent, self.genes, rng, reach)
        elif way == "farther":
            found = farther(self.tried, self.parent, self.genes, rng)
        if found is not None:
            return found
        return families_moved(self.parent, self.genes, rng, reach) if families and way != "genes" else self._few_genes()

    def _few_genes(self) -> Genes:
        most = 1 + round(sum(map(can_step, self.genes)) ** 0.5 / 2)
        return stepped(self.parent, self.genes, self.rng, self.rng.randint(1, most))

    def _recombination(self) -> Mutation:
        partner = self.rng.choice(self.partners)
        genome = recombined(self.parent, partner, self.genes, self.rng)
        name = self._name(partner)
        notes = f"with {name[:12]}: {told(self.parent, genome, self.genes)}"
        return self._mutation(MutationKind.RECOMBINATION, genome, notes, name)

    def _rule(self) -> Mutation | None:
        done = switched(self.layer, self.parent, self.genes, self.rng, self.domain, self.language)
        return self._mutation(MutationKind.RULE, *done) if done else None

    def _mutation(self, kind: MutationKind, genome: Genes, notes: str, *partners: str) -> Mutation:
        return Mutation(genome=genome, notes=notes[:4000], kind=kind, parents=[self._name(self.parent), *partners])

    def _name(self, genome: Genes) -> str:
        return genome_hash(parse_genome(self.layer, genome))


def _new_one(maker: _Maker, kinds: Sequence[MutationKind], novelty: Novelty) -> Mutation | None:
    """A new candidate of the first kind that has one."""
    for kind in kinds:
        for _ in range(_TRIES):
            found = maker.make(kind)
            if found is None:
                break
            if not novelty.objection(found.genome):
                novelty.keep(found.genome)
                return found
    return None


def _whole(layer: str, genome: Mapping[str, Any]) -> Genes:
    return parse_genome(layer, genome).model_dump(mode="json")


def _told_one(gene: Gene, before: Any, after: Any) -> str:
    match gene.kind:
        case "text":
            return f"{gene.path} changed"
        case "knots":
            return f"{gene.path}: knots moved"
        case "weight":
            return f"{gene.path} {_weight(before)} -> {_weight(after)}"
        case _:
            return f"{gene.path} {before} -> {after}"


def _weight(value: float) -> str:
    return f"{value:g}" if value else "off"
