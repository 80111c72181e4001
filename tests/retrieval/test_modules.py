import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iterative_retrieval.retrieval.modules import ModuleMap
from iterative_retrieval.state.source import Import

DJANGO = ModuleMap([
    "setup.py", "django/__init__.py", "django/db/models/__init__.py", "django/db/models/query.py",
    "django/http/request.py", "django/utils/numberformat.py", "django/utils/timezone.py", "django/utils/__init__.py",
    "django/contrib/gis/json.py", "django/contrib/gis/__init__.py", "tests/model_fields/models.py",
    "tests/model_fields/test_a.py", "tests/http/request.py", "docs/http/request.txt", "scripts/helper.py",
    "scripts/run.py", "django/utils/_fast.pyx",
])  # fmt: skip
FLASK = ModuleMap(["src/flask/__init__.py", "src/flask/json/__init__.py", "src/flask/json/tag.py", "tests/test_a.py"])


def resolve(modules: ModuleMap, importer: str, language: str, module: str, *names: str) -> list[str]:
    return modules.resolve(importer, Import(module, names, 1), language)


@pytest.mark.parametrize(
    ("mention", "paths"),
    [
        ("numberformat.py", ["django/utils/numberformat.py"]),
        ("`numberformat.py`", ["django/utils/numberformat.py"]),
        ("db/models/query.py", ["django/db/models/query.py"]),
        ("./setup.py", ["setup.py"]),
        ("/home/me/project/setup.py", ["setup.py"]),
        ("django/http/request.py:57", ["django/http/request.py"]),
        ("C:\\x\\site-packages\\django\\db\\models\\query.py", ["django/db/models/query.py"]),
        ("/usr/lib/python3/site-packages/django/http/request.py", ["django/http/request.py"]),
        ("http/request.py", ["django/http/request.py", "tests/http/request.py"]),
        ("request.py", ["django/http/request.py", "tests/http/request.py"]),
        ("HTTP/Request.py", ["django/http/request.py", "tests/http/request.py"]),
        ("../django/http/request.py", ["django/http/request.py"]),
        ("quest.py", []),
        ("missing.py", []),
        ("", []),
        ("/", []),
    ],
)
def test_a_mentioned_path_means_the_longest_common_end(mention: str, paths: list[str]) -> None:
    assert DJANGO.find_path(mention) == paths


def test_a_path_elsewhere_is_not_every_file_of_that_name() -> None:
    assert DJANGO.find_path("/usr/lib/python3.9/urllib/request.py") == []


def test_equal_letters_decide_between_files_that_differ_in_case() -> None:
    assert ModuleMap(["a/Readme.md", "b/README.md"]).find_path("README.md") == ["b/README.md"]


@pytest.mark.parametrize(
    ("dotted", "paths"),
    [
        ("django.db.models.query", ["django/db/models/query.py"]),
        ("django.db.models.query.QuerySet.filter", ["django/db/models/query.py"]),
        ("django.db.models.query.QuerySet.filter()", ["django/db/models/query.py"]),
        ("django.db.models", ["django/db/models/__init__.py"]),
        ("db.models", ["django/db/models/__init__.py"]),
        ("django", ["django/__init__.py"]),
        ("django.unknown.thing", ["django/__init__.py"]),
        ("http.request", ["django/http/request.py", "tests/http/request.py"]),
        ("np.query", []),
        ("self.query", []),
        ("os.path.join", []),
        ("", []),
        ("...", []),
    ],
)
def test_a_dotted_name_means_the_file_of_its_longest_module(dotted: str, paths: list[str]) -> None:
    assert DJANGO.find_dotted(dotted) == paths


