import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from iterative_retrieval.evolution.defaults import LAYERS, default_genome
from iterative_retrieval.evolution.domain_files import known_domains, load_domain
from iterative_retrieval.retrieval.routing import QuestionClassifier
from iterative_retrieval.state.documents import LANGUAGES
from iterative_retrieval.state.errors import InvalidGenome, UnknownDomain

SHIPPED = ["bsl", "general", "python"]
Write = Callable[..., Path]


@pytest.fixture
def finance(tmp_path: Path) -> Write:
    """Writes the domain folder ``finance``: file name (without .json) -> content, and examples as lines."""

    def write(examples: list[dict[str, Any]] | None = None, name: str = "finance", **files: Any) -> Path:
        folder = tmp_path / "domains" / name
        folder.mkdir(parents=True, exist_ok=True)
        for stem, content in {"domain": {"title": "Finance"}, **files}.items():
            (folder / f"{stem}.json").write_text(content if isinstance(content, str) else json.dumps(content))
        if examples is not None:
            (folder / "examples.jsonl").write_text("\n".join(json.dumps(e) for e in examples))
        return folder

    return write


def test_the_shipped_domains_are_known() -> None:
    assert known_domains() == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_domain_is_complete(name: str) -> None:
    domain = load_domain(name)
    assert domain.name == name
    assert domain.title
    assert domain.routing.classifier_prompt and domain.postprocess.system_prompt
    types = set(domain.routing.profiles)
    assert types >= {"factual_lookup", "explanation", "how_to", "troubleshooting"}
    assert {each.query_type for each in domain.cues} == types
    for language in LANGUAGES:
        assert {e.query_type for e in domain.examples if e.language == language} == types
    assert QuestionClassifier(domain.cues, domain.examples).route("Why?", "en", domain.routing).query_type in types


@pytest.mark.parametrize("name", SHIPPED)
def test_the_default_profile_is_the_most_thorough_one(name: str) -> None:
    routing = load_domain(name).routing
    thorough = routing.default_profile.depth_budget
    for profile in routing.profiles.values():
        assert profile.format in ("prose", "list", "steps")
        assert profile.depth_budget.max_cycles <= thorough.max_cycles
        assert profile.depth_budget.candidates <= thorough.candidates
        assert profile.depth_budget.list_depth <= thorough.list_depth


def test_only_bsl_brings_documents() -> None:
    documents = load_domain("bsl").documents
    assert documents is not None and len(list(documents.glob("*.md"))) >= 12
    assert load_domain("general").documents is None


def test_every_gold_section_of_the_bsl_questions_exists() -> None:
    documents = load_domain("bsl").documents
    assert documents is not None
    rows = [json.loads(line) for line in (documents.parent / "questions.jsonl").read_text().splitlines()]
    assert [sum(r["language"] == lang for r in rows) for lang in ("ru", "en", "de")] == [30, 15, 15]
    for gold in (gold for row in rows for gold in row["gold"]):
        assert f"\n## {gold['heading']}\n" in (documents / gold["document"]).read_text()


def test_a_domain_may_bring_nothing_but_its_title(finance: Write) -> None:
    domain, general = load_domain(finance()), load_domain("general")
    assert (domain.name, domain.title) == ("finance", "Finance")
    assert (domain.routing, domain.postprocess, domain.cache_policy) == (
        general.routing,
        general.postprocess,
        general.cache_policy,
    )
    assert (list(domain.cues), list(domain.examples)) == (list(general.cues), list(general.examples))
    assert domain.documents is None


def test_what_a_domain_brings_is_its_own(finance: Write) -> None:
    folder = finance(cache_policy={"min_sources_count": 2}, postprocess={"max_tokens": 500})
    domain = load_domain(str(folder))
    assert domain.cache_policy.min_sources_count == 2
    assert domain.postprocess.max_tokens == 500


def test_cues_replace_those_of_the_same_type_and_leave_the_others(finance: Write) -> None:
    domain = load_domain(finance(cues=[{"query_type": "how_to", "cues": {"en": [[2.0, "buchen"]]}}]))
    by_type = {each.query_type: each for each in domain.cues}
    assert by_type["how_to"].cues == {"en": [(2.0, "buchen")]}
    assert len(by_type["explanation"].cues["en"]) > 1


