"""A recorded run: rows appended as they are made, a summary beside them that says how, and resuming after a stop."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import provenance
from .instances import Instance
from .measures import reciprocal_rank
from .predictions import BenchmarkError, Row, append, read_rows, resume, write_whole
from .runner import Tool, run
from .summary import summarize

Further = Callable[[Sequence[Instance], Mapping[str, Row]], dict[str, Any]]


@dataclass(frozen=True)
class Recording:
    """One run: which instances, where their repositories are, by what tool, into which file.

    source: name of the instances file. mixed: go on although the rows so far were made in another way. further: name ->
    more that the summary says of all rows.
    """

    instances: list[Instance]
    source: str
    mirrors: str
    tool: Tool
    out: Path
    jobs: int = 2
    mixed: bool = False
    further: Mapping[str, Further] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        """The instances' ids."""
        return [str(i["instance_id"]) for i in self.instances]

    @property
    def summary(self) -> Path:
        """Where the summary stands."""
        return self.out.with_name(f"{self.out.name.removesuffix('.jsonl')}.summary.json")


def record(recording: Recording) -> dict[str, Row]:
    """Every row of the run by instance id, kept and new ones; the predictions file and its summary are written.

    Raises:
        BenchmarkError: the file is damaged, or holds rows that were made in another way.
    """
    _check_origin(recording)
    rows = resume(recording.out, recording.ids)
    todo = [i for i in recording.instances if i["instance_id"] not in rows]
    _write_summary(recording, rows)
    show = _Progress(recording, len(recording.ids) - len(todo))

    def done(row: Row) -> None:
        append(recording.out, row)
        rows[row["instance_id"]] = row
        show(row)

    run(todo, recording.tool, recording.mirrors, recording.jobs, done)
    _write_summary(recording, rows)
    return {i: rows[i] for i in recording.ids}


def _check_origin(recording: Recording) -> None:
    """Raise when the file holds rows that this run would not make: numbers of two products say nothing of either."""
    if recording.mixed or not read_rows(recording.out):
        return
    mend = "choose another --out, delete it, or say --mixed"
    if not recording.summary.exists():
        raise BenchmarkError(f"{recording.out} has rows, but no summary beside it says how they were made; {mend}")
    then, now = _origin(json.loads(recording.summary.read_text(encoding="utf-8"))), _origin(_made(recording))
    if changed := [f"{name} was {then[name]}, is {now[name]}" for name in now if then[name] != now[name]]:
        raise BenchmarkError(f"{recording.out} was made in another way ({'; '.join(changed)}); {mend}")


def _origin(made: Mapping[str, Any]) -> dict[str, Any]:
    return {"tool": made["tool"], "settings": made["settings"], "source": made["product"]["source"]}


def _made(recording: Recording) -> dict[str, Any]:
    return {"tool": recording.tool.name, "settings": recording.tool.settings(), **provenance.provenance()}


def _write_summary(recording: Recording, rows: Mapping[str, Row]) -> None:
    """Write down how the rows are made, and the numbers as soon as every instance has a row."""
    finished = sum(i in rows for i in recording.ids)
    complete = finished == len(recording.ids)
    told = {
        **_made(recording),
        "mixed": recording.mixed,
        "instances": {"file": recording.source, "chosen": len(recording.ids), "finished": finished},
        "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "scores": summarize(recording.instances, rows).as_json() if complete else None,
        **{name: say(recording.instances, rows) for name, say in recording.further.items() if complete},
    }
    write_whole(recording.summary, json.dumps(told, indent=1) + "\n")


class _Progress:
    """A line an instance on standard error: how far, how long still, where the first gold file stands."""

    def __init__(self, recording: Recording, kept: int) -> None:
        self._gold = {i["instance_id"]: i["gold_files"] for i in recording.instances}
        self._name, self._kept, self._done, self._started = recording.tool.name, kept, kept, time.monotonic()
        if kept:
            print(f"{self._name}: {kept} of {len(self._gold)} are finished already", file=sys.stderr)

    def __call__(self, row: Row) -> None:
        self._done += 1
        pace = (time.monotonic() - self._started) / (self._done - self._kept)
        left = pace * (len(self._gold) - self._done) / 60
        place = f"[{self._done}/{len(self._gold)}, {left:.0f} min left]"
        print(f"{place} {self._name}: {row['instance_id']}: {self._told(row)}", file=sys.stderr, flush=True)

    def _told(self, row: Row) -> str:
        if "error" in row:
            return f"FAILED, {row['error']}"
        share = reciprocal_rank(self._gold[row["instance_id"]], row["files"])
        return f"first gold file {f'at {round(1 / share)}' if share else 'not ranked'}, {row.get('seconds', 0.0):.1f} s"


def tell_failures(rows: Mapping[str, Row]) -> int:
    """The exit code, 1 when an instance failed; then a line on standard error names them."""
    failed = sorted(i for i, row in rows.items() if "error" in row)
    if failed:
        print(
            f"{len(failed)} failed and count as misses: {', '.join(failed)}; run again to retry them", file=sys.stderr
        )
    return 1 if failed else 0
