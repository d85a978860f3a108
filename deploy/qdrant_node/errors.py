"""What the node answers when it cannot do as asked: a status code and one clear sentence."""

import re
from collections.abc import Callable
from typing import TypeVar

import grpc
from google.protobuf.message import Message

Result = TypeVar("Result")

# The engine raises bare exceptions: only the text tells the caller's mistakes from its own.
_NOT_FOUND = re.compile(r"No point with id|Not found")
_CALLERS_FAULT = re.compile(
    r"dimension error|vector name|[Ww]rong usage|Wrong input|Validation|Bad request|"
    r"No range index|Conversion between|expected|invalid|required"
)
_UNREADABLE = re.compile(r"Failed to (decode|decompress|deserialize)", re.IGNORECASE)


class NodeError(Exception):
    """A refusal, as the client will see it."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def unsupported(what: str) -> NodeError:
    return NodeError(
        grpc.StatusCode.UNIMPLEMENTED, f"{what} is not supported by the embedded Qdrant node"
    )


def invalid(message: str) -> NodeError:
    return NodeError(grpc.StatusCode.INVALID_ARGUMENT, f"Wrong input: {message}")


def not_found(message: str) -> NodeError:
    return NodeError(grpc.StatusCode.NOT_FOUND, f"Not found: {message}")


def allow_only(message: Message, *fields: str) -> None:
    """Refuse a message that sets any field we would otherwise ignore."""
    for field, _ in message.ListFields():
        if field.name not in fields:
            raise unsupported(f"`{field.name}` of {message.DESCRIPTOR.name}")


def engine(call: Callable[..., Result], *arguments: object, **options: object) -> Result:
    """Call the engine, with its exceptions told apart."""
    try:
        return call(*arguments, **options)
    except (TypeError, ValueError, OverflowError) as error:
        raise invalid(str(error)) from error
    except Exception as error:
        raise _engine_error(str(error)) from error
    except BaseException as error:
        if not is_panic(error):
            raise
        raise _unreadable("the engine gave up") from error


def is_panic(error: BaseException) -> bool:
    """Whether the engine gave up on damaged data: no Exception, and its class can't be imported."""
    return type(error).__name__ == "PanicException"


def _engine_error(text: str) -> NodeError:
    if _NOT_FOUND.search(text):
        return not_found(text)
    if text.startswith("Operation cancelled"):
        # Nothing cancels an engine call here: a formula met a variable without a value.
        return invalid("a variable of the formula has neither a value nor a default")
    if _CALLERS_FAULT.search(text) and not text.startswith("Service runtime error"):
        return invalid(text)
    if _UNREADABLE.search(text):
        return _unreadable(text)
    return NodeError(grpc.StatusCode.INTERNAL, f"Service internal error: {text}")


def _unreadable(text: str) -> NodeError:
    # A code of its own: only this one means that the data is beyond repair. A full disk is INTERNAL.
    return NodeError(grpc.StatusCode.DATA_LOSS, f"Service internal error: {text}")
