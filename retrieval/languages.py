"""Which language a file is written in, told from its name and its first line."""

from __future__ import annotations

import re

__all__ = ["language_of"]


def language_of(path: str, head: str = "") -> str:
    """The language of a file, or '' when unknown.

    path: relative path or bare name, forward slashes. head: the beginning of the text (its first line decides for
    scripts without an extension, all of it decides between C and C++ headers); '' when not at hand.
    """
    name = path.rsplit("/", 1)[-1]
    named = _BY_NAME.get(name) or _BY_NAME.get(name.split(".", 1)[0] if name.startswith("Dockerfile") else "")
    if named:
        return named
    extension = name.rsplit(".", 1)[-1].lower() if "." in name.lstrip(".") else ""
    if extension == "h":
        return "cpp" if _CPP_HEADER.search(head) else "c"
    return _BY_EXTENSION.get(extension, "") if extension else _by_shebang(head)


def _by_shebang(head: str) -> str:
    """The language named by a ``#!`` line, or ''."""
    found = _SHEBANG.match(head)
    return _BY_INTERPRETER.get(found.group(1), "") if found else ""


_SHEBANG = re.compile(r"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+)*)?([A-Za-z]+)")
_CPP_HEADER = re.compile(
    r"^[ \t]*(?:class|namespace|template|using|public:|private:|constexpr)\b|#[ \t]*include[ \t]*<[a-z_]+>|\bstd::",
    re.MULTILINE,
)

_BY_INTERPRETER = {
    "python": "python", "pypy": "python", "node": "javascript", "deno": "typescript", "bun": "typescript",
    "ruby": "ruby", "php": "php", "sh": "shell", "bash": "shell", "zsh": "shell", "dash": "shell", "ksh": "shell",
    "fish": "shell", "perl": "perl", "lua": "lua", "Rscript": "r", "groovy": "groovy", "tclsh": "tcl",
}  # fmt: skip

_BY_NAME = {
    "SConstruct": "python", "SConscript": "python", "wscript": "python", "Rakefile": "ruby", "Gemfile": "ruby",
    "Guardfile": "ruby", "Capfile": "ruby", "Vagrantfile": "ruby", "Podfile": "ruby", "Brewfile": "ruby",
    "Makefile": "make", "GNUmakefile": "make", "makefile": "make", "CMakeLists.txt": "cmake",
    "Dockerfile": "dockerfile", "Containerfile": "dockerfile", "Jenkinsfile": "groovy", "BUILD": "starlark",
    "BUILD.bazel": "starlark", "WORKSPACE": "starlark", "go.mod": "gomod", "go.sum": "gomod", "Pipfile": "toml",
    "Cargo.lock": "toml", "poetry.lock": "toml", "README": "text", "LICENSE": "text", "CHANGELOG": "text",
    "AUTHORS": "text", "NEWS": "text", "Caddyfile": "caddyfile", ".bashrc": "shell", ".zshrc": "shell",
    ".profile": "shell", ".gitignore": "gitignore", ".dockerignore": "gitignore", ".editorconfig": "ini",
    ".eslintrc": "json", ".babelrc": "json", ".prettierrc": "json",
}  # fmt: skip

_EXTENSIONS = {
    # with a grammar
    "python": "py pyi pyw",
    "cython": "pyx pxd pxi",
    "javascript": "js mjs cjs jsx es6",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "java": "java",
    "rust": "rs",
    "ruby": "rb rake gemspec ru podspec jbuilder",
    "php": "php phtml php3 php4 php5 php7 phps",
    "c": "c",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp cu cuh",
    "csharp": "cs csx",
    # text
    "markdown": "md markdown mdx mkd",
    "rst": "rst rest",
    "asciidoc": "adoc asciidoc",
    "text": "txt text",
    # cut into windows
    "html": "html htm xhtml",
    "css": "css",
    "scss": "scss sass",
    "less": "less",
    "vue": "vue",
    "svelte": "svelte",
    "kotlin": "kt kts",
    "scala": "scala sc",
    "swift": "swift",
    "objc": "m mm",
    "dart": "dart",
    "groovy": "groovy gradle",
    "clojure": "clj cljs cljc edn",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "haskell": "hs lhs",
    "ocaml": "ml mli",
    "fsharp": "fs fsi fsx",
    "lua": "lua",
    "perl": "pl pm",
    "r": "r",
    "julia": "jl",
    "zig": "zig",
    "nim": "nim",
    "fortran": "f f77 f90 f95 f03 for",
    "pascal": "pas pp",
    "vb": "vb bas",
    "lisp": "lisp lsp el scm rkt",
    "assembly": "asm s",
    "shell": "sh bash zsh fish ksh",
    "powershell": "ps1 psm1 psd1",
    "batch": "bat cmd",
    "sql": "sql",
    "graphql": "graphql gql",
    "protobuf": "proto",
    "thrift": "thrift",
    "yaml": "yaml yml",
    "json": "json jsonc json5 jsonl",
    "toml": "toml",
    "ini": "ini cfg conf properties editorconfig",
    "xml": "xml xsd xsl svg plist csproj",
    "terraform": "tf tfvars hcl",
    "make": "mk mak",
    "cmake": "cmake",
    "starlark": "bzl star",
    "jinja": "j2 jinja jinja2",
    "erb": "erb",
    "latex": "tex sty cls",
    "gettext": "po pot",
    "bsl": "bsl os",
    "jq": "jq",
    "yacc": "y yy",
    "lex": "l ll",
}
_BY_EXTENSION = {extension: language for language, names in _EXTENSIONS.items() for extension in names.split()}
