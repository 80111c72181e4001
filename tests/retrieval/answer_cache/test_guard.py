import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.cache_pairs import pairs, polarity_pairs
from iterative_retrieval.retrieval.answer_cache.guard import same_question
from iterative_retrieval.retrieval.answer_cache.lexicon import key_of, table_lines

PAIRS = pairs()


def differs(a: str, b: str) -> str:
    verdict = same_question(a, b)
    assert verdict.agrees == (verdict.differs == "")
    return verdict.differs


@pytest.mark.parametrize(
    ("a", "b", "what"),
    [
        ("How do I enable logging?", "How do I disable logging?", "antonym"),
        ("How do I turn the cache on?", "How do I turn the cache off?", "antonym"),
        ("Wie schalte ich den Cache ein?", "Wie schalte ich den Cache aus?", "antonym"),
        ("Как включить журнал?", "Как выключить журнал?", "antonym"),
        ("如何启用缓存？", "如何禁用缓存？", "antonym"),
        ("Доступно в тонком клиенте?", "Доступно в мобильном клиенте?", "antonym"),
        ("Why does it start?", "Why doesn't it start?", "negation"),
        ("How do I build with tests?", "How do I build without tests?", "negation"),
        ("Welche Optionen gelten?", "Welche Optionen gelten nicht?", "negation"),
        ("哪些函数可用？", "哪些函数不可用？", "negation"),
        ("How do I wait 5 seconds?", "How do I wait 5 minutes?", "number"),
        ("How do I start two workers?", "How do I start three workers?", "number"),
        ("Which ports from 80 to 90 are open?", "Which ports from 80 to 99 are open?", "number"),
        ("What is new in v2?", "What is new in v3?", "number"),
        ("How do I run on Python 3.1?", "How do I run on Python 3.10?", "version"),
        ("What does max_retries do?", "What does min_retries do?", "identifier"),
        ("How do I use SET?", "How do I use set?", "identifier"),
        ("What does != do?", "What does == do?", "identifier"),
        ("What does the path option do?", "What does --path do?", "identifier"),
        ("Как вызвать ПолучитьФорму?", "Как вызвать ОткрытьФорму?", "identifier"),
        ('What does "access denied" mean?', 'What does "access granted" mean?', "quote"),
        ("How do I limit retries?", "Why do I limit retries?", "question"),
        ("How often does it run?", "How long does it run?", "question"),
        ("Which port must be open?", "Which port can be open?", "question"),
        ("When was it released?", "When is it released?", "question"),
        ("Do all plugins start?", "Do any plugins start?", "quantifier"),
        ("How do I list users?", "How do I list all users?", "quantifier"),
        ("How do I find out why it failed?", "How do I find out when it failed?", "word"),
        ("How do I limit retries?", "How do I limit redirects?", "word"),
        ("How do I limit retries?", "How do I limit retries in Docker?", "word"),
        ("Can I use A and B?", "Can I use A or B?", "word"),
        ("How do I convert JSON to YAML?", "How do I convert YAML to JSON?", "order"),
        ("How does the client call the server?", "How does the server call the client?", "order"),
        ("How do I copy from the volume?", "How do I copy into the volume?", "order"),
        ("What calls the handler?", "What does the handler call?", "order"),
        ("What depends on the scheduler?", "What does the scheduler depend on?", "order"),
        ("Is redis faster than sqlite?", "Is sqlite faster than redis?", "order"),
        ("Вызывает ли клиент сервер?", "Вызывается ли клиент сервером?", "order"),
        ("How do I limit retries?", "Wie begrenze ich Wiederholungen?", "language"),
    ],
)
def test_a_difference_that_matters_is_named(a: str, b: str, what: str) -> None:
    assert differs(a, b) == what
    assert differs(b, a) == what


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("How do I limit the number of retries?", "Please, how can I restrict the number of retries"),
        ("How do I enable TLS on the server?", "How do I turn TLS on for the server?"),
        ("In the settings class, how do I load the key?", "How do I load the key in the settings class?"),
        ("How do I wait 60 seconds?", "How do I wait one minute?"),
        ("How do I set `max_retries` to 5?", "How to set max_retries to five"),
        ("What does the --dry-run option do?", "What does --dry-run do?"),
        ("Why does the handler run twice?", "Why does the handler run two times?"),
        ("What does JSON mean?", "what does json mean"),
        ("Wie schalte ich den Cache ein?", "Wie kann ich den Cache aktivieren?"),
        ("Wie wandle ich Text in Zahlen um?", "Wie kann ich Text in Zahlen umwandeln?"),
        ("Как ограничить количество повторов?", "Подскажите, как можно ограничить число повторов?"),
        ("Как передать файл на сервер из формы?", "Как из формы передать файл на сервер?"),
        ("如何限制重试次数？", "请问怎样限制重试的次数？"),
        ("如何把字符串转换为日期？", "怎么将字符串转换成日期？"),
    ],
)
def test_another_wording_of_the_same_question_agrees(a: str, b: str) -> None:
    assert same_question(a, b).agrees
    assert same_question(b, a).agrees


def test_a_name_said_to_be_an_option_is_not_the_name_of_a_class() -> None:
    assert differs("What does the retry_all option do?", "What does the retry_all class do?") == "identifier"


def test_a_language_without_word_lists_needs_the_same_words() -> None:
    assert same_question("Comment limiter les essais ?", "comment limiter les essais").agrees
    assert not same_question("Comment limiter les essais ?", "Comment limiter les envois ?").agrees


def test_no_pair_of_the_polarity_sets_shares_an_answer() -> None:
    tested = polarity_pairs()
    assert len([p for p in tested if p.language == "zh"]) >= 60
    assert [p for p in tested if same_question(p.a, p.b, p.language).agrees] == []


def test_no_near_miss_shares_an_answer() -> None:
    tested = [p for p in PAIRS if not p.same][::11]
    assert len(tested) > 1_000
    assert [p for p in tested if same_question(p.a, p.b, p.language).agrees] == []


def test_half_of_the_paraphrases_are_known() -> None:
    tested = [p for p in PAIRS if p.same]
    assert sum(same_question(p.a, p.b, p.language).agrees for p in tested) >= len(tested) / 2


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PAIRS))
def test_the_guard_is_symmetrical(pair: object) -> None:
    a, b = getattr(pair, "a"), getattr(pair, "b")  # noqa: B009
    assert same_question(a, b) == same_question(b, a)


@pytest.mark.parametrize("language", ["en", "de", "ru", "zh"])
def test_no_word_stands_for_two_concepts(language: str) -> None:
    seen: dict[tuple[str, ...], str] = {}
    for concept, words in table_lines(language):
        for word in words:
            assert seen.setdefault(key_of(word, language), concept) == concept, word
