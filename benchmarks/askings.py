"""Ways of asking one and the same: read from a data file, or made from the issue itself."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from .instances import Instance
from .predictions import BenchmarkError

DERIVED = ("original", "title", "half", "log behind", "log before")
WRITTEN = ("english", "german", "russian", "chinese", "bare line")
KINDS = (*DERIVED, *WRITTEN)
"""original: as written; title: the first line; half: the first half of the lines; log: twenty pages behind the issue,
or between its title and its text; then paraphrases, and one line that only says what to do."""
LOG_LINES = 1000  # twenty pages
_LANGUAGES = {"en": "english", "de": "german", "ru": "russian", "zh": "chinese"}
_BEGIN = datetime(2026, 3, 1, 4, 0)
_LEVELS = ["DEBUG"] * 5 + ["INFO"] * 10 + ["WARNING"] * 2 + ["ERROR"]
_MODULES = (
    "shop.checkout",
    "shop.basket",
    "billing.invoices",
    "billing.gateway",
    "depot.shipments",
    "depot.stock_levels",
    "mailer.outbox",
    "mailer.templates",
    "scheduler.worker",
    "http.access",
    "http.client",
    "storage.bucket",
    "search.reindex",
    "auth.tokens",
)
_EVENTS = (
    "request {n} finished with status {s} in {m} ms",
    "connection to upstream {n} closed, retrying in {m} ms",
    "loaded {n} rows from table orders, {m} skipped",
    "job {n} queued behind {m} others",
    "cache miss for key session:{n}",
    "template order_confirmation rendered in {m} ms",
    "token of user {n} expires in {m} s",
    "could not write object {n}: quota exceeded by {m} bytes",
    "parsed {n} fields of form delivery_address",
    "index of collection parcels merged, {n} segments, {m} deleted",
)

Askings = Mapping[str, Mapping[str, str]]
"""Instance id -> kind -> text."""


def read_askings(path: Path) -> Askings:
    """The texts of a data file; rows have ``instance_id``, ``kind`` ("paraphrase" or "bare"), ``language``, ``text``.

    Raises:
        BenchmarkError: the file cannot be read, or a row is of another shape.
    """
    found: dict[str, dict[str, str]] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        for row in (json.loads(line) for line in lines if line.strip()):
            kind = "bare line" if row["kind"] == "bare" else _LANGUAGES[row["language"]]
            found.setdefault(row["instance_id"], {})[kind] = row["text"]
    except (OSError, ValueError, KeyError) as error:
        raise BenchmarkError(f"cannot read the ways of asking in {path}: {type(error).__name__} {error}") from error
    return found


def asked(instance: Instance, written: Mapping[str, str], kinds: Sequence[str]) -> list[Instance]:
    """The instance once for each kind that there is a text for; ``asked_as`` is the kind, ``issue`` the instance's id.

    Ids sort so that the title comes first: the first question about a commit pays for opening it.
    """
    texts = {kind: _text(instance, written, kind) for kind in kinds}
    return [
        {
            **instance,
            "instance_id": f"{instance['instance_id']}/{_place(kind):02d} {kind}",
            "issue": instance["instance_id"],
            "asked_as": kind,
            "problem_statement": text,
        }
        for kind, text in texts.items()
        if text
    ]


def pasted_log(seed: str, lines: int = LOG_LINES) -> str:
    """Stamped lines of modules that have nothing to do with the issue; the same for the same ``seed``."""
    chance = random.Random(seed)
    now, found = _BEGIN, []
    for _ in range(lines):
        now += timedelta(milliseconds=chance.randint(1, 4000))
        event = chance.choice(_EVENTS).format(n=chance.randint(1, 9999), m=chance.randint(1, 900), s=200)
        stamp = now.isoformat(sep=" ", timespec="milliseconds").replace(".", ",")
        found.append(f"{stamp} {chance.choice(_LEVELS):<8} {chance.choice(_MODULES)}: {event}")
    return "\n".join(found)


def _place(kind: str) -> int:
    return 0 if kind == "title" else 1 + KINDS.index(kind)


def _text(instance: Instance, written: Mapping[str, str], kind: str) -> str:
    """The text of a kind; '' when the data file has none."""
    issue = str(instance["problem_statement"]).strip()
    title, _, body = issue.partition("\n")
    lines = issue.split("\n")
    match kind:
        case "original":
            return issue
        case "title":
            return title
        case "half":
            return "\n".join(lines[: (len(lines) + 1) // 2])
        case "log behind":
            return f"{issue}\n\n{pasted_log(instance['instance_id'])}\n"
        case "log before":
            return f"{title}\n\n{pasted_log(instance['instance_id'])}\n\n{body}"
        case _:
            return written.get(kind, "")
