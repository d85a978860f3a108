"""What the README tells a reader to type does what it says, against the real product."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from tests.support.aside import environment_of
from tests.support.stack import (
    CHECKOUT,
    SAMPLE,
    RunningStack,
)

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

README = (CHECKOUT / "README.md").read_text("utf-8")
ADDRESS = "http://127.0.0.1:8080"
DEFINITION = "Passive compliance is yielding that comes from the mechanics itself"


def block(language: str, having: str, document: str = README) -> str:
    """The block of code in the README that has these words in it."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", document, re.MULTILINE | re.DOTALL)
    [found] = [text for text in blocks if having in text]
    return str(found)


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_ten_lines_of_python_print_an_answer_with_its_citations(
    sample_stack: RunningStack,
) -> None:
    program = block("python", "urlopen").replace(ADDRESS, sample_stack.url)

    assert len(program.strip().splitlines()) <= 10
    printed = run(sys.executable, "-c", program)
    assert printed.startswith(DEFINITION)
    assert "1 Compliance: the art of giving way > Passive compliance exact" in printed


def test_the_program_that_calls_a_service_finds_a_passage(
    sample_stack: RunningStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    contracts = (CHECKOUT / "protos/README.md").read_text("utf-8")
    told = environment_of(sample_stack, "retrieval")
    program = block("python", "SearchPassages", contracts)
    assert "127.0.0.1:8082" in program
    monkeypatch.setenv("QUOTH_SERVICE_TOKEN", told["QUOTH_SERVICE_TOKEN"])

    printed = run(sys.executable, "-c", program.replace("127.0.0.1:8082", told["RETRIEVAL_LISTEN"]))
    probability, _, passage = printed.partition(" ")
    assert float(probability) > 0.7
    assert DEFINITION in passage


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
def test_the_request_by_curl_gets_an_answer(sample_stack: RunningStack) -> None:
    command = block("sh", "curl").replace(ADDRESS, sample_stack.url)

    answer = json.loads(run("sh", "-c", command))
    assert answer["book"] == SAMPLE
    assert answer["text"].startswith(DEFINITION)
