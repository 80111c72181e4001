"""Pure information retrieval: no framework, no disk, no network."""
