"""What a file is for, by its path: tests, documentation, vendored copies and the like rank behind sources."""

from __future__ import annotations

import re
from functools import lru_cache

from ..state.source import FileRole


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CODE = _words(
    """
    py pyi pyx pxd pxi pyw js jsx mjs cjs ts tsx mts cts vue svelte java kt kts scala sc groovy clj cljs cljc
    c h cc cpp cxx hpp hh hxx inl ipp c++ h++ m mm cs fs fsx vb go rs rb rake php phtml pl pm t swift dart lua r jl hs
    lhs elm ex exs erl hrl ml mli nim zig d pas f f90 f95 for asm s sol sql sh bash zsh fish ps1 psm1 bat cmd awk
    proto thrift graphql gql css scss sass less styl html htm xhtml haml erb ejs jinja jinja2 j2 twig hbs mustache
    liquid cu cuh cl glsl hlsl wgsl vert frag el lisp scm rkt tcl bsl os vhd vhdl v sv l y ll yy pest lalrpop coffee
    cr ino bzl star nix tf hcl qml
    """
)

_DOCS = _words("md mdx markdown rst txt adoc asciidoc org pod rdoc textile tex bib wiki 1 3 5 7 8")

_DATA = _words(
    """
    json jsonl ndjson json5 geojson topojson csv tsv psv xml xsd xsl xslt dtd svg po pot xlf xliff resx plist dat data
    har log out txtpb pbtxt arff fasta vcf ics vtt srt wkt dot drawio puml
    """
)

_CONFIG = _words("yml yaml toml ini cfg conf config properties mk cmake gradle csproj sln props targets")

_CONFIG_NAME = re.compile(
    r"setup\.(?:py|cfg)|pyproject\.toml|noxfile\.py|fabfile\.py|versioneer\.py|manifest\.in|py\.typed"
    r"|(?:package|composer|bower|deno|lerna|nx|turbo|angular|biome|renovate)\.json|[jt]sconfig[\w.-]*\.json"
    r"|(?:gnu)?makefile(?:\..+)?|cmakelists\.txt|meson\.build|meson_options\.txt|build\.bazel|build|workspace"
    r"|dockerfile(?:\..+)?|(?:docker-)?compose[\w.-]*\.ya?ml|containerfile|vagrantfile|jenkinsfile|procfile|justfile"
    r"|rakefile|gemfile|guardfile|podfile|brewfile|.+\.gemspec|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?"
    r"|gradlew(?:\.bat)?|mvnw(?:\.cmd)?|pom\.xml|build\.sbt|go\.(?:mod|work)|mix\.exs|package\.swift|configure(?:\.ac|\.in)?"
    r"|(?:gulpfile|gruntfile)\.[cm]?[jt]s|[\w.-]+\.config\.[cm]?[jt]s|(?:dev-|test-)?requirements?[\w.-]*\.(?:txt|in)"
    r"|constraints[\w.-]*\.txt|codeowners|\..+"
)

_DOC_NAME = re.compile(
    r"(?:readme|changelog|changes|history|news|authors|contributors|contributing|maintainers|licen[cs]e|copying|notice"
    r"|code_of_conduct|security|install|upgrading|upgrade|migration|todo|thanks|support|release[_-]?notes)"
    r"(?:[-_].*)?(?:\.[\w.-]+)?"
)

_GENERATED_NAME = re.compile(
    r".+_pb2(?:_grpc)?\.pyi?|.+\.pb(?:\.gw)?\.(?:go|cc|h)|.+_pb\.[jt]s|.+[._-]generated\.\w+|zz_generated.+"
    r"|.+\.(?:g|freezed)\.dart|.+\.(?:designer|g|g\.i)\.cs|.+[.-]min\.(?:[cm]?js|css)|.+\.bundle\.js|.+\.(?:js|css)\.map"
    r"|.*(?:parsetab|lextab)\.py|.+\.lock|.+\.lockb|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum"
)

_VENDORED_NAME = re.compile(
    r"(?:jquery|bootstrap|underscore|d3|mathjax|xregexp|require|html5shiv)(?:[-.][\d.]+)?\.(?:js|css)"
)

# Stems of test files. Only for code: test_data.json is data. `_spec` marks tests where RSpec or Jasmine are at home.
_TEST_STEM = re.compile(
    r"tests?[-_].+|.+[-_.](?:tests?|unittests?|e2e|cy)|tests|conftest|.+\.spec|(?:spec|test)_helper"
)
_SPEC_SUFFIXES = _words("rb js jsx ts tsx mjs cjs coffee lua dart cr ex exs")
_TEST_CLASS = re.compile(r"(?:.*[a-z0-9])?(?:Tests?|TestCase|TestSuite|IT|Spec|Specs)|Test[A-Z0-9].*")
_CLASS_SUFFIXES = _words("java kt kts scala groovy cs fs vb php swift m mm")

