"""BERT sentence encoders as an ONNX graph with eight-bit weights, for one text at a time.

A weight matrix becomes signed integers, one scale for each output; activations are quantised while it runs, one scale
for each text (DynamicQuantizeLinear, MatMulInteger). One scale for a batch would let the texts of a batch change each
other's vectors, so there is no batch: the graph takes the word pieces of one text and needs no padding and no mask.

Source of the architecture: Devlin et al. 2019; the pooling is that of Reimers and Gurevych 2019.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .packages import imported
from .weights import Weights

_OPSET = 20  # the first with Gelu
_IR_VERSION = 9
# Seven of the eight bits: x86 without VNNI adds two products of a byte (255) and a weight in 16 bits, which
# 2 * 255 * 127 overflows and 2 * 255 * 63 does not. So every processor counts the same.
_LARGEST = 63
_LARGEST_EMBEDDING = 127  # embeddings are looked up, never multiplied
_EPSILON = 1e-12

INPUT, OUTPUT = "ids", "vector"
"""Names of the graph's input, (n,) int64, and output, (dimension,) float32: the mean over the text's word pieces."""


def bert_graph(weights: Weights, heads: int, positions: int, install: str) -> bytes:
    """The serialised graph.

    Args:
        weights: tensors under their usual names (``encoder.layer.0.attention.self.query.weight``).
        heads: number of attention heads.
        positions: most word pieces of a text.
        install: what the person installs when ``onnx`` is missing.

    Raises:
        EmbedderUnavailable: ``onnx`` is not installed.
    """
    graph = _Graph(imported("onnx", install), weights)
    hidden = _embeddings(graph, positions)
    for layer in range(_layers(weights)):
        hidden = _layer(graph, f"encoder.layer.{layer}", hidden, heads)
    graph.add("ReduceMean", OUTPUT, hidden, graph.constant("axis", np.array([0], np.int64)), keepdims=0)
    return graph.serialised(weights["embeddings.word_embeddings.weight"].shape[1])


class _Graph:
    """Nodes and constants so far."""

    def __init__(self, onnx: Any, weights: Weights) -> None:
        self.weights = weights
        self._onnx = onnx
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def constant(self, name: str, value: NDArray[Any]) -> str:
        """Add a constant; its name."""
        self._constants.append(self._onnx.numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, operator: str, name: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output; the output's name."""
        return self.split(operator, [name], *inputs, **attributes)[0]

    def split(self, operator: str, names: list[str], *inputs: str, **attributes: Any) -> list[str]:
        """Add a node with several outputs; their names."""
        self._nodes.append(self._onnx.helper.make_node(operator, list(inputs), names, name=names[0], **attributes))
        return names

    def floats(self, name: str, integers: str) -> str:
        """Add a conversion to float32."""
        return self.add("Cast", name, integers, to=self._onnx.TensorProto.FLOAT)

    def serialised(self, dimension: int) -> bytes:
        """The whole as bytes, checked."""
        helper, kinds = self._onnx.helper, self._onnx.TensorProto
        inputs = [helper.make_tensor_value_info(INPUT, kinds.INT64, ["n"])]
        outputs = [helper.make_tensor_value_info(OUTPUT, kinds.FLOAT, [dimension])]
        graph = helper.make_graph(self._nodes, "encoder", inputs, outputs, self._constants)
        opset = [helper.make_opsetid("", _OPSET)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=_IR_VERSION)
        self._onnx.checker.check_model(model)
        return bytes(model.SerializeToString())


def _layers(weights: Weights) -> int:
    return sum(name.endswith(".intermediate.dense.weight") for name in weights)


def _embeddings(graph: _Graph, positions: int) -> str:
    """(n, dimension): word, position and type together."""
    scales, integers = _quantised(graph.weights["embeddings.word_embeddings.weight"], _LARGEST_EMBEDDING)
    table = graph.constant("words", integers)
    found = graph.floats("words.float", graph.add("Gather", "words.found", table, INPUT))
    scale = graph.add("Gather", "words.scale", graph.constant("words.scales", scales[:, None]), INPUT)
    words = graph.add("Mul", "words.scaled", found, scale)
    places = graph.weights["embeddings.position_embeddings.weight"][:positions]
    places = places + graph.weights["embeddings.token_type_embeddings.weight"][0]
    start, length = graph.constant("zero", np.array([0], np.int64)), graph.add("Shape", "length", INPUT)
    placed = graph.add("Slice", "places.used", graph.constant("places", places), start, length)
    return _normalised(graph, "embeddings.LayerNorm", graph.add("Add", "embedded", words, placed))


