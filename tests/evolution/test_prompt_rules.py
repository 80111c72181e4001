from __future__ import annotations

from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.evolution.defaults import LAYERS, parse_genome
from iterative_retrieval.evolution.genes import Gene, gene_at, genes_of
from iterative_retrieval.evolution.prompt_guard import objection
from iterative_retrieval.evolution.prompt_rules import (
    PromptRule,
    lost_fixed_rules,
    prompt_language,
    prompt_rules,
    rules_for,
    rules_in,
    switched,
    with_rule,
    without_rule,
)
from iterative_retrieval.state.documents import LANGUAGES
from iterative_retrieval.state.evolution import Layer
from tests.evolution.genomes import genomes, shipped

RULES = st.sampled_from(list(prompt_rules()))
SHIPPED_PROMPTS = [
    shipped("postprocess", domain)[field]
    for domain in ("general", "bsl")
    for field in ("system_prompt", "system_prompt_reduce")
]
PROMPTS = st.one_of(st.text("ab.\n ", max_size=40), st.sampled_from(SHIPPED_PROMPTS))


def rule(name: str) -> PromptRule:
    return next(each for each in prompt_rules() if each.id == name)


def prompt_gene(layer: str, path: str, domain: str = "general") -> Gene:
    gene = gene_at(genes_of(layer, shipped(layer, domain)), path)
    assert gene is not None
    return gene


@settings(deadline=None)
@given(PROMPTS, RULES, st.sampled_from(LANGUAGES))
def test_switching_on_and_off_gives_the_prompt_back(prompt: str, each: PromptRule, language: str) -> None:
    if rules_in(prompt, [each]):
        assert with_rule(prompt, each, language) == prompt
        assert not rules_in(without_rule(prompt, each), [each])
    else:
        on = with_rule(prompt, each, language)
        assert rules_in(on, [each]) == [each]
        assert each.texts[language] in on.split("\n")
        assert without_rule(on, each) == prompt


@settings(deadline=None)
@given(st.lists(RULES, min_size=2, max_size=4, unique_by=lambda each: each.id))
def test_the_same_rules_make_the_same_prompt_in_whatever_order(chosen: list[PromptRule]) -> None:
    made = set()
    for order in permutations(chosen):
        prompt = "Answer briefly."
        for each in order:
            prompt = with_rule(prompt, each)
        made.add(prompt)
    assert len(made) == 1


def test_every_rule_speaks_every_language_and_none_holds_another() -> None:
    texts = [text for each in prompt_rules() for text in each.texts.values()]
    assert all(set(each.texts) == set(LANGUAGES) for each in prompt_rules())
    assert len({each.id for each in prompt_rules()}) == len(prompt_rules())
    assert [(a, b) for a in texts for b in texts if a is not b and a in b] == []


def test_every_rule_fits_a_layer_and_names_rules_that_exist() -> None:
    names = {each.id for each in prompt_rules()}
    for each in prompt_rules():
        assert each.layer in LAYERS
        assert set(each.excludes) <= names
        assert each.id not in each.excludes


@pytest.mark.parametrize("each", prompt_rules(), ids=lambda each: each.id)
def test_the_guard_has_nothing_against_a_rule_of_the_catalogue(each: PromptRule) -> None:
    assert [objection("", text) for text in each.texts.values()] == [""] * len(LANGUAGES)


def test_a_rule_inside_another_sentence_does_not_count_as_on() -> None:
    text = rule("direct_answer_first").text("en")
    assert rules_in(f"If in doubt: {text}", [rule("direct_answer_first")])
    assert not rules_in(f"They said {text} And left.", [rule("direct_answer_first")])
    assert not rules_in(f"{text}Then more.", [rule("direct_answer_first")])


def test_a_rule_in_running_text_goes_without_a_trace() -> None:
    before = shipped("postprocess", "general")["system_prompt"]
    after = without_rule(before, rule("direct_answer_first"))
    assert "write them. Cite every" in after
    assert len(before) - len(after) == len(" Put the direct answer first.")


def test_a_rule_is_off_in_all_its_languages() -> None:
    each = rule("numbers_with_unit")
    prompt = f"Antworte.\n{each.text('de')}\n{each.text('zh')}"
    assert without_rule(prompt, each) == "Antworte."


