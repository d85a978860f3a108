"""Every adapter is tried against the forms that its provider documents: data with its source."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from libs.circuit import MOST_FAILURES
from libs.embedding import Embedder, close_models
from libs.embedding.choice import open_embedder
from libs.errors import ModelUnavailable, QuothError
from services.generation.transcript import Transcript
from services.retrieval.adapters.cohere_reranker import CohereReranker
from tests.ports.test_answerer import openai_answerer
from tests.ports.test_verifier import TRUE, model_verifier
from tests.support.generation_fakes import prompt
from tests.support.scripted_claude import claude_answerer
from tests.support.scripted_model import Exchange, ScriptedModel, says, scripted_model

FORMS = Path(__file__).parent / "provider_forms"
CHATS: dict[str, Callable[..., Any]] = {
    "openai_chat": openai_answerer,
    "anthropic_messages": claude_answerer,
}
JUDGES = {"openai_judge": "openai", "anthropic_judge": "anthropic"}
APIS = {"openai_embeddings": "openai", "cohere": "cohere"}
SUBCLASSES = {
    "ModelUnavailable": ("Unfinished", "Declined", "UnusableVerdictError"),
    "Unavailable": ("Refused",),
}
Form = dict[str, Any]


def forms_of(name: str) -> Form:
    forms: Form = json.loads((FORMS / f"{name}.json").read_text())
    return forms


def all_of(*names: str) -> list[Any]:
    return [
        pytest.param(name, form, id=f"{name}: {form['name']}")
        for name in names
        for form in forms_of(name)["exchanges"]
    ]


def plays(form: Form) -> Callable[..., Any]:
    """Answer as the form says."""

    async def script(exchange: Exchange) -> None:
        body = form.get("body", "")
        text = "\n".join([*form["lines"], ""]) if "lines" in form else body
        data = (text if isinstance(text, str) else json.dumps(text)).encode()
        headers = [f"{name}: {value}" for name, value in form["headers"].items()]
        await exchange.head(form["status"], f"Content-Length: {len(data)}", *headers)
        await exchange.send(data)

    return script


def check_error(error: QuothError, form: Form, model: ScriptedModel) -> None:
    expected = form["expect"]
    if dropped := expected.get("asked_again_without"):
        assert [dropped in asked.body for asked in model.requests] == [True, False]
        return
    assert type(error).__name__ in (expected["error"], *SUBCLASSES.get(expected["error"], ()))
    assert getattr(error, "retry_after_s", None) == expected.get("retry_after_s")
    assert "private" not in str(error)
    assert "http" not in str(error)
    assert len(model.requests) == expected.get("requests", len(model.requests))
    assert expected.get("says", "") in str(error)


@pytest.mark.control("V15")
@pytest.mark.parametrize(("name", "form"), all_of(*CHATS))
async def test_a_language_models_documented_answers_are_understood(name: str, form: Form) -> None:
    async with CHATS[name](plays(form)) as (answerer, model):
        expected, transcript = form["expect"], Transcript()
        try:
            written = [sentence async for sentence in answerer.write(prompt(), transcript, 2.0)]
        except QuothError as error:
            check_error(error, form, model)
        else:
            assert [sentence.text for sentence in written] == [expected["text"]]
            tokens = [transcript.usage.input_tokens, transcript.usage.output_tokens]
            assert tokens == expected.get("tokens", tokens)
            claims = [[claim.source, claim.quote] for claim in written[0].claims]
            assert claims == expected.get("claims", claims)
        documented = set(forms_of(name)["request"]["fields"])
        assert all(asked.body.keys() <= documented for asked in model.requests)


@pytest.mark.control("V15")
@pytest.mark.fault("L6")
@pytest.mark.parametrize(
    ("name", "form"),
    [one for one in all_of(*CHATS) if one.values[1]["expect"].get("counts")],
)
async def test_a_page_or_error_in_place_of_a_stream_counts_as_a_failure(
    name: str, form: Form
) -> None:
    async with CHATS[name](plays(form)) as (answerer, model):
        for _ in range(MOST_FAILURES):
            with pytest.raises(ModelUnavailable):
                [sentence async for sentence in answerer.write(prompt(), Transcript(), 2.0)]
        sent = len(model.requests)
        with pytest.raises(ModelUnavailable):
            [sentence async for sentence in answerer.write(prompt(), Transcript(), 2.0)]
        assert len(model.requests) == sent


@pytest.mark.control("V15")
@pytest.mark.parametrize(
    "form",
    [pytest.param(one, id=one["name"]) for one in forms_of("openai_chat")["refused_efforts"]],
)
async def test_a_model_that_thinks_is_asked_to_think_the_least_that_it_can(form: Form) -> None:
    thinks = says(f"<think>{'The reader asks for force. ' * 8}</think>{form['name']}")
    async with openai_answerer(thinks, plays(form), says(form["name"])) as (answerer, model):
        for _ in range(3):
            assert [sentence async for sentence in answerer.write(prompt(), Transcript(), 2.0)]
    efforts = [asked.body.get("reasoning_effort") for asked in model.requests]
    assert efforts == [None, "minimal", *[form["expect"]["effort"]] * 2]
    assert all("response_format" in asked.body for asked in model.requests)


@pytest.mark.control("V15")
@pytest.mark.parametrize(("name", "form"), all_of(*JUDGES))
async def test_a_judges_documented_answers_are_understood(name: str, form: Form) -> None:
    async with model_verifier(plays(form), api=JUDGES[name]) as (verifier, model):
        expected = form["expect"]
        try:
            judged = await verifier.verify([TRUE], 2.0)
        except QuothError as error:
            check_error(error, form, model)
        else:
            assert [one.probability for one in judged] == expected["verdicts"]
            usage = judged[0].usage
            assert [usage.input_tokens, usage.output_tokens] == expected["tokens"]
        documented = set(forms_of(name)["request"]["fields"])
        assert all(asked.body.keys() <= documented for asked in model.requests)


@pytest.mark.control("V15")
@pytest.mark.parametrize(("name", "form"), all_of(*APIS))
async def test_documented_vectors_and_ratings_are_understood(
    tmp_path: Path, name: str, form: Form
) -> None:
    async with scripted_model(plays(form)) as model:
        url = f"http://127.0.0.1:{model.port}"
        request = "request" if form["call"] == "embed" else "rerank_request"
        asked_for = embedder(tmp_path, url, APIS[name])
        reranker = CohereReranker(url=url, key="k", model="m")
        try:
            if form["call"] == "embed":
                vectors = await asked_for.embed(["hello"])
                assert vectors.shape == (form["expect"]["count"], 3)
            else:
                rated = await reranker.rate("why?", ["a", "b"])
                assert rated == form["expect"]["ratings"]
        except QuothError as error:
            check_error(error, form, model)
        finally:
            await close_models(asked_for, reranker)
        documented = set(forms_of(name)[request]["fields"])
        assert all(asked.body.keys() <= documented for asked in model.requests)


def embedder(cache_dir: Path, url: str, provider: str) -> Embedder:
    environment = {
        "QUOTH_EMBEDDER": provider,
        "QUOTH_EMBEDDER_URL": url,
        "QUOTH_EMBEDDER_KEY": "key-1",
        "QUOTH_EMBEDDER_MODEL": "small",
        "QUOTH_EMBEDDER_DIMENSIONS": "3",
    }
    return open_embedder(cache_dir, "questions", environment)


@pytest.mark.parametrize("name", [*CHATS, *JUDGES, *APIS])
def test_every_form_names_its_source(name: str) -> None:
    forms = forms_of(name)
    exchanges = [*forms["exchanges"], *forms.get("refused_efforts", ())]
    sources = [forms["request"]["source"], *(form["source"] for form in exchanges)]
    assert all(source.startswith("https://") for source in sources)
