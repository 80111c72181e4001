"""One small text per language, and exactly what should be seen in it."""

from textwrap import dedent

from iterative_retrieval.retrieval.structure import structure_of
from iterative_retrieval.state.source import Structure


def parsed(path: str, text: str) -> Structure:
    found = structure_of(path, dedent(text).lstrip("\n"))
    assert found.parsed
    return found


def symbols(found: Structure) -> list[str]:
    return [f"{s.kind.value} {s.qualified} {s.first}-{s.last}" for s in found.symbols]


def imports(found: Structure) -> list[tuple[str, tuple[str, ...]]]:
    return [(i.module, i.names) for i in found.imports]


def test_javascript_functions_are_found_however_they_are_assigned() -> None:
    found = parsed("lib/a.js", """
        const helper = (x) => x;
        export const LIMIT = 3;
        exports.one = function () {};
        module.exports = function two() {};
        Foo.prototype.three = function three() {};
        Object.assign(Foo.prototype, {
          four: function () {},
          five() {},
        });
        const api = { six() {}, seven: () => 1 };
        function Maker() {
          this.eight = () => 1;
          const local = 1;
        }
        """)  # fmt: skip
    assert symbols(found) == [
        "function helper 1-1",
        "constant LIMIT 2-2",
        "function one 3-3",
        "function two 4-4",
        "method Foo.three 5-5",
        "method Foo.four 7-7",
        "method Foo.five 8-8",
        "constant api 10-10",
        "function api.six 10-10",
        "function api.seven 10-10",
        "function Maker 11-14",
        "function Maker.eight 12-12",
    ]


def test_javascript_classes_imports_and_bases() -> None:
    found = parsed("lib/b.jsx", """
        import React, { useState as state, useRef } from 'react';
        import * as all from "./all";
        import './side-effect';
        export { x } from './x';
        export * from './y';
        const { join, resolve: r } = require('path');
        const Plain = require('./plain');
        const Lazy = lazy(() => import('./lazy'));
        class View extends React.Component {
          state = () => 1;
          #hidden() {}
          static create() {}
          render() { return <div>{this.props.x}</div>; }
        }
        """)  # fmt: skip
    assert symbols(found) == [
        "constant Lazy 8-8",
        "class View 9-14",
        "method View.state 10-10",
        "method View.#hidden 11-11",
        "method View.create 12-12",
        "method View.render 13-13",
    ]
    assert imports(found) == [
        ("react", ("React", "useState", "useRef")),
        ("./all", ("*",)),
        ("./side-effect", ()),
        ("./x", ("x",)),
        ("./y", ("*",)),
        ("path", ("join", "resolve")),
        ("./plain", ()),
        ("./lazy", ()),
    ]
    assert found.bases == {"View": ("React.Component",)}


def test_typescript_types_overloads_and_namespaces() -> None:
    found = parsed("src/a.ts", """
        import old = require('old');
        export abstract class Store<T> extends Base<T> implements Readable, Writable {
          private load = async () => 1;
          get(key: string): T;
          get(key: unknown) { return key; }
          abstract close(): void;
        }
        interface Readable extends Source { read(): number }
        enum Color { Red, Green = 2 }
        type Handler = () => void;
        namespace Tools { export function inner() {} }
        declare function outer(a: string): void;
        """)  # fmt: skip
    assert symbols(found) == [
        "class Store 2-7",
        "method Store.load 3-3",
        "method Store.get 4-4",
        "method Store.get 5-5",
        "method Store.close 6-6",
        "class Readable 8-8",
        "method Readable.read 8-8",
        "class Color 9-9",
        "constant Color.Red 9-9",
        "constant Color.Green 9-9",
        "constant Handler 10-10",
        "class Tools 11-11",
        "function Tools.inner 11-11",
        "function outer 12-12",
    ]
    assert imports(found) == [("old", ())]
    assert found.bases == {"Store": ("Base", "Readable", "Writable"), "Readable": ("Source",)}


def test_tsx_has_its_own_grammar() -> None:
    found = parsed("src/a.tsx", "export const App = (p: Props) => <main>{p.x as string}</main>;\n")
    assert found.language == "tsx" and symbols(found) == ["function App 1-1"]


