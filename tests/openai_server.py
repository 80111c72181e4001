"""A real HTTP server on 127.0.0.1 that speaks the OpenAI chat and embeddings protocol and misbehaves on demand.

    with OpenAIServer() as server:
        server.say({"answer": "..."})                       # the next reply; a str goes out as it is
        server.then(Status(429, {"retry-after": "0.05"}), Cut(), Slow(2.0))

Replies are used up in order; the last one repeats. Requests are kept in ``server.requests``.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Say:
    """A reply whose content is ``text``.

    reason: the finish reason. deaf: ignores a demanded function call. usage: tokens read and written; None for a server
    that does not count.
    """

    text: str
    reason: str = "stop"
    deaf: bool = False
    usage: tuple[int, int] | None = (1, 1)


@dataclass(frozen=True)
class Status:
    """An HTTP error. message: what its body says."""

    code: int
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "something is wrong"


@dataclass(frozen=True)
class Slow:
    """Waits, then says ``text``."""

    seconds: float
    text: str = "{}"


@dataclass(frozen=True)
class Cut:
    """Closes the connection in the middle of ``text``."""

    text: str = '{"answer": "half of'


@dataclass(frozen=True)
class Refuses:
    """A refusal, as OpenAI sends one."""

    why: str = "I cannot help with that."


@dataclass(frozen=True)
class Garbage:
    """A body that is no JSON at all."""

    text: str = "<html>busy</html>"


@dataclass(frozen=True)
class Does:
    """A reply made from the request."""

    make: Callable[[Json], str]


@dataclass(frozen=True)
class CallsTools:
    """Calls of any of the offered tools: name and arguments; arguments that are a str go out as they are."""

    calls: Sequence[tuple[str, Json | str]]


@dataclass(frozen=True)
class Decides:
    """Whichever reply the request calls for."""

    make: Callable[[Json], Reply]


@dataclass(frozen=True)
class Lengths:
    """Embeddings of these lengths, whatever was asked for."""

    lengths: Sequence[int]


Reply = Say | Status | Slow | Cut | Refuses | Garbage | Does | CallsTools | Decides


@dataclass(frozen=True)
class Request:
    """A request as it came. path: without the host. key: the bearer token. body: parsed."""

    path: str
    key: str
    body: Json

    @property
    def system(self) -> str:
        """The system message."""
        return next((str(m["content"]) for m in self.body["messages"] if m["role"] == "system"), "")

    @property
    def user(self) -> str:
        """The last user message."""
        return next(str(m["content"]) for m in reversed(self.body["messages"]) if m["role"] == "user")

    @property
    def way(self) -> str:
        """How JSON is asked for."""
        if "tools" in self.body:
            return "function_calling"
        return str(self.body.get("response_format", {}).get("type", "text"))


class OpenAIServer:
    """The server. refused: ways of asking for JSON that it answers with an error of ``refusal_status``.

    "stream_options" among them: it does not count the tokens of streams.

    dimension: of its embeddings, which are made of the texts' hashes. key: what its list of models is given for; any
    when ''.
    """

    def __init__(
        self, refused: Sequence[str] = (), refusal_status: int = 400, dimension: int = 8, key: str = ""
    ) -> None:
        self.key = key
        self.refused, self.refusal_status, self.dimension = refused, refusal_status, dimension
        self.requests: list[Request] = []
        self._replies: list[Reply] = []
        self._embedded: list[Status | Slow | Cut | Garbage | Lengths] = []
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """The base URL, with /v1."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def say(self, *contents: str | Json) -> None:
        """Queue ordinary replies."""
        self.then(*(Say(c if isinstance(c, str) else json.dumps(c, ensure_ascii=False)) for c in contents))

    def then(self, *replies: Reply) -> None:
        """Queue replies of any kind."""
        self._replies.extend(replies)

    def embed(self, *replies: Status | Slow | Cut | Garbage | Lengths) -> None:
        """Queue misbehaviour of the embeddings; once it is used up they are in order again."""
        self._embedded.extend(replies)

    def reset(self) -> None:
        """Forget requests and queued replies: the next test begins."""
        with self._lock:
            self.requests.clear()
            self._replies.clear()
            self._embedded.clear()

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _next(self) -> Reply:
        with self._lock:
            if not self._replies:
                return Status(500, message="the test queued no reply")
            return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                key = self.headers.get("authorization", "").removeprefix("Bearer ")
                request = Request(self.path, key, body)
                with server._lock:
                    server.requests.append(request)
                try:
                    server._answer(self, request)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True  # the client gave up first

            def do_GET(self) -> None:
                if server.key and self.headers.get("authorization") != f"Bearer {server.key}":
                    return _send(self, 401, _error("wrong key"))
                _send(self, 200, {"object": "list", "data": [{"id": "m", "object": "model"}]})

            def log_message(self, format: str, *args: Any) -> None:
                """Silence: pytest shows what matters."""

        return Handler

    def _answer(self, http: BaseHTTPRequestHandler, request: Request) -> None:
        if request.path.endswith("/embeddings"):
            return self._embed(http, request)
        if not request.path.endswith("/chat/completions"):
            return _send(http, 404, _error(f"no route {request.path}"))
        if "stream_options" in self.refused and "stream_options" in request.body:
            return _send(http, self.refusal_status, _error("unknown field stream_options"))
        if request.way in self.refused:
            what = "tools" if request.way == "function_calling" else f"response_format.type {request.way}"
            return _send(http, self.refusal_status, _error(f"{what} is not supported"))
        self._reply(http, request)

    def _embed(self, http: BaseHTTPRequestHandler, request: Request) -> None:
        with self._lock:
            reply = self._embedded.pop(0) if self._embedded else None
        match reply:
            case Status(code, headers, message):
                _send(http, code, _error(message), headers)
            case Cut():
                _cut(http, request, "")
            case Garbage(text):
                _send_bytes(http, 200, text.encode(), "text/html")
            case Lengths(lengths):
                _send(http, 200, _embeddings(request.body, list(lengths)))
            case Slow(seconds):
                time.sleep(seconds)
                _send(http, 200, _embeddings(request.body, [self.dimension]))
            case None:
                _send(http, 200, _embeddings(request.body, [self.dimension]))

    def _reply(self, http: BaseHTTPRequestHandler, request: Request) -> None:
        reply = self._next()
        while isinstance(reply, Decides):
            reply = reply.make(request.body)
        match reply:
            case CallsTools(calls):
                _send(http, 200, _message(_calling(calls), "tool_calls"))
            case Status(code, headers, message):
                _send(http, code, _error(message), headers)
            case Slow(seconds, text):
                time.sleep(seconds)
                _completion(http, request, Say(text))
            case Cut(text):
                _cut(http, request, text)
            case Refuses(why) if request.body.get("stream"):
                _stream_refusal(http, why)
            case Refuses(why):
                _send(http, 200, _message({"role": "assistant", "content": None, "refusal": why}, "stop"))
            case Garbage(text):
                _send_bytes(http, 200, text.encode(), "text/html")
            case Does(make):
                _completion(http, request, Say(make(request.body)))
            case Say() as said:
                _completion(http, request, said)