def test_dotted_names_of_every_language_are_understood() -> None:
    modules = ModuleMap([
        "gson/src/main/java/com/google/gson/Gson.java", "tokio/src/lib.rs", "tokio/src/sync/mod.rs",
        "tokio/src/sync/mutex.rs", "tokio-util/src/codec/mod.rs", "tokio-util/src/lib.rs", "src/Fixer/Basic/Braces.php",
        "src/Config.php", "lib/rubocop/cop/style/foo_bar.rb", "lib/foo/bar.rb", "hooks/src/index.js",
        "src/flask/json/tag.py",
    ])  # fmt: skip
    expected = {
        "com.google.gson.Gson.toJson": "gson/src/main/java/com/google/gson/Gson.java",
        "crate::sync::mutex::Mutex": "tokio/src/sync/mutex.rs",
        "tokio::sync::Notify": "tokio/src/sync/mod.rs",
        "tokio_util::codec": "tokio-util/src/codec/mod.rs",
        "PhpCsFixer\\Fixer\\Basic\\Braces": "src/Fixer/Basic/Braces.php",
        "PhpCsFixer\\Config": "src/Config.php",
        "RuboCop::Cop::Style::FooBar": "lib/rubocop/cop/style/foo_bar.rb",
        "foo/bar": "lib/foo/bar.rb",
        "flask.json.tag": "src/flask/json/tag.py",
    }
    assert {dotted: modules.find_dotted(dotted) for dotted in expected} == {d: [path] for d, path in expected.items()}


@pytest.mark.parametrize(
    ("importer", "module", "names", "paths"),
    [
        ("django/db/models/query.py", "django.utils", ("timezone", "x"),
         ["django/utils/timezone.py", "django/utils/__init__.py"]),
        ("django/db/models/query.py", ".", ("query",), ["django/db/models/query.py", "django/db/models/__init__.py"]),
        ("django/db/models/query.py", "...utils.timezone", ("now",), ["django/utils/timezone.py"]),
        ("django/db/models/__init__.py", ".query", ("QuerySet",), ["django/db/models/query.py"]),
        ("django/http/request.py", "django.utils._fast", ("f",), ["django/utils/_fast.pyx"]),
        ("django/http/request.py", "django.http.request.parts", (), ["django/http/request.py"]),
        ("tests/model_fields/test_a.py", "model_fields.models", ("A",), ["tests/model_fields/models.py"]),
        ("scripts/run.py", "helper", (), ["scripts/helper.py"]),
        ("django/http/request.py", "helper", (), []),
        ("django/contrib/gis/__init__.py", "json", (), []),
        ("django/http/request.py", "os.path", ("join",), []),
        ("setup.py", "......far", (), []),
    ],
)  # fmt: skip
def test_python_imports(importer: str, module: str, names: tuple[str, ...], paths: list[str]) -> None:
    assert resolve(DJANGO, importer, "python", module, *names) == paths


def test_python_imports_start_at_a_source_root() -> None:
    assert resolve(FLASK, "tests/test_a.py", "python", "flask.json", "tag") == [
        "src/flask/json/tag.py",
        "src/flask/json/__init__.py",
    ]


@pytest.mark.parametrize(
    ("importer", "module", "path"),
    [
        ("src/diff/index.js", "../create-element", "src/create-element.js"),
        ("src/diff/index.js", "./props.js", "src/diff/props.ts"),
        ("test/a.js", "../src", "src/index.js"),
        ("src/index.js", "./diff", "src/diff/index.js"),
        ("test/a.js", "preact/hooks", "hooks/src/index.js"),
        ("test/a.js", "@/diff/props", "src/diff/props.ts"),
        ("test/a.js", "../data.json?raw", "data.json"),
        ("test/a.js", "@org/tool", "packages/@org/tool/src/index.ts"),
    ],
)
def test_javascript_imports(importer: str, module: str, path: str) -> None:
    modules = ModuleMap([
        "src/index.js", "src/create-element.js", "src/diff/index.js", "src/diff/props.ts", "hooks/src/index.js",
        "hooks/src/index.d.ts", "test/a.js", "data.json", "packages/@org/tool/src/index.ts",
    ])  # fmt: skip
    assert resolve(modules, importer, "javascript", module) == [path]
    assert resolve(modules, importer, "javascript", "react") == []