def test_go_methods_belong_to_their_receiver() -> None:
    found = parsed("gin/context.go", """
        package gin

        import (
            "fmt"
            render "github.com/gin-gonic/gin/render"
        )

        const A, B = 1, 2
        var global = 3

        type Context struct {
            *Base
            mu sync.Mutex
        }
        type Writer interface {
            Write(p []byte) error
        }
        type HandlerFunc func(*Context)
        type List[T any] struct{ items []T }

        func (c *Context) JSON(code int) {
            var local = 1
            _ = local
        }
        func (l List[T]) Len() int { return 0 }
        func New() *Context { return nil }
        """)  # fmt: skip
    assert symbols(found) == [
        "constant A 8-8",
        "constant B 8-8",
        "constant global 9-9",
        "class Context 11-14",
        "class Writer 15-17",
        "method Writer.Write 16-16",
        "constant HandlerFunc 18-18",
        "class List 19-19",
        "method Context.JSON 21-24",
        "method List.Len 25-25",
        "function New 26-26",
    ]
    assert imports(found) == [("fmt", ()), ("github.com/gin-gonic/gin/render", ())]
    assert found.bases == {"Context": ("Base",)}


def test_java_constructors_nested_types_and_static_imports() -> None:
    found = parsed("src/main/java/q/Gson.java", """
        package q;

        import static a.b.Tools.check;
        import static a.b.More.*;
        import a.b.List;
        import a.c.*;

        @Immutable
        public class Gson<T> extends Base<T> implements Closeable, p.Other {
          static final int MAX = 1, MIN = 0;
          private int field;
          public Gson() {}
          void close() {}
          enum Mode { FAST, SLOW }
          record Pair(int a) implements Mark { Pair { } }
        }
        interface Mark extends Root { int LEVEL = 1; void mark(); }
        @interface Since { double value(); }
        """)  # fmt: skip
    assert symbols(found) == [
        "class Gson 8-16",
        "constant Gson.MAX 10-10",
        "constant Gson.MIN 10-10",
        "method Gson.Gson 12-12",
        "method Gson.close 13-13",
        "class Gson.Mode 14-14",
        "constant Gson.Mode.FAST 14-14",
        "constant Gson.Mode.SLOW 14-14",
        "class Gson.Pair 15-15",
        "method Gson.Pair.Pair 15-15",
        "class Mark 17-17",
        "constant Mark.LEVEL 17-17",
        "method Mark.mark 17-17",
        "class Since 18-18",
        "method Since.value 18-18",
    ]
    assert imports(found) == [("a.b.Tools", ("check",)), ("a.b.More", ("*",)), ("a.b.List", ()), ("a.c", ("*",))]
    assert found.bases == {
        "Gson": ("Base", "Closeable", "p.Other"),
        "Gson.Pair": ("Mark",),
        "Mark": ("Root",),
    }


def test_rust_impls_extend_their_type_and_use_trees_are_flattened() -> None:
    found = parsed("src/a.rs", """
        use crate::{io::{self, Read as R}, sync::*};
        use super::Parent;
        use plain;
        mod child;
        extern crate alloc;

        pub struct Stack<T> { items: Vec<T> }
        impl<T> Stack<T> {
            const LIMIT: usize = 1;
            pub fn push(&mut self) {}
        }
        impl<T: Copy> fmt::Debug for Stack<T> {
            fn fmt(&self) {}
        }
        trait Shape: Area { fn area(&self) -> f64; }
        enum Kind { Small, Big(u8) }
        static GLOBAL: u8 = 1;
        macro_rules! check { () => {} }
        mod tests {
            fn works() { const LOCAL: u8 = 1; }
        }
        """)  # fmt: skip
    assert symbols(found) == [
        "class Stack 7-7",
        "constant Stack.LIMIT 9-9",
        "method Stack.push 10-10",
        "method Stack.fmt 13-13",
        "class Shape 15-15",
        "method Shape.area 15-15",
        "class Kind 16-16",
        "constant Kind.Small 16-16",
        "constant Kind.Big 16-16",
        "constant GLOBAL 17-17",
        "constant check 18-18",
        "class tests 19-21",
        "function tests.works 20-20",
    ]
    assert imports(found) == [
        ("crate", ("io",)),
        ("crate::io", ("Read",)),
        ("crate::sync", ("*",)),
        ("super", ("Parent",)),
        ("plain", ()),
        ("self::child", ()),
        ("alloc", ()),
    ]
    assert found.bases == {"Stack": ("fmt::Debug",), "Shape": ("Area",)}


