"""What must count as supported, and what must not fool the check, in four languages."""

from __future__ import annotations

import pytest

from iterative_retrieval.retrieval.answers.quotes import source_of
from iterative_retrieval.retrieval.answers.support import support, support_share
from iterative_retrieval.state.answer import Answer, SentenceSupport
from iterative_retrieval.state.documents import StoredChunk
from tests.retrieval.answers.chunks import CHINESE, GERMAN, LOGGING, RETRIES, RUSSIAN, TIMEOUTS, chunk

CALLS = chunk("The server sends the token to the client. The client calls the server over TLS.", document="calls.md")


def one(sentence: str, source: StoredChunk, language: str = "", question: str = "") -> SentenceSupport:
    """Support of one sentence that refers to one chunk."""
    answer = Answer(
        answer=f"{sentence} [1]",
        sources=[source_of(source, 1, 0, len(source.text))],
        language=language or source.language,
    )
    (found,) = support(answer, [source], question)
    return found


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("The client retries failed requests up to three times by default.", RETRIES),
        ("By default the client retries failed requests up to 3 times.", RETRIES),
        ("Failed requests are retried three times by default.", RETRIES),
        ("Requests refused with status 400 are not retried.", RETRIES),
        ("The default timeout is 30 seconds.", TIMEOUTS),
        ("**Pass** `--quiet` to hide log messages.", LOGGING),
        ("The server is called by the client over TLS.", CALLS),
        ("Anfragen mit Status 400 werden nicht wiederholt.", GERMAN),
        ("Fehlgeschlagene Anfragen wiederholt der Client dreimal.", GERMAN),
        ("Клиент повторяет неудачные запросы 3 раза.", RUSSIAN),
        ("Тонкий клиент — приложение, которое выполняется на компьютере пользователя.", RUSSIAN),
        ("状态为400的请求不会重试。", CHINESE),
        ("客户端默认重试失败的请求三次。", CHINESE),
    ],
)
def test_what_a_chunk_says_is_supported(sentence: str, source: StoredChunk) -> None:
    found = one(sentence, source)
    assert found.problem == ""
    assert found.sources == [1]
    assert found.score >= 0.5


@pytest.mark.parametrize(
    ("sentence", "source", "problem"),
    [
        # a changed number
        ("The client retries failed requests up to five times by default.", RETRIES, "numbers differ: 5"),
        ("The default timeout is 300 seconds.", TIMEOUTS, "numbers differ: 300"),
        ("Anfragen mit Status 404 werden nicht wiederholt.", GERMAN, "numbers differ: 404"),
        ("Между попытками он ждёт 20 секунд.", RUSSIAN, "numbers differ: 20"),
        ("每次重试之间等待5秒。", CHINESE, "numbers differ: 5"),
        # a removed, or added, "not"
        ("Requests that were refused with status 400 are retried.", RETRIES, "negation differs"),
        ("Anfragen mit Status 400 werden wiederholt.", GERMAN, "negation differs"),
        ("状态为400的请求会重试。", CHINESE, "negation differs"),
        ("The client does not retry failed requests by default.", RETRIES, "negation differs"),
        ("Der Client wiederholt fehlgeschlagene Anfragen nicht.", GERMAN, "negation differs"),
        ("Клиент не повторяет неудачные запросы три раза.", RUSSIAN, "negation differs"),
        # who does what to whom
        ("The client sends the token to the server.", CALLS, "changed places: client / server"),
        ("The server calls the client over TLS.", CALLS, "changed places: server / client"),
        # one word exchanged
        ("Log messages go to standard output.", LOGGING, "differs from its source: output / error"),
        ("Pass `--silent` to hide them.", LOGGING, "not in the source: --silent"),
        ("Set `max_retry` to change the limit.", RETRIES, "not in the source: max_retry"),
        ("Тонкий клиент — это приложение, которое выполняется на сервере пользователя.", RUSSIAN, "differs from its"),
        # something added
        (
            "The client retries failed requests up to three times and mails Bob's manager weekly.",
            RETRIES,
            "not in the source: mail bob",
        ),
        # nothing of it
        ("Kubernetes restarts the pod at night.", RETRIES, "not in the source: kubernet restart pod"),
        ("Bananas are yellow.", RETRIES, "no source says this"),
        # no statement at all
        ("Does the client retry failed requests?", RETRIES, "a question, not a statement"),
        ("重试失败的请求吗？", CHINESE, "a question, not a statement"),
    ],
)
def test_what_a_chunk_does_not_say_is_not_supported(sentence: str, source: StoredChunk, problem: str) -> None:
    found = one(sentence, source)
    assert problem in found.problem
    assert found.score < 0.5
    assert found.sources == []


@pytest.mark.parametrize(
    ("stated", "held", "language"),
    [
        ("The cache is enabled by default.", "The cache is disabled by default.", "en"),
        ("Run it before the migration.", "Run it after the migration.", "en"),
        ("Der Cache ist aktiviert.", "Der Cache ist deaktiviert.", "de"),
        ("Es sind mindestens 3 Zeichen.", "Es sind höchstens 3 Zeichen.", "de"),
        ("Режим включен по умолчанию.", "Режим выключен по умолчанию.", "ru"),
        ("默认启用缓存功能。", "默认禁用缓存功能。", "zh"),
    ],
)
def test_the_opposite_is_not_supported(stated: str, held: str, language: str) -> None:
    assert one(stated, chunk(held, language=language)).problem
    assert not one(held, chunk(held, language=language)).problem


