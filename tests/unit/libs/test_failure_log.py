"""Operators are told why a provider fails, in words that hold nothing of what it wrote."""

import asyncio
import logging

import httpx2
import openai
import pytest

from libs.errors import Unavailable
from libs.failure_log import FailureLog, reason_of

REQUEST = httpx2.Request("POST", "http://private.example/v1")


def answered(status: int, said: str = "sk-secret is wrong") -> openai.APIStatusError:
    response = httpx2.Response(status, request=REQUEST)
    return openai.APIStatusError(said, response=response, body=None)


def caused(error: BaseException) -> openai.APIConnectionError:
    failed = openai.APIConnectionError(request=REQUEST)
    failed.__cause__ = error
    return failed


@pytest.mark.fault("L1")
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (answered(401), "it refuses the key (status 401)"),
        (answered(404), "it has not this address or this model (status 404)"),
        (answered(400), "it does not take the request (status 400)"),
        (
            answered(400, "sk-secret: prompt is too long: 210000 tokens > 200000 maximum"),
            "the request is too long for the model (status 400)",
        ),
        (answered(502), "it fails (status 502)"),
        (caused(ConnectionRefusedError(111, "private")), "no connection (Connection refused)"),
        (caused(httpx2.ConnectError("private")), "no connection (ConnectError)"),
        (caused(httpx2.ReadTimeout("private")), "no answer in time (ReadTimeout)"),
        (
            caused(httpx2.LocalProtocolError("Illegal header value b'sk-secret'")),
            "the request can't be sent: its key has characters that HTTP does not take",
        ),
        (
            ValueError("<html> private"),
            "what it answers is not what its API answers: is the URL right? (ValueError)",
        ),
        (
            Unavailable("The embedding model does not answer."),
            "what it answers is not what its API answers: is the URL right?",
        ),
        (asyncio.CancelledError(), "no answer in time (CancelledError)"),
    ],
)
def test_a_reason_is_told_in_words_of_our_own(error: BaseException, reason: str) -> None:
    assert reason_of(error) == reason


def test_the_same_reason_is_told_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    log = FailureLog("language model", lambda: now)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            log.note(answered(401))
        log.note(answered(429))
        log.note(answered(401))
        now = 61.0
        log.note(answered(401))
    told = [record.getMessage() for record in caplog.records]
    refused = "language model: it refuses the key (status 401)"
    assert told == [refused, "language model: it takes no more requests now (status 429)", refused]