def test_rust_items_inside_a_macro_are_found_too() -> None:
    found = parsed("src/b.rs", """
        cfg_rt! {
            mod inner;
            impl Runtime {
                pub fn block_on(&self) {}
            }
            cfg_time! { pub struct Clock; }
        }
        fn plain() { let x = vec![1]; }
        """)  # fmt: skip
    assert symbols(found) == ["method Runtime.block_on 4-4", "class Clock 6-6", "function plain 8-8"]
    assert imports(found) == [("self::inner", ())]


def test_ruby_nesting_mixins_and_methods_defined_by_calls() -> None:
    found = parsed("lib/rubocop/cop/foo.rb", """
        require 'set'
        require_relative 'base'
        autoload :Late, 'rubocop/late'

        module RuboCop
          module Cop
            class Foo < Base::Cop
              include Helper, Other::Mixin
              MSG = 'no'.freeze
              Pair = Struct.new(:a) do
                def sum; end
              end
              def_node_matcher :call?, '(send ...)'
              def on_send(node)
                define_method(:dynamic) { 1 }
              end
              def self.build; end
              def ==(other); end
              def name=(value); end
              class << self
                def inner; end
              end
            end
          end
        end
        class Top::Level; end
        def script; end
        """)  # fmt: skip
    assert symbols(found) == [
        "class RuboCop 5-25",
        "class RuboCop.Cop 6-24",
        "class RuboCop.Cop.Foo 7-23",
        "constant RuboCop.Cop.Foo.MSG 9-9",
        "class RuboCop.Cop.Foo.Pair 10-12",
        "method RuboCop.Cop.Foo.Pair.sum 11-11",
        "method RuboCop.Cop.Foo.call? 13-13",
        "method RuboCop.Cop.Foo.on_send 14-16",
        "function RuboCop.Cop.Foo.on_send.dynamic 15-15",
        "method RuboCop.Cop.Foo.build 17-17",
        "method RuboCop.Cop.Foo.== 18-18",
        "method RuboCop.Cop.Foo.name= 19-19",
        "method RuboCop.Cop.Foo.inner 21-21",
        "class Top.Level 26-26",
        "function script 27-27",
    ]
    assert imports(found) == [("set", ()), ("./base", ()), ("rubocop/late", ("Late",))]
    assert found.bases == {"RuboCop.Cop.Foo": ("Base::Cop", "Helper", "Other::Mixin")}


def test_php_classes_traits_use_groups_and_includes() -> None:
    found = parsed("src/Carbon.php", r"""
        <?php
        namespace Carbon;
        use DateTime as Base, Countable;
        use Carbon\{Traits\Date, Lang as L};
        use function Carbon\tools\help;
        require_once __DIR__ . '/boot.php';
        include('other.php');

        const LEVEL = 1;
        define('MODE', 2);

        #[Immutable]
        final class Carbon extends Base implements \JsonSerializable, Countable
        {
            use Date;
            const ATOM = 'x', COOKIE = 'y';
            public function __construct() {}
            public static function now(): static {}
        }
        interface Shape extends Other {}
        trait Mixes { abstract function mix(); }
        enum Suit: string implements Shape { case Hearts = 'H'; }
        function helper() {}
        """)  # fmt: skip
    assert symbols(found) == [
        "constant LEVEL 9-9",
        "constant MODE 10-10",
        "class Carbon 12-19",
        "constant Carbon.ATOM 16-16",
        "constant Carbon.COOKIE 16-16",
        "method Carbon.__construct 17-17",
        "method Carbon.now 18-18",
        "class Shape 20-20",
        "class Mixes 21-21",
        "method Mixes.mix 21-21",
        "class Suit 22-22",
        "constant Suit.Hearts 22-22",
        "function helper 23-23",
    ]
    assert imports(found) == [
        ("DateTime", ()),
        ("Countable", ()),
        (r"Carbon\Traits\Date", ()),
        (r"Carbon\Lang", ()),
        (r"Carbon\tools\help", ()),
        ("/boot.php", ()),
        ("other.php", ()),
    ]
    assert found.bases == {
        "Carbon": ("Base", r"\JsonSerializable", "Countable", "Date"),
        "Shape": ("Other",),
        "Suit": ("Shape",),
    }


