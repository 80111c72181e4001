"""Laying out an answer: chosen statements by source, in document order, each with its number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...state.answer import AnswerSource
from ...state.postprocess import CitationPolicy
from .blocks import BlockKind
from .claims import rewrite_marks
from .cues import Cue, shows
from .evidence import Evidence
from .passages import Passage, Statement
from .quotes import MAX_QUOTE, source_of

AnswerFormat = Literal["prose", "list", "steps"]
CODE_LINES = 25
"""Longest code block, in lines, that comes with its sentence; of source code, the lines that are shown."""
LEAD_WORDS = 30
"""Longest lead-in line or preceding sentence, in words, that comes along."""

_REFERS_BACK = re.compile(
    r"(?:It|Its|This|That|These|Those|They|Their|Such|He|She|Otherwise|Instead|However|Therefore|"
    r"Er|Sie(?= (?:ist|hat|wird|kann|darf|muss|gilt|enthält))|Es(?! gibt)|Dies\w*|"
    r"Dadurch|Damit|Dabei|Dazu|Sonst|Deshalb|Daher|Jedoch|"
    r"Это|Этот|Эта|Эти|Он|Она|Оно|Они|Такой|Такая|Такие|Поэтому|Однако|Иначе|Тогда)\b"
    r"|(?:此|这|它|该|其|因此|否则|但是|然而)"
)


@dataclass(frozen=True, slots=True)
class Layout:
    """The text of an answer and the sources it refers to."""

    text: str
    sources: list[AnswerSource]


def lay_out(
    passages: Sequence[Passage],
    chosen: Sequence[Evidence],
    form: AnswerFormat,
    policy: CitationPolicy,
    code: bool = True,
) -> Layout:
    """The answer of ``chosen``: passages in the order they were chosen, or for steps in that of the documents."""
    order = list(dict.fromkeys(e.passage for e in chosen))
    if form == "steps":
        order = sorted(order, key=lambda p: (order.index(_first_of(passages, order, p)), passages[p].chunk.ordinal))
    writer = _Writer(form, policy)
    for number in order:
        picked = sorted({u for e in chosen if e.passage == number for u in e.units})
        writer.passage(passages[number], _with_context(passages[number], picked, code))
    return Layout("\n\n".join(writer.paragraphs), writer.sources)


def _first_of(passages: Sequence[Passage], order: Sequence[int], passage: int) -> int:
    """The first chosen passage of the same document."""
    document = passages[passage].chunk.document
    return next(p for p in order if passages[p].chunk.document == document)


def _with_context(passage: Passage, picked: Sequence[int], code: bool) -> list[int]:
    """The picked statements with what they need to be read: lead-in lines, predecessors, code blocks."""
    chosen = set(picked)
    for i in picked:
        lead = passage.lead_in(i)
        if lead is not None and passage.statements[lead].length <= LEAD_WORDS:
            chosen.add(lead)
        if needs_predecessor(passage, i) and _predecessor_fits(passage, i):
            chosen.add(i - 1)
    if code:
        chosen |= {i + 1 for i in list(chosen) if _is_short_code(passage, i + 1)}
    return sorted(chosen)


def unmarked(text: str) -> str:
    """A document's sentence without its own footnote numbers, which would read as references of the answer."""
    return rewrite_marks(text, lambda _: "")


def needs_predecessor(passage: Passage, i: int) -> bool:
    """Whether a statement speaks of what stands before it: "It ...", "Dies ...", "Это ...", "它 ..."."""
    return bool(_REFERS_BACK.match(passage.statements[i].text))


def _predecessor_fits(passage: Passage, i: int) -> bool:
    if i == 0:
        return False
    before, here = passage.statements[i - 1], passage.statements[i]
    same = before.unit.block == here.unit.block
    return same and not before.asks and before.length <= LEAD_WORDS and not needs_predecessor(passage, i - 1)


def _is_short_code(passage: Passage, i: int) -> bool:
    if i >= len(passage.statements) or passage.statements[i].unit.kind is not BlockKind.CODE:
        return False
    return passage.statements[i].text.count("\n") < CODE_LINES and passage.chunk.kind != "code"


@dataclass
class _Run:
    """Chosen statements of one passage whose slice fits one quote and holds no heading."""

    number: int
    units: list[int] = field(default_factory=list)


def _continues(passage: Passage, run: Sequence[int], i: int) -> bool:
    """Whether a quote may go on to statement ``i``."""
    start, end = passage.statements[run[0]].unit.start, passage.statements[i].unit.end
    between = passage.statements[run[-1] + 1 : i]
    return end - start <= MAX_QUOTE and not any(s.unit.kind is BlockKind.HEADING for s in between)


