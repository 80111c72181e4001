"""The anatomy of a task: title, prose, code, stack frames, quoted names and places.

Issue texts mix what is wrong with how it was seen. A stack trace searched as words hurts (Rahman & Roy 2018), as places
it helps; a name in backticks means more than a name in a pasted log. Each section therefore becomes a query of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .foreign import english_reading, foreign_language
from .pasted import without_log
from .text import STOPWORDS, spaced, unique

_FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.S | re.M)
_INLINE = re.compile(r"``([^`\n]{1,200})``|`([^`\n]{1,200})`")
_URL = re.compile(r"https?://\S+")
_PYTHON_FRAME = re.compile(r'^[^\S\n]*File "([^"\n]+)", line (\d+)(?:, in (\S+))?', re.M)
_OTHER_FRAME = re.compile(
    r"^[^\S\n]*(?:at .*?\(?|from |#\d+ .*? at |\d+: +\S+\s+at |)"
    r"((?:[A-Za-z]:|(?<![\w./\\@+-]))[\w./\\@+-]+\.(?:js|jsx|ts|tsx|mjs|cjs|go|java|rs|rb|php|c|cc|cpp|h|hpp|cs|kt)):(\d+)",
    re.M,
)
_JAVA_FRAME = re.compile(r"^[^\S\n]*at ([\w.$]+)\.([\w$<>]+)\((\w+\.(?:java|kt)):(\d+)\)", re.M)
_ERROR_LINE = re.compile(
    r"^[^\S\n]*(?:E\s+)?((?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Panic)\b:?.*)$"
    r"|^[^\S\n]*((?:panicked at|panic:|fatal error:|Fatal error:|error(?:\[\w+\])?:)\s.*)$",
    re.M,
)
_PATH = re.compile(
    r"(?<![\w/.\\@+-])((?:[A-Za-z]:)?(?:[\w.@+-]*[/\\])*[\w.@+-]+\.(?:py|pyx|pyi|js|jsx|mjs|cjs|ts|tsx|vue|go|java|kt|rs|rb|php|inc|c|cc|"
    r"cpp|cxx|h|hh|hpp|hxx|cs|swift|scala|m|lua|pl|sh|bsl|os|html?|css|scss|sql|y|l|toml|cfg|ini|ya?ml|json|xml|md|rst|txt))(?![\w/])"
)
_DOTTED = re.compile(r"(?<![\w./\\@-])([A-Za-z_]\w*(?:(?:\.|::|\\|#)[A-Za-z_]\w*)+)")
_CALL = re.compile(r"(?<![\w.])([A-Za-z_]\w{2,})(?=\()")
_CAMEL = re.compile(r"(?<![\w])([A-Z]+[a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+)(?!\w)")
_SNAKE = re.compile(r"(?<!\w)(_{0,2}[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_{0,2}|__\w+__)(?!\w)")
_FLAG = re.compile(r"(?<![\w-])(--[a-z][\w-]+)")
_QUOTED = re.compile(r"\"([^\"\n]{3,120})\"|(?<!\w)'([^'\n]{3,120})'(?!\w)")
_IMPORT = re.compile(
    r"^[^\S\n]*(?:>>> |\.\.\. |In \[\d+\]: )?"
    r"(?:from\s+([\w.]+)\s+import\s+([\w, ()*]+)|import\s+([\w.]+(?:\s+as\s+\w+)?(?:,\s*[\w.]+)*))",
    re.M,
)
_PROMPT = re.compile(r"^\s*(?:>>> |\.\.\. |In \[\d+\]: |Out\[\d+\]: |\$ )")
_WORD = re.compile(r"[A-Za-z_]\w*")
_VERSIONS = re.compile(
    r"(?im)^(?:[#*]|[^\S\n])*(?:(?:my |your )?(?:system|environment|version|package|installed|platform)s?"
    r"(?: (?:info|information|details?|output|setup))?"
    r"|versions? of .*|(?:show|pip|conda) (?:versions|freeze|list)|output of .*)[\s:*]*$"
)
_MAX_NAME = 300  # characters; a longer dotted run is data
_MAX_SECTION = 12_000  # characters; beyond that a pasted log drowns the question


@dataclass(frozen=True, slots=True)
class Frame:
    """One stack frame: a place, not words. ``function`` is '' when unknown."""

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Task:
    """A task taken apart.

    title: the first line. prose: running text without code, logs and boilerplate; in both a German, Russian or Chinese
    text is followed by the English words for it. code: code blocks, console sessions and what a pasted log complains
    about. frames: stack frames, innermost last. errors: error messages. quoted: texts in backticks.
    paths: path-like mentions. dotted: ``a.b.C`` names. symbols: names that look like identifiers, by the section that
    names them first ("title", "quoted", "prose", "called" for functions that
    code blocks call without defining them, "code", "trace"). imports: dotted names that code blocks import.
    literals: quoted string literals. flags: command-line options. own_title, own_prose: title and prose in the asker's
    words where they were read into English; '' where they are the same.
    """

    text: str
    title: str
    prose: str
    code: str
    frames: list[Frame] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    quoted: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    dotted: list[str] = field(default_factory=list)
    symbols: dict[str, str] = field(default_factory=dict)
    imports: list[str] = field(default_factory=list)
    literals: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    own_title: str = ""
    own_prose: str = ""

    @property
    def asked_title(self) -> str:
        """The title as the asker wrote it."""
        return self.own_title or self.title

    @property
    def asked_prose(self) -> str:
        """The prose as the asker wrote it."""
        return self.own_prose or self.prose

    @property
    def strong_symbols(self) -> list[str]:
        """Names that the asker wrote on purpose: in the title, in backticks, or shaped like identifiers in prose."""
        return [name for name, section in self.symbols.items() if section in ("title", "quoted", "prose")]


def read_task(text: str) -> Task:
    """``text`` taken apart into a :class:`Task`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    clean, complaints = without_log(spaced(_without_comments(text)))
    title, _, body = clean.partition("\n")
    frames, errors = _frames(clean), _errors(clean)
    blocks: list[str] = []
    body = _FENCE.sub(lambda m: _keep(blocks, m.group(2)), body)
    prose_lines, console = _split_console(body)
    code, traces = _split_traces("\n".join([*blocks, console, *filter(None, [complaints])]))
    prose = _without_boilerplate("\n".join(prose_lines))[:_MAX_SECTION]
    quoted = unique(a or b for a, b in _INLINE.findall(title + "\n" + prose))
    searchable = _URL.sub(" ", clean)
    title_read = title.strip().lstrip("#").strip()
    language = foreign_language(f"{title_read}\n{prose}")
    return Task(
        text=text,
        title=english_reading(title_read, language),
        prose=english_reading(prose, language),
        code=code[:_MAX_SECTION],
        frames=frames,
        errors=errors,
        quoted=quoted,
        paths=unique(_PATH.findall(searchable))[:60],
        dotted=unique(_dotted(searchable))[:60],
        symbols=_symbols(title, quoted, prose, code, traces),
        imports=_imports("\n".join([*blocks, console, body])),
        literals=unique(a or b for a, b in _QUOTED.findall(_URL.sub(" ", title + "\n" + prose + "\n" + code)))[:40],
        flags=unique(_FLAG.findall(searchable))[:20],
        own_title=title_read if language else "",
        own_prose=prose if language else "",
    )


