"""Index a folder of documents and ask it.

usage: python examples/ask_documents.py docs "What is a context package?"
"""

from __future__ import annotations

import sys

from iterative_retrieval import ask, index_documents


def main(folder: str, question: str) -> None:
    """Print the answer with its numbered sources, and on standard error what the index holds."""
    report = index_documents("example", [folder])
    print(f"{report.chunks} chunks of {report.added + report.unchanged} documents", file=sys.stderr)
    result = ask(question, "example")
    print(result.answer.answer or "No answer was found.")
    for source in result.answer.sources:
        print(f"[{source.number}] {source.document}, lines {source.first}-{source.last}: {source.quote}")
    for warning in result.answer.warnings:
        print(f"warning: {warning}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:3])
