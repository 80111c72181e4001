import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.route_cues import CueBook, seen
from iterative_retrieval.retrieval.route_examples import ExampleBook, ExampleVotes
from iterative_retrieval.retrieval.routing import QuestionClassifier, classify_question, probabilities
from iterative_retrieval.state.cue_patterns import SEEN
from iterative_retrieval.state.domains import RouteCues, RouteExample
from iterative_retrieval.state.errors import InvalidGenome
from iterative_retrieval.state.routing import Profile, RoutingGenome

CUES = [
    RouteCues(
        query_type="how_to", cues={"en": [(2.5, r"\bhow (?:do|can) i\b")], "de": [(2.5, r"\bwie \w{2,9}e ich\b")]}
    ),
    RouteCues(query_type="fact", cues={"en": [(2.0, r"^how (?:many|much)\b")], "": [(1.5, r"\bdefault\b")]}),
]
EXAMPLES = [
    RouteExample(question="How do I install the tool?", query_type="how_to", language="en"),
    RouteExample(question="How do I add a user?", query_type="how_to", language="en"),
    RouteExample(question="How many users are allowed?", query_type="fact", language="en"),
    RouteExample(question="Is there an upper limit?", query_type="fact", language="en"),
    RouteExample(question="Wie viele Benutzer gibt es?", query_type="fact", language="de"),
    RouteExample(question="Wie lösche ich einen Benutzer?", query_type="how_to", language="de"),
]
GENOME = RoutingGenome(profiles={"how_to": Profile(format="steps"), "fact": Profile()}, min_confidence=0.6)
CLASSIFIER = QuestionClassifier(CUES, EXAMPLES)


def test_cues_and_examples_that_agree_make_it_sure() -> None:
    route = CLASSIFIER.route("How do I remove a user?", "en", GENOME)
    assert (route.query_type, route.profile) == ("how_to", "how_to")
    assert route.confidence > 0.9


def test_the_reason_names_the_cue_and_the_nearest_example() -> None:
    reason = CLASSIFIER.route("How do I add a group?", "en", GENOME).reason
    assert reason == 'says "how do i", like "How do I add a user?"'


def test_a_nearest_example_of_another_type_is_named_with_its_type() -> None:
    reason = CLASSIFIER.route("How do I install the default?", "en", GENOME).reason
    assert 'says "how do i"' in reason
    other = CLASSIFIER.route("default of how do I add a user", "de", GENOME)
    assert other.query_type == "fact"


def test_without_evidence_the_default_profile_serves() -> None:
    route = CLASSIFIER.route("zebra", "en", GENOME)
    assert (route.profile, route.confidence) == ("default", 0.5)
    assert route.reason == "no cue and no similar example"


def test_contradicting_cues_make_it_unsure() -> None:
    clear = CLASSIFIER.route("how do i reset it", "en", GENOME).confidence
    mixed = CLASSIFIER.route("how do i reset the default", "en", GENOME).confidence
    assert mixed < clear


def test_the_threshold_of_the_genome_decides_between_profile_and_default() -> None:
    strict = GENOME.model_copy(update={"min_confidence": 1.0})
    question = "How do I remove a user?"
    assert CLASSIFIER.route(question, "en", strict).profile == "default"
    assert CLASSIFIER.route(question, "en", strict).query_type == "how_to"


def test_only_types_of_the_active_genome_are_chosen() -> None:
    fewer = RoutingGenome(profiles={"fact": Profile()})
    assert CLASSIFIER.route("How do I remove a user?", "en", fewer).query_type == "fact"


def test_a_genome_without_types_means_default() -> None:
    route = CLASSIFIER.route("How do I remove a user?", "en", RoutingGenome())
    assert (route.query_type, route.profile, route.confidence) == ("default", "default", 0.0)


def test_cues_speak_in_their_own_language_and_in_none_for_all() -> None:
    book = CueBook(CUES)
    assert book.votes("how do i set the default", "de").votes == {"fact": 1.5}
    assert book.votes("how do i set the default", "en").votes == {"how_to": 2.5, "fact": 1.5}
    assert book.votes("wie lösche ich das", "").votes == {"how_to": 2.5}


def test_examples_of_the_questions_language_vote() -> None:
    votes = ExampleBook(EXAMPLES).votes("Wie entferne ich einen Benutzer?", "de")
    assert votes.nearest is not None and votes.nearest.language == "de"
    assert votes.shares["how_to"] > votes.shares["fact"]


def test_words_that_tell_types_apart_count_more_than_the_topic() -> None:
    examples = [
        RouteExample(question=q, query_type=t, language="en")
        for q, t in [
            ("Why is the invoice blue", "why"),
            ("Why is the queue long", "why"),
            ("Why is the page red", "why"),
            ("Who owns the invoice", "who"),
            ("Who owns the ledger", "who"),
            ("Who owns the page", "who"),
        ]
    ]
    votes = ExampleBook(examples).votes("Why does the ledger stop", "en")
    assert votes.shares["why"] > votes.shares.get("who", 0.0)


def test_an_embedders_similarities_let_examples_of_other_languages_vote() -> None:
    similarities = [0.0, 0.0, 0.0, 0.0, 0.0, 0.9]
    votes = ExampleBook(EXAMPLES).votes("zebra", "en", similarities)
    assert votes.nearest == EXAMPLES[5]
    assert votes.shares == {"how_to": 1.0}


def test_similarities_must_be_as_many_as_the_examples() -> None:
    with pytest.raises(ValueError, match="shorter"):
        ExampleBook(EXAMPLES).votes("zebra", "en", [0.1])


def test_no_examples_and_no_cues_leave_every_type_equally_likely() -> None:
    route = classify_question("How do I start?", "en", [], [], GENOME)
    assert (route.confidence, route.profile) == (0.5, "default")


def test_a_bad_cue_is_refused_before_any_question_is_asked() -> None:
    with pytest.raises(InvalidGenome, match="bound its quantifiers"):
        QuestionClassifier([RouteCues(query_type="fact", cues={"": [(1.0, "(?:a+)+b")]})], [])


def test_a_long_question_is_seen_at_its_beginning_and_its_end() -> None:
    long = "how do i " + "x " * 5000 + "by default?"
    assert len(seen(long)) <= SEEN
    assert CueBook(CUES).votes(long, "en").votes == {"how_to": 2.5, "fact": 1.5}


def test_the_same_question_gets_the_same_route_whatever_the_order_of_profiles() -> None:
    turned = RoutingGenome(profiles=dict(reversed(GENOME.profiles.items())), min_confidence=0.6)
    for question in ("zebra", "How many?", "how do i set the default"):
        assert CLASSIFIER.route(question, "en", GENOME) == CLASSIFIER.route(question, "en", turned)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300), st.sampled_from(["en", "de", "ru", "zh", ""]))
def test_any_question_is_routed_with_a_confidence_from_zero_to_one(question: str, language: str) -> None:
    route = CLASSIFIER.route(question, language, GENOME)
    assert 0 <= route.confidence <= 1
    assert route.query_type in GENOME.profiles


@given(st.dictionaries(st.sampled_from("abc"), st.floats(0, 50)), st.floats(0, 1))
def test_probabilities_sum_to_one(cues: dict[str, float], similarity: float) -> None:
    votes = ExampleVotes({"a": 0.5}, EXAMPLES[0], similarity)
    assert sum(probabilities(["a", "b", "c"], cues, votes).values()) == pytest.approx(1.0)