def test_c_functions_types_and_macros() -> None:
    found = parsed("src/jv.c", """
        #include <stdio.h>
        #include "util/jv.h"
        #define GUARD
        #define LIMIT 10
        #define MAX(a, b) \\
          ((a) > (b) ? (a) : (b))
        typedef struct { int x; } point;
        typedef unsigned long word;
        typedef int (*callback)(int);
        struct jv { int kind; };
        enum kind { K_NULL, K_TRUE = 2 };
        static const struct jv table[] = { { 1 } };
        int prototype(int);
        char **split(const char *s) { int local = 1; return 0; }
        static int old_style(a) int a; { return a; }
        """)  # fmt: skip
    assert symbols(found) == [
        "constant LIMIT 4-4",
        "function MAX 5-6",
        "class point 7-7",
        "constant word 8-8",
        "constant callback 9-9",
        "class jv 10-10",
        "class kind 11-11",
        "constant kind.K_NULL 11-11",
        "constant kind.K_TRUE 11-11",
        "constant table 12-12",
        "function split 14-14",
        "function old_style 15-15",
    ]
    assert imports(found) == [("stdio.h", ()), ("util/jv.h", ())]


def test_cpp_out_of_line_methods_templates_and_operators() -> None:
    found = parsed("src/format.cc", """
        namespace fmt { namespace detail {
        template <typename T>
        class buffer : public base<T>, private ns::other {
          buffer() {}
          ~buffer() {}
          bool operator==(const buffer& o) const { return true; }
        };
        template <typename T>
        void buffer<T>::grow(size_t n) {}
        }}
        int fmt::File::read(int n) { return n; }
        std::ostream& operator<<(std::ostream& os, int x) { return os; }
        using text = std::string;
        """)  # fmt: skip
    assert symbols(found) == [
        "class fmt.detail.buffer 2-7",
        "method fmt.detail.buffer.buffer 4-4",
        "method fmt.detail.buffer.~buffer 5-5",
        "method fmt.detail.buffer.operator== 6-6",
        "method fmt.detail.buffer.grow 8-9",
        "method fmt.File.read 11-11",
        "function operator<< 12-12",
        "constant text 13-13",
    ]
    assert found.bases == {"fmt.detail.buffer": ("base", "ns::other")}


def test_cpp_macros_do_not_swallow_the_class_behind_them() -> None:
    found = parsed("include/os.h", """
        #include <string>
        FMT_BEGIN_NAMESPACE
        class FMT_API error : public std::runtime_error {
         public:
          int code() const { return 1; }
        };
        FMT_END_NAMESPACE
        """)  # fmt: skip
    assert found.language == "cpp"
    assert symbols(found) == ["class error 3-6", "method error.code 5-5"]


def test_csharp_namespaces_members_and_usings() -> None:
    found = parsed("src/Parser.cs", """
        using System.Text;
        using Alias = Other.Thing;
        namespace Tools.Json
        {
            public class Parser<T> : Base, IParser<T>
            {
                const int Max = 1;
                public string Name { get; set; }
                public Parser() { }
                public void Parse<U>() { void Local() { } }
            }
            record Pair(int A);
            enum Mode { Fast }
        }
        """)  # fmt: skip
    assert symbols(found) == [
        "class Tools.Json.Parser 5-11",
        "constant Tools.Json.Parser.Max 7-7",
        "constant Tools.Json.Parser.Name 8-8",
        "method Tools.Json.Parser.Parser 9-9",
        "method Tools.Json.Parser.Parse 10-10",
        "function Tools.Json.Parser.Parse.Local 10-10",
        "class Tools.Json.Pair 12-12",
        "class Tools.Json.Mode 13-13",
        "constant Tools.Json.Mode.Fast 13-13",
    ]
    assert imports(found) == [("System.Text", ()), ("Other.Thing", ())]
    assert found.bases == {"Tools.Json.Parser": ("Base", "IParser")}
