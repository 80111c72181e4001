"""Candidate genomes: a model's typed patches where there is a model, offline proposals for the rest.

Queries and answers are shown to the model as JSON strings in a fenced block: data to learn weaknesses from. Whatever
the model proposes goes through the same refusals as anybody's patch.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ..evolution.defaults import genome_hash, parse_genome
from ..evolution.genes import Gene, genes_of
from ..evolution.learning import Tried
from ..evolution.mutate import OFFLINE_KINDS, propose, seed_prompt, told
from ..evolution.novelty import Novelty
from ..evolution.patches import apply_patch, patch_between, read_patch
from ..evolution.prompt_guard import shingles
from ..state.document_ports import ChatModel
from ..state.errors import InvalidGenome, ModelError, PromptTooLong
from ..state.evolution import Cost, EvalQuery, EvalResult, Layer, Mutation, MutationKind
from ..state.spending import Spending
from .mutate_prompt import QueryAnswer, Shown, mutation_prompt, mutation_schema, repair_prompt, shown

__all__ = ["MutationRequest", "Mutations", "Mutator", "QueryAnswer"]

_LONGEST_NOTE = 1_000
_REPLY_TOKENS = 1_000  # of one mutation, at most; for the reservation
_BYTES_A_TOKEN = 3
_LEAST_SHOWN = 1_500  # characters of material below which a smaller window is not worth a further attempt


@dataclass(frozen=True)
class MutationRequest:
    """What candidates are wanted.

    parent: its genes. second_parents: genes of other good genomes, for recombination. n: most candidates. seed: the
    same gives the same offline proposals. seen_hashes: genomes proposed before, in any cycle. results: the parent's
    judged responses; only those of the *mutate* pool are shown. pairs: queries and answers of that pool. queries: of
    that pool, for the script of a test session. tried: judged candidates of any cycle, oldest first: numbers only,
    which teach offline steps.
    """

    layer: Layer
    domain: str
    parent: Mapping[str, Any]
    second_parents: Sequence[Mapping[str, Any]] = ()
    n: int = 5
    seed: int = 0
    seen_hashes: Collection[str] = ()
    results: Sequence[EvalResult] = ()
    pairs: Sequence[QueryAnswer] = ()
    queries: Sequence[EvalQuery] = ()
    tried: Sequence[Tried] = ()


@dataclass(frozen=True)
class Mutations:
    """The candidates; what was dropped and why; what degraded; what the model took.

    Tokens are estimated by length where the model does not count them.
    """

    mutations: list[Mutation]
    dropped: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True)
class Mutator:
    """Borrows the model, None for offline, and the text that tells it how to propose.

    kinds: of offline proposals. most_characters: of queries and answers in the prompt. language: of prompt rules in an
    empty prompt. prompts: whether a model reads the prompts of the genomes; if none does, the mutator's is shown none.
    """

    model: ChatModel | None = None
    kinds: Collection[MutationKind] = OFFLINE_KINDS
    most_characters: int = 12_000
    language: str = "en"
    rules: str = ""
    prompts: bool = True

    def __post_init__(self) -> None:
        if self.model is not None and not self.rules:
            raise ValueError("a Mutator with a model needs its rules; see graph.prompts.mutate_rules()")

    def mutate(self, request: MutationRequest) -> Mutations:
        """At most ``n`` new candidates, the model's first.

        Raises:
            InvalidGenome: the parent is out of bounds.
        """
        parent = parse_genome(request.layer, request.parent)
        dialogue = self._asked(request, parent.model_dump(mode="json"), self.most_characters)
        rng = Random(f"{request.seed} {request.layer} {request.domain} {genome_hash(parent)}")
        filling = propose(
            request.parent,
            request.second_parents,
            request.layer,
            request.n - len(dialogue.accepted),
            rng,
            request.seen_hashes,
            domain=request.domain,
            language=self.language,
            queries=request.queries,
            beside=[mutation.genome for mutation in dialogue.accepted],
            kinds=self.kinds,
            tried=request.tried,
        )
        return Mutations([*dialogue.accepted, *filling], dialogue.dropped, dialogue.warnings, dialogue.cost)

    def most(self, request: MutationRequest) -> Cost:
        """The most that ``mutate`` takes of the model: the proposal and one repair."""
        if self.model is None or request.n <= 0:
            return Cost()
        parent = parse_genome(request.layer, request.parent).model_dump(mode="json")
        system, user = self._dialogue(request, parent, self.most_characters).first()
        once = _tokens(system) + _tokens(user) + _REPLY_TOKENS * request.n
        return Cost(calls=2, tokens=3 * once)  # the repair repeats the proposal's prompt, and adds the refusals

    def _asked(self, request: MutationRequest, parent: dict[str, Any], most_characters: int) -> _Dialogue:
        """The dialogue after the model was asked, with less material where its window is too small for more."""
        dialogue = self._dialogue(request, parent, most_characters)
        if self.model is None or request.n <= 0:
            return dialogue
        try:
            dialogue.ask(self.model)
        except PromptTooLong as error:
            if most_characters >= 2 * _LEAST_SHOWN:
                return self._asked(request, parent, most_characters // 2)
            dialogue.give_up(self.model, error)
        return dialogue

    def _dialogue(self, request: MutationRequest, parent: dict[str, Any], most_characters: int) -> _Dialogue:
        genes = genes_of(request.layer, parent, request.domain)
        shown = [gene for gene in genes if self.prompts or gene.kind != "text"]
        return _Dialogue(request, parent, shown, most_characters, self.rules)


class _Dialogue:
    """One exchange with a model: at most two calls, everything it said checked."""

    def __init__(
        self,
        request: MutationRequest,
        parent: dict[str, Any],
        genes: Sequence[Gene],
        most_characters: int,
        rules: str,
    ) -> None:
        self.request, self.parent, self.genes, self.rules = request, parent, genes, rules
        self.material: Shown = shown(request.results, request.pairs, most_characters)
        self.quoted = shingles(self.material.texts)
        self.novelty = Novelty.of(request.layer, self.genes, request.seen_hashes, [parent])
        self.accepted: list[Mutation] = []
        self.dropped: list[str] = []
        self.warnings: list[str] = list(self.material.warnings)
        self.cost = Cost()

    def first(self) -> tuple[str, str]:
        """The system and the user message."""
        asked = self.request
        return mutation_prompt(self.rules, asked.layer, asked.domain, self.parent, self.genes, self.material, asked.n)

    def ask(self, model: ChatModel) -> None:
        """Propose; when something was refused, ask once more for the places that stayed empty.

        Raises:
            PromptTooLong: the proposal's prompt; nothing was paid.
        """
        system, user = self.first()
        before = self.cost
        try:
            self._take(model, self._call(model, system, user, self.request.n))
            missing = self.request.n - len(self.accepted)
            if missing > 0 and self.dropped:
                self._take(model, self._call(model, system, repair_prompt(user, self.dropped, missing), missing))
        except PromptTooLong as error:
            if not self.accepted and not self.dropped:
                self.cost = before
                raise
            self.give_up(model, error)
        except ModelError as error:
            self.give_up(model, error)

    def give_up(self, model: ChatModel, error: ModelError) -> None:
        """Note that the model proposes nothing (more)."""
        self.warnings.append(f"{model.name} did not propose: {error}; offline proposals stand in")

    def _call(self, model: ChatModel, system: str, user: str, n: int) -> Mapping[str, Any]:
        spending, before = Spending(), self.cost
        self.cost = Cost(calls=before.calls + 1, tokens=before.tokens + _tokens(system) + _tokens(user))
        try:
            return model.within(spending).structured(system, user, mutation_schema(self.genes, n))
        finally:  # a call that fails is paid too
            if spending.new.tokens:
                took = spending.new
                self.cost = Cost(calls=before.calls + took.calls, tokens=before.tokens + took.tokens)

    def _take(self, model: ChatModel, reply: Mapping[str, Any]) -> None:
        for number, item in enumerate(_items(reply), 1):
            if len(self.accepted) >= self.request.n:
                self.dropped.append(f"mutation {number} of {model.name}: more than the {self.request.n} asked for")
                continue
            try:
                self.accepted.append(self._mutation(model, item))
            except InvalidGenome as error:
                self.dropped.append(f"mutation {number} of {model.name}: {error}")

    def _mutation(self, model: ChatModel, item: object) -> Mutation:
        request = self.request
        genome = self._genome(item)
        if reason := self.novelty.objection(genome):
            raise InvalidGenome(reason)
        self.novelty.keep(genome)
        words = _note(item)
        changes = told(self.parent, genome, self.genes)
        return Mutation(
            genome=genome,
            notes=f"{changes}\n{model.name}: {words}"[:4000] if words else changes[:4000],
            kind=MutationKind.MODEL,
            parents=[genome_hash(parse_genome(request.layer, self.parent))],
            eval_seed_prompt=seed_prompt(request.layer, self.parent, genome, request.queries, request.domain),
        )

    def _genome(self, item: object) -> dict[str, Any]:
        if not isinstance(item, Mapping) or ("patch" not in item and "genome" not in item):
            raise InvalidGenome('expected {"patch": [...], "notes": "..."} or {"genome": {...}, "notes": "..."}')
        if item.get("patch") is not None:
            operations = read_patch(item["patch"])
        elif isinstance(item["genome"], Mapping):
            operations = patch_between(self.request.layer, self.parent, item["genome"])
        else:
            raise InvalidGenome("field 'genome': expected an object of genes")
        return apply_patch(self.request.layer, self.parent, operations, domain=self.request.domain, quoted=self.quoted)


def _items(reply: Mapping[str, Any]) -> Sequence[object]:
    """The proposals of a reply, in either form; one that holds none is one unusable proposal."""
    listed = reply.get("mutations")
    return listed if isinstance(listed, list) and listed else [reply]


def _note(item: object) -> str:
    """The model's reason in one line."""
    notes = item.get("notes") if isinstance(item, Mapping) else None
    return " ".join(notes.split())[:_LONGEST_NOTE] if isinstance(notes, str) else ""


def _tokens(text: str) -> int:
    return -(-len(text.encode()) // _BYTES_A_TOKEN)
