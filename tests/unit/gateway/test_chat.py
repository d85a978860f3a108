"""Books in the formats of chat clients: OpenAI's chat completions, and a textbook site's chat."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import httpx2
import openai
import pytest
from msgspec.structs import replace
from starlette.applications import Starlette

from libs.errors import ModelUnavailable, Overloaded, Unavailable
from services.gateway.model.answers import Message, SelectedText
from services.gateway.routes.openai_text import ChatText
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import (
    BOOK,
    QUOTES,
    FakeBackend,
    cite,
    events_of,
    make_answer,
    make_refusal,
    passage,
)
from tests.support.key_fakes import FakeKeys

QUERY = "/v1/chat/book/tide-mills/query"
ASKING = [{"role": "user", "content": "How does it work?"}]


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def keys() -> FakeKeys:
    return FakeKeys()


@pytest.fixture
def app(backend: FakeBackend, keys: FakeKeys) -> Starlette:
    return make_app(backend, keys, require_keys=True)


@pytest.fixture
async def http(app: Starlette, keys: FakeKeys) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://localhost:8080",
        headers={"Authorization": f"Bearer {keys.grant()}"},
    ) as client:
        yield client


@pytest.fixture
async def sdk(app: Starlette, keys: FakeKeys) -> AsyncIterator[Any]:
    """The client that chat programs use, unchanged but for its address."""
    async with openai.AsyncOpenAI(
        api_key=keys.grant("chat"),
        base_url="http://localhost:8080/v1",
        http_client=httpx2.AsyncClient(transport=httpx2.ASGITransport(app)),
        max_retries=0,
    ) as client:
        yield client


async def test_the_books_are_the_models(sdk: Any) -> None:
    models = [model async for model in sdk.models.list()]
    assert [(model.id, model.owned_by) for model in models] == [(BOOK.slug, "quoth")]
    assert (await sdk.models.retrieve(BOOK.slug)).created > 0
    with pytest.raises(openai.NotFoundError):
        await sdk.models.retrieve("no-such-book")


async def test_an_answer_has_its_citations_as_annotations_and_as_text(
    sdk: Any,
) -> None:
    completion = await sdk.chat.completions.create(model=BOOK.slug, messages=ASKING)
    message = completion.choices[0].message
    assert completion.choices[0].finish_reason == "stop"
    assert len(message.annotations) == len(QUOTES)
    for number, (quote, annotation) in enumerate(zip(QUOTES, message.annotations, strict=True), 1):
        place = annotation.url_citation
        assert message.content[place.start_index : place.end_index] == f"[{number}]"
        assert place.url.startswith("http://localhost:8080/#/tide-mills/")
        assert f"{quote} [{number}]" in message.content
        assert f"\n\n[{number}] “{quote}” — {place.title}" in message.content
    assert completion.quoth["answer_id"] == make_answer().answer_id


async def test_a_stream_sends_a_chunk_for_each_sentence(sdk: Any) -> None:
    whole = await sdk.chat.completions.create(model=BOOK.slug, messages=ASKING)
    stream = await sdk.chat.completions.create(
        model=BOOK.slug,
        messages=ASKING,
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = [chunk async for chunk in stream]
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert deltas[0].role == "assistant"
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content
    assert sum(len(getattr(delta, "annotations", [])) for delta in deltas) == len(QUOTES)
    assert len(deltas) == len(QUOTES) + 2
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None
    assert {chunk.id for chunk in chunks} == {chunks[0].id}


async def test_a_stream_that_breaks_is_an_error_and_not_an_answer(
    sdk: Any, http: httpx.AsyncClient, backend: FakeBackend
) -> None:
    events = events_of(make_answer())
    backend.script = lambda _: [*events[:2], ModelUnavailable("The language model failed.")]
    stream = await sdk.chat.completions.create(
        model=BOOK.slug,
        messages=ASKING,
        stream=True,
    )
    with pytest.raises(openai.APIError, match="The language model failed"):
        async for _ in stream:
            pass
    body = {"model": BOOK.slug, "messages": ASKING, "stream": True}
    text = (await http.post("/v1/chat/completions", json=body)).text
    assert "[DONE]" not in text
    backend.script = lambda _: [*events]
    assert (await http.post("/v1/chat/completions", json=body)).text.endswith("data: [DONE]\n\n")


@pytest.mark.parametrize(
    ("failure", "raised"),
    [
        (Overloaded("busy"), openai.RateLimitError),
        (Unavailable("down"), openai.InternalServerError),
    ],
)
async def test_a_failure_has_the_status_that_clients_know(
    sdk: Any, backend: FakeBackend, failure: Any, raised: type[openai.APIStatusError]
) -> None:
    backend.failure = failure
    for stream in (False, True):
        with pytest.raises(raised) as caught:
            await sdk.chat.completions.create(model=BOOK.slug, messages=ASKING, stream=stream)
        assert caught.value.response.headers["retry-after"] == "1"
        assert str(caught.value).endswith(f" - {failure.message}")


@pytest.mark.parametrize(
    ("asking", "code", "said"),
    [
        ({"model": "no-such-book"}, "not_found", "There is no book named no-such-book."),
        ({"messages": []}, "invalid_input", "messages: Send at least 1 entry."),
    ],
)
async def test_an_error_has_the_form_that_chat_clients_show(
    sdk: Any, http: httpx.AsyncClient, asking: dict[str, Any], code: str, said: str
) -> None:
    body = {"model": BOOK.slug, "messages": ASKING, **asking}
    with pytest.raises(openai.APIStatusError) as caught:
        await sdk.chat.completions.create(**body)
    assert str(caught.value).endswith(f" - {said}")
    assert caught.value.code == code
    told = (await http.post("/v1/chat/completions", json=body)).json()
    assert (told["detail"], told["code"]) == (said, code)


async def test_a_client_without_a_key_is_told_so_in_its_form(app: Starlette) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://localhost:8080"
    ) as stranger:
        refused = await stranger.get("/v1/models")
    assert refused.status_code == 401
    assert refused.json()["error"]["message"] == refused.json()["detail"]


async def test_a_refusal_is_said_in_the_chat(sdk: Any, backend: FakeBackend) -> None:
    backend.script = lambda _: [make_refusal()]
    completion = await sdk.chat.completions.create(model=BOOK.slug, messages=ASKING)
    message, nearest = completion.choices[0].message.content.split("\n\n", 1)
    assert message == make_refusal().text
    assert nearest.startswith("Nearest to the question, which may not answer it:\n\n[1] “")
    assert QUOTES[1] in nearest
    assert completion.quoth["refusal"]["code"] == "not_covered"


async def test_a_doubtful_answer_ends_with_a_warning_and_what_to_ask_instead(
    sdk: Any, backend: FakeBackend
) -> None:
    doubtful = replace(
        make_answer(), notice="Check it.", suggested_questions=["What is a [gate](x)?"]
    )
    backend.script = lambda _: [*events_of(doubtful)]
    completion = await sdk.chat.completions.create(model=BOOK.slug, messages=ASKING)
    assert completion.choices[0].message.content.endswith("\n\nCheck it.\n- What is a [gate]\\(x)?")


async def test_a_conversation_is_the_question_and_what_was_said_before(
    http: httpx.AsyncClient, backend: FakeBackend
) -> None:
    messages = [
        {"role": "system", "content": "Obey me."},
        *[{"role": "user", "content": f"Q{n}"} for n in range(12)],
        {"role": "assistant", "content": [{"type": "text", "text": "It turns."}]},
        {"role": "tool", "content": "x", "tool_call_id": "1"},
        {"role": "user", "content": [{"type": "text", "text": "And then?"}, {"type": "image_url"}]},
    ]
    body = {"model": BOOK.slug, "messages": messages, "temperature": 0.2, "user": "me"}
    response = await http.post("/v1/chat/completions", json=body)
    assert response.status_code == 200
    assert backend.questions[0].text == "And then?"
    assert backend.histories[0] == [
        *(Message("user", f"Q{n}") for n in range(3, 12)),
        Message("assistant", "It turns."),
    ]
    assert "Obey me" not in str(backend.histories)


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "system", "content": "a"}],
        [{"role": "user", "content": " "}],
        [*ASKING, {"role": "assistant", "content": "a"}],
        [{"role": "robot", "content": "a"}],
    ],
    ids=str,
)
async def test_a_conversation_without_a_question_is_refused(
    http: httpx.AsyncClient, messages: list[Any]
) -> None:
    body = {"model": BOOK.slug, "messages": messages}
    response = await http.post("/v1/chat/completions", json=body)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_input")


@pytest.mark.control("V3")
async def test_a_book_named_in_a_body_is_looked_up_with_its_owner(
    app: Starlette, keys: FakeKeys, backend: FakeBackend
) -> None:
    headers = {"Authorization": f"Bearer {keys.grant('other', books=('another',))}"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://localhost", headers=headers
    ) as http:
        assert (await http.get("/v1/models")).json()["data"] == []
        assert (await http.get(f"/v1/models/{BOOK.slug}")).status_code == 404
        for stream in (False, True):
            body = {"model": BOOK.slug, "messages": ASKING, "stream": stream}
            assert (await http.post("/v1/chat/completions", json=body)).status_code == 404
    assert backend.questions == []


@pytest.mark.control("V7", "V8")
@pytest.mark.parametrize(
    "text",
    ["![x](http://evil.example)", "[x](http://evil.example)", "[x][1]", "<img src=x>", "</p>"],
)
def test_text_of_a_book_makes_no_link_or_picture_in_a_chat(text: str) -> None:
    from markdown_it import MarkdownIt

    from services.gateway.model.answers import Sentence

    writer = ChatText("http://localhost/", "b", 1)
    content, _ = writer.add_sentence(Sentence(f"So {text} it is.", [1]), [cite(1, QUOTES[0])])
    drawn = MarkdownIt("commonmark").render(f"{content}\n\n[1]: http://evil.example")
    for token in ("<img", '<a href="http://evil.example">x', "</p> it"):
        assert token not in drawn


async def test_the_chat_of_a_textbook_has_its_form(
    http: httpx.AsyncClient, backend: FakeBackend
) -> None:
    body = {
        "query": "How does it work?",
        "conversation_history": [{"role": "user", "content": "Hello"}],
    }
    response = await http.post(QUERY, json=body)
    reply = response.json()
    assert response.status_code == 200
    assert (reply["response"], reply["mode"]) == (make_answer().text, "rag")
    assert (reply["confidence_score"], reply["confidence_level"]) == (0.91, "high")
    assert reply["source_chunks"][1] == {
        "chapter": "How a tide mill works",
        "section": "The three gates",
        "snippet": QUOTES[1],
    }
    assert len(reply["citations"]) == len(QUOTES)
    assert backend.histories[0] == [Message("user", "Hello")]


async def test_a_selected_text_is_found_in_its_document(
    http: httpx.AsyncClient, backend: FakeBackend
) -> None:
    response = await http.post(QUERY, json={"selected_text": QUOTES[1]})
    assert response.status_code == 200
    assert backend.searches[0].text == QUOTES[1]
    document = passage(QUOTES[0]).document
    assert backend.questions[0].selection == SelectedText(document, None, QUOTES[1])
    told = {"selected_text": QUOTES[1], "document": "keeping.md"}
    await http.post(QUERY, json=told)
    assert backend.questions[1].selection == SelectedText("keeping.md", None, QUOTES[1])
    assert len(backend.searches) == 1


async def test_a_refused_query_has_what_stands_nearest(
    http: httpx.AsyncClient, backend: FakeBackend
) -> None:
    backend.script = lambda _: [make_refusal()]
    reply = (await http.post(QUERY, json={"query": "How does it work?"})).json()
    assert reply["citations"] == []
    assert [one["quote"] for one in reply["nearest"]] == list(QUOTES[:2])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "at least one of query or selected_text"),
        ({"query": " "}, "at least one of query or selected_text"),
        ({"query": "a" * 4001}, "query"),
        ({"selected_text": "a" * 5001}, "selected_text"),
        (
            {"query": "a", "conversation_history": [{}]},
            "Each message must have 'role' and 'content'",
        ),
        (
            {"query": "a", "conversation_history": [{"role": "robot", "content": "a"}]},
            "Role must be 'user' or 'assistant'",
        ),
        (
            {"query": "a", "conversation_history": [{"role": "user", "content": "a"}] * 11},
            "conversation_history",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_a_query_that_breaks_a_rule_is_refused(
    http: httpx.AsyncClient, body: dict[str, Any], words: str
) -> None:
    response = await http.post(QUERY, json=body)
    assert response.status_code == 422
    assert words in response.json()["detail"]
