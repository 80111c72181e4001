import pytest
from hypothesis import given
from hypothesis import strategies as st

from iterative_retrieval.retrieval.patterns import Patterns
from iterative_retrieval.state.errors import CallerError


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*.test.ts", "x.test.ts"),
        ("*.test.ts", "a/b/x.test.ts"),
        ("src/**/*.ts", "src/a.ts"),
        ("src/**/*.ts", "src/a/b/c.ts"),
        ("src/**", "src/a/b.ts"),
        ("**/test/*", "a/test/b.py"),
        ("**/test/*", "test/b.py"),
        ("src/{a,b}.ts", "src/b.ts"),
        ("*", "a/.hidden"),
        ("src", "src/a/b.ts"),
        ("src/", "src/a.ts"),
        ("node_modules", "web/node_modules/x/i.js"),
        ("src/a", "src/a/b.ts"),
        ("setup.py", "setup.py"),
        ("setup.py", "lib/setup.py"),
        ("lib/setup.py", "lib/setup.py"),
        ("src\\a\\*.ts", "src/a/b.ts"),
        ("./src/*.ts", "src/b.ts"),
        ("/src/*.ts", "src/b.ts"),
        (" src/*.ts ", "src/b.ts"),
        ("a b/(x)/*.ts", "a b/(x)/c.ts"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx"),
        ("a[12].py", "a1.py"),
    ],
)
def test_match(pattern: str, path: str) -> None:
    assert Patterns([pattern]).match(path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*.test.ts", "x.ts"),
        ("src/**/*.ts", "lib/src/a.ts"),
        ("src/*.ts", "src/a/b.ts"),
        ("src/{a,b}.ts", "src/c.ts"),
        ("src/a", "x/src/a/b.ts"),
        ("src", "src2/a.ts"),
        ("lib/setup.py", "setup.py"),
        ("lib/setup.py", "x/lib/setup.py"),
        ("setup.py", "setup.pyi"),
        ("*.TS", "a.ts"),
        ("a[12].py", "a3.py"),
        ("", "a"),
        ("  ", "a"),
    ],
)
def test_no_match(pattern: str, path: str) -> None:
    assert not Patterns([pattern]).match(path)


def test_no_patterns_match_nothing_and_are_false() -> None:
    assert not Patterns([])
    assert not Patterns([" "])
    assert not Patterns([]).match("a")
    assert Patterns(["a"])


def test_any_of_the_patterns_is_enough() -> None:
    either = Patterns(["*.md", "src"])
    assert [either.match(p) for p in ("docs/a.md", "src/a.ts", "lib/a.ts")] == [True, True, False]


def test_too_many_braces_are_refused_with_the_pattern_named() -> None:
    with pytest.raises(CallerError, match=r"pattern '\{1\.\.100000\}\.py' stands for more than 10,000"):
        Patterns(["{1..100000}.py"])


@given(st.from_regex(r"[a-z\[\]{}!*?()., -]{1,8}(/[a-z\[\]{}!*?()., -]{1,8}){0,2}", fullmatch=True))
def test_a_path_matches_itself(path: str) -> None:
    stripped = path.strip()
    if stripped and not {".", ".."} & set(stripped.split("/")):  # a listed path has neither
        assert Patterns([stripped]).match(stripped)
