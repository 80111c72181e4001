"""The tool ``record_feedback``."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import Field

from ...state.errors import CallerError
from ...state.feedback import LONGEST_MISSING, MOST_NEEDED, FeedbackRecord, FeedbackVerdict
from ...state.package import ContextPackage
from ...state.progress import ProgressSink
from .arguments import RequestId
from .asked import Asked
from .checks import checked_text, inner_path
from .client_roots import Ctx
from .connections import Open
from .desk import Desk, handed_back
from .refusals import told_what_to_do
from .replies import FeedbackReply

DESCRIPTION = """Say whether an earlier result held what you needed.

Call it once, at the end of the task, for each result of retrieve_context or search_docs that you worked with. For
retrieve_context name every file that the task really took (changed, or had to be read), also those that you found
otherwise. Nothing changes by it at once: it is kept, and improves later searches after a person's review."""


@dataclass(frozen=True)
class FeedbackTool:
    """Borrows the desk and a clock (unix seconds)."""

    desk: Desk
    now: Callable[[], float] = time.time

    @told_what_to_do
    async def record_feedback(
        self,
        ctx: Ctx,
        request_id: RequestId,
        verdict: Annotated[
            Literal["complete", "partial", "useless"], Field(description="Did the result hold what you needed?")
        ],
        needed_files: Annotated[
            Sequence[str],
            Field(
                max_length=MOST_NEEDED,
                description="For retrieve_context: every file that the task took, relative to its root.",
            ),
        ] = (),
        missing: Annotated[str, Field(description="What the result lacked, in words.")] = "",
    ) -> Annotated[CallToolResult, FeedbackReply]:
        """Check and keep. See ``DESCRIPTION``."""
        asked = self.desk.recent.of(request_id)
        checked_text("missing", missing, LONGEST_MISSING)
        needed = _needed(needed_files, asked.package)

        def work(progress: ProgressSink) -> FeedbackReply:
            return self._keep(self.desk.connections.get(), asked, FeedbackVerdict(verdict), needed, missing)

        reply = await self.desk.workers.run(work, ctx)
        return handed_back(reply, reply.note)

    def _keep(
        self, opened: Open, asked: Asked, verdict: FeedbackVerdict, needed: list[str], missing: str
    ) -> FeedbackReply:
        if self.desk.connections.on_trial or not opened.docs.feedback.enabled:
            why = "a genome is on trial" if self.desk.connections.on_trial else "the request log is switched off"
            return FeedbackReply(kept=False, verdict=verdict.value, needed=len(needed), note=f"Not kept: {why}.")
        commit = _commit_of(opened, asked.package, needed) if asked.package else None
        opened.docs.feedback.record(
            FeedbackRecord(
                time=self.now(),
                tool=asked.tool,
                text=asked.text,
                root=asked.package.root if asked.package else "",
                ref=commit,
                collection=asked.collection,
                domain=asked.domain,
                query_type=asked.query_type,
                verdict=verdict,
                returned=list(asked.returned),
                needed=needed,
                missing=missing,
            )
        )
        note = f"Kept: {verdict.value}, {len(needed)} needed files."
        return FeedbackReply(kept=True, verdict=verdict.value, needed=len(needed), note=note)


def _needed(paths: Sequence[str], package: ContextPackage | None) -> list[str]:
    """The paths, clean, each once.

    Raises:
        CallerError: one leads out of the root, or an answer out of documents is rated.
    """
    if package is None and paths:
        raise CallerError("needed_files: goes with results of retrieve_context; say in missing what the answer lacks")
    return list(dict.fromkeys(inner_path("needed_files", p, package.root) for p in paths)) if package else []


def _commit_of(opened: Open, package: ContextPackage, needed: Sequence[str]) -> str | None:
    """The commit that was searched; None outside git.

    Raises:
        CallerError: a needed file is none of the searched ones.
    """
    workspace = opened.code.workspaces.opened(package.root, package.ref, package.fingerprint)
    unknown = [path for path in needed if path not in workspace.paths]
    if unknown:
        raise CallerError(
            f"needed_files: {', '.join(unknown[:5])}: no such file was searched in {package.root}; name files that "
            "were there before your change, relative to that folder"
        )
    return workspace.commit
