"""An HTTP server that answers like OpenAI's and Cohere's APIs, and notes what it is asked."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass
class EmbeddingServer:
    """`statuses` are answered first, one a request; `row` is every vector there is, or what makes it
    of a text.

    `results` are the ratings of texts; without them, a text is rated by its length.
    """

    url: str = ""
    row: list[Any] | Callable[[str], list[Any]] = field(default_factory=lambda: [3.0, 4.0, 0.0])
    results: list[Any] | None = None
    statuses: list[int] = field(default_factory=list)
    requests: list[Json] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def row_of(self, text: str) -> list[Any]:
        return self.row(text) if callable(self.row) else self.row

    def answer(self, path: str, request: Json) -> Json:
        if path.endswith("/v2/embed"):
            rows = [self.row_of(text) for text in request["texts"]]
            return {"id": "1", "embeddings": {"float": rows}, "texts": request["texts"]}
        if path.endswith("/v2/rerank"):
            lengths = [len(text) for text in request["documents"]]
            rated = [
                {"index": index, "relevance_score": 1 - 1 / length}
                for index, length in enumerate(lengths)
            ]
            rated.sort(key=lambda item: -item["relevance_score"])
            return {"id": "1", "results": rated if self.results is None else self.results}
        data = [
            {"object": "embedding", "index": index, "embedding": self.row_of(text)}
            for index, text in enumerate(request["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return {"object": "list", "model": "m", "data": data[::-1], "usage": usage}


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    state = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(request)
            state.keys.append(self.headers["Authorization"])
            status = state.statuses.pop(0) if state.statuses else 200
            answer = state.answer(self.path, request) if status == 200 else {"message": "private"}
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
