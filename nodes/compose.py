"""compose: retrieved chunks become an answer under the contract, by a model when there is one, else extracted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..retrieval.answers.drafts import DRAFT_SCHEMA, Draft, Settled, read_draft, settle
from ..retrieval.answers.extract import best_chunks, extract
from ..retrieval.answers.fences import Fence
from ..retrieval.answers.layout import AnswerFormat
from ..retrieval.answers.messages import message
from ..retrieval.answers.streaming import AnswerStream
from ..retrieval.tokens import count_tokens
from ..state.answer import Answer
from ..state.document_ports import ChatModel
from ..state.documents import StoredChunk
from ..state.errors import ModelError, ModelUnavailable, PromptTooLong
from ..state.postprocess import PostprocessGenome
from ..state.routing import Profile
from ..state.spending import Spending

OnToken = Callable[[str], None]

_LEAST_BATCH = 700
"""Tokens of chunks below which a smaller window is not worth a further attempt."""

_LANGUAGES = {"en": "English", "de": "German", "ru": "Russian", "zh": "Chinese"}
_CITATIONS = {
    "always": "every sentence carries the numbers of its sources",
    "inline": "a run of sentences from one source carries its number once, at the end of the run",
}
_VERBOSITY = {
    "adaptive": "as short as the question allows, one to eight sentences",
    "comprehensive": "everything the chunks say about it",
}
_FORMATS: dict[AnswerFormat, str] = {
    "prose": "running text",
    "list": "a list, one '- ' line per point",
    "steps": "numbered steps, one line each, in the order in which they are done",
}


@dataclass(frozen=True)
class Prompts:
    """The fixed texts. compose: the contract. reduce: how partial answers are merged. repair: how a reply is mended."""

    compose: str
    reduce: str
    repair: str


@dataclass(frozen=True)
class Composer:
    """Borrows a model and the texts it is given; without a model answers are extracted.

    batch_tokens: most estimated tokens of chunks in one request; more chunks are answered in batches and merged.
    """

    model: ChatModel | None = None
    prompts: Prompts | None = None
    batch_tokens: int = 6000

    def __post_init__(self) -> None:
        if self.model is not None and self.prompts is None:
            raise ValueError("a Composer with a model needs its prompts; see graph.prompts.compose_prompts()")

    def within(self, spending: Spending) -> Composer:
        """The same composer, its model's calls on the account of ``spending``."""
        return replace(self, model=self.model.within(spending)) if self.model else self

    def compose(
        self,
        question: str,
        chunks: Sequence[StoredChunk],
        scores: Mapping[str, float],
        genome: PostprocessGenome,
        profile: Profile,
        language: str,
        on_token: OnToken | None = None,
    ) -> Answer:
        """The answer to ``question`` from ``chunks``; whatever the model does, there is one.

        scores: chunk key -> retrieval score. language: of the question. on_token: receives the answer's text while the
        model writes it; what it wrote may still be mended or left out.
        """
        form = _form(profile)
        shown = best_chunks(chunks, scores, genome.chunk_count)
        if self.model is None or self.prompts is None or not shown:
            return extract(question, chunks, scores, genome, form, language)
        try:
            return _Request(
                self, self.model, self.prompts, question, shown, genome, profile, language, on_token
            ).answer()
        except ModelError as error:
            answer = extract(question, chunks, scores, genome, form, language)
            warning = message("fallback", language, problem=str(error))
            return answer.model_copy(update={"warnings": [*answer.warnings, warning]})


def _form(profile: Profile) -> AnswerFormat:
    return profile.format if profile.format in ("list", "steps") else "prose"


