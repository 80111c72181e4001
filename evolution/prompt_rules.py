"""A catalogue of short rules for prompts. A rule is on where a prompt holds its exact text, so switching is reversible.

Rules stand at the end of a prompt, one a line, in the order of the catalogue: the same rules make the same prompt. A
*fixed* rule guards the answer contract; whoever changes a prompt may add it and never takes it away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from .genes import Gene, Genes, value_of, with_value

__all__ = [
    "PromptRule",
    "lost_fixed_rules",
    "prompt_language",
    "prompt_rules",
    "rules_for",
    "rules_in",
    "switched",
    "with_rule",
    "without_rule",
]

_MOST_RULES = 8
"""Rules that switching puts into one prompt: longer lists are followed worse."""

_SENTENCE_ENDS = "\n.!?。！？:：;；-•"
_FUNCTION_WORDS = {
    "de": re.compile(r"\b(?:der|die|das|und|nicht|ist|mit|ein|eine|nur|sie|den|auf|wenn|jede|aus)\b", re.IGNORECASE),
    "en": re.compile(r"\b(?:the|a|and|not|is|with|only|of|to|in|from|when|each|what|for|that)\b", re.IGNORECASE),
}


class PromptRule(BaseModel):
    """One rule.

    fields: last key of the prompts it fits. domains: it is for these alone; empty for all. needs: query types that the
    genome must have. excludes: rules that say the opposite. texts: language -> the rule.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9_]+$")
    layer: str
    fields: list[str] = Field(min_length=1)
    domains: list[str] = Field(default_factory=list)
    needs: list[str] = Field(default_factory=list)
    excludes: list[str] = Field(default_factory=list)
    fixed: bool = False
    texts: dict[str, str] = Field(min_length=1)

    def text(self, language: str) -> str:
        """The rule in a language; in English where it has none."""
        return self.texts.get(language) or self.texts["en"]


@lru_cache(maxsize=1)
def prompt_rules() -> Sequence[PromptRule]:
    """The whole catalogue, in its order."""
    text = (files("iterative_retrieval.evolution") / "prompt_rules.json").read_text(encoding="utf-8")
    return [PromptRule.model_validate(item) for item in json.loads(text)]


def rules_for(layer: str, gene: Gene, genome: Mapping[str, Any], domain: str = "") -> list[PromptRule]:
    """The rules that fit a prompt of a genome."""
    types: Collection[str] = genome.get("profiles", {})
    return [
        rule
        for rule in prompt_rules()
        if rule.layer == layer
        and gene.keys[-1] in rule.fields
        and (not rule.domains or domain in rule.domains)
        and all(name in types for name in rule.needs)
    ]


def rules_in(prompt: str, rules: Sequence[PromptRule] | None = None) -> list[PromptRule]:
    """The rules, of the catalogue or of those given, that are on in a prompt, in whatever language."""
    among = prompt_rules() if rules is None else rules
    return [rule for rule in among if any(_place(prompt, text) is not None for text in rule.texts.values())]


def with_rule(prompt: str, rule: PromptRule, language: str = "en") -> str:
    """The prompt with a rule on, in its place among the rules at the end; the prompt itself when it is on."""
    if rules_in(prompt, [rule]):
        return prompt
    order = {text: place for place, each in enumerate(prompt_rules()) for text in each.texts.values()}
    text = rule.text(language)
    lines = prompt.split("\n") if prompt else []
    at = len(lines)
    while at > 0 and order.get(lines[at - 1], -1) > order[text]:
        at -= 1
    return "\n".join([*lines[:at], text, *lines[at:]])


def without_rule(prompt: str, rule: PromptRule) -> str:
    """The prompt with a rule off, in all its languages."""
    for text in rule.texts.values():
        while (start := _place(prompt, text)) is not None:
            end = start + len(text)
            if start > 0 and prompt[start - 1] in "\n ":
                start -= 1
            elif prompt[end : end + 1] in ("\n", " "):
                end += 1
            prompt = prompt[:start] + prompt[end:]
    return prompt


def lost_fixed_rules(before: str, after: str) -> list[str]:
    """Texts of fixed rules that a change of a prompt would take away."""
    fixed = [rule for rule in prompt_rules() if rule.fixed]
    kept = {rule.id for rule in rules_in(after, fixed)}
    return [
        next(text for text in rule.texts.values() if text in before)
        for rule in rules_in(before, fixed)
        if rule.id not in kept
    ]


def switched(
    layer: str, genome: Mapping[str, Any], genes: Sequence[Gene], rng: Random, domain: str = "", language: str = "en"
) -> tuple[Genes, str] | None:
    """The genome with one rule of one prompt switched, and what was done; None when no rule fits.

    Args:
        layer: of the genome.
        genome: all genes.
        genes: those that may change; only texts are looked at.
        rng: the chance.
        domain: for rules that are of one domain.
        language: of rules in a prompt that is empty; otherwise its own language counts.
    """
    moves = [
        (gene, rule, on)
        for gene in genes
        if gene.kind == "text"
        for rule, on in _switches(value_of(genome, gene), rules_for(layer, gene, genome, domain))
    ]
    rng.shuffle(moves)
    for gene, rule, on in moves:
        before = value_of(genome, gene)
        after = _on(before, rule, prompt_language(before) or language) if on else without_rule(before, rule)
        if gene.max_length is None or len(after) <= gene.max_length:
            return with_value(genome, gene, after), f"{gene.path}: rule '{rule.id}' {'on' if on else 'off'}"
    return None


def prompt_language(prompt: str) -> str:
    """en, de, ru or zh by script and function words; '' when the prompt does not tell."""
    letters = [character for character in prompt if character.isalpha()]
    for language, script in (("ru", re.compile("[а-яё]", re.IGNORECASE)), ("zh", re.compile("[\u4e00-\u9fff]"))):
        if letters and sum(bool(script.match(letter)) for letter in letters) > 0.5 * len(letters):
            return language
    german, english = (len(_FUNCTION_WORDS[language].findall(prompt)) for language in ("de", "en"))
    if german == english:
        return "en" if english else ""
    return "de" if german > english else "en"


def _switches(prompt: str, rules: Sequence[PromptRule]) -> list[tuple[PromptRule, bool]]:
    """Every rule that may be switched, with its new state."""
    present = {rule.id for rule in rules_in(prompt, rules)}
    offs = [(rule, False) for rule in rules if rule.id in present and not rule.fixed]
    full = sum(not rule.fixed for rule in rules if rule.id in present) >= _MOST_RULES
    return offs if full else [*offs, *((rule, True) for rule in rules if rule.id not in present)]


def _on(prompt: str, rule: PromptRule, language: str) -> str:
    for opposite in (each for each in prompt_rules() if each.id in rule.excludes):
        prompt = without_rule(prompt, opposite)
    return with_rule(prompt, rule, language)


def _place(prompt: str, text: str) -> int | None:
    """Where the text stands as sentences of its own; None when it does not."""
    start = prompt.find(text)
    while start >= 0:
        before, after = prompt[:start].rstrip(" "), prompt[start + len(text) :]
        if (not before or before[-1] in _SENTENCE_ENDS) and (not after or after[0].isspace() or text[-1] in "。！？"):
            return start
        start = prompt.find(text, start + 1)
    return None
