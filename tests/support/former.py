"""The contracts as they were published last: what a service of the version before reads and writes."""

from functools import cache
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

BASELINE = Path(__file__).parents[2] / "protos" / "baseline.txtpb"
_DEEPEST = 5
_NUMBERS = {
    FieldDescriptor.CPPTYPE_INT32: 7,
    FieldDescriptor.CPPTYPE_INT64: 70_000_000_000,
    FieldDescriptor.CPPTYPE_UINT32: 8,
    FieldDescriptor.CPPTYPE_UINT64: 80_000_000_000,
    FieldDescriptor.CPPTYPE_DOUBLE: 0.1,
    FieldDescriptor.CPPTYPE_FLOAT: 0.25,
    FieldDescriptor.CPPTYPE_BOOL: True,
}


@cache
def _pool() -> tuple[descriptor_pool.DescriptorPool, tuple[str, ...]]:
    published = text_format.Parse(
        # buf's own notes on the files are no field of a file's description.
        BASELINE.read_text("utf-8"),
        descriptor_pb2.FileDescriptorSet(),
        allow_unknown_field=True,
    )
    pool, files = descriptor_pool.DescriptorPool(), []
    for file in published.file:
        pool.Add(file)
        files.append(file.name)
    return pool, tuple(files)


def former_class(name: str) -> type[Message]:
    """Return the class of a message as it was, by its full name."""
    return message_factory.GetMessageClass(_pool()[0].FindMessageTypeByName(name))


def former_messages() -> list[str]:
    """Return the full names of all messages of ours, those inside of others included."""
    pool, files = _pool()
    waiting = [
        one
        for file in files
        if file.startswith("quoth/")
        for one in pool.FindFileByName(file).message_types_by_name.values()
    ]
    found = []
    while waiting:
        one = waiting.pop()
        waiting += one.nested_types
        if not one.GetOptions().map_entry:
            found.append(one.full_name)
    return sorted(found)


def filled(kind: type[Message]) -> Message:
    """Return a message each of whose fields says something; of a oneof, the last."""
    message = kind()
    _fill(message, message.DESCRIPTOR, _DEEPEST)
    return message


def _fill(message: Any, kind: Any, depth: int) -> None:
    for field in kind.fields:
        value = getattr(message, field.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            key, entry = field.message_type.fields_by_name["key"], field.message_type
            of_value = entry.fields_by_name["value"]
            if of_value.message_type is None:
                value[_plain(key)] = _plain(of_value)
            elif depth:
                _fill(value[_plain(key)], of_value.message_type, depth - 1)
        elif field.message_type is not None:
            if depth:
                aim = value.add() if field.is_repeated else value
                aim.SetInParent()
                _fill(aim, field.message_type, depth - 1)
        elif field.is_repeated:
            value.append(_plain(field))
        else:
            setattr(message, field.name, _plain(field))


def _plain(field: FieldDescriptor) -> Any:
    if field.enum_type is not None:
        return field.enum_type.values[-1].number
    if field.type == FieldDescriptor.TYPE_STRING:
        return f"some {field.name}"
    if field.type == FieldDescriptor.TYPE_BYTES:
        return f"some {field.name}".encode()
    return _NUMBERS[field.cpp_type]
