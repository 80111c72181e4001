"""A virtual environment of its own with llama-cpp-python, built from source once; the project's stays as it is."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import venv
from pathlib import Path

_HERE = Path(__file__).parent
_DONE = ".prepared"
_LLAMA = "llama-cpp-python==0.3.36"
_LLAMA_SHA256 = "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e"  # of its source archive
_OFF = ("LLAVA_BUILD", "LLAMA_BUILD_TOOLS", "LLAMA_BUILD_SERVER", "LLAMA_OPENSSL")
_X86 = "-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON"  # half the time to build, a sixth slower


def llama_python(folder: Path, wheel: Path | None = None) -> Path:
    """The interpreter of the environment in ``folder``, made on first use.

    wheel: of llama-cpp-python, built before; without one it is built here, in four to eight minutes, by cmake and a C++
    compiler, and kept in the folder.
    """
    try:
        return prepared_python(folder)
    except FileNotFoundError:
        pass
    venv.create(folder / "venv", with_pip=True, clear=True)
    python = folder / "venv" / "bin" / "python"
    _pip(python, "install", "-r", str(_HERE / "requirements.txt"))
    _pip(python, "install", "--no-deps", str(wheel or _built(python, folder / "wheels")))
    (folder / "venv" / _DONE).write_text(_wanted(), encoding="utf-8")
    return python


def prepared_python(folder: Path) -> Path:
    """The interpreter of the environment in ``folder``.

    Raises:
        FileNotFoundError: it was not made, or for other versions; the message says how.
    """
    done = folder / "venv" / _DONE
    if not done.is_file() or done.read_text(encoding="utf-8") != _wanted():
        raise FileNotFoundError(f"{folder} holds no llama-cpp-python; `make test-llm` or `make llm-server` builds it")
    return folder / "venv" / "bin" / "python"


def _wanted() -> str:
    """What the environment holds, and for which interpreter."""
    return "\n".join([sys.version, _LLAMA, (_HERE / "requirements.txt").read_text(encoding="utf-8")])


def _built(python: Path, folder: Path) -> Path:
    """The wheel, out of the checked source archive."""
    pattern = f"llama_cpp_python-{_LLAMA.partition('==')[2]}-*.whl"
    if not any(folder.glob(pattern)):
        folder.mkdir(parents=True, exist_ok=True)
        wanted = folder / "llama.txt"
        wanted.write_text(f"{_LLAMA} --hash=sha256:{_LLAMA_SHA256}\n", encoding="utf-8")
        _pip(python, "wheel", "--no-deps", "--require-hashes", "-r", str(wanted), "-w", str(folder))
    return next(folder.glob(pattern))


def _pip(python: Path, *arguments: str) -> None:
    flags = [f"-D{name}=OFF" for name in _OFF] + ([_X86] if platform.machine() in ("x86_64", "AMD64") else [])
    environment = {"CMAKE_ARGS": " ".join(flags), "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 1)}
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    subprocess.run(command, check=True, env=environment | os.environ)
