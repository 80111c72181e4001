"""From retrieved chunks to an answer under the contract: sentences, choice, sources, support, citations."""
