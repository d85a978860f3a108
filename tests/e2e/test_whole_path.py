"""The whole product on the sample book, through REST and the page: from a question to its proof."""

import asyncio
import gzip
import io
import json
import tarfile
import time
import zipfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, unquote

import httpx
import pytest
from playwright.async_api import async_playwright, expect

from libs.budget.stages import GENERATION, RECALL, RELEASE, RERANK, RETRIEVAL
from tests.support import scripted_model as model
from tests.support.aside import (
    aside,
    collector,
    events,
    everything_aside,
    gateway_with_model,
    post,
)
from tests.support.browser import ARGUMENTS, CHROMIUM, Watched, needs_browser, open_page
from tests.support.stack import (
    QUESTION,
    SAMPLE,
    SAMPLE_PATH,
    RunningStack,
    eventually,
)

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

GOLDEN = [
    json.loads(line)
    for line in (SAMPLE_PATH.parent / "physical-ai-golden.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture
def stack(sample_stack: RunningStack) -> RunningStack:
    return sample_stack


def document(stack: RunningStack, path: str, edition: int) -> str:
    url = f"{stack.url}/v1/books/{SAMPLE}/documents/{path}?edition={edition}"
    return str(httpx.get(url, timeout=30, trust_env=False).raise_for_status().json()["text"])


@pytest.mark.invariant("I1")
def test_every_quote_that_is_shown_is_the_book_s_own(stack: RunningStack) -> None:
    shown = 0
    for row in GOLDEN[::3]:
        if "selection" in row:
            continue
        answer = stack.ask(SAMPLE, row["question"], history=row.get("history", []))
        assert bool(answer["sentences"]) == (answer["refusal"] is None)
        for sentence in answer["sentences"]:
            assert sentence["citations"], sentence
        for citation in answer["citations"]:
            text = document(stack, citation["document"], answer["edition"])
            assert text[citation["start"] : citation["end"]] == citation["quote"]
            assert len(citation["snippet"]) <= 200
            shown += 1
    assert shown > 20


def test_the_answer_object_is_the_one_promised(stack: RunningStack) -> None:
    answer = stack.ask(SAMPLE, QUESTION)

    # What a later version adds takes nothing away from who relies on these.
    assert set(answer) >= {
        *("answer_id", "book", "edition", "mode", "question", "text", "sentences", "citations"),
        *("refusal", "confidence", "profile", "degraded", "timings", "timestamp"),
    }
    assert set(answer["citations"][0]) >= {
        *("n", "quote", "document", "start", "end", "section_path", "url", "page"),
        *("chunk_id", "snippet", "verdict"),
    }
    assert set(answer["timings"][0]) == {"stage", "allowed_ms", "used_ms", "outcome"}
    assert set(answer["confidence"]) == {"score", "level"}


def test_a_stream_shows_evidence_then_sentences_then_the_whole(stack: RunningStack) -> None:
    response = post(stack.url, SAMPLE, QUESTION, headers={"accept": "text/event-stream"})
    names = [name for name, _ in events(response)]

    assert names[0] == "passages"
    assert names[-1] == "done"
    assert set(names[1:-1]) == {"sentence"}
    whole = events(response)[-1][1]
    released = [data["sentence"]["text"] for name, data in events(response) if name == "sentence"]
    assert released == [sentence["text"] for sentence in whole["sentences"]]


@pytest.mark.control("V22")
def test_a_question_outside_the_book_is_refused_with_the_nearest_sections(
    stack: RunningStack,
) -> None:
    refusal = stack.ask(SAMPLE, "Which team won the football cup of 1998?")["refusal"]

    assert refusal["message"] == "The book does not contain information about this topic."
    assert refusal["code"] == "not_covered"
    assert 1 <= len(refusal["related_sections"]) <= 3


def test_selected_text_is_what_the_answer_comes_from(stack: RunningStack) -> None:
    text = document(stack, "05-compliance.mdx", 1)
    start = text.index("passive compliance")
    selection = {"document": "05-compliance.mdx", "start": start, "end": start + 200}
    answer = stack.ask(SAMPLE, "What is meant by this?", selection=selection)

    assert answer["mode"] == "selection"
    assert {citation["document"] for citation in answer["citations"]} <= {"05-compliance.mdx"}


# --- bad input -----------------------------------------------------------------------------------


def archive(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return packed.getvalue()


def escaping() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as file:
        member = tarfile.TarInfo("../outside.md")
        member.size = 5
        file.addfile(member, io.BytesIO(b"# Out"))
    return packed.getvalue()


def bomb() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as file:
        member = tarfile.TarInfo("big.md")
        member.size = 300 << 20
        file.addfile(member, Zeros(member.size))
    return packed.getvalue()


class Zeros(io.RawIOBase):
    def __init__(self, size: int) -> None:
        self._left = size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        size = min(size, self._left)
        self._left -= size
        return b" " * size


@pytest.mark.fault("G5")
@pytest.mark.invariant("I7")
@pytest.mark.parametrize(
    ("name", "body", "status", "said"),
    [
        ("empty.zip", archive(), 422, "no "),
        ("images.zip", archive(**{"a.png": b"\x89PNG"}), 422, "no "),
        ("latin.zip", archive(**{"a.md": "# Größe".encode("latin-1")}), 422, "a.md"),
        ("nul.zip", archive(**{"a.md": b"# A\n\nb\0c"}), 422, "a.md"),
        ("escape.tar", escaping(), 422, "outside.md"),
        ("bomb.tar.gz", bomb, 413, ""),
        ("broken.zip", archive(**{"a.md": b"# A"})[:40], 422, ""),
        ("not.tar.gz", gzip.compress(b"no archive"), 422, ""),
        ("book.exe", b"MZ", 422, ".md"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value else "",
)
def test_a_bad_source_gets_one_clear_message_and_leaves_nothing(
    stack: RunningStack, name: str, body: bytes | Callable[[], bytes], status: int, said: str
) -> None:
    response = httpx.post(
        f"{stack.url}/v1/books/bad-book/ingests?file_name={name}",
        content=body if isinstance(body, bytes) else body(),  # made here: it takes half a second
        headers={"content-type": "application/octet-stream"},
        timeout=60,
        trust_env=False,
    )

    problem = response.json()
    assert response.status_code == status, problem
    assert response.headers["content-type"] == "application/problem+json"
    assert said in problem["detail"]
    assert problem["request_id"]
    assert "Traceback" not in response.text
    assert str(SAMPLE_PATH.parent.parent) not in response.text
    assert [book["slug"] for book in stack.books()] == [SAMPLE]


@pytest.mark.fault("G6")
def test_a_file_of_200_mb_is_too_large(stack: RunningStack) -> None:
    response = httpx.post(
        f"{stack.url}/v1/books/bad-book/ingests?file_name=large.md",
        content=(b" " * (1 << 20) for _ in range(200)),
        headers={"content-type": "application/octet-stream"},
        timeout=60,
        trust_env=False,
    )

    assert response.status_code == 413, response.text
    assert "MiB" in response.json()["detail"]


@pytest.mark.control("V9")
@pytest.mark.invariant("I7")
@pytest.mark.parametrize(
    ("book", "body", "status", "code"),
    [
        (SAMPLE, b'{"question": ""}', 422, "invalid_input"),
        (SAMPLE, json.dumps({"question": "x" * 10_000}).encode(), 422, "invalid_input"),
        (SAMPLE, json.dumps({"question": "why " * 1001}).encode(), 422, "invalid_input"),
        (SAMPLE, b'{"question": "a\\u0000b"}', 422, "invalid_input"),
        (SAMPLE, b'{"question": "a\\ud800b"}', 400, "malformed"),
        (SAMPLE, b'{"question": 7}', 422, "invalid_input"),
        (SAMPLE, b'{"question": "why", "mood": "good"}', 422, "invalid_input"),
        (SAMPLE, b'{"question": ', 400, "malformed"),
        (SAMPLE, b'{"question": "why", "profile": "none"}', 404, "not_found"),
        ("no-such-book", b'{"question": "why"}', 404, "not_found"),
    ],
)
def test_a_bad_question_gets_one_clear_message(
    stack: RunningStack, book: str, body: bytes, status: int, code: str
) -> None:
    response = httpx.post(
        f"{stack.url}/v1/books/{book}/answers",
        content=body,
        headers={"content-type": "application/json", "x-request-id": "the-request"},
        timeout=30,
        trust_env=False,
    )

    problem = response.json()
    assert (response.status_code, problem["code"]) == (status, code), problem
    assert problem["request_id"] == "the-request"
    assert problem["detail"]


# --- a language model that is not to be trusted --------------------------------------------------


@pytest.mark.fault("L4")
@pytest.mark.invariant("I5")
def test_a_model_that_hangs_ends_in_504_within_the_deadline(stack: RunningStack) -> None:
    with gateway_with_model(stack, model.hangs) as url:
        began = time.monotonic()
        response = post(url, SAMPLE, QUESTION)
        took_s = time.monotonic() - began

    problem = response.json()
    assert response.status_code == 504, problem
    assert problem["detail"].startswith(
        "Query processing timed out: the language model did not begin"
    )
    # Not a matter of speed: the deadline itself is what is tested, with room for a busy machine.
    assert took_s < 10


@pytest.mark.fault("L7")
@pytest.mark.control("V22")
@pytest.mark.invariant("I1")
def test_an_invented_sentence_is_never_shown(stack: RunningStack) -> None:
    invented = (
        "Passive compliance is a kind of jelly.",
        "Passive compliance is a kind of jelly. [Source 9]",
        'Springs are blue. [Source 1: "springs are always painted blue in every robot"]',
        'It costs 900 dollars. [Source 1: "passive compliance"]',
    )
    twice = [model.says(said) for said in invented for _ in range(2)]
    with gateway_with_model(stack, *twice) as url:
        for said in invented:
            response = post(url, SAMPLE, QUESTION)
            stream = post(url, SAMPLE, QUESTION, headers={"accept": "text/event-stream"})
            assert response.status_code == 200, said
            _is_the_books_own(response.json(), said)
            assert "model_not_verified" in stream.text, said
            for untrue in ("jelly", "blue", "900 dollars", "a-key-that-must-not-leak"):
                assert untrue not in response.text
                assert untrue not in stream.text


def _is_the_books_own(answer: dict[str, Any], said: str) -> None:
    """The book answers the question: its own sentences stand in the place of the model's."""
    assert answer["refusal"] is None, said
    assert "model_not_verified" in answer["degraded"], said
    assert all(sentence["kind"] == "quoted" for sentence in answer["sentences"]), said
    assert answer["citations"], said


# --- traces --------------------------------------------------------------------------------------


def test_a_question_leaves_one_trace_with_a_span_for_every_stage(stack: RunningStack) -> None:
    with collector() as collected:
        told = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collected.address,
            "OTEL_EXPORTER_OTLP_INSECURE": "true",
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }
        with everything_aside(stack, **told) as url:
            assert post(url, SAMPLE, QUESTION).status_code == 200
        # Those without a session, a stream and a model that orders passages.
        pipelines = {*GENERATION, *RETRIEVAL} - {RECALL, RELEASE, RERANK}
        stages = [stage.name for stage in pipelines]
        eventually(
            lambda: set(stages) <= {span.name for span in collected.spans},
            "not every stage has a span",
        )

    spans = {span.span_id: span for span in collected.spans}
    by_name = {span.name: span for span in collected.spans}
    trace = by_name["generation.retrieve"].trace_id

    def ancestors(name: str) -> list[str]:
        span, names = by_name[name], []
        while span.parent_span_id:
            span = spans[span.parent_span_id]
            names.append(span.name)
        return names

    assert all(by_name[stage].trace_id == trace for stage in stages)
    assert "generation.retrieve" in ancestors("retrieval.search")
    assert "gateway.answer" in ancestors("generation.complete")
    for stage in stages:
        keys = {attribute.key for attribute in by_name[stage].attributes}
        assert {f"quoth.budget.{name}_ms" for name in ("allowed", "used", "left")} <= keys
    everything = str(collected.spans)
    assert "compliance" not in everything  # neither question nor passages are in a trace


def test_every_service_exports_its_metrics(stack: RunningStack) -> None:
    with collector() as collected:
        told = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collected.address,
            "OTEL_EXPORTER_OTLP_INSECURE": "true",
        }
        with (
            aside(stack, "ingest", **told) as ingest,
            everything_aside(stack, GATEWAY_INGEST=ingest, **told) as url,
        ):
            assert post(url, SAMPLE, QUESTION).status_code == 200
            assert post(url, "no-such-book", QUESTION).status_code == 404
    by_service = collected.metrics.series  # sent when the processes ended

    def calls(service: str) -> set[tuple[str, str]]:
        found = by_service[f"quoth-{service}"]["rpc.server.call.duration"]
        return {(one["rpc.method"], one["rpc.response.status_code"]) for one in found}

    assert calls("ingest") >= {
        ("quoth.ingest.v1.IngestService/GetBook", "OK"),
        ("quoth.ingest.v1.IngestService/GetBook", "NOT_FOUND"),
    }
    assert calls("retrieval") == {("quoth.retrieval.v1.RetrievalService/SearchPassages", "OK")}
    assert calls("generation") == {("quoth.generation.v1.GenerationService/AnswerQuestion", "OK")}
    requests = by_service["quoth-gateway"]["http.server.request.duration"]
    answers = [one for one in requests if one["http.route"] == "/v1/books/{book}/answers"]
    assert {one["http.response.status_code"] for one in answers} == {"200", "404"}
    stages = by_service["quoth-generation"]["quoth.stage.duration"]
    assert {one["quoth.stage"] for one in stages} >= {"generation.retrieve", "retrieval.search"}
    own = by_service["quoth-gateway"]["quoth.stage.allowed"]
    assert {one["quoth.stage"] for one in own} == {"gateway.resolve", "gateway.answer"}
    for text in ("compliance", SAMPLE, "no-such-book"):
        assert text not in str(by_service)  # neither questions nor books are in a metric


# --- the page ------------------------------------------------------------------------------------


@asynccontextmanager
async def reading(stack: RunningStack, place: str = "") -> AsyncIterator[Watched]:
    """A browser on the page of the real product, which must not complain or go elsewhere."""
    place = place or f"#/{SAMPLE}/01-what-is-physical-ai.mdx"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        async with open_page(browser, f"{stack.url}/{place}") as watched:
            await watched.page.wait_for_selector(".page h1")
            yield watched
            assert [*watched.complaints, *watched.foreign_requests()] == []
        await browser.close()


async def ask_on_the_page(watched: Watched, question: str) -> list[tuple[str, int, int, str]]:
    """Ask as a reader does; returns the quotations shown: document, start, end and words."""
    await watched.page.fill("#question", question)
    await watched.page.press("#question", "Enter")
    await expect(watched.page.locator(".exchange .standing").last).to_be_visible()
    proofs = await watched.page.locator(".proof").evaluate_all(
        "all => all.map(one => [one.getAttribute('href'), one.querySelector('q').textContent])"
    )
    shown = []
    for href, words in proofs:
        path, _, query = href.removeprefix(f"#/{SAMPLE}/").partition("?")
        start, end = parse_qs(query)["range"][0].split("-")
        shown.append((unquote(path), int(start), int(end), words))
    return shown


async def lit(watched: Watched) -> str:
    """Return the words that are lit; what stands between two blocks of the text is in neither."""
    return "".join(await watched.highlighted())


@pytest.mark.browser
@needs_browser
def test_a_reader_asks_sees_the_answer_and_lands_on_the_quoted_words(stack: RunningStack) -> None:
    async def read() -> None:
        async with reading(stack) as watched:
            shown = await ask_on_the_page(watched, QUESTION)
            await watched.page.locator(".chip").first.click()
            await watched.page.wait_for_selector(".page mark")
            assert await lit(watched) == shown[0][-1].replace("\n", "")

    asyncio.run(read())


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize(
    ("path", "first", "last", "question"),
    [
        (
            "05-compliance.mdx",
            "Passive compliance is yielding",
            "without any measurement, computation or power.",
            "What does it do without?",
        ),
        (
            "02-kinematics-and-dynamics.mdx",
            "Take the leg in the picture",
            "and the knee has to bend by 62.0°.",
            "How far does the knee bend?",
        ),
    ],
)
def test_a_reader_marks_a_passage_with_the_mouse_and_asks_about_it(
    stack: RunningStack, path: str, first: str, last: str, question: str
) -> None:
    async def read() -> list[tuple[str, int, int, str]]:
        async with reading(stack, f"#/{SAMPLE}/{path}") as watched:
            await watched.drag(first, last)
            await watched.page.get_by_role("button", name="Ask about this").click()
            shown = await ask_on_the_page(watched, question)
            await expect(watched.page.locator(".asked blockquote")).to_contain_text(first)
            await expect(watched.page.locator(".standing")).to_contain_text("the selected passage")
            await watched.page.locator(".chip").first.click()
            await watched.page.wait_for_selector(".page mark")
            assert await lit(watched) == shown[0][-1].replace("\n", "")
            return shown

    shown = asyncio.run(read())

    text = document(stack, path, 1)
    start, end = text.index(first), text.index(last) + len(last)
    for cited_path, cited_start, cited_end, words in shown:
        assert cited_path == path
        assert text[cited_start:cited_end] == words
    # What is searched are the chunks that the selected words lie in, and those may say more.
    assert any(start <= cited_start and cited_end <= end for _, cited_start, cited_end, _ in shown)
