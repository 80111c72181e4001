"""A context package as text for a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..state.package import ContextPackage, FileContext


def render(package: ContextPackage, texts: Mapping[str, Sequence[str]], instructions: str) -> str:
    """The package as Markdown: instructions, files with reasons and code, gaps.

    When it continues an earlier package, the reader has that one: what it held is listed, only what is new is shown.

    Code stands in fences longer than any run of backticks inside it, so repository text cannot break out of them.
    """
    parts = [f"# Context for: {_one_line(package.gap or package.task)}", ""]
    if package.gap:
        parts += [f"It adds to the context for: {_one_line(package.task)}", ""]
    if instructions:
        parts += [instructions, ""]
    if not any(file.added for file in package.files):
        parts += ["No further file was found." if package.gap else "No relevant file was found.", ""]
    for file in package.files:
        if file.added:
            parts += _file(file, texts.get(file.path, []))
    parts += _known(package.files)
    if package.gaps:
        parts += ["## Gaps", ""]
        parts += [f"- {'critical: ' if g.critical else ''}{_one_line(g.detail)}" for g in package.gaps]
        parts.append("")
    return "\n".join(parts)


def _file(file: FileContext, texts: Sequence[str]) -> list[str]:
    lines = [f"## {_one_line(file.path)}", "", f"relevance {file.relevance:.2f}, {_one_line(file.reason)}", ""]
    for span, text in zip(file.spans, texts, strict=False):
        if span in file.known:
            continue
        fence = _fence(text)
        title = f"lines {span.first}-{span.last}" + (f", {span.symbol}" if span.symbol else "")
        lines += [title, fence, text, fence, ""]
    return lines


def _known(files: Sequence[FileContext]) -> list[str]:
    """What the reader has already."""
    lines = [
        f"- {_one_line(f.path)}, lines {', '.join(f'{s.first}-{s.last}' for s in f.known)}" for f in files if f.known
    ]
    return ["## Known already", "", *lines, ""] if lines else []


def _fence(text: str) -> str:
    longest = current = 0
    for char in text:
        current = current + 1 if char == "`" else 0
        longest = max(longest, current)
    return "`" * max(3, longest + 1)


def _one_line(text: str) -> str:
    clean = " ".join(text.split())
    return clean.encode("utf-8", "replace").decode("utf-8")[:300]