def _layer(graph: _Graph, name: str, hidden: str, heads: int) -> str:
    """(n, dimension): one transformer layer."""
    attended = _dense(graph, f"{name}.attention.output.dense", _attention(graph, name, hidden, heads))
    residual = graph.add("Add", f"{name}.attended", attended, hidden)
    middle = _normalised(graph, f"{name}.attention.output.LayerNorm", residual)
    wide = graph.add("Gelu", f"{name}.gelu", _dense(graph, f"{name}.intermediate.dense", middle))
    narrow = graph.add("Add", f"{name}.added", _dense(graph, f"{name}.output.dense", wide), middle)
    return _normalised(graph, f"{name}.output.LayerNorm", narrow)


def _attention(graph: _Graph, name: str, hidden: str, heads: int) -> str:
    """(n, dimension): what each word piece takes from the others."""
    parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
    weights = [graph.weights[f"{part}.weight"] for part in parts]
    biases = [graph.weights[f"{part}.bias"] for part in parts]
    width = weights[0].shape[0] // heads
    shrink = np.float32(1.0 / np.sqrt(width))  # of the dot products, done once in the weights of the queries
    weights[0], biases[0] = weights[0] * shrink, biases[0] * shrink
    joint = _linear(graph, f"{name}.qkv", hidden, np.concatenate(weights), np.concatenate(biases))
    by_head = graph.constant(f"{name}.by_head", np.array([0, 3 * heads, width], np.int64))
    turned = graph.add(
        "Transpose", f"{name}.heads", graph.add("Reshape", f"{name}.wide", joint, by_head), perm=[1, 0, 2]
    )
    query, key, value = graph.split("Split", [f"{name}.{x}" for x in "qkv"], turned, axis=0, num_outputs=3)
    match = graph.add("MatMul", f"{name}.match", query, graph.add("Transpose", f"{name}.kt", key, perm=[0, 2, 1]))
    mixed = graph.add("MatMul", f"{name}.mixed", graph.add("Softmax", f"{name}.share", match, axis=-1), value)
    flat = graph.constant(f"{name}.flat", np.array([0, heads * width], np.int64))
    return graph.add("Reshape", f"{name}.joined", graph.add("Transpose", f"{name}.back", mixed, perm=[1, 0, 2]), flat)


def _dense(graph: _Graph, name: str, hidden: str) -> str:
    return _linear(graph, name, hidden, graph.weights[f"{name}.weight"], graph.weights[f"{name}.bias"])


def _linear(graph: _Graph, name: str, hidden: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
    """``hidden @ weight.T + bias`` in integers; onnxruntime fuses these nodes into one."""
    scales, integers = _quantised(weight, _LARGEST)
    names = [f"{name}.{part}" for part in ("bytes", "scale", "zero")]
    numbers, scale, zero = graph.split("DynamicQuantizeLinear", names, hidden)
    weights = graph.constant(f"{name}.weights", integers.T)
    no_shift = graph.constant(f"{name}.no_shift", np.zeros(len(scales), np.int8))
    product = graph.floats(
        f"{name}.float", graph.add("MatMulInteger", f"{name}.product", numbers, weights, zero, no_shift)
    )
    both = graph.add("Mul", f"{name}.scales", scale, graph.constant(f"{name}.weight_scales", scales))
    return graph.add(
        "Add", name, graph.add("Mul", f"{name}.scaled", product, both), graph.constant(f"{name}.bias", bias)
    )


def _normalised(graph: _Graph, name: str, hidden: str) -> str:
    gain = graph.constant(f"{name}.gain", graph.weights[f"{name}.weight"])
    shift = graph.constant(f"{name}.shift", graph.weights[f"{name}.bias"])
    return graph.add("LayerNormalization", name, hidden, gain, shift, axis=-1, epsilon=_EPSILON)


def _quantised(matrix: NDArray[np.float32], largest: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Scales (rows,) and integers (rows, columns) whose product is about the matrix."""
    scales = np.abs(matrix).max(axis=1) / np.float32(largest)
    scales[scales == 0.0] = 1.0
    return scales, np.rint(matrix / scales[:, None]).astype(np.int8)
