"""The options of the run that is under way, laid over the active genomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from langgraph.runtime import get_runtime
from pydantic import BaseModel

from ..state.complaints import request_of
from ..state.document_ports import Domains
from ..state.domains import Domain
from ..state.genome import RetrievalGenome
from ..state.ports import Genomes, Pins
from ..state.routing import DepthBudget, Profile, RoutingGenome
from ..state.run_options import DocsearchOptions, RetrievalOptions

_Options = TypeVar("_Options", bound=BaseModel)
_Model = TypeVar("_Model", bound=BaseModel)


def options_of(kind: type[_Options]) -> _Options:
    """The options of this run; all absent outside a graph, without context, and under a context that is not ours.

    A graph inside another one sees its parent's context as it is, of whatever class.

    Raises:
        CallerError: an option is out of bounds.
    """
    try:
        context: Any = get_runtime().context
    except (RuntimeError, KeyError):  # no graph is running
        return kind()
    if isinstance(context, kind):
        return context
    if isinstance(context, Mapping) and set(context) <= set(kind.model_fields):
        return request_of(kind, context)
    return kind()


@dataclass(frozen=True)
class RunGenomes:
    """The genomes of a retrieval under the options of its run."""

    base: Genomes

    def pins(self, domain: str) -> dict[str, str]:
        """What a request that begins now keeps; options are the run's own and stay as they are."""
        return self.base.pins(domain)

    def retrieval(self, domain: str, pins: Pins | None = None) -> RetrievalGenome:
        """The retrieval genome."""
        return _patched(self.base.retrieval(domain, pins), options_of(RetrievalOptions))

    def routing(self, domain: str, pins: Pins | None = None) -> RoutingGenome:
        """The routing genome, every profile within the options."""
        genome, options = self.base.routing(domain, pins), options_of(RetrievalOptions)
        if options == RetrievalOptions():
            return genome
        return genome.model_copy(
            update={
                "profiles": {name: _deep(profile, options) for name, profile in genome.profiles.items()},
                "default_profile": _deep(genome.default_profile, options),
            }
        )


@dataclass(frozen=True)
class RunDomains:
    """The domains of documentation questions under the options of the run; for the steps that write the answer."""

    base: Domains

    def pins(self, name: str) -> dict[str, str]:
        """What a question that is asked now keeps."""
        return self.base.pins(name)

    def of(self, name: str, pins: Pins | None = None) -> Domain:
        """The domain."""
        domain, options = self.base.of(name, pins), options_of(DocsearchOptions)
        if options == DocsearchOptions():
            return domain
        routing, postprocess = _patched(domain.routing, options), _patched(domain.postprocess, options)
        return Domain(**{**vars(domain), "routing": routing, "postprocess": postprocess})

    def epoch(self, name: str, pins: Pins | None = None) -> str:
        """Names the genomes."""
        return self.base.epoch(name, pins)

    def hashes(self, name: str, pins: Pins | None = None) -> dict[str, str]:
        """Layer -> hash of its genome."""
        return self.base.hashes(name, pins)


def answers_apart() -> bool:
    """Whether this run has options of its own, so that its answer is nobody else's."""
    return options_of(DocsearchOptions) != DocsearchOptions()


def _patched(genome: _Model, options: BaseModel) -> _Model:
    """The genome with the options that are genes of it; their bounds are the same."""
    given = {n: v for n, v in options if v is not None and n in type(genome).model_fields}
    return genome.model_copy(update=given) if given else genome


def _deep(profile: Profile, options: RetrievalOptions) -> Profile:
    depth: DepthBudget = _patched(profile.depth_budget, options)
    changed: dict[str, Any] = {"depth_budget": depth, "format": options.format or profile.format}
    return profile.model_copy(update=changed)
