"""Workspaces: snapshots opened or brought up to date, the latest ones kept warm."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict, defaultdict
from pathlib import Path
from typing import NamedTuple
from weakref import WeakValueDictionary

from ..state.errors import StoreUnavailable
from ..state.progress import ProgressSink
from .blobs import BlobStore
from .corpus import Corpus, open_corpus
from .indexing import index_corpus, snapshot_of
from .lexical import LexicalIndex
from .slots import KEEP, LexicalStore
from .snapshot import REBUILT, OpenWorkspace


class _Key(NamedTuple):
    """What tells open workspaces apart."""

    root: str
    ref: str | None
    fingerprint: str
    commit: str | None


class CachedWorkspaces:
    """Opens workspaces and keeps the latest ones warm.

    Args:
        cache_dir: where indexes live, one folder a repository.
        keep: how many opened snapshots stay in memory.
        slots: how many indexed snapshots of a repository stay on disk.
    """

    def __init__(self, cache_dir: Path, keep: int = 4, slots: int = KEEP) -> None:
        self.cache_dir = cache_dir
        self._keep = keep
        self._slots = slots
        self._open: OrderedDict[_Key, OpenWorkspace] = OrderedDict()
        self._stores: WeakValueDictionary[Path, BlobStore] = WeakValueDictionary()
        self._lock = threading.Lock()
        self._building: defaultdict[Path, threading.Lock] = defaultdict(threading.Lock)

    def open(self, root: str | Path, ref: str | None = None, report: ProgressSink = lambda _: None) -> OpenWorkspace:
        """The workspace of a root as it is now, indexed as far as needed.

        Args:
            root: a folder, a work tree, or a bare repository.
            ref: a git ref; None means the working tree.
            report: called with progress while indexing.

        Raises:
            UnknownRoot, UnknownRef, GitUnavailable, StoreUnavailable.
        """
        corpus = open_corpus(root, ref)
        folder = self.cache_dir / repository_key(corpus)
        known = self._warm(corpus)
        if known is not None:
            return known
        with self._lock:
            building = self._building[folder]
        with building:  # one build a repository; others wait and then find it warm
            return self._warm(corpus) or self._bring_up(corpus, folder, report)

    def opened(self, root: str, ref: str | None, fingerprint: str) -> OpenWorkspace:
        """The workspace that a request began with; when it was evicted, the root is opened again as it is now."""
        with self._lock:
            for key, workspace in reversed(self._open.items()):
                if (key.root, key.ref, key.fingerprint) == (root, ref, fingerprint):
                    return workspace
        return self.open(root, ref)

    def close(self) -> None:
        """Forget all open workspaces and close their files."""
        with self._lock:
            self._open.clear()
            for store in list(self._stores.values()):
                store.close()
            self._stores.clear()

    def _warm(self, corpus: Corpus) -> OpenWorkspace | None:
        """The open workspace of this very corpus."""
        key = _key(corpus)
        with self._lock:
            workspace = self._open.pop(key, None)
            if workspace is None or not workspace.untouched():
                return None
            self._open[key] = workspace
        workspace.warnings.clear()  # they told of the request that met the damage
        workspace.corpus = corpus  # the same files; what is left out may have changed
        return workspace

    def _bring_up(self, corpus: Corpus, folder: Path, report: ProgressSink) -> OpenWorkspace:
        blobs = self._store(folder / "analyses.sqlite")
        store = LexicalStore(folder / "lexical", keep=self._slots)
        index = store.open(snapshot_of(corpus))
        if index is None:
            corpus, index = index_corpus(corpus, store, blobs, report)
        warnings = [REBUILT] if store.damaged or blobs.damaged else []
        blobs.forget_damage()
        workspace = OpenWorkspace(corpus, blobs, index, lambda c: _mended(c, store, blobs), warnings)
        with self._lock:
            self._open[_key(corpus)] = workspace
            while len(self._open) > self._keep:
                self._open.popitem(last=False)
        return workspace

    def _store(self, path: Path) -> BlobStore:
        """The blob store of a repository, open as long as one of its workspaces is."""
        with self._lock:
            store = self._stores.get(path)
            if store is None:
                store = self._stores[path] = BlobStore(path)
            return store


def repository_key(corpus: Corpus) -> str:
    """The cache folder of a repository: readable name and a hash; work trees of one repository share it."""
    place = corpus.git_dir or corpus.root
    name = Path(place.removesuffix("/.git").removesuffix(".git")).name or "root"
    safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in name)[:40]
    return f"{safe}-{hashlib.sha256(os.fsencode(place)).hexdigest()[:16]}"


def _key(corpus: Corpus) -> _Key:
    return _Key(corpus.root, corpus.ref, corpus.fingerprint, corpus.commit)


def _mended(corpus: Corpus, store: LexicalStore, blobs: BlobStore) -> LexicalIndex:
    """A new index for a corpus whose own cannot be read any more.

    Raises:
        StoreUnavailable: the files are no longer what the corpus lists.
    """
    store.discard(snapshot_of(corpus))
    read, index = index_corpus(corpus, store, blobs)
    if read.fingerprint != corpus.fingerprint:
        raise StoreUnavailable(f"the index of {corpus.root} is damaged, and files changed since it was made; ask again")
    return index
