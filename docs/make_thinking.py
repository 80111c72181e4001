"""Writes the traces of docs/thinking.md and its pictures: ``python docs/make_thinking.py``.

Both worked examples run for real, on small projects made on the spot. A test fails while page and pictures differ
from what the runs say; seconds are left out of the comparison.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from iterative_retrieval import ContextPackage, retrieve  # noqa: E402
from iterative_retrieval.graph.services import open_services  # noqa: E402
from iterative_retrieval.graph.settings import Settings  # noqa: E402
from iterative_retrieval.serving.cli import main  # noqa: E402
from tests.repositories import write_files  # noqa: E402
from tests.samples import RATE_LIMITING, TOKEN_EXPIRY  # noqa: E402

PAGE, IMAGES = ROOT / "docs" / "thinking.md", ROOT / "docs" / "images"
RUNS = {
    "token-expiry": ("Fix the authentication token expiry bug", TOKEN_EXPIRY),
    "rate-limiting": ("Add rate limiting to API endpoints", RATE_LIMITING),
}
_WIDE, _HIGH, _LEFT, _TOP, _NAMES = 190, 260, 44, 20, 250


def made(name: str, folder: Path) -> tuple[str, ContextPackage]:
    """What the command prints for a run, and its package. folder: where the project is made."""
    task, files = RUNS[name]
    write_files(folder / "shop", files)
    services = open_services(Settings(cache_dir=folder / "cache", data_dir=folder / "data"))
    return _printed(task, folder / "shop", folder), retrieve(task, folder / "shop", services=services)


def page(text: str, name: str, printed: str) -> str:
    """The page with a fresh trace between the marks of a run."""
    place = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end -->)", re.DOTALL)
    command = f'$ iterative-retrieval "{RUNS[name][0]}" --root shop'
    return place.sub(lambda _: f"```console\n{command}\n{printed.rstrip()}\n```\n", text, count=1)


def timeless(text: str) -> str:
    """The text without how long it took."""
    return re.sub(r"\d+(?:\.\d+)? s\b", "... s", text)


def picture(package: ContextPackage) -> str:
    """Relevance of every file over the cycles, as SVG, ending at the package's; below, what the cycles learned."""
    cycles, best = len(package.cycles), _ways(package)
    wide = _LEFT + _WIDE * max(1, cycles - 1) + _NAMES
    parts = [_bands(wide - _NAMES), *(_cycle(trace.cycle, trace.learned) for trace in package.cycles)]
    ends = _apart({path: _y(ways[-1][1]) for path, ways in best.items()})
    parts += [_way(path, ways, cycles, ends[path]) for path, ways in best.items()]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {_TOP + _HIGH + 80}" role="img" '
        f'aria-label="{escape(package.task)}" font-family="sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{"".join(parts)}</svg>\n'
    )


def _printed(task: str, root: Path, folder: Path) -> str:
    """Standard output of the command, in this process."""
    own = {
        "IR_CACHE_DIR": str(folder / "cache"),
        "IR_DATA_DIR": str(folder / "data"),
        "IR_ENV_FILE": str(folder / "env"),
    }
    (folder / "env").touch(0o600)
    kept = {n: v for n, v in os.environ.items() if n.startswith(("IR_", "OPENAI_"))}
    for key in kept:
        del os.environ[key]
    os.environ.update(own)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            main([task, "--root", str(root)])
    finally:
        for key in own:
            del os.environ[key]
        os.environ.update(kept)
    return out.getvalue()


def _ways(package: ContextPackage) -> dict[str, list[tuple[int, float]]]:
    """The cycles in which each file got a relevance, and which."""
    ways: dict[str, dict[int, float]] = {}
    for trace in package.cycles:
        for path, relevance in trace.found:
            ways.setdefault(path, {})[trace.cycle] = relevance
    for file in package.files:
        ways.setdefault(file.path, {})[len(package.cycles)] = file.relevance
    return {path: sorted(found.items()) for path, found in ways.items()}


def _y(relevance: float) -> float:
    return _TOP + _HIGH * (1 - relevance)


def _x(cycle: int) -> float:
    return _LEFT + _WIDE * (cycle - 1)


def _bands(right: float) -> str:
    """The rubric behind the lines."""
    rows = []
    for low, high, color in (
        (0.8, 1.0, "#d9f0dd"),
        (0.5, 0.8, "#eaf4ff"),
        (0.2, 0.5, "#f7f4e9"),
        (0.0, 0.2, "#f3f3f3"),
    ):
        rows.append(
            f'<rect x="{_LEFT}" y="{_y(high):.1f}" width="{right - _LEFT:.0f}" height="{_HIGH * (high - low):.1f}" '
            f'fill="{color}"/>\n<text x="{_LEFT - 8}" y="{_y(high) + 4:.1f}" text-anchor="end">{high:.1f}</text>\n'
        )
    return "".join(rows)


def _cycle(number: int, learned: list[str]) -> str:
    words = [", ".join(learned[n : n + 2]) for n in range(0, min(len(learned), 4), 2)]
    lines = "".join(
        f'<text x="{_x(number) + 4}" y="{_TOP + _HIGH + 36 + 15 * n}" fill="#555">{escape(row)}</text>\n'
        for n, row in enumerate([f"learned: {words[0]}", *words[1:]] if words else [])
    )
    anchor = "start" if number == 1 else "middle"
    return f'<text x="{_x(number)}" y="{_TOP + _HIGH + 18}" text-anchor="{anchor}">cycle {number}</text>\n{lines}'


def _way(path: str, ways: list[tuple[int, float]], cycles: int, end: float) -> str:
    if ways[-1][0] < cycles:
        ways = [*ways, (cycles, ways[-1][1])]  # what was found is never lost
    points = " ".join(f"{_x(cycle):.0f},{_y(relevance):.1f}" for cycle, relevance in ways)
    color = "#2b6cb0" if ways[-1][1] >= 0.5 else "#999"
    dots = "".join(f'<circle cx="{_x(c):.0f}" cy="{_y(r):.1f}" r="3.5" fill="{color}"/>\n' for c, r in ways)
    name = f'<text x="{_x(cycles) + 10:.0f}" y="{end + 4:.1f}" fill="{color}">{ways[-1][1]:.2f} {escape(path)}</text>\n'
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>\n{dots}{name}'


def _apart(heights: dict[str, float]) -> dict[str, float]:
    """The heights of the names, moved down where two would touch."""
    placed: dict[str, float] = {}
    last = -20.0
    for path, height in sorted(heights.items(), key=lambda item: (item[1], item[0])):
        last = max(height, last + 15)
        placed[path] = last
    return placed


if __name__ == "__main__":
    for run in RUNS:
        with tempfile.TemporaryDirectory() as scratch:
            told, package = made(run, Path(scratch))
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), run, told), encoding="utf-8")
        (IMAGES / f"{run}.svg").write_text(picture(package), encoding="utf-8")