def _without_comments(text: str) -> str:
    """Text with a blank for each HTML comment; one that is never closed stays."""
    kept: list[str] = []
    place = 0
    while (first := text.find("<!--", place)) >= 0 and (last := text.find("-->", first + 4)) >= 0:
        kept.append(text[place:first])
        place = last + 3
    return " ".join([*kept, text[place:]])


def _keep(blocks: list[str], block: str) -> str:
    blocks.append(block)
    return "\n"


def _split_console(body: str) -> tuple[list[str], str]:
    """Prose lines, and the indented or prompted lines that are code."""
    prose: list[str] = []
    code: list[str] = []
    for line in body.split("\n"):
        is_code = bool(_PROMPT.match(line)) or (
            (line.startswith("    ") or line.startswith("\t")) and not line.lstrip().startswith(("-", "*"))
        )
        (code if is_code else prose).append(line)
    return prose, "\n".join(code)


def _split_traces(code: str) -> tuple[str, str]:
    """Code without stack traces, and the traces."""
    kept: list[str] = []
    trace: list[str] = []
    inside = False
    for line in code.split("\n"):
        if "Traceback (most recent call last)" in line or _PYTHON_FRAME.match(line) or _JAVA_FRAME.match(line):
            inside = True
        elif (
            inside
            and line
            and not line[0].isspace()
            and not line.startswith(("During handling", "The above exception"))
        ):
            inside = False
            trace.append(line)
            continue
        (trace if inside else kept).append(line)
    return "\n".join(kept), "\n".join(trace)