def test_own_examples_join_the_inherited_ones(finance: Write) -> None:
    own = {"question": "Which rate applies?", "query_type": "factual_lookup", "language": "en"}
    domain = load_domain(finance([own]))
    assert domain.examples[-1].question == "Which rate applies?"
    assert len(domain.examples) == len(load_domain("general").examples) + 1


def test_inherited_cues_and_examples_of_a_type_the_domain_dropped_are_left_out(finance: Write) -> None:
    domain = load_domain(finance(routing={"profiles": {"how_to": {}, "explanation": {}}}))
    kept = {"how_to", "explanation"}
    assert {e.query_type for e in domain.examples} == kept == {c.query_type for c in domain.cues}


def test_a_folder_of_domains_makes_its_names_known(finance: Write) -> None:
    folder = finance().parent
    assert known_domains([folder]) == sorted([*SHIPPED, "finance"])
    assert load_domain("finance", [folder]).title == "Finance"


def test_a_domain_of_an_extra_folder_comes_before_the_shipped_one_of_that_name(finance: Write) -> None:
    folder = finance(name="bsl").parent
    assert load_domain("bsl", [folder]).title == "Finance"
    assert load_domain("bsl").title != "Finance"


def test_an_extra_folder_that_does_not_exist_brings_nothing(tmp_path: Path) -> None:
    assert known_domains([tmp_path / "none"]) == SHIPPED


def test_an_unknown_name_is_answered_with_the_known_ones(finance: Write) -> None:
    with pytest.raises(UnknownDomain, match="no domain 'law'; domains are bsl, finance, general, python"):
        load_domain("law", [finance().parent])


def test_the_shipped_general_domain_inherits_nothing_even_by_its_path() -> None:
    documents = load_domain("bsl").documents
    assert documents is not None
    by_path = load_domain(documents.parents[1] / "general")
    assert len(by_path.examples) == len(load_domain("general").examples)


def test_a_bare_name_of_a_folder_here_is_met_with_a_hint(finance: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(finance().parent)
    with pytest.raises(UnknownDomain, match=r"the folder is '\./finance'"):
        load_domain("finance")
    assert load_domain("./finance").title == "Finance"


def test_a_path_without_a_domain_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownDomain, match=r"needs a domain\.json"):
        load_domain(tmp_path)


@pytest.mark.parametrize("name", ["Finance", "code", "my domain", "x" * 41])
def test_a_folder_name_that_cannot_name_a_domain_is_refused(finance: Write, name: str) -> None:
    with pytest.raises(UnknownDomain, match="rename it"):
        load_domain(finance(name=name))


def test_a_misspelt_file_is_not_passed_over(finance: Write) -> None:
    with pytest.raises(UnknownDomain, match=r"rooting\.json: unknown file"):
        load_domain(finance(rooting={}))


@pytest.mark.parametrize("content", ["{", "[" * 100_000])
def test_a_file_that_is_not_json_is_named(finance: Write, content: str) -> None:
    with pytest.raises(UnknownDomain, match=r"routing\.json: not JSON"):
        load_domain(finance(routing=content))


def test_a_file_that_is_not_utf8_is_named(finance: Write) -> None:
    folder = finance()
    (folder / "postprocess.json").write_bytes(b'{"system_prompt": "\xff"}')
    with pytest.raises(UnknownDomain, match=r"postprocess\.json cannot be read as UTF-8"):
        load_domain(folder)