def _stream_refusal(http: BaseHTTPRequestHandler, why: str) -> None:
    _open_stream(http)
    for piece in _pieces(why):
        _event(http, {**_HEAD, "object": "chat.completion.chunk", "choices": [_choice({"refusal": piece}, None)]})
    _event(http, {**_HEAD, "object": "chat.completion.chunk", "choices": [_choice({}, "stop")]})
    http.wfile.write(_chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")


def _completion(http: BaseHTTPRequestHandler, request: Request, said: Say) -> None:
    """A whole or streamed completion, as content or as the function call that was demanded."""
    as_call = request.way == "function_calling" and not said.deaf
    if request.body.get("stream"):
        return _stream(http, request, said, as_call)
    message: Json = {"role": "assistant", "content": said.text}
    if as_call:
        message = {"role": "assistant", "content": None, "tool_calls": [_call(request, said.text)]}
    _send(http, 200, _message(message, "tool_calls" if as_call else said.reason, said.usage))


def _stream(http: BaseHTTPRequestHandler, request: Request, said: Say, as_call: bool) -> None:
    _open_stream(http)
    for piece in _pieces(said.text):
        delta: Json = {"content": piece}
        if as_call:
            delta = {"tool_calls": [{"index": 0, **_call(request, piece)}]}
        _event(http, {**_HEAD, "object": "chat.completion.chunk", "choices": [_choice(delta, None)]})
    _event(http, {**_HEAD, "object": "chat.completion.chunk", "choices": [_choice({}, said.reason)]})
    if said.usage and request.body.get("stream_options", {}).get("include_usage"):
        _event(http, {**_HEAD, "object": "chat.completion.chunk", "choices": [], "usage": _usage(said.usage)})
    http.wfile.write(_chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")


def _cut(http: BaseHTTPRequestHandler, request: Request, text: str) -> None:
    """Begins a reply and closes the connection before its end."""
    if request.body.get("stream"):
        _open_stream(http)
        for piece in _pieces(text):
            _event(http, {**_HEAD, "object": "chat.completion.chunk", "choices": [_choice({"content": piece}, None)]})
    else:
        http.send_response(200)
        http.send_header("content-type", "application/json")
        http.send_header("content-length", "10000")
        http.end_headers()
        http.wfile.write(b'{"choices": [')
    http.wfile.flush()
    http.close_connection = True
    http.connection.close()


_HEAD: Json = {"id": "chatcmpl-1", "created": 1, "model": "test"}


def _pieces(text: str) -> list[str]:
    return [text[i : i + 7] for i in range(0, len(text), 7)]


def _choice(delta: Json, reason: str | None) -> Json:
    return {"index": 0, "delta": delta, "finish_reason": reason}


def _call(request: Request, arguments: str) -> Json:
    name = request.body["tools"][0]["function"]["name"]
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}


def _calling(calls: Sequence[tuple[str, Json | str]]) -> Json:
    """A message that calls tools, each call under an id of its own."""
    made = []
    for number, (name, arguments) in enumerate(calls, start=1):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        made.append({"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": text}})
    return {"role": "assistant", "content": None, "tool_calls": made}


