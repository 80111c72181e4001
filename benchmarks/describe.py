"""Write docs/signals.md: every signal, what it means, and its weight in the shipped genome.

usage: python -m benchmarks.describe > docs/signals.md
"""

from __future__ import annotations

from iterative_retrieval.evolution.defaults import default_retrieval
from iterative_retrieval.retrieval.signals import STATIC_SIGNALS
from iterative_retrieval.retrieval.spans import CHUNK_SIGNALS

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

CHUNKS = {
    "chunk_title": "BM25 for the words of the title, beside the best chunk of its file",
    "chunk_prose": "BM25 for the words of the running text, beside the best chunk of its file",
    "chunk_code": "BM25 for the words of code blocks, beside the best chunk of its file",
    "chunk_all": "BM25 for the words of the whole task, beside the best chunk of its file",
    "chunk_says_title": "BM25 for the words of the title, on a scale of its own",
    "chunk_says_all": "BM25 for the words of the whole task, on a scale of its own",
    "chunk_coverage": "share of the information of the task that it speaks of",
    "chunk_literal": "word pairs of error messages and quoted strings that it holds",
    "chunk_named": "the task names it",
    "chunk_named_rare": "the task names it; names that few files define weigh more",
    "chunk_name_title": "share of its name's words that stand in the title",
    "chunk_class_title": "share of its class's words that stand in the title",
    "chunk_class_said": "the task names its class",
    "chunk_class_named": "the task names its class; names that few files define weigh more",
    "chunk_framed": "a stack frame points into it",
    "chunk_deep_frame": "a stack frame points into it, inner frames more",
    "chunk_frame_name": "a stack frame of any file has its name",
    "chunk_length": "log of its lines",
    "chunk_header": "it is the head of a class, or code between definitions",
    "chunk_first": "it begins the file",
    "chunk_private": "its name begins with one underscore",
    "chunk_dunder": "its name begins and ends with two (`__repr__`)",
    "chunk_nested": "it lies inside a function",
    "chunk_spoken_of": "likely chunks of other files speak of it (seen in the second look)",
    "chunk_spoken_of_here": "likely chunks of its own file speak of it (second look)",
    "chunk_speaks_of": "it speaks of likely chunks (second look)",
    "chunk_class_mass": "the rest of its class is likely (second look)",
    "chunk_beside": "the chunks before and after it are likely (second look)",
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
    print(_CHUNKS)
    print("| signal | what it says of a chunk | weight |\n|---|---|---|")
    for name in sorted(CHUNK_SIGNALS, key=lambda n: (-abs(genome.chunk_weights.get(n, 0.0)), n)):
        print(f"| `{name}` | {CHUNKS[name]} | {genome.chunk_weights.get(name, 0.0):.2f} |")


_CHUNKS = """
## Inside a file
A second model of the same kind says where in a file the change is. It looks twice: first at what the task says of each
chunk alone, then also at how likely its neighbours came out. Functions are ranked, and spans packed, by the file's
probability times the chunk's share.
"""


if __name__ == "__main__":
    main()
