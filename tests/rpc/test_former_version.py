"""A rolling update: services of the version before speak with those of this one, both ways.

The version before is the contracts as they were published, `protos/baseline.txtpb`.
"""

from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import Message
from quoth.generation.v1 import generation_service_pb2, review_service_pb2
from quoth.ingest.v1 import ingest_service_pb2
from quoth.retrieval.v1 import retrieval_service_pb2

from tests.rpc.test_retrieval import QUESTION, channel_to
from tests.support.former import filled, former_class, former_messages
from tests.support.generation_fakes import FakeSource, connected, request, search_result

# Whatever is imported here is known to the pool of this version.
THIS_VERSION = (
    generation_service_pb2,
    ingest_service_pb2,
    retrieval_service_pb2,
    review_service_pb2,
)
MESSAGES = former_messages()


def present_class(name: str) -> type[Message]:
    return message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName(name))


def test_there_are_messages_to_compare() -> None:
    assert len(MESSAGES) > 40
    assert {"quoth.generation.v1.Answer", "quoth.ingest.v1.Edition"} <= {*MESSAGES}
    assert len(filled(former_class("quoth.generation.v1.Answer")).SerializeToString()) > 500


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_of_the_former_version_are_read_whole(name: str) -> None:
    former = filled(former_class(name))
    read = present_class(name).FromString(former.SerializeToString(deterministic=True))
    for field in former.DESCRIPTOR.fields:
        # By its name: bytes that are read as another field would come back all the same.
        assert field.name in read.DESCRIPTOR.fields_by_name
        ours = read.DESCRIPTOR.fields_by_name[field.name]
        if field.message_type is None:
            assert getattr(read, ours.name) == getattr(former, field.name)
    back = former_class(name).FromString(read.SerializeToString(deterministic=True))
    assert back == former


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_of_this_version_pass_through_the_former_one(name: str) -> None:
    present = filled(present_class(name))
    passed_on = former_class(name).FromString(present.SerializeToString())
    assert present_class(name).FromString(passed_on.SerializeToString()) == present


def method(channel: Any, service: str, name: str, asked: str, answered: str) -> Any:
    """Return a call as the version before makes it."""
    package = f"quoth.{service.removesuffix('Service').lower()}.v1"
    of = {
        "request_serializer": former_class(f"{package}.{asked}").SerializeToString,
        "response_deserializer": former_class(f"{package}.{answered}").FromString,
    }
    kind = channel.unary_stream if name == "AnswerQuestion" else channel.unary_unary
    return kind(f"/{package}.{service}/{name}", **of)


async def test_generation_of_the_version_before_searches_in_this_ones_retrieval() -> None:
    async with channel_to() as channel:
        search = method(
            channel,
            "RetrievalService",
            "SearchPassages",
            "SearchPassagesRequest",
            "SearchPassagesResponse",
        )
        asked: Any = former_class("quoth.retrieval.v1.SearchPassagesRequest")
        found = await search(asked(book="book", edition=1, question=QUESTION), timeout=5.0)
    assert found.passages
    assert all(passage.text for passage in found.passages)


async def test_a_gateway_of_the_version_before_asks_this_ones_generation(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    cache: Path = tmp_path_factory.getbasetemp() / "cache"
    async with connected(cache, source=FakeSource(search_result())) as channel:
        answer = method(
            channel,
            "GenerationService",
            "AnswerQuestion",
            "AnswerQuestionRequest",
            "AnswerQuestionResponse",
        )
        asked: Any = former_class("quoth.generation.v1.AnswerQuestionRequest")
        whole = asked.FromString(request().SerializeToString())
        events = [event async for event in answer(whole, timeout=5.0)]
    assert events[-1].answer.sentences