def _message(message: Json, reason: str, usage: tuple[int, int] | None = (1, 1)) -> Json:
    choice = {"index": 0, "message": message, "finish_reason": reason}
    counted = {"usage": _usage(usage)} if usage else {}
    return {**_HEAD, "object": "chat.completion", "choices": [choice], **counted}


def _usage(tokens: tuple[int, int]) -> Json:
    return {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}


def _error(message: str) -> Json:
    return {"error": {"message": message, "type": "error", "param": None, "code": None}}


def _embeddings(body: Json, lengths: Sequence[int]) -> Json:
    texts = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
    rows = [
        {"object": "embedding", "index": i, "embedding": _vector(str(text), lengths[i % len(lengths)])}
        for i, text in enumerate(texts)
    ]
    return {"object": "list", "model": body["model"], "data": rows, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def _vector(text: str, dimension: int) -> list[float]:
    """Unit length; equal texts, equal vectors."""
    digest = hashlib.sha256(text.encode()).digest() * (dimension // 32 + 1)
    raw = [b - 127.5 for b in digest[:dimension]]
    length = sum(x * x for x in raw) ** 0.5
    return [x / length for x in raw]


def _send(http: BaseHTTPRequestHandler, code: int, body: Json, headers: dict[str, str] | None = None) -> None:
    _send_bytes(http, code, json.dumps(body).encode(), "application/json", headers)


def _send_bytes(
    http: BaseHTTPRequestHandler, code: int, data: bytes, kind: str, headers: dict[str, str] | None = None
) -> None:
    http.send_response(code)
    http.send_header("content-type", kind)
    http.send_header("content-length", str(len(data)))
    for name, value in (headers or {}).items():
        http.send_header(name, value)
    http.end_headers()
    http.wfile.write(data)


def _open_stream(http: BaseHTTPRequestHandler) -> None:
    http.send_response(200)
    http.send_header("content-type", "text/event-stream")
    http.send_header("transfer-encoding", "chunked")
    http.end_headers()


def _event(http: BaseHTTPRequestHandler, event: Json) -> None:
    http.wfile.write(_chunk(f"data: {json.dumps(event)}\n\n".encode()))


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"
