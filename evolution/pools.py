"""Three disjoint pools of queries: mutate (shown to the generator), select (ranks candidates), confirm (the gate's).

Queries fall together when they share a cluster or the same words; a stable hash of the group's name sends it to a pool.
So tomorrow's queries move none of today's, unless one joins two groups that stood apart.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from pydantic import BaseModel, ConfigDict, Field

from ..state.evolution import EvalQuery, Pool

__all__ = ["POOLS", "PoolRow", "PoolShares", "Split", "draw", "query_id", "snapshot_hash", "split_pools"]

POOLS: tuple[Pool, ...] = get_args(Pool)

_WORD = re.compile(r"\w+")


class PoolShares(BaseModel):
    """How much of the queries each pool gets, relative to the others. The gate is the hungriest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mutate: float = Field(default=0.2, gt=0.0)
    select: float = Field(default=0.3, gt=0.0)
    confirm: float = Field(default=0.5, gt=0.0)

    def pool_at(self, position: float) -> Pool:
        """The pool of a position from 0 to 1 on the line of shares."""
        total = self.mutate + self.select + self.confirm
        if position < self.mutate / total:
            return "mutate"
        return "select" if position < (self.mutate + self.select) / total else "confirm"


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One pool in the report. share: of all queries. slices: slice -> queries. hash: of its query ids."""

    pool: Pool
    queries: int
    share: float
    clusters: int
    anchors: int
    slices: dict[str, int]
    hash: str


@dataclass(frozen=True, slots=True)
class Split:
    """The pools, each by id. repeated: ids that came more than once and were kept once."""

    pools: dict[Pool, list[EvalQuery]]
    repeated: list[str] = field(default_factory=list)

    @property
    def hashes(self) -> dict[str, str]:
        """Pool -> hash of its query ids, for the gate's report."""
        return {pool: snapshot_hash(queries) for pool, queries in self.pools.items()}

    def report(self) -> list[PoolRow]:
        """What stands in each pool, stratified by slice."""
        total = sum(map(len, self.pools.values()))
        return [_row(pool, queries, total) for pool, queries in self.pools.items()]

    def warnings(self) -> list[str]:
        """What a person should know before a cycle: empty pools, and slices that the gate will not see."""
        empty = [pool for pool, queries in self.pools.items() if not queries]
        slices = {pool: Counter(q.slice for q in queries) for pool, queries in self.pools.items()}
        unseen = sorted({name for counts in slices.values() for name in counts if name} - set(slices["confirm"]))
        return [f"pool {pool} is empty: bring more queries or clusters, or another salt" for pool in empty] + [
            f"slice {name} has no query in confirm: the gate cannot see it get worse" for name in unseen
        ]


def split_pools(queries: Sequence[EvalQuery], shares: PoolShares | None = None, salt: str = "") -> Split:
    """Send each query to one pool; all queries of a cluster, and all with the same words, to the same one.

    Queries that near-duplicates tie together get one cluster, since they are not independent either. A group that
    holds an anchor goes to confirm, where anchors are checked. A query that names its pool stands there, without its
    group: who splits by time wants the latest in confirm, whatever they have in common. Order within a pool is by id.

    Args:
        queries: any number; an id that comes again is kept once.
        shares: how much each pool gets; of few large clusters, only roughly.
        salt: another one gives another split.
    """
    shares = shares or PoolShares()
    unique = {query.id: query for query in reversed(queries)}
    pools: dict[Pool, list[EvalQuery]] = {pool: [] for pool in POOLS}
    for query in unique.values():
        if query.pool is not None:
            pools[query.pool].append(query)
    dealt = sorted((query for query in unique.values() if query.pool is None), key=lambda q: q.id)
    for name, members in _groups(dealt).items():
        anchored = any(query.anchor for query in members)
        pool = "confirm" if anchored else shares.pool_at(_position(f"{salt}\0{name}"))
        pools[pool] += [_clustered(query, members) for query in members]
    repeated = sorted(name for name, times in Counter(q.id for q in queries).items() if times > 1)
    return Split({pool: sorted(found, key=lambda q: q.id) for pool, found in pools.items()}, repeated)


def draw(queries: Sequence[EvalQuery], n: int, seed: int = 0) -> list[EvalQuery]:
    """The first n queries in an order that depends on the seed alone: anchors, then each slice in proportion.

    A larger n begins with the smaller one's queries, so racing and the gate go on where they stopped.
    """
    anchors = [query for query in queries if query.anchor]
    slices: dict[str, list[EvalQuery]] = defaultdict(list)
    for query in queries:
        if not query.anchor:
            slices[query.slice].append(query)
    placed = [entry for name, members in slices.items() for entry in _placed(name, members, seed)]
    ordered = sorted(anchors, key=lambda q: q.id) + [query for *_, query in sorted(placed, key=lambda e: e[:3])]
    return ordered[: max(0, n)]


def query_id(text: str) -> str:
    """16 hex digits, the same for texts that differ in case, spacing or punctuation only."""
    return hashlib.sha256(_normalised(text).encode()).hexdigest()[:16]


def snapshot_hash(queries: Sequence[EvalQuery]) -> str:
    """16 hex digits, equal exactly when the ids are."""
    return hashlib.sha256("\n".join(sorted(query.id for query in queries)).encode()).hexdigest()[:16]


def _normalised(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_WORD.findall(folded)) or folded.strip()


def _keys(query: EvalQuery) -> list[str]:
    """What ties a query to others: the set of its words, and its cluster."""
    words = "words " + " ".join(sorted(set(_normalised(query.text).split())))
    return [f"cluster {query.cluster}", words] if query.cluster else [words]


def _groups(queries: Sequence[EvalQuery]) -> dict[str, list[EvalQuery]]:
    """Name -> queries tied by keys, directly or through others; the name is the group's smallest key."""
    above: dict[str, str] = {}

    def root(key: str) -> str:
        while above.setdefault(key, key) != key:
            key = above[key]
        return key

    for query in queries:
        first, *others = _keys(query)
        for other in others:
            low, high = sorted((root(first), root(other)))
            above[high] = low
    groups: dict[str, list[EvalQuery]] = defaultdict(list)
    for query in queries:
        groups[root(_keys(query)[0])].append(query)
    return groups


def _clustered(query: EvalQuery, members: Sequence[EvalQuery]) -> EvalQuery:
    """The query with the one cluster of its group: the first by name, or the first query's id when none has one."""
    if len(members) == 1:
        return query
    name = min((member.cluster for member in members if member.cluster), default=members[0].id)
    return query if query.cluster == name else query.model_copy(update={"cluster": name})


def _placed(name: str, members: Sequence[EvalQuery], seed: int) -> list[tuple[float, str, str, EvalQuery]]:
    """Each query of a slice with its place between 0 and 1, evenly spread."""
    shuffled = sorted(members, key=lambda q: (hashlib.sha256(f"{seed}\0{q.id}".encode()).digest(), q.id))
    return [((rank + 0.5) / len(shuffled), name, query.id, query) for rank, query in enumerate(shuffled)]


def _position(name: str) -> float:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") / 2**64


def _row(pool: Pool, queries: Sequence[EvalQuery], total: int) -> PoolRow:
    slices: Mapping[str, int] = Counter(query.slice for query in queries)
    return PoolRow(
        pool=pool,
        queries=len(queries),
        share=len(queries) / total if total else 0.0,
        clusters=len({query.cluster or query.id for query in queries}),
        anchors=sum(query.anchor for query in queries),
        slices=dict(sorted(slices.items())),
        hash=snapshot_hash(queries),
    )
