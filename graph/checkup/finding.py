"""One thing that was looked at, and what it means."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Status(StrEnum):
    """How it stands."""

    OK = "ok"
    OFF = "off"  # not configured, nothing is missed
    NOTICE = "notice"  # works, and is worth a look
    PROBLEM = "problem"


class Finding(BaseModel):
    """What was looked at, how it stands, and what to do; advice is '' when nothing is to be done."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    status: Status
    detail: str
    advice: str = ""


__all__ = ["Finding", "Status"]
