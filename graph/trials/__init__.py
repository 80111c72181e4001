"""Trials: the real pipelines under a candidate genome, with their judges. One a layer."""

from __future__ import annotations

from dataclasses import dataclass

from ...state.errors import CallerError
from ...state.evolution import Layer
from ...state.evolution_run import QuerySource
from ...state.feedback import FEEDBACK
from ...state.trial_ports import Trial
from ..docsearch_services import DocsearchServices
from ..services import Services
from .cache_policy import cache_policy_trial
from .postprocess import postprocess_trial
from .retrieval import retrieval_trial
from .routing import routing_trial

__all__ = ["PipelineTrials"]


@dataclass(frozen=True)
class PipelineTrials:
    """Opens trials over the product's own services."""

    code: Services
    docs: DocsearchServices

    def of(self, layer: Layer, domain: str, source: QuerySource) -> Trial:
        """The trial of a layer. Raises CallerError when the source lacks what the layer needs."""
        match layer:
            case "retrieval" if domain == "code":
                return retrieval_trial(self.code, source, self.docs.feedback)
            case "retrieval":
                raise CallerError('layer retrieval evolves for domain "code"; documentation weights come with a domain')
            case "routing" | "cache_policy" if source.queries == FEEDBACK:
                raise CallerError(
                    f"feedback tells nothing of layer {layer}; it serves layers retrieval and postprocess"
                )
            case "routing":
                return routing_trial(self.docs, domain, source)
            case "postprocess":
                return postprocess_trial(self.docs, domain, source)
            case "cache_policy":
                return cache_policy_trial(self.docs, domain, source)