@dataclass
class _Writer:
    form: AnswerFormat
    policy: CitationPolicy
    paragraphs: list[str] = field(default_factory=list)
    sources: list[AnswerSource] = field(default_factory=list)
    steps: int = 0
    _said: set[str] = field(default_factory=set)

    def passage(self, passage: Passage, picked: Sequence[int]) -> None:
        """Write the picked statements of one passage as a paragraph and add their sources."""
        lines: list[str] = []
        for run in self._runs(passage, self._unsaid(passage, picked)):
            said = [i for i in run.units if passage.statements[i].unit.kind is not BlockKind.CODE] or run.units
            first, last = passage.statements[said[0]].unit, passage.statements[said[-1]].unit
            self.sources.append(source_of(passage.chunk, run.number, first.start, last.end))
            for i in run.units:
                self._statement(passage, i, picked, run, said[-1] == i, lines)
        if lines:
            self.paragraphs.append("\n".join(lines))

    def _unsaid(self, passage: Passage, picked: Sequence[int]) -> list[int]:
        """The picked statements without those said before, by this passage or another."""
        unsaid: list[int] = []
        for i in picked:
            if passage.statements[i].text not in self._said:
                self._said.add(passage.statements[i].text)
                unsaid.append(i)
        return unsaid

    def _runs(self, passage: Passage, picked: Sequence[int]) -> Iterator[_Run]:
        run = _Run(len(self.sources) + 1)
        for i in picked:
            unit = passage.statements[i].unit
            if run.units and unit.kind is not BlockKind.CODE and not _continues(passage, run.units, i):
                yield run
                run = _Run(len(self.sources) + 1)
            run.units.append(i)
        if run.units:
            yield run

    def _statement(
        self, passage: Passage, i: int, picked: Sequence[int], run: _Run, closes: bool, lines: list[str]
    ) -> None:
        statement = passage.statements[i]
        mark = f" [{run.number}]" if self.policy == "always" or closes else ""
        if statement.unit.kind is BlockKind.CODE:
            lines.append(_code(passage, statement) + (f"\n{mark.strip()}" if mark else ""))  # a fence closes its line
            return
        text = _prefix(passage, i, picked) + unmarked(statement.text) + mark
        lead = self._lead(passage, i)
        if lines and not lead and _runs_on(lines[-1]):
            lines[-1] += " " + text
        elif lines and i - 1 in picked and statement.unit.kind is BlockKind.ITEM and not statement.unit.opens:
            lines[-1] += " " + text  # the item goes on
        else:
            lines.append(lead + text)

    def _lead(self, passage: Passage, i: int) -> str:
        """What a line begins with: "- ", a number, or nothing for running text."""
        statement = passage.statements[i]
        if statement.leads:
            return ""
        if self.form == "steps" and _is_step(statement):
            self.steps += 1
            return f"{self.steps}. "
        if self.form == "list":
            return "- "
        if self.form == "steps":
            return ""
        listed = statement.unit.kind is not BlockKind.PARAGRAPH or passage.lead_in(i) is not None
        return _marker(passage, statement) if listed else ""


def _is_step(statement: Statement) -> bool:
    return statement.unit.kind is BlockKind.ITEM or shows(Cue.STEPS, statement.text)


_RUNS_ON = re.compile(r"(?!- |\d+[.)] )(?:.*\n)*.*[.!?\u2026\u3002\uff01\uff1f][\"'\u201d\u2019\u00bb)]*(?: \[\d+\])*")


def _runs_on(line: str) -> bool:
    """Whether running text may continue a line: it is no list item and its sentence is closed."""
    return bool(_RUNS_ON.fullmatch(line))


def _marker(passage: Passage, statement: Statement) -> str:
    """The number of an ordered item as it stands, else a dash."""
    text, start = passage.chunk.text, statement.unit.start
    before = text[text.rfind("\n", 0, start) + 1 : start].strip()
    return f"{before} " if re.fullmatch(r"\d+[.)]", before) else "- "


def _code(passage: Passage, statement: Statement) -> str:
    """A code block as it stands; unfenced code in a fence; of source code, its head."""
    text = statement.unit.text
    if passage.chunk.kind == "code":
        text = "\n".join(text.split("\n")[:CODE_LINES])
    if text.lstrip().startswith(("```", "~~~")):
        return text
    fence = "`" * max(3, max((len(m) + 1 for m in re.findall(r"`{3,}", text)), default=3))
    return f"{fence}\n{text}\n{fence}"


def _prefix(passage: Passage, i: int, picked: Sequence[int]) -> str:
    """What a statement needs before it, in brackets: a heading within the chunk, or its own when it refers back."""
    title = passage.title_above(i)
    if title is not None and not any(passage.title_above(k) is title for k in picked if k < i):
        return f"[{title.text}] " if any(c.isalpha() for c in title.text) else ""
    if i - 1 in picked or not needs_predecessor(passage, i) or not passage.chunk.heading:
        return ""
    heading = passage.chunk.heading[-1]
    return f"[{heading}] " if any(c.isalpha() for c in heading) else ""