def test_the_shipped_prompts_hold_the_sentences_that_guard_the_contract() -> None:
    fixed = {each.id for each in prompt_rules() if each.fixed}
    for domain in ("general", "bsl", "python"):
        prompt = shipped("postprocess", domain)["system_prompt"]
        assert fixed <= {each.id for each in rules_in(prompt)}


def test_a_lost_guard_is_named_and_a_translated_one_is_not_lost() -> None:
    each = rule("only_sources")
    assert lost_fixed_rules(f"Be kind. {each.text('en')}", "Be kind.") == [each.text("en")]
    assert lost_fixed_rules(f"Be kind. {each.text('en')}", f"Sei nett. {each.text('de')}") == []
    assert lost_fixed_rules("Be kind.", "Be brief.") == []


def test_rules_of_a_domain_and_of_query_types_stay_there() -> None:
    gene = prompt_gene("postprocess", "system_prompt")
    of_bsl = {each.id for each in rules_for("postprocess", gene, {}, "bsl")}
    of_python = {each.id for each in rules_for("postprocess", gene, {}, "python")}
    assert of_bsl - of_python == {"execution_context", "compilation_directive"}
    classifier = prompt_gene("routing", "classifier_prompt")
    of_code = {each.id for each in rules_for("routing", classifier, shipped("routing", "code"), "code")}
    of_docs = {each.id for each in rules_for("routing", classifier, shipped("routing", "general"), "general")}
    assert "trace_is_bug_report" in of_code - of_docs
    assert "value_is_factual" in of_docs - of_code
    assert "bsl_help" not in {name for each in of_docs for name in rule(each).needs}


@settings(deadline=None)
@given(genomes(), st.integers(0, 2**32))
def test_every_switch_validates_and_changes_one_prompt(drawn: tuple[Layer, str, dict[str, Any]], seed: int) -> None:
    layer, domain, genome = drawn
    genes = genes_of(layer, genome, domain)
    done = switched(layer, genome, genes, Random(seed), domain)
    if layer not in ("postprocess", "routing"):
        assert done is None
        return
    assert done is not None
    child, note = done
    assert child != genome
    assert parse_genome(layer, child).model_dump(mode="json") == child
    assert note.endswith(("' on", "' off"))
    assert done == switched(layer, genome, genes, Random(seed), domain)


def test_a_fixed_rule_is_never_switched_off_and_opposites_never_stand_together() -> None:
    genome, rng = shipped("postprocess", "general"), Random(5)
    genes = genes_of("postprocess", genome)
    for _ in range(200):
        done = switched("postprocess", genome, genes, rng)
        assert done is not None
        genome = done[0]
        on = rules_in(genome["system_prompt"])
        assert {each.id for each in prompt_rules() if each.fixed} <= {each.id for each in on}
        assert not any({e.id for e in on} & set(each.excludes) for each in on)
        assert sum(not each.fixed for each in on) <= 8


def test_a_rule_speaks_the_language_of_its_prompt() -> None:
    genome = {**shipped("postprocess", "general"), "system_prompt": "Du beantwortest die Frage aus den Quellen."}
    gene = prompt_gene("postprocess", "system_prompt")
    done = switched("postprocess", genome, [gene], Random(2))
    assert done is not None
    added = done[0]["system_prompt"].split("\n")[-1]
    assert added in [each.text("de") for each in prompt_rules()]


def test_a_rule_that_would_burst_the_prompt_is_not_switched_on() -> None:
    genome = {**shipped("postprocess", "general"), "system_prompt": "x" * 7999}
    assert switched("postprocess", genome, [prompt_gene("postprocess", "system_prompt")], Random(1)) is None


@pytest.mark.parametrize(
    ("prompt", "language"),
    [
        ("Answer from the sources and cite each of them.", "en"),
        ("Antworte aus den Quellen und belege jede Aussage mit der Nummer.", "de"),
        ("Отвечай только по источникам. Сохраняй HTTP.", "ru"),
        ("只使用来源回答。", "zh"),
        ("You are an expert; keep &НаКлиенте and &НаСервере as they are in the sources.", "en"),
        ("", ""),
        ("12 %", ""),
    ],
)
def test_the_language_of_a_prompt_is_told(prompt: str, language: str) -> None:
    assert prompt_language(prompt) == language
