"""Words and values that the contracts of all services share."""

import re
from datetime import UTC, datetime
from typing import Any

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.timestamp_pb2 import Timestamp
from quoth.common.v1 import passage_pb2

from services.gateway.model.books import BlockKind

# A number that is not here comes from a newer service: a harmless word stands in for it.
_BLOCK_KIND: dict[int, BlockKind] = {
    passage_pb2.BLOCK_KIND_HEADING: "heading",
    passage_pb2.BLOCK_KIND_PARAGRAPH: "paragraph",
    passage_pb2.BLOCK_KIND_LIST_ITEM: "list_item",
    passage_pb2.BLOCK_KIND_TABLE: "table",
    passage_pb2.BLOCK_KIND_CODE: "code",
    passage_pb2.BLOCK_KIND_QUOTE: "quote",
    passage_pb2.BLOCK_KIND_FOOTNOTE: "footnote",
    passage_pb2.BLOCK_KIND_MATH: "math",
    passage_pb2.BLOCK_KIND_ADMONITION: "admonition",
    passage_pb2.BLOCK_KIND_CAPTION: "caption",
}


def list_words(enum: EnumTypeWrapper) -> dict[int, Any]:
    """Return a word for every number of `enum`: its name in lower case, without the enum's own."""
    prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", enum.DESCRIPTOR.name).upper() + "_"
    return {number: name.removeprefix(prefix).lower() for name, number in enum.items() if number}


def to_time(timestamp: Timestamp) -> datetime:
    return timestamp.ToDatetime(tzinfo=UTC)


def rounded(value: float) -> float:
    """Round a 32-bit number to what it holds, so that 0.85 stays 0.85."""
    return float(f"{value:.7g}")


def block_kind(kind: int) -> BlockKind:
    return _BLOCK_KIND.get(kind, "paragraph")
