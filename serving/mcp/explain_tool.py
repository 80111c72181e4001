"""The tool ``explain_file``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mcp_types import CallToolResult
from pydantic import Field

from ...state.progress import ProgressSink
from ..explained import explanation_lines
from ..lines import plain
from .arguments import Ref, Root, Roots, Task
from .checks import checked_path, checked_task, inner_path
from .client_roots import Ctx, folders_of
from .desk import Desk, Search, handed_back, retrieved
from .refusals import told_what_to_do
from .replies import ExplainReply
from .roots import placed

DESCRIPTION = """Tell why a file is where it is in the result of a task, or why it is not in it.

Call it when a file that you expected is missing from retrieve_context or stands low: ignored, too large, a secret,
never a candidate, or ranked with which evidence."""


@dataclass(frozen=True)
class ExplainTool:
    """Borrows the desk."""

    desk: Desk

    @told_what_to_do
    async def explain_file(
        self,
        ctx: Ctx,
        roots: Roots,
        task: Task,
        path: Annotated[str, Field(description="The file, relative to the root.")],
        root: Root = "",
        ref: Ref = "",
    ) -> Annotated[CallToolResult, ExplainReply]:
        """Check, search in a thread, explain. See ``DESCRIPTION``."""
        checked_task(task)
        allowed = self.desk.policy.of(folders_of(roots))
        folder = placed(allowed, root)
        clean = inner_path("path", path, folder)
        search = Search(task=task, root=folder, ref=checked_path("ref", ref) or None)

        def work(progress: ProgressSink) -> tuple[ExplainReply, str]:
            from ...graph.api import explain_in

            opened = self.desk.connections.get()
            found = explain_in(retrieved(opened, search, allowed, progress)[0], clean, opened.code)
            text = "\n".join(plain(row) for row in explanation_lines(found))
            return ExplainReply.model_validate(found.model_dump()), text

        return handed_back(*await self.desk.workers.run(work, ctx))