def test_an_oversized_file_is_refused(finance: Write) -> None:
    with pytest.raises(UnknownDomain, match="larger than"):
        load_domain(finance(routing=" " * 4_000_001))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"domain": {"title": ""}}, r"domain\.json, field 'title'"),
        ({"domain": {"title": "A", "color": 1}}, r"domain\.json, field 'color'"),
        ({"routing": {"min_confidence": 2}}, r"routing\.json: routing genome, field 'min_confidence'"),
        ({"routing": {"profiles": {"How To": {}}}}, r"routing\.json: routing genome, field 'profiles\.How To"),
        ({"postprocess": {"chunk_count": 0}}, r"postprocess\.json: postprocess genome, field 'chunk_count'"),
        ({"cache_policy": {"ttl": 1}}, r"cache_policy\.json: cache_policy genome, field 'ttl'"),
        ({"retrieval": {"k1": 0}}, r"retrieval\.json: retrieval genome, field 'k1'"),
        ({"cues": {}}, r"cues\.json: expected a list"),
        ({"cues": [{"query_type": "poem"}]}, r"cues\.json, entry 1, field 'query_type': 'poem' has no profile"),
        ({"cues": [{"query_type": "how_to", "cues": {"fr": []}}]}, r"entry 1, field 'cues\.fr': languages are en"),
        ({"cues": [{"query_type": "how_to", "cues": {"en": [[0, "a"]]}}]}, r"field 'cues\.en\.0': a weight"),
        ({"cues": [{"query_type": "how_to", "cues": {"en": [[1, "(?:a+)+"]]}}]}, r"field 'cues\.en\.0': cue '"),
        ({"cues": [{"query_type": "how_to", "cues": {"en": [[1]]}}]}, r"entry 1, field 'cues\.en\.0"),
        ({"cues": [{"query_type": "how_to", "cues": {"en": [[1, "a"]] * 401}}]}, r"more than 400 cues"),
    ],
)
def test_a_bad_file_is_refused_with_its_name_and_field(finance: Write, files: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidGenome, match=message):
        load_domain(finance(**files))


@pytest.mark.parametrize(
    ("example", "message"),
    [
        ({"question": "", "query_type": "how_to", "language": "en"}, r"examples\.jsonl, line 1, field 'question'"),
        (
            {"question": "x", "query_type": "poem", "language": "en"},
            "line 1, field 'query_type': 'poem' has no profile",
        ),
        ({"question": "x", "query_type": "how_to", "language": "fr"}, "line 1, field 'language': languages are"),
        ({"question": "x", "query_type": "how_to"}, "line 1, field 'language'"),
    ],
)
def test_a_bad_example_is_refused_with_its_line(finance: Write, example: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidGenome, match=message):
        load_domain(finance([example]))


@pytest.mark.parametrize("domain", ["code", *SHIPPED])
@pytest.mark.parametrize("layer", ["retrieval", "routing"])
def test_every_domain_has_a_default_genome_of_search_and_routing(layer: str, domain: str) -> None:
    assert isinstance(default_genome(layer, domain), LAYERS[layer])


@pytest.mark.parametrize("layer", ["postprocess", "cache_policy"])
def test_answers_and_their_cache_belong_to_documentation_only(layer: str) -> None:
    assert isinstance(default_genome(layer, "bsl"), LAYERS[layer])
    with pytest.raises(InvalidGenome, match=f"domain 'code' has no layer '{layer}'"):
        default_genome(layer, "code")


def test_a_default_genome_comes_from_the_domains_folder(finance: Write) -> None:
    folder = finance(postprocess={"max_tokens": 77})
    assert default_genome("postprocess", "finance", [folder.parent]).model_dump()["max_tokens"] == 77
    assert default_genome("postprocess", str(folder)).model_dump()["max_tokens"] == 77


def test_an_unknown_layer_is_refused_before_the_domain_is_read() -> None:
    with pytest.raises(InvalidGenome, match="no layer 'taste'"):
        default_genome("taste", "nowhere")


def test_the_worked_example_of_the_documentation_is_a_domain(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "domains.md").read_text()
    files = re.findall(r"`domains/finance/(\w+\.jsonl?)`[^\n]*\n```json\n(.*?)```", text, re.S)
    folder = tmp_path / "finance"
    folder.mkdir()
    for name, content in files:
        (folder / name).write_text(content)
    assert len(files) == 6
    domain = load_domain(folder)
    route = QuestionClassifier(domain.cues, domain.examples).route(
        "Which cost centre for the trade fair?", "en", domain.routing
    )
    assert (route.query_type, route.profile) == ("account_lookup", "account_lookup")
    assert domain.cache_policy.max_age_days == 7
