"""Searching chunks of documents: words in four languages, signals, and what a question lacks."""