@dataclass(frozen=True)
class _Request:
    """One question on its way through the model. chunks: numbered from 1 in this order."""

    composer: Composer
    model: ChatModel
    prompts: Prompts
    question: str
    chunks: Sequence[StoredChunk]
    genome: PostprocessGenome
    profile: Profile
    language: str
    on_token: OnToken | None

    def answer(self) -> Answer:
        """The settled answer, from smaller batches where the model's window is too small for the usual ones.

        Raises:
            ModelError: nothing usable came back, even after one repair.
        """
        try:
            return self._answered()
        except PromptTooLong:
            smaller = self.composer.batch_tokens // 2
            if smaller < _LEAST_BATCH:
                raise
            return replace(self, composer=replace(self.composer, batch_tokens=smaller)).answer()

    def _answered(self) -> Answer:
        batches = self._batches()
        if len(batches) == 1:
            return self._written(self._system(self.genome.system_prompt), *self._shown(batches[0]))
        partial = [self._settled(self._ask(self._system(self.genome.system_prompt), *self._shown(b))) for b in batches]
        reduce = self._system(self.genome.system_prompt_reduce, self.prompts.reduce)
        return self._written(reduce, *self._partial(partial))

    def _batches(self) -> list[list[int]]:
        """Chunk numbers by request, in order of rank."""
        batches: list[list[int]] = [[]]
        room = self.composer.batch_tokens
        for number, chunk in enumerate(self.chunks, start=1):
            cost = min(count_tokens(chunk.text), self.composer.batch_tokens)
            if batches[-1] and cost > room:
                batches.append([])
                room = self.composer.batch_tokens
            batches[-1].append(number)
            room -= cost
        return batches

    def _written(self, system: str, fence: Fence, user: str) -> Answer:
        """The answer to one request, mended once when something is wrong with it."""
        draft = self._ask(system, fence, user, self.on_token)
        settled = self._settled(draft)
        if settled.problems:
            settled = _better(settled, self._mended(system, user, draft, settled.problems))
        if not settled.answer.answer and not (settled.answer.warnings and not settled.problems):
            raise ModelUnavailable(f"nothing of its answer is supported: {'; '.join(settled.problems)[:300]}")
        return settled.answer

    def _mended(self, system: str, user: str, draft: Draft, problems: Sequence[str]) -> Settled | None:
        """The second attempt; None when the model fails at it."""
        reply, wrong = json.dumps(_as_json(draft), ensure_ascii=False), "\n".join(f"- {p}" for p in problems)
        fence = Fence.around([user, reply, wrong])
        request = "\n\n".join(
            (
                user,
                self.prompts.repair,
                fence.rule,
                fence.block("your last reply", reply),
                fence.block("problems", wrong),
            )
        )
        try:
            return self._settled(self._ask(system, fence, request))
        except ModelError:
            return None  # what holds of the first attempt stands

    def _ask(self, system: str, fence: Fence, user: str, on_token: OnToken | None = None) -> Draft:
        stream = AnswerStream(on_token) if on_token else None
        try:
            reply = self.model.structured(f"{system}\n\n{fence.rule}", user, DRAFT_SCHEMA, stream)
        except ModelError:
            raise
        except (
            Exception
        ) as error:  # a model behind the port may fail in ways of its own; an answer is owed all the same
            raise ModelUnavailable(f"{self.model.name} failed: {type(error).__name__}") from error
        return read_draft(reply, self.genome.max_tokens)

    def _settled(self, draft: Draft) -> Settled:
        return settle(draft, self.chunks, self.question, self.language, self.genome, self.model.name)

    def _system(self, instructions: str, *rules: str) -> str:
        """Profile and genome first; the contract comes last and stands above them."""
        texts = (self.profile.system_prompt, instructions, self.prompts.compose, *rules)
        return "\n\n".join(text.strip() for text in texts if text.strip())

    def _shown(self, numbers: Sequence[int]) -> tuple[Fence, str]:
        """The fence and the request that shows the chunks with these numbers."""
        chunks = [(n, self.chunks[n - 1]) for n in numbers]
        fence = Fence.around([self.question, *(c.text for _, c in chunks), *(_title(c) for _, c in chunks)])
        blocks = [fence.block(f"chunk {n}", self._cut(c.text), _title(c)) for n, c in chunks]
        return fence, self._request(fence, blocks)

    def _partial(self, partial: Sequence[Settled]) -> tuple[Fence, str]:
        """The fence and the request that shows partial answers."""
        numbers = {c.key: n for n, c in enumerate(self.chunks, start=1)}
        texts = [_partial_text(s.answer, numbers) for s in partial if s.answer.answer or s.answer.warnings]
        fence = Fence.around([self.question, *texts])
        blocks = [fence.block(f"partial answer {i}", text) for i, text in enumerate(texts, start=1)]
        return fence, self._request(fence, blocks)

    def _request(self, fence: Fence, blocks: Sequence[str]) -> str:
        genome, language = self.genome, _LANGUAGES.get(self.language, "the language of the question")
        wishes = (
            f"Language of the answer: {language}.",
            f"Citations: {_CITATIONS[genome.citation_policy]}.",
            f"Length: {_VERBOSITY[genome.verbosity]}; at most {genome.max_tokens} tokens.",
            f"Layout: {_FORMATS[_form(self.profile)]}.",
        )
        return "\n\n".join((*blocks, fence.block("question", self.question), "\n".join(wishes)))

    def _cut(self, text: str) -> str:
        """As many whole lines of a chunk as a request can hold."""
        if count_tokens(text) <= self.composer.batch_tokens:
            return text
        return text[: self.composer.batch_tokens * 3].rpartition("\n")[0] or text[: self.composer.batch_tokens * 3]


def _better(first: Settled, second: Settled | None) -> Settled:
    """The attempt of which more holds; the mended one when they are equal."""
    if second is None or len(second.answer.answer) == 0 < len(first.answer.answer):
        return first
    return second if len(second.problems) <= len(first.problems) else first


def _title(chunk: StoredChunk) -> str:
    return " > ".join((chunk.document, *chunk.heading))


def _as_json(draft: Draft) -> dict[str, object]:
    return {
        "answer": draft.answer,
        "key_points": list(draft.key_points),
        "sources": [{"number": s.number, "chunk": s.chunk, "quote": s.quote} for s in draft.sources],
        "warnings": list(draft.warnings),
    }


def _partial_text(answer: Answer, numbers: Mapping[str, int]) -> str:
    sources = [{"number": s.number, "chunk": numbers[s.chunk], "quote": s.quote} for s in answer.sources]
    partial = {"answer": answer.answer, "sources": sources, "warnings": answer.warnings}
    return json.dumps(partial, ensure_ascii=False, indent=1)


__all__ = ["Composer", "Prompts"]
