"""Windows: a long run of lines cut into even pieces, at blank lines when there are any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = ["lines_of", "windows"]

_SLACK = 10  # how far from the even cut a better one is looked for


def lines_of(text: str) -> list[str]:
    """The lines of a text without their line ends; a final line end opens no further line, '' has no line."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def windows(lines: Sequence[str], first: int, last: int, longest: int, size: int) -> Iterator[tuple[int, int]]:
    """Pieces of lines first to last (1-based, inclusive): one if they are at most ``longest``, else of about ``size``.

    size: at least 40 lines. A piece ends near the even cut, best with a blank line and before little indentation.
    """
    while last - first + 1 > longest:
        pieces = max(2, round((last - first + 1) / size))
        cut = _best_cut(lines, first + (last - first + 1) // pieces - 1)
        yield first, cut
        first, longest = cut + 1, size + _SLACK
    yield first, last


def _best_cut(lines: Sequence[str], even: int) -> int:
    """The line (1-based) to end a piece with: a blank one near ``even`` before the least indented line."""

    def badness(cut: int) -> tuple[bool, int, int]:
        following = lines[cut]
        indentation = len(following) - len(following.lstrip()) if following.strip() else len(lines)
        return bool(lines[cut - 1].strip()), indentation, abs(cut - even)

    return min(range(even - _SLACK, min(even + _SLACK, len(lines) - 1) + 1), key=badness)