def test_go_imports_mean_the_files_of_a_package() -> None:
    modules = ModuleMap(["go.mod", "gin.go", "binding/json.go", "binding/json_test.go", "binding/xml.go", "http/a.go"])
    gin = "github.com/gin-gonic/gin"
    assert resolve(modules, "gin.go", "go", f"{gin}/binding") == ["binding/json.go", "binding/xml.go"]
    assert resolve(modules, "gin.go", "go", f"{gin}/v2/binding") == ["binding/json.go", "binding/xml.go"]
    assert resolve(modules, "gin.go", "go", "net/http") == []
    assert resolve(modules, "gin.go", "go", "github.com/other/lib") == []


def test_java_imports_mean_the_class_around_or_the_whole_package() -> None:
    root = "gson/src/main/java/com/google/gson"
    modules = ModuleMap([f"{root}/Gson.java", f"{root}/JsonElement.java", "extras/src/main/java/a/Gson.java"])
    assert resolve(modules, "x/A.java", "java", "com.google.gson.Gson") == [f"{root}/Gson.java"]
    assert resolve(modules, "x/A.java", "java", "com.google.gson.Gson.Inner") == [f"{root}/Gson.java"]
    assert resolve(modules, "x/A.java", "java", "com.google.gson", "*") == [
        f"{root}/Gson.java",
        f"{root}/JsonElement.java",
    ]
    assert resolve(modules, "x/A.java", "java", "java.util.List") == []


@pytest.mark.parametrize(
    ("importer", "module", "names", "paths"),
    [
        ("tokio/src/lib.rs", "self::sync", (), ["tokio/src/sync/mod.rs"]),
        ("tokio/src/sync/mod.rs", "self::mutex", (), ["tokio/src/sync/mutex.rs"]),
        ("tokio/src/sync/mutex.rs", "super", ("Notify",), ["tokio/src/sync/mod.rs"]),
        ("tokio/src/sync/mutex.rs", "super::super::task", ("spawn",), ["tokio/src/task.rs"]),
        ("tokio/src/sync/mutex.rs", "crate::sync", ("mutex",), ["tokio/src/sync/mutex.rs", "tokio/src/sync/mod.rs"]),
        ("tokio/src/task.rs", "crate", ("Unknown",), ["tokio/src/lib.rs"]),
        ("tokio-util/src/codec.rs", "tokio::sync", ("Mutex",), ["tokio/src/sync/mod.rs"]),
        ("tokio/tests/a.rs", "tokio_util::codec", ("Framed",), ["tokio-util/src/codec.rs"]),
        ("tokio/tests/a.rs", "support", ("x",), ["tokio/tests/support/mod.rs"]),
        ("tokio/src/task.rs", "std::sync", ("Arc",), []),
        ("tokio/src/task.rs", "bytes", ("Bytes",), []),
    ],
)
def test_rust_imports(importer: str, module: str, names: tuple[str, ...], paths: list[str]) -> None:
    modules = ModuleMap([
        "tokio/src/lib.rs", "tokio/src/task.rs", "tokio/src/sync/mod.rs", "tokio/src/sync/mutex.rs",
        "tokio-util/src/lib.rs", "tokio-util/src/codec.rs", "tokio/tests/a.rs", "tokio/tests/support/mod.rs",
    ])  # fmt: skip
    assert resolve(modules, importer, "rust", module, *names) == paths


def test_a_rust_program_finds_the_library_beside_it() -> None:
    modules = ModuleMap(["src/lib.rs", "src/assets.rs", "src/bin/bat/main.rs", "src/bin/bat/app.rs", "tests/a.rs"])
    assert resolve(modules, "src/bin/bat/main.rs", "rust", "bat::assets", "HighlightingAssets") == ["src/assets.rs"]
    assert resolve(modules, "src/bin/bat/main.rs", "rust", "crate::app", "App") == ["src/bin/bat/app.rs"]
    assert resolve(modules, "tests/a.rs", "rust", "bat::assets", "get") == ["src/assets.rs"]


def test_ruby_imports_start_at_a_load_path_or_beside() -> None:
    modules = ModuleMap(["lib/fluent/config.rb", "lib/fluent/config/error.rb", "test/helper.rb", "test/plugin/a.rb"])
    assert resolve(modules, "test/plugin/a.rb", "ruby", "fluent/config") == ["lib/fluent/config.rb"]
    assert resolve(modules, "test/plugin/a.rb", "ruby", "../helper") == ["test/helper.rb"]
    assert resolve(modules, "lib/fluent/config.rb", "ruby", "./config/error") == ["lib/fluent/config/error.rb"]
    assert resolve(modules, "test/plugin/a.rb", "ruby", "config") == []
    assert resolve(modules, "test/plugin/a.rb", "ruby", "json") == []


