"""Write docs/signals.md: every signal, what it means, and its weight in the shipped genome.

usage: python -m benchmarks.describe > docs/signals.md
"""

from __future__ import annotations

from iterative_retrieval.evolution.defaults import default_retrieval
from iterative_retrieval.retrieval.signals import STATIC_SIGNALS

SECTIONS = {
    "title": "the title",
    "prose": "the running text",
    "code": "code blocks",
    "all": "the whole task",
    "literal": "error messages and quoted strings",
}
MEANINGS = {
    "bm25f": "BM25F over path, defined names and body, for the words of {}",
    "chunk": "BM25 of the best function-sized chunk, for the words of {}",
    "chunks3": "sum of the best three chunks, for the words of {}",
    "path": "words of {} in the path, by idf",
    "names": "words of {} in the names it defines, by idf",
    "coverage": "share of the information of {} that the file speaks of at all",
    "rare": "words of {} that only a handful of files hold",
    "pairs": "share of the neighbouring word pairs of {} that stand in the file",
    "stem": "share of the file name's words that stand in {}",
}
SINGLE = {
    "wholes": "compound identifiers of the task (`max_body_length`) that stand in the file",
    "defines_title": "defines an identifier of the title; rarer names weigh more",
    "defines_title_word": "defines a plain word of the title",
    "defines_quoted": "defines a name in backticks",
    "defines_prose": "defines an identifier of the running text",
    "defines_called": "defines a function that code blocks call",
    "defines_code": "defines a name of the code blocks",
    "defines_trace": "defines a function of the stack trace",
    "defines_qualified": "defines `Class.method` as the task names it",
    "frame": "stands in the stack trace, the innermost frame most",
    "quoted_path": "its path or file name is mentioned",
    "dotted": "a dotted name of the task resolves to it",
    "imported": "code blocks import it",
    "past_similar": "BM25 of past commit messages, shared among the files they touched",
    "past_recent": "how often it changed, halved every 120 days",
    "learned": "BM25F of the words that refine learned (from the second cycle)",
    "graph_imports": "a likely file imports it (from the second cycle, like all graph signals)",
    "graph_importers": "it imports a likely file",
    "graph_co_changed": "changed in the same commits as a likely file",
    "graph_siblings": "has the same name as a likely file, in another folder",
    "graph_bases": "defines a base class of a likely file's classes",
    "graph_folder": "shares the folder of likely files",
    "graph_tested": "tests that read like the task import it, or are named after it",
    "prior_length": "log of its length",
    "prior_package": "a package file (`__init__.py`, `index.js`, `mod.rs`)",
    "prior_depth": "folders above it",
    "prior_language": "share of its language in the repository",
    "prior_defines": "defines anything",
}


_INTRODUCTION = """\
Every signal of the offline model and its weight in the shipped genome, heaviest first. Printed by
`python -m benchmarks.describe`. All but the priors and shares are divided by the value of the best file that is neither
test nor doc in the first cycle, so weights compare. Weights of evidence are never negative; a weight of 0 means that
the fit found the signal's news already told by others.
"""


def meaning(signal: str) -> str:
    """What a signal measures, in words."""
    if signal in SINGLE:
        return SINGLE[signal]
    kind, _, section = signal.partition("_")
    if kind == "role":
        return f"is a {section} file"
    return MEANINGS[kind].format(SECTIONS[section])


def main() -> None:
    """Print the page."""
    genome = default_retrieval()
    changing = sorted(s for s in SINGLE if s.startswith("graph_") or s == "learned")
    signals = [*STATIC_SIGNALS, *changing]
    print("# Signals\n")
    print(_INTRODUCTION)
    print("| signal | what it measures | weight |\n|---|---|---|")
    for signal in sorted(signals, key=lambda s: (-abs(genome.weights.get(s, 0.0)), s)):
        print(f"| `{signal}` | {meaning(signal)} | {genome.weights.get(signal, 0.0):.2f} |")
    print("\nInside a file, chunks are ranked by a second small model: " + _listed(genome.chunk_weights) + ".")


def _listed(weights: dict[str, float]) -> str:
    return ", ".join(f"`{name}` {weight:.2f}" for name, weight in sorted(weights.items(), key=lambda p: -abs(p[1])))


if __name__ == "__main__":
    main()
