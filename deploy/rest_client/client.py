"""Call the gateway's REST interface, and say its errors in our own words."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx
from httpx_sse import EventSource

from libs.uploads import UPLOAD_TIMEOUT_S

Json = dict[str, Any]
Page = Mapping[str, str | int]
"""`limit` and `cursor` of a part of a list; 0 and "" are not sent."""

_PIECE_BYTES = 1 << 20
_TIMEOUT = httpx.Timeout(30.0, connect=5.0)
_BETWEEN_EVENTS_S = 60.0
RECONNECT_DELAY_S = 0.5
RECONNECTS = 120
"""Attempts in a row to reach a job's progress again: a minute, enough for any restart."""
_RUNNING = ("queued", "running")


class NotRunningError(Exception):
    """Nothing answers at the address."""


class BrokenStreamError(Exception):
    """A stream ended without its last event, so what came so far is not an answer."""


class ProblemError(Exception):
    """The gateway said no; `problem` is its problem+json object."""

    def __init__(self, status: int, problem: Json) -> None:
        super().__init__(problem.get("detail") or problem.get("title") or f"HTTP status {status}")
        self.status = status
        self.problem = problem

    @property
    def request_id(self) -> str:
        return str(self.problem.get("request_id", ""))


class Gateway:
    """The calls that commands make; an async context manager."""

    def __init__(
        self,
        url: str,
        transport: httpx.AsyncBaseTransport | None = None,
        key: str = "",
        upload_timeout_s: float = UPLOAD_TIMEOUT_S,
    ) -> None:
        self.url = url.rstrip("/")
        # The answer comes when all files have been unpacked, looked at and kept.
        self._upload_timeout = httpx.Timeout(upload_timeout_s, connect=5.0)
        # The operator's own machine is never behind the proxy of the environment.
        self._client = httpx.AsyncClient(
            base_url=self.url,
            timeout=_TIMEOUT,
            transport=transport,
            trust_env=False,
            # Without TLS none is needed, and to read them takes 27 ms of each command.
            verify=_authorities() if self.url.startswith("https:") else False,
            headers={"Authorization": f"Bearer {key}"} if key else {},
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.aclose()

    async def list_books(self, page: Page | None = None) -> Json:
        return await self._call("GET", "/v1/books", params=_given(page or {}))

    async def get_book(self, book: str) -> Json:
        return await self._call("GET", f"/v1/books/{_part(book)}")

    async def search(self, book: str, request: Json) -> Json:
        return await self._call("POST", f"/v1/books/{_part(book)}/search", json=request)

    async def ask(self, book: str, request: Json) -> Json:
        return await self._call("POST", f"/v1/books/{_part(book)}/answers", json=request)

    async def stream_answer(self, book: str, request: Json) -> AsyncIterator[tuple[str, Json]]:
        """Yield (event, object) until `done`. Raises BrokenStreamError when it never comes."""
        async with self._events("POST", f"/v1/books/{_part(book)}/answers", json=request) as events:
            async for name, data in events:
                yield name, data
                if name == "done":
                    return
        raise BrokenStreamError("The answer broke off. Ask again.")

    async def begin_session(self, book: str) -> Json:
        return await self._call("POST", f"/v1/books/{_part(book)}/sessions")

    async def get_answer(self, answer_id: str) -> Json:
        return await self._call("GET", f"/v1/answers/{_part(answer_id)}")

    async def list_documents(self, book: str, page: Page | None = None) -> Json:
        path = f"/v1/books/{_part(book)}/documents"
        return await self._call("GET", path, params=_given(page or {}))

    async def get_document(self, book: str, path: str) -> Json:
        return await self._call("GET", f"/v1/books/{_part(book)}/documents/{quote(path)}")

    async def get_index_state(self, book: str, page: Page | None = None) -> Json:
        path = f"/v1/books/{_part(book)}/state"
        return await self._call("GET", path, params=_given(page or {}))

    async def list_editions(self, book: str, page: Page | None = None) -> Json:
        path = f"/v1/books/{_part(book)}/editions"
        return await self._call("GET", path, params=_given(page or {}))

    async def get_report(self, book: str, edition: str) -> Json:
        return await self._call("GET", f"/v1/books/{_part(book)}/editions/{edition}/report")

    async def diff_editions(self, book: str, numbers: Mapping[str, int]) -> Json:
        """Ask for the comparison of two editions; return the job."""
        path = f"/v1/books/{_part(book)}/diff"
        return _job(await self._call("POST", path, params=_given(numbers)))

    async def roll_back(self, book: str, edition: int) -> Json:
        """Ask for an edition, or with 0 the newest before the current, to be shown; return the job."""
        path = f"/v1/books/{_part(book)}/rollback"
        return _job(await self._call("POST", path, params=_given({"edition": edition})))

    async def rename(self, book: str, title: str) -> Json:
        return await self._call("PATCH", f"/v1/books/{_part(book)}", json={"title": title})

    async def vacuum(self, book: str, keep: int) -> Json:
        """Ask for what no kept edition holds to be deleted; return the job."""
        path = f"/v1/books/{_part(book)}/vacuum"
        return _job(await self._call("POST", path, params=_given({"keep": keep})))

    async def delete(self, book: str, document: str) -> Json:
        """Ask for the deletion of a document, or with "" of the book; return the job."""
        path = f"/v1/books/{_part(book)}"
        if document:
            path += f"/documents/{quote(document)}"
        return _job(await self._call("DELETE", path))

    async def cancel_ingest(self, book: str, job_id: str) -> Json:
        path = f"/v1/books/{_part(book)}/ingests/{_part(job_id)}"
        return _job(await self._call("DELETE", path))

    async def list_ingests(self, book: str) -> list[Json]:
        """Return the jobs of a book that have not ended."""
        answer = await self._call("GET", f"/v1/books/{_part(book)}/ingests")
        jobs: list[Json] = answer["jobs"]
        return jobs

    async def suggest(self, book: str, profile: str, answer_id: str = "") -> Json:
        wanted = {"profile": profile} | ({"answer": answer_id} if answer_id else {})
        return await self._call("GET", f"/v1/books/{_part(book)}/suggestions", params=wanted)

    async def list_answers(self, wanted: Mapping[str, str]) -> Json:
        given = {name: value for name, value in wanted.items() if value}
        return await self._call("GET", "/v1/review/answers", params=given)

    async def grade_answer(self, answer_id: str, said: Json) -> Json:
        return await self._call("POST", f"/v1/review/answers/{_part(answer_id)}/grade", json=said)

    async def get_coverage(self, book: str, wanted: Mapping[str, str]) -> Json:
        given = {name: value for name, value in wanted.items() if value}
        return await self._call("GET", f"/v1/books/{_part(book)}/coverage", params=given)

    async def list_keys(self, page: Page | None = None) -> Json:
        return await self._call("GET", "/v1/keys", params=_given(page or {}))

    async def make_key(self, request: Json) -> Json:
        return await self._call("POST", "/v1/keys", json=request)

    async def rotate_key(self, key_id: str, overlap_s: int) -> Json:
        path = f"/v1/keys/{_part(key_id)}/rotate"
        return await self._call("POST", path, json={"overlap_s": overlap_s})

    async def revoke_key(self, key_id: str) -> Json:
        return await self._call("DELETE", f"/v1/keys/{_part(key_id)}")

    async def start_ingest(self, book: str, source: Path, parameters: Mapping[str, str]) -> Json:
        """Send a file and return the job that it became."""
        size = (await asyncio.to_thread(source.stat)).st_size
        answer = await self._call(
            "POST",
            f"/v1/books/{_part(book)}/ingests",
            params={name: value for name, value in parameters.items() if value},
            content=_pieces(source),
            timeout=self._upload_timeout,
            headers={
                "Content-Type": "application/octet-stream",
                "Content-Length": str(size),
            },
        )
        return _job(answer)

    async def follow_ingest(self, book: str, job_id: str) -> AsyncIterator[Json]:
        """Yield the job's states up to its end, through restarts of the service."""
        failures = 0
        while True:
            try:
                async with self._events(
                    "GET", f"/v1/books/{_part(book)}/ingests/{job_id}"
                ) as events:
                    async for _, data in events:
                        failures = 0
                        yield (job := _job(data))
                        if job.get("state") not in _RUNNING:
                            return
            except (NotRunningError, ProblemError) as error:
                if isinstance(error, ProblemError) and error.status not in (
                    429,
                    500,
                    502,
                    503,
                    504,
                ):
                    raise
                failures += 1
                if failures > RECONNECTS:
                    raise
            await asyncio.sleep(RECONNECT_DELAY_S)

    async def _call(self, method: str, path: str, **arguments: Any) -> Json:
        try:
            response = await self._client.request(method, path, **arguments)
        except httpx.TransportError as error:
            raise self._explain(error) from error
        if not response.is_success:
            raise _problem(response)
        return dict(response.json())

    @asynccontextmanager
    async def _events(
        self, method: str, path: str, **arguments: Any
    ) -> AsyncIterator[AsyncIterator[tuple[str, Json]]]:
        try:
            async with self._client.stream(
                method,
                path,
                headers={"Accept": "text/event-stream"},
                timeout=httpx.Timeout(_BETWEEN_EVENTS_S, connect=5.0),
                **arguments,
            ) as response:
                if not response.is_success:
                    await response.aread()
                    raise _problem(response)
                yield _read_events(response)
        except httpx.TransportError as error:
            raise self._explain(error) from error

    def _explain(self, error: httpx.TransportError) -> NotRunningError:
        distrust = _distrust(error)
        if distrust:
            return NotRunningError(
                f"The certificate of {self.url} is not trusted: {distrust}. "
                "Name the file of who signed it in SSL_CERT_FILE."
            )
        if isinstance(error, httpx.ConnectError):
            return NotRunningError(f"Quoth is not running at {self.url}; start it with `make run`.")
        tls = ", or speaks TLS alone (https://)" if self.url.startswith("http:") else ""
        return NotRunningError(
            f"The connection to {self.url} broke; see whether it still runs{tls}."
        )


def _authorities() -> ssl.SSLContext:
    """Trust who the world trusts, who this machine does, and who `SSL_CERT_FILE` names."""
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context


def _distrust(error: BaseException | None) -> str:
    """Return why a certificate is not trusted; "" for another failure."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_message
        error = error.__cause__ or error.__context__
    return ""


async def _read_events(response: httpx.Response) -> AsyncIterator[tuple[str, Json]]:
    async for event in EventSource(response).aiter_sse():
        if not event.data:
            continue
        data = json.loads(event.data)
        if event.event == "error":
            raise ProblemError(int(data.get("status", 500)), data)
        yield event.event, data


async def _pieces(source: Path) -> AsyncIterator[bytes]:
    with await asyncio.to_thread(source.open, "rb") as file:
        while piece := await asyncio.to_thread(file.read, _PIECE_BYTES):
            yield piece


def _part(book: str) -> str:
    return quote(book, safe="")


def _given(values: Mapping[str, str | int]) -> dict[str, str | int]:
    return {name: value for name, value in values.items() if value}


def _job(answer: Json) -> Json:
    return dict(answer.get("job", answer))


def _problem(response: httpx.Response) -> ProblemError:
    try:
        problem = dict(response.json())
    except ValueError:
        problem = {}
    return ProblemError(response.status_code, problem)
