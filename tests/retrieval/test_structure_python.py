from textwrap import dedent

from iterative_retrieval.retrieval.structure import structure_of
from iterative_retrieval.state.source import Import, Structure, Symbol, SymbolKind

CLASS, FUNCTION, METHOD, CONSTANT = SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTANT


def parsed(text: str) -> Structure:
    found = structure_of("pkg/module.py", dedent(text).lstrip("\n"))
    assert found.parsed and found.language == "python"
    return found


def names(text: str) -> list[str]:
    return [symbol.qualified for symbol in parsed(text).symbols]


def test_methods_and_nested_functions_are_qualified_by_what_encloses_them() -> None:
    found = parsed("""
        class Outer:
            class Inner:
                async def run(self):
                    def helper():
                        pass
                    return helper

        def top():
            class Local:
                def go(self): ...
        """)
    assert found.symbols == (
        Symbol("Outer", "Outer", CLASS, 1, 6),
        Symbol("Inner", "Outer.Inner", CLASS, 2, 6),
        Symbol("run", "Outer.Inner.run", METHOD, 3, 6),
        Symbol("helper", "Outer.Inner.run.helper", FUNCTION, 4, 5),
        Symbol("top", "top", FUNCTION, 8, 10),
        Symbol("Local", "top.Local", CLASS, 9, 10),
        Symbol("go", "top.Local.go", METHOD, 10, 10),
    )


def test_a_decorated_definition_starts_at_its_first_decorator() -> None:
    found = parsed("""
        @first
        @second(
            argument,
        )
        def decorated():
            pass

        @dataclass
        class Point:
            x: int
        """)
    assert [(s.qualified, s.first, s.last) for s in found.symbols] == [("decorated", 1, 6), ("Point", 8, 10)]


def test_overloads_and_property_setters_stay_separate() -> None:
    found = parsed("""
        @overload
        def f(a: int) -> int: ...
        @overload
        def f(a: str) -> str: ...
        def f(a): return a

        class C:
            @property
            def p(self): ...
            @p.setter
            def p(self, value): ...
        """)
    assert [s.qualified for s in found.symbols] == ["f", "f", "f", "C", "C.p", "C.p"]


def test_assignments_of_the_module_are_constants_but_local_ones_are_not() -> None:
    found = names("""
        VERSION = 1
        lower: int = 2
        a, b = 1, 2
        (c, d) = 3, 4
        first = second = 5
        type Alias = int
        try:
            import json
            HAS_JSON = True
        except ImportError:
            HAS_JSON = False
        if DEBUG:
            flag = 1
        else:
            other = 2
        def function():
            local = 1
        class C:
            attribute = 1
        lower = 3
        """)
    constants = ["VERSION", "lower", "a", "b", "c", "d", "first", "second", "Alias", "HAS_JSON", "flag", "other"]
    assert found == [*constants, "function", "C"]


def test_imports_keep_relative_dots_and_original_names() -> None:
    assert parsed("""
        import a.b as c, d
        from . import sibling
        from ..x.y import (f as g,  # why
            h)
        from z import *
        def lazy():
            from late import thing
        """).imports == (
        Import("a.b", (), 1),
        Import("d", (), 1),
        Import(".", ("sibling",), 2),
        Import("..x.y", ("f", "h"), 3),
        Import("z", ("*",), 5),
        Import("late", ("thing",), 7),
    )


def test_bases_lose_keywords_and_type_arguments() -> None:
    found = parsed("""
        class A(Base, module.Mixin, Generic[T], metaclass=Meta):
            class B(A.Inner): ...
        class C: ...
        """)
    assert found.bases == {"A": ("Base", "module.Mixin", "Generic"), "A.B": ("A.Inner",)}


def test_unicode_names_tabs_and_form_feeds_are_understood() -> None:
    found = parsed("\x0cclass Größe:\n\tdef größer(self):\n\t\treturn '→ ∞'\n\ndef наивный(): pass\n")
    assert [(s.qualified, s.first, s.last) for s in found.symbols] == [
        ("Größe", 1, 3),
        ("Größe.größer", 2, 3),
        ("наивный", 5, 5),
    ]


def test_a_syntax_error_costs_only_what_it_encloses() -> None:
    found = names("""
        def before(): pass

        def broken(:
            return

        class After:
            def method(self): pass
        """)
    assert found[0] == "before" and found[-2:] == ["After", "After.method"]


def test_no_final_line_end_changes_nothing() -> None:
    text = "def f():\n    pass\n\n\ndef g():\n    pass"
    assert structure_of("a.py", text) == structure_of("a.py", text + "\n")