def test_a_negation_in_another_clause_does_not_count() -> None:
    source = chunk("It retries after a timeout, but it does not retry after a refusal.")
    assert not one("It retries after a timeout.", source).problem
    assert one("It retries after a refusal.", source).problem == "negation differs"
    assert one("It does not retry after a timeout.", source).problem == "negation differs"


def test_a_number_of_another_sentence_does_not_count() -> None:
    source = chunk("The limit is 5 MB.\n\nImages come from disk.\n\nText is read.\n\nThe screen shows 20 images.")
    assert one("The limit is 20 MB.", source).problem
    assert not one("The limit is 5 MB.", source).problem


def test_a_version_is_compared_as_a_whole() -> None:
    source = chunk("The option exists since version 8.3.22 of the platform.")
    assert not one("The option exists since version 8.3.22 of the platform.", source).problem
    assert one("The option exists since version 8.3.2 of the platform.", source).problem == "numbers differ: 8.3.2"


def test_text_that_repeats_the_question_supports_nothing() -> None:
    question = "Can the client limit retries of requests per host?"
    source = chunk("The client sends requests. Retries exist. A host may be named. There is a limit of memory.")
    assert one("The client can limit retries of requests per host.", source, question=question).problem


@pytest.mark.parametrize("mark", ["[doc-99]", "[Source 7]", "[^3]", "【来源3】"])
def test_an_invented_reference_is_not_a_source(mark: str) -> None:
    answer = Answer(answer=f"The default timeout is 30 seconds. {mark}", sources=[], language="en")
    assert [s.problem for s in support(answer, [TIMEOUTS]) if s.problem]


def test_a_number_behind_a_link_is_still_a_reference() -> None:
    answer = Answer(answer="The default timeout is 30 seconds. [9](https://a.b)", language="en")
    assert support(answer, [TIMEOUTS])[0].problem == "no source 9"


def test_a_sentence_without_a_source_is_not_supported() -> None:
    answer = Answer(answer="The default timeout is 30 seconds.", sources=[source_of(TIMEOUTS, 1, 0, 80)], language="en")
    assert support(answer, [TIMEOUTS])[0].problem == "names no source"


def test_a_run_of_sentences_shares_the_number_at_its_end() -> None:
    text = "A timeout is the longest time a request may take. The default timeout is 30 seconds. [1]"
    answer = Answer(answer=text, sources=[source_of(TIMEOUTS, 1, 0, 80)], language="en")
    assert [s.sources for s in support(answer, [TIMEOUTS])] == [[1], [1]]


def test_of_two_sources_the_one_that_says_it_is_named() -> None:
    answer = Answer(
        answer="The default timeout is 30 seconds. [1][2]",
        sources=[source_of(LOGGING, 1, 0, 40), source_of(TIMEOUTS, 2, 0, 80)],
        language="en",
    )
    assert support(answer, [LOGGING, TIMEOUTS])[0].sources == [2]


def test_a_chunk_that_was_not_retrieved_supports_nothing() -> None:
    answer = Answer(
        answer="The default timeout is 30 seconds. [1]", sources=[source_of(TIMEOUTS, 1, 0, 80)], language="en"
    )
    assert support(answer, [RETRIES])[0].problem == "no source 1"


def test_code_must_stand_in_its_source_line_by_line() -> None:
    sources = [source_of(RETRIES, 1, 0, 80)]
    good = Answer(answer="```\nclient = Client(max_retries=5)\n```\n[1]", sources=sources, language="en")
    bad = good.model_copy(update={"answer": good.answer.replace("5", "6")})
    assert not support(good, [RETRIES])[0].problem
    assert support(bad, [RETRIES])[0].problem == "code differs from its source"


@pytest.mark.parametrize(
    ("sentence", "problem"),
    [
        ("Die Voreinstellung beträgt 30 Sekunden.", ""),
        ("Die Voreinstellung beträgt 40 Sekunden.", "not in the source: 40"),
        ("Die Wartezeit ist nach Belieben einstellbar.", "in another language than its source"),
    ],
)
def test_a_translated_sentence_is_checked_by_its_names_and_numbers(sentence: str, problem: str) -> None:
    found = one(sentence, TIMEOUTS, language="de").problem
    assert found.startswith(problem) if problem else found == ""


def test_the_share_counts_supported_sentences() -> None:
    good, bad = one("The default timeout is 30 seconds.", TIMEOUTS), one("Bananas are yellow.", TIMEOUTS)
    assert support_share([good, bad]) == 0.5
    assert support_share([]) is None


@pytest.mark.parametrize("source", [RETRIES, TIMEOUTS, LOGGING, GERMAN, RUSSIAN, CHINESE, CALLS])
def test_every_sentence_supports_itself(source: StoredChunk) -> None:
    from iterative_retrieval.retrieval.answers.blocks import BlockKind
    from iterative_retrieval.retrieval.answers.sentences import units

    for unit in units(source.text, source.language):
        if unit.kind is not BlockKind.CODE:
            assert one(unit.plain, source).problem == ""
