"""Workspaces that stay open as long as a trial: every candidate asks the same commits again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...nodes.scene import Memo
from ...state.ports import Workspace, Workspaces
from ...state.progress import ProgressSink

__all__ = ["HeldWorkspaces"]

_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")  # SHA-1 or SHA-256: what a commit holds never changes
_MOST = 512  # some 4 MB each


def _silent(event: object) -> None:
    """Reports nothing."""


@dataclass(frozen=True)
class HeldWorkspaces:
    """Borrows the workspaces that open; a ref that is no full commit id is opened anew, since it may have moved."""

    workspaces: Workspaces
    _held: Memo[Workspace] = field(default_factory=lambda: Memo(_MOST), repr=False)
    _begun: Memo[Workspace] = field(default_factory=lambda: Memo(_MOST), repr=False)

    def open(self, root: str, ref: str | None = None, report: ProgressSink = _silent) -> Workspace:
        """The workspace of a root; that of a commit is opened once."""
        if ref is None or not _COMMIT.fullmatch(ref):
            return self.workspaces.open(root, ref, report)
        return self._held.get((root, ref), lambda: self._noted(self.workspaces.open(root, ref, report), ref))

    def opened(self, root: str, ref: str | None, fingerprint: str) -> Workspace:
        """The workspace that a request began with."""
        if ref is None or not _COMMIT.fullmatch(ref):
            return self.workspaces.opened(root, ref, fingerprint)
        return self._begun.get((root, ref, fingerprint), lambda: self.workspaces.opened(root, ref, fingerprint))

    def _noted(self, workspace: Workspace, ref: str) -> Workspace:
        """The workspace, to be found again under its absolute root."""
        return self._begun.get((workspace.root, ref, workspace.fingerprint), lambda: workspace)
