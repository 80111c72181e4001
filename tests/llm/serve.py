"""A chat endpoint over one model file, as OpenAI speaks it. It runs inside the environment that has llama-cpp-python.

    python serve.py --file model.gguf --name small --port 8399 [--log calls.jsonl]

llama-cpp-python's own server refuses ``response_format`` of type json_schema, leaves usage out of streams, and breaks a
stream off when a prompt is too long; here each behaves as OpenAI's does. One request is answered at a time.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from pathlib import Path
from typing import Any

from llama_cpp import Llama, LlamaGrammar, llama_sampler_free, llama_sampler_init_grammar

Json = dict[str, Any]
_PASSED = ("messages", "tools", "tool_choice", "temperature", "top_p", "seed", "stop", "max_tokens")


class TooLong(Exception):
    """The prompt does not fit into the context window."""


class Refused(Exception):
    """The JSON Schema gives a grammar that llama.cpp does not take."""


class Abandoned(Exception):
    """Nobody waits for the reply any more."""


class Model:
    """One model, for one request at a time. log: file that keeps every call as a JSON line; None keeps none."""

    def __init__(self, file: Path, name: str, context: int, threads: int, log: Path | None) -> None:
        self.name, self.context, self._log = name, context, log
        self._llama = Llama(str(file), n_ctx=context, n_threads=threads, n_threads_batch=threads, verbose=False)
        self._lock = threading.Lock()

    def chunks(self, body: Json, connection: socket.socket) -> Iterator[Json]:
        """The reply as a stream of chunks, the last one with its usage.

        Raises:
            TooLong, Refused: before the first chunk.
            Abandoned: the client hung up; the model stops writing.
        """
        with self._lock:
            started, text = time.perf_counter(), ""
            taken = _arguments(body)
            self._check(taken.get("response_format", {}).get("schema"))
            chunks = self._llama.create_chat_completion(**taken, stream=True)
            for chunk in _checked(chunks):
                if _hung_up(connection):
                    raise Abandoned
                text += _text_of(chunk)
                yield {**chunk, "model": self.name}
            usage = self._usage(text)
            self._keep(body, text, usage, time.perf_counter() - started)
        yield {
            "id": "usage",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": self.name,
            "choices": [],
            **usage,
        }

    def _check(self, schema: Json | None) -> None:
        """Refuse what would end the whole process: llama-cpp-python does not look whether its grammar was taken."""
        if schema is None:
            return
        grammar = LlamaGrammar.from_json_schema(json.dumps(schema), verbose=False)
        text, root = grammar._grammar.encode(), grammar._root.encode()
        sampler = llama_sampler_init_grammar(self._llama._model.vocab, text, root)
        if not sampler:
            raise Refused("failed to parse grammar: the JSON Schema repeats too much")
        llama_sampler_free(sampler)

    def _usage(self, text: str) -> Json:
        written = len(self._llama.tokenize(text.encode(), add_bos=False))
        read = max(0, self._llama.n_tokens - written)
        return {"usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}}

    def _keep(self, body: Json, text: str, usage: Json, seconds: float) -> None:
        if self._log is not None:
            kept = {"messages": body["messages"], "reply": text, **usage, "seconds": round(seconds, 2)}
            with self._log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept, ensure_ascii=False) + "\n")


def _arguments(body: Json) -> Json:
    """What llama-cpp-python takes: a JSON Schema becomes its own form of response format, and from that a grammar."""
    taken = {name: body[name] for name in _PASSED if body.get(name) is not None}
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        taken["response_format"] = {"type": "json_object", "schema": form["json_schema"]["schema"]}
    elif form.get("type") == "json_object":
        taken["response_format"] = form
    return taken


def _checked(chunks: Iterator[Json]) -> Iterator[Json]:
    """The chunks; a prompt that is too long shows at the first one."""
    try:
        yield next(chunks)
    except ValueError as error:
        raise TooLong(str(error)) from error
    yield from chunks


def _hung_up(connection: socket.socket) -> bool:
    readable, _, _ = select.select([connection], [], [], 0)
    return bool(readable) and connection.recv(1, socket.MSG_PEEK) == b""


def _text_of(chunk: Json) -> str:
    delta = chunk["choices"][0]["delta"]
    called = "".join(call["function"].get("arguments") or "" for call in delta.get("tool_calls") or [])
    return (delta.get("content") or "") + called


def _joined(chunks: list[Json]) -> Json:
    """A whole reply out of its chunks."""
    *said, last = chunks
    text = "".join(map(_text_of, said))
    reason = next((c["choices"][0].get("finish_reason") for c in reversed(said)), None)
    message: Json = {"role": "assistant", "content": text}
    deltas = [chunk["choices"][0]["delta"] for chunk in said]
    calls: list[Json] = next((delta["tool_calls"] for delta in deltas if delta.get("tool_calls")), [])
    if calls:
        function = {"name": calls[0]["function"]["name"], "arguments": text}
        message |= {"content": None, "tool_calls": [{"id": "call_0", "type": "function", "function": function}]}
    choice = {"index": 0, "message": message, "finish_reason": reason or "stop"}
    return {**last, "object": "chat.completion", "choices": [choice]}


def handler(model: Model) -> type[BaseHTTPRequestHandler]:
    """Handles the requests to one model."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            listed = [{"id": model.name, "object": "model", "owned_by": "package"}]
            self._send(200, {"object": "list", "data": listed})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", "0"))))
            if not self.path.endswith("/chat/completions"):
                self._send(404, _error(f"no endpoint {self.path}", "not_found"))
                return
            try:
                self._answer(body, model.chunks(body, self.connection))
            except TooLong as error:
                self._send(400, _error(str(error), "context_length_exceeded"))
            except Refused as error:
                self._send(400, _error(str(error), "invalid_grammar"))
            except (Abandoned, BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _answer(self, body: Json, chunks: Iterator[Json]) -> None:
            if not body.get("stream"):
                self._send(200, _joined(list(chunks)))
                return
            first = next(chunks)  # raises while an error can still be told as one
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            wants_usage = (body.get("stream_options") or {}).get("include_usage")
            for chunk in chain([first], chunks):
                if chunk["choices"] or wants_usage:
                    self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
                    self.wfile.flush()
            self.wfile.write(b"data: [DONE]\n\n")
            self.close_connection = True

        def _send(self, status: int, body: Json) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def _error(message: str, code: str) -> Json:
    return {"error": {"message": message, "type": "invalid_request_error", "code": code}}


def main() -> None:
    """Load the model, say where it listens, and serve until ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, required=True, help="the model, GGUF with a chat template")
    parser.add_argument("--name", required=True, help="name of the model in requests")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--context", type=int, default=8192, help="tokens of prompt and reply")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--log", type=Path, help="keep every call in this file")
    chosen = parser.parse_args()
    model = Model(chosen.file, chosen.name, chosen.context, chosen.threads, chosen.log)
    server = ThreadingHTTPServer(("127.0.0.1", chosen.port), handler(model))
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