def test_php_imports_map_a_namespace_to_any_folder() -> None:
    modules = ModuleMap(["src/Fixer/Basic/Braces.php", "src/Config.php", "tests/TestCase.php", "src/a/b.php"])
    assert resolve(modules, "x.php", "php", "PhpCsFixer\\Fixer\\Basic\\Braces") == ["src/Fixer/Basic/Braces.php"]
    assert resolve(modules, "x.php", "php", "PhpCsFixer\\Config") == ["src/Config.php"]
    assert resolve(modules, "x.php", "php", "PhpCsFixer\\Tests\\TestCase") == ["tests/TestCase.php"]
    assert resolve(modules, "src/a/c.php", "php", "/b.php") == ["src/a/b.php"]
    assert resolve(modules, "x.php", "php", "Symfony\\Component\\Config") == []
    assert resolve(modules, "x.php", "php", "Config") == []


def test_c_includes_prefer_the_file_beside() -> None:
    modules = ModuleMap(["src/jv.h", "src/util/jv.h", "src/util/a.c", "include/fmt/core.h", "vendor/fmt/core.h"])
    assert resolve(modules, "src/util/a.c", "c", "jv.h") == ["src/util/jv.h"]
    assert resolve(modules, "src/util/a.c", "c", "../jv.h") == ["src/jv.h"]
    assert resolve(modules, "src/format.cc", "cpp", "fmt/core.h") == ["include/fmt/core.h", "vendor/fmt/core.h"]
    assert resolve(modules, "src/util/a.c", "c", "stdio.h") == []


def test_csharp_usings_mean_the_folder_of_the_namespace() -> None:
    modules = ModuleMap(["src/Tools/Json/Parser.cs", "src/Tools/Json/Writer.cs", "src/Tools/readme.md"])
    assert resolve(modules, "a.cs", "csharp", "Tools.Json") == ["src/Tools/Json/Parser.cs", "src/Tools/Json/Writer.cs"]
    assert resolve(modules, "a.cs", "csharp", "System.Text") == []


def test_an_unknown_language_imports_nothing() -> None:
    assert resolve(DJANGO, "a.kt", "kotlin", "django.db") == []


WORDS = ["a", "b", "src", "lib", "..", ".", "", "/", "\\", "::", "crate", "super", "A", "*", "a.py", "é", "v2"]
NAMES = ["a.py", "__init__.py", "index.js", "mod.rs", "lib.rs", "A.php", "b.go", "a.rb", "b.h", "A.java", "x.cs"]
LANGUAGES = ["python", "cython", "javascript", "go", "java", "rust", "ruby", "php", "c", "cpp", "csharp"]


@st.composite
def soups(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(["/", ".", "::", "\\"])).join(draw(st.lists(st.sampled_from(WORDS), max_size=7)))


@st.composite
def paths(draw: st.DrawFn) -> str:
    folders = draw(st.lists(st.sampled_from(["a", "b", "src", "lib"]), max_size=4))
    return "/".join([*folders, draw(st.sampled_from(NAMES))])


@settings(deadline=None, max_examples=300)
@given(
    st.lists(paths(), max_size=12), soups(), st.lists(st.sampled_from(WORDS), max_size=3), st.sampled_from(LANGUAGES)
)
def test_every_answer_is_a_path_of_the_snapshot(
    files: list[str], mention: str, names: list[str], language: str
) -> None:
    modules = ModuleMap(files)
    importer = files[0] if files else "a"
    resolved = resolve(modules, importer, language, mention, *names)
    answers = [modules.find_path(mention), modules.find_dotted(mention)]
    assert {path for answer in [*answers, resolved] for path in answer} <= set(files)
    assert len(resolved) == len(set(resolved)) and all(answer == sorted(set(answer)) for answer in answers)
