"""What a body must be before LangServe reads it: it takes some malformed ones for bugs of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import Request

from .refusals import Refused


def readable_body(max_batch: int) -> Callable[[Request], Awaitable[None]]:
    """A dependency that refuses what is no JSON object, and a batch that is none or too large."""

    async def check(request: Request) -> None:
        if request.method != "POST":
            return
        try:
            body = await request.json()
        except (ValueError, RecursionError):  # no JSON, no UTF-8, or nested without end
            raise _unreadable("the body is not JSON, as UTF-8") from None
        if not isinstance(body, dict):
            raise _unreadable("the body is no JSON object")
        if request.url.path.endswith("/batch"):
            _check_batch(body.get("inputs"), max_batch)

    return check


def _check_batch(inputs: object, most: int) -> None:
    if not isinstance(inputs, list):
        raise _unreadable("inputs: give a list")
    if len(inputs) > most:
        raise Refused(413, "BatchTooLarge", f"a batch of {len(inputs)} is too large; send {most} at most")


def _unreadable(why: str) -> Refused:
    return Refused(422, "RequestInvalid", f"{why}; see /docs")