def _without_boilerplate(prose: str) -> str:
    """Prose up to the versions section: an environment dump is about the asker, not about the code."""
    found = _VERSIONS.search(prose)
    return prose[: found.start()] if found and len(prose[: found.start()].rstrip("#* \t\n")) >= 40 else prose


def _frames(text: str) -> list[Frame]:
    frames = [(m.start(), Frame(m[1], int(m[2]), m[3] or "")) for m in _PYTHON_FRAME.finditer(text)]
    java = [
        (m.start(), Frame(m[1].rpartition(".")[0].replace(".", "/") + "/" + m[3], int(m[4]), m[2]))
        for m in _JAVA_FRAME.finditer(text)
    ]
    other = [(m.start(), Frame(m[1], int(m[2]), "")) for m in _OTHER_FRAME.finditer(text)]
    innermost_first = bool(java) or (bool(other) and not frames)
    ordered = [frame for _, frame in sorted(frames + java + other, key=lambda pair: pair[0])]
    return ordered[::-1] if innermost_first else ordered


def _errors(text: str) -> list[str]:
    return unique((a or b).strip()[:300] for a, b in _ERROR_LINE.findall(text))[:20]


def _dotted(text: str) -> list[str]:
    names = []
    for name in _DOTTED.findall(text):
        if len(name) > _MAX_NAME:
            continue
        normal = re.sub(r"::|\\|#", ".", name)
        if not re.fullmatch(r"(?:e\.g|i\.e|etc|www\..*)", normal) and not normal.startswith(("http.", "self.")):
            names.append(normal)
    return names


def _imports(code: str) -> list[str]:
    found: list[str] = []
    for module, names, plain in _IMPORT.findall(code):
        if module:
            found.extend(f"{module}.{name}" for name in _WORD.findall(re.sub(r"\bas \w+", "", names)))
            found.append(module)
        else:
            found.extend(part.split(" as ")[0].strip() for part in plain.split(","))
    return unique(f for f in found if 0 < len(f) <= _MAX_NAME)


def _symbols(title: str, quoted: list[str], prose: str, code: str, traces: str) -> dict[str, str]:
    """Identifier-like names by the first section that holds them."""
    found: dict[str, str] = {}

    def note(section: str, names: list[str]) -> None:
        for name in names:
            if len(name) > 2 and name.lower() not in STOPWORDS:
                found.setdefault(name, section)

    note("title", _identifiers(title))
    note("quoted", [w for q in quoted for w in _WORD.findall(q)])
    note("prose", _identifiers(_URL.sub(" ", prose)))
    own = set(re.findall(r"\b(?:def|class|function|func|fn|interface|struct)\s+(\w+)", code)) | set(
        re.findall(r"(?m)^[^\S\n]*(\w+)\s*=[^=]", code)
    )
    note("called", [name for name in _CALL.findall(code) if name not in own][:300])
    note("code", _WORD.findall(code)[:1500])
    note("trace", re.findall(r", in (\w+)", traces) + _CALL.findall(traces))
    return found


def _identifiers(text: str) -> list[str]:
    """Words of running text that are shaped like identifiers, and the parts of dotted names."""
    spans = [*_CAMEL.finditer(text), *_SNAKE.finditer(text), *_CALL.finditer(text)]
    names = [(m.start(), m[1]) for m in spans]
    for m in _DOTTED.finditer(text):
        names.extend((m.start(), part) for part in re.split(r"\.|::|\\|#", m[1]))
    names.extend((m.start(), w) for m in _INLINE.finditer(text) for w in _WORD.findall(m[1] or m[2]))
    return unique(name for _, name in sorted(names, key=lambda pair: pair[0]))
