"""Find the context of a task and print it as a prompt.

usage: python examples/find_context.py "Fix the authentication token expiry bug" path/to/project
"""

from __future__ import annotations

import sys

from iterative_retrieval import retrieve


def main(task: str, root: str) -> None:
    """Print the prompt, and on standard error what each cycle did."""
    result = retrieve(task, root)
    for trace in result.cycles:
        found = ", ".join(f"{path} ({relevance:.1f})" for path, relevance in trace.found[:4])
        print(
            f"cycle {trace.cycle}: {found or 'no match'}; learned {', '.join(trace.learned) or 'nothing'}",
            file=sys.stderr,
        )
    print(result.to_markdown())


if __name__ == "__main__":
    main(*sys.argv[1:3])
