import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.state.cue_patterns import MOST_STEPS, compiled_cue
from iterative_retrieval.state.errors import InvalidGenome


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^how (?:do|can) i\b", "How do I start?"),
        (r"\bfix\w*|fail\w*", "it failed"),
        (r"fehler|stürz\w{1,2}", "Die App stürzt ab"),
        (r"не (?:работа|запуска)\w{0,6}", "Сервис не запускается"),
        (r"(?:如何|怎么)(?!工作)", "怎么安装"),
        (r"[А-ЯЁ][а-яё]{1,20}[А-ЯЁ][а-яё]", "что делает СтрРазделить"),
        (r"[^\]a-z]x{2}", "7xx"),
        (r"\$\d{1,3}(?:\.\d{2})?", "costs $12.50"),
    ],
)
def test_a_cue_finds_what_it_means(pattern: str, text: str) -> None:
    assert compiled_cue(pattern).search(text)


def test_case_counts_only_where_the_cue_holds_an_upper_case_letter() -> None:
    assert compiled_cue("why").search("WHY")
    assert not compiled_cue("[А-Я][а-я]{2,9}[А-Я]").search("строка")
    assert compiled_cue(r"\Wwhy\B").search(" WHYS")


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:a+)+b",
        r"(?:a*)*$",
        r"(?:\w+\s?)+x",
        r"(?:a|a){40}b",
        r"(?:ab|a\w){40}",
        r".*.*.*x",
        r"\w*\w*\w*!",
        r"(?:\w{0,40} ){0,6}end",
        r"^a{0,500}a{0,500}a{0,500}b|x",
    ],
)
def test_a_cue_whose_time_could_explode_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidGenome, match="ways; bound its quantifiers"):
        compiled_cue(pattern)


@pytest.mark.parametrize("pattern", [r"(a)b", r"(?P<n>a)", r"(?<=a)b", r"(?i)a", r"a\1", r"a+?b", r"a++b", r"\Aab"])
def test_a_cue_outside_the_small_language_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidGenome, match="cue '"):
        compiled_cue(pattern)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("", "1 to 1,200 characters"),
        ("a" * 1201, "1 to 1,200 characters"),
        ("(?:a", "not a regular expression"),
        ("a*", "matches the empty text"),
        ("why|", "matches the empty text"),
        ("(?:" * 7 + "a" + ")" * 7, "nests more than 6 groups"),
    ],
)
def test_a_useless_cue_is_refused_with_its_reason(pattern: str, message: str) -> None:
    with pytest.raises(InvalidGenome, match=message):
        compiled_cue(pattern)


def test_alternatives_that_begin_differently_exclude_each_other() -> None:
    distinct = "|".join(f"{chr(97 + i)}\\w*" for i in range(26))
    assert compiled_cue(distinct).search("zebra")
    alike = "|".join(f"{chr(97 + i)}\\w*" for i in range(26)).replace("|", "|q?")
    with pytest.raises(InvalidGenome, match=f"{MOST_STEPS:,} ways"):
        compiled_cue(f"(?:{alike})\\w*")


@pytest.mark.filterwarnings("ignore:Possible (nested set|set):FutureWarning")
@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=r"ab|()?:*+{}[]\^$.w,12", max_size=24))
def test_any_pattern_is_compiled_or_refused_but_never_breaks_the_reader(pattern: str) -> None:
    try:
        compiled = compiled_cue(pattern)
    except InvalidGenome:
        return
    assert isinstance(compiled, re.Pattern)