_FOLDER_ROLES = {
    **dict.fromkeys(
        _words("""
        vendor vendors vendored third_party third-party thirdparty 3rdparty node_modules bower_components extern externs
        externals cextern extlib _vendor _vendored _vendored_packages site-packages godeps pods carthage
        """),
        FileRole.VENDORED,
    ),
    **dict.fromkeys(_words("dist generated __generated__ autogen _build __pycache__ htmlcov"), FileRole.GENERATED),
    **dict.fromkeys(
        _words("""
        tests __tests__ __mocks__ __snapshots__ __fixtures__ testdata test-data test_data testcases fixtures testsuite
        unittests unittest cypress e2e integration_test androidtest commontest jvmtest
        """),
        FileRole.TEST,
    ),
    **dict.fromkeys(_words("doc docs documentation javadoc newsfragments releasenotes"), FileRole.DOC),
    **dict.fromkeys(
        _words("""
        example examples tutorial tutorials demo demos sample samples gallery galleries notebooks cookbook playground
        playgrounds benchmark benchmarks bench benches asv_bench asv_benchmarks
        """),
        FileRole.EXAMPLE,
    ),
}

_TEST_FOLDER = re.compile(r".+[-_.](?:unit)?tests|tests[-_.].+|.+_test")
_BUNDLED = _words("urllib3 chardet idna certifi six pyparsing appdirs")


@lru_cache(maxsize=32_768)
def role_of(path: str) -> FileRole:
    """The role of the file at ``path`` (relative, forward slashes); SOURCE when nothing speaks against it.

    The outermost telling folder decides (``docs/tests/conf.py`` is documentation); then the name; then the suffix.
    """
    folder, _, name = path.rpartition("/")
    suffix = _suffix(name)
    role, in_main = _folder_role(folder)
    if role is not None:
        return role
    if not in_main and suffix in _CODE and _is_test(folder, name, suffix):
        return FileRole.TEST
    return _name_role(name.lower(), suffix)


def is_source_like(path: str) -> bool:
    """Whether the suffix belongs to a programming, query, style or template language."""
    return _suffix(path.rpartition("/")[2]) in _CODE


@lru_cache(maxsize=16_384)
def _folder_role(folder: str) -> tuple[FileRole | None, bool]:
    """The role that the outermost telling folder gives, and whether the folder lies below ``src/main``.

    Below ``src/main`` folders are package names (``com/example``, ``org/springframework/test``) and tell nothing.
    """
    parts = folder.lower().split("/")
    for place, part in enumerate(parts):
        before = parts[place - 1] if place else ""
        if part == "main" and before == "src":
            return None, True
        if role := _part_role(part, before, place):
            return role, False
    return None, False


def _part_role(part: str, before: str, place: int) -> FileRole | None:
    if role := _FOLDER_ROLES.get(part):
        return role
    if place == 0 and part.startswith("."):
        return FileRole.CONFIG
    # Deeper down, a folder `test` may be a package of test tools (django/test): file names decide there.
    if (place == 0 and part in ("test", "testing", "spec")) or (part == "test" and before == "src"):
        return FileRole.TEST
    if before == "packages" and part in _BUNDLED:
        return FileRole.VENDORED
    return FileRole.TEST if _TEST_FOLDER.fullmatch(part) else None


def _is_test(folder: str, name: str, suffix: str) -> bool:
    stem = name[: -len(suffix) - 1]
    if _TEST_STEM.fullmatch(stem.lower()):
        return True
    if suffix in _CLASS_SUFFIXES and _TEST_CLASS.fullmatch(stem):
        return True
    if suffix in _SPEC_SUFFIXES and stem.lower().endswith(("_spec", "-spec")):
        return True
    return suffix not in ("py", "pyi") and any(part in ("test", "spec") for part in folder.lower().split("/"))


def _name_role(name: str, suffix: str) -> FileRole:
    if _GENERATED_NAME.fullmatch(name):
        return FileRole.GENERATED
    if _VENDORED_NAME.fullmatch(name):
        return FileRole.VENDORED
    if _CONFIG_NAME.fullmatch(name):
        return FileRole.CONFIG
    if suffix not in _CODE and _DOC_NAME.fullmatch(name):
        return FileRole.DOC
    return _SUFFIX_ROLES.get(suffix, FileRole.SOURCE)


def _suffix(name: str) -> str:
    """The lower-case suffix without its dot; '' for ``Makefile`` and ``.bashrc``."""
    stem, _, suffix = name.rpartition(".")
    return suffix.lower() if stem else ""


_SUFFIX_ROLES = {
    **dict.fromkeys(_DOCS, FileRole.DOC),
    **dict.fromkeys(_DATA, FileRole.DATA),
    **dict.fromkeys(_CONFIG, FileRole.CONFIG),
    "ipynb": FileRole.EXAMPLE,
}
