"""The commands of `quoth`, against a gateway that is played."""

import io
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner, Result

from deploy.cli import main
from deploy.cli.app import app
from deploy.rest_client import client

BOOKS = {
    "books": [
        {
            "slug": "physical-ai",
            "title": "Physical AI",
            "edition": 2,
            "document_count": 8,
            "chunk_count": 210,
            "language": "en",
            "publish_time": None,
        }
    ]
}
CITATION = {
    "n": 1,
    "quote": "Compliance is the ability to yield.",
    "document": "05.mdx",
    "start": 0,
    "end": 35,
    "section_path": ["Compliance", "What it is"],
    "url": None,
    "page": 12,
    "chunk_id": "c",
    "snippet": "",
    "verdict": "exact",
}
SENTENCE = {"text": "Compliance is the ability to yield.", "citations": [1]}
ANSWER = {
    "answer_id": "a",
    "book": "physical-ai",
    "edition": 2,
    "mode": "book",
    "question": "What is compliance?",
    "text": SENTENCE["text"],
    "sentences": [SENTENCE],
    "citations": [CITATION],
    "refusal": None,
    "confidence": {"score": 0.913, "level": "high"},
}
REFUSAL: dict[str, Any] = {
    **ANSWER,
    "text": "no",
    "sentences": [],
    "citations": [],
    "refusal": {
        "code": "nothing_found",
        "message": "The book does not contain information about this topic.",
        "related_sections": ["Sensors", "Actuators"],
    },
    "confidence": {"score": 0.0, "level": None},
}
JOB = {
    "job_id": "j-1",
    "book": "my-book",
    "state": "running",
    "stage": "embed",
    "documents_total": 2,
    "documents_done": 2,
    "chunks_total": 10,
    "chunks_done": 5,
    "chunks_reused": 0,
    "edition": None,
    "error": None,
    "warnings": [],
}
PUBLISHED = {**JOB, "state": "published", "chunks_done": 10, "edition": 1}

Handler = Callable[[httpx.Request], httpx.Response]


def stream(*events: tuple[str, Any]) -> httpx.Response:
    text = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    return httpx.Response(
        200, headers={"content-type": "text/event-stream"}, text=": hi\n\n" + text
    )


def problem(status: int, detail: str) -> httpx.Response:
    body = {"status": status, "title": "T", "detail": detail, "request_id": "r-7"}
    return httpx.Response(status, headers={"content-type": "application/problem+json"}, json=body)


class Played:
    """A gateway: answers by "METHOD path", a list of answers is used up one by one."""

    def __init__(self, **answers: Any) -> None:
        self.answers: dict[str, Any] = {"GET /v1/books": httpx.Response(200, json=BOOKS)}
        self.requests: list[httpx.Request] = []

    def __setitem__(self, route: str, answer: Any) -> None:
        self.answers[route] = answer

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers[f"{request.method} {request.url.path}"]
        if isinstance(answer, list):
            answer = answer.pop(0)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, httpx.Response)
        return answer

    @property
    def sent(self) -> dict[str, Any]:
        return dict(json.loads(self.requests[-1].content))


@pytest.fixture
def gateway() -> Played:
    return Played()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "RECONNECT_DELAY_S", 0.0)
    monkeypatch.delenv("QUOTH_URL", raising=False)
    monkeypatch.delenv("QUOTH_PORT", raising=False)


def quoth(handler: Handler, *arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, obj=httpx.MockTransport(handler))


ASK = "POST /v1/books/physical-ai/answers"
SEARCH = "POST /v1/books/physical-ai/search"
INGEST = "POST /v1/books/my-book/ingests"
WATCH = "GET /v1/books/my-book/ingests/j-1"


def test_books_are_listed(gateway: Played) -> None:
    result = quoth(gateway, "books")

    assert result.exit_code == 0
    assert "physical-ai" in result.stdout
    assert "210" in result.stdout


def test_books_as_json_are_the_object_of_the_api_and_nothing_else(gateway: Played) -> None:
    assert json.loads(quoth(gateway, "books", "--json").stdout) == BOOKS


def test_no_books_says_how_to_add_one(gateway: Played) -> None:
    gateway["GET /v1/books"] = httpx.Response(200, json={"books": []})

    assert "quoth ingest" in quoth(gateway, "books").stdout


def test_an_answer_is_shown_with_its_proof(gateway: Played) -> None:
    gateway[ASK] = stream(
        ("passages", {"passages": []}),
        ("sentence", {"sentence": SENTENCE, "citations": [CITATION]}),
        ("done", ANSWER),
    )

    result = quoth(gateway, "ask", "What is compliance?")

    assert result.exit_code == 0
    assert "Compliance is the ability to yield. [1]" in result.stdout
    assert "[1] Compliance > What it is, page 12: word for word" in result.stdout
    assert "high (0.91)" in result.stdout
    assert gateway.sent == {"question": "What is compliance?"}


def test_quotations_of_one_place_that_the_answer_has_said_are_one_line(gateway: Played) -> None:
    texts = ["It yields.", "It springs back.", "It is a setting."]
    sentences = [{"text": text, "citations": [n]} for n, text in enumerate(texts, 1)]
    quotes = [{**CITATION, "n": n, "quote": text} for n, text in enumerate(texts, 1)]
    elsewhere = {**CITATION, "n": 4, "section_path": ["Springs"], "quote": texts[0]}
    gateway[ASK] = stream(
        ("done", {**ANSWER, "sentences": sentences, "citations": [*quotes, elsewhere]})
    )

    said = quoth(gateway, "ask", "What is compliance?").stdout

    assert (
        "[1-3] Compliance > What it is, page 12: word for word\n"
        "[4] Springs, page 12: word for word\n"
    ) in said


def test_a_quotation_in_other_words_than_the_answer_is_shown(gateway: Played) -> None:
    sentence = {"text": "It yields.", "citations": [1]}
    gateway[ASK] = stream(("done", {**ANSWER, "sentences": [sentence]}))

    said = quoth(gateway, "ask", "What is compliance?").stdout

    assert "[1] Compliance > What it is, page 12\n" in said
    assert "“Compliance is the ability to yield.”" in said


def test_a_session_is_begun_and_gone_on_with(gateway: Played) -> None:
    session = httpx.Response(201, json={"session_id": "s-1", "book": "physical-ai"})
    gateway["POST /v1/books/physical-ai/sessions"] = session
    gateway[ASK] = [stream(("done", ANSWER)), stream(("done", ANSWER))]

    begun = quoth(gateway, "ask", "--session", "new", "--json", "What is compliance?")

    assert gateway.sent == {"question": "What is compliance?", "session": "s-1"}
    assert "quoth ask --session s-1" in begun.stderr
    assert json.loads(begun.stdout) == ANSWER
    quoth(gateway, "ask", "--session", "s-1", "And why?")
    assert gateway.sent == {"question": "And why?", "session": "s-1"}


def test_an_answer_is_read_again_by_its_id(gateway: Played) -> None:
    gateway["GET /v1/answers/a"] = httpx.Response(200, json=ANSWER)

    result = quoth(gateway, "answer", "a")

    assert result.exit_code == 0
    for said in (ANSWER["question"], "Compliance is the ability to yield. [1]", "high (0.91)"):
        assert str(said) in result.stdout
    assert json.loads(quoth(gateway, "answer", "a", "--json").stdout) == ANSWER


def test_an_answer_that_is_not_there_is_told_in_one_line(gateway: Played) -> None:
    gateway["GET /v1/answers/b"] = problem(404, "There is no answer of that id.")

    result = quoth(gateway, "answer", "b")

    assert result.exit_code == 1
    assert "There is no answer of that id." in result.output


def test_an_answer_as_json_is_the_answer_object(gateway: Played) -> None:
    gateway[ASK] = stream(
        ("sentence", {"sentence": SENTENCE, "citations": [CITATION]}), ("done", ANSWER)
    )

    assert json.loads(quoth(gateway, "ask", "What?", "--json").stdout) == ANSWER


def test_ask_sends_every_option_of_the_command_to_the_gateway(gateway: Played) -> None:
    gateway[ASK] = stream(("done", ANSWER))

    quoth(
        gateway,
        "ask",
        "--book",
        "physical-ai",
        "--profile",
        "course",
        "Why?",
        "--section",
        "Compliance",
        "--section",
        "What it is",
        "--selection-document",
        "05.mdx",
        "--selection-start",
        "3",
        "--selection-end",
        "9",
    )

    assert gateway.sent == {
        "question": "Why?",
        "section_path": ["Compliance", "What it is"],
        "profile": "course",
        "selection": {"document": "05.mdx", "start": 3, "end": 9, "text": ""},
    }


def test_sentences_stand_under_the_title_and_page_of_what_they_speak_of(gateway: Played) -> None:
    def told(number: int, text: str, title: str) -> tuple[str, Any]:
        citation = {**CITATION, "n": number, "quote": text, "section_path": ["Sensors", title]}
        sentence = {**SENTENCE, "text": text, "citations": [number]}
        return "sentence", {"sentence": sentence, "citations": [citation]}

    gateway[ASK] = stream(
        told(1, "Expensive", "LIDAR"),
        told(2, "Precise", "LIDAR"),
        told(3, "Cheap", "Cameras"),
        told(4, "Laser", "L"),
        told(5, "Radar", "Radar"),
        ("done", ANSWER),
    )
    shown = quoth(gateway, "ask", "Compare LIDAR and cameras.").stdout.splitlines()
    assert shown[:3] == ["LIDAR, page 12", "Expensive [1]", "Precise [2]"]
    assert shown[3:5] == ["Cameras, page 12", "Cheap [3]"]
    assert shown[5:8] == ["Sensors > L, page 12", "Laser [4]", "Radar [5]"]


def test_the_support_of_an_answer_is_set_apart_from_it(gateway: Played) -> None:
    def told(text: str, role: str) -> tuple[str, Any]:
        return "sentence", {"sentence": {**SENTENCE, "text": text, "role": role, "citations": []}}

    said = [told("It yields.", "lead"), told("It gives.", "support"), told("It is.", "support")]
    gateway[ASK] = stream(*said, ("done", ANSWER))
    shown = quoth(gateway, "ask", "What is compliance?").stdout.splitlines()
    assert shown[:5] == ["It yields.", "", "What supports this:", "It gives.", "It is."]
    gateway[ASK] = stream(*said[1:], ("done", ANSWER))
    assert "supports" not in quoth(gateway, "ask", "What is compliance?").stdout


def test_rows_of_a_table_stand_below_its_title_and_header(gateway: Played) -> None:
    def told(*cited: dict[str, Any]) -> tuple[str, Any]:
        text = " ".join(one["quote"] for one in cited)
        numbers = [one["n"] for one in cited]
        return "sentence", {"sentence": {"text": text, "citations": numbers}, "citations": cited}

    at = {**CITATION, "section_path": ["Ovens"], "page": None}
    row = {**at, "table_header": "Oven | Litres"}
    other = {**at, "table_header": "Pan | Litres"}
    gateway[ASK] = stream(
        told({**at, "n": 1, "quote": "Sizes of ovens"}, {**row, "n": 2, "quote": "Borg | 42"}),
        told({**row, "n": 3, "quote": "Tally | 61"}),
        told({**at, "n": 4, "quote": "They bake."}),
        told({**row, "n": 5, "quote": "Ono | 70"}),
        told({**other, "n": 6, "quote": "Wok | 5"}),
        ("done", ANSWER),
    )
    shown = quoth(gateway, "ask", "Which oven is the largest?").stdout.splitlines()
    assert shown[:4] == ["Ovens", "Sizes of ovens [1]", "Oven | Litres", "Borg | 42 [2]"]
    assert shown[4:8] == ["Tally | 61 [3]", "They bake. [4]", "Oven | Litres", "Ono | 70 [5]"]
    assert shown[8:10] == ["Pan | Litres", "Wok | 5 [6]"]


def test_selected_text_can_be_asked_about_without_a_question(gateway: Played) -> None:
    gateway[ASK] = stream(("done", ANSWER))

    quoth(gateway, "ask", "--selection-document", "05.mdx", "--selection-text", "to yield")

    assert gateway.sent == {
        "question": "",
        "selection": {"document": "05.mdx", "text": "to yield"},
    }


def test_selected_text_without_its_document_is_not_asked_about(gateway: Played) -> None:
    done = quoth(gateway, "ask", "What is it?", "--selection-text", "to yield")

    assert done.exit_code == 2
    assert "Say by --selection-document where the selected text stands." in done.stderr


def test_a_refusal_is_told_clearly_and_is_no_failure(gateway: Played) -> None:
    instead = {"suggested_questions": ["What is a sensor?"], "nearest": [CITATION]}
    suggested = {**REFUSAL["refusal"], **instead}
    refused = {**REFUSAL, "refusal": suggested}
    gateway[ASK] = stream(("passages", {"passages": []}), ("done", refused))

    result = quoth(gateway, "ask", "Who won?")

    assert result.exit_code == 0
    assert "does not contain information" in result.stdout
    assert "  ask: What is a sensor?\n  see: Sensors\n" in result.stdout
    _, nearest = result.stdout.split("Nearest to the question, which may not answer it:\n")
    assert str(CITATION["quote"]) in nearest
    assert result.stdout.count("ask:") == 1


def test_a_doubtful_answer_is_told_as_one_with_what_to_ask_instead(gateway: Played) -> None:
    doubtful = {
        **ANSWER,
        "confidence": {"score": 0.5, "level": "low"},
        "notice": "The book may not answer this well.",
        "suggested_questions": ["What is a sensor?"],
    }
    gateway[ASK] = stream(("done", doubtful))

    result = quoth(gateway, "ask", "What?")

    assert "The book may not answer this well.\n  ask: What is a sensor?\n" in result.stdout


def test_citations_are_shown_as_the_profile_writes_them(gateway: Played) -> None:
    marker = "[Section: Compliance > What it is]"
    gateway[ASK] = stream(("done", {**ANSWER, "citations": [{**CITATION, "marker": marker}]}))
    assert f"[1] {marker}\n" in quoth(gateway, "ask", "What?").stdout
    gateway[ASK] = stream(("done", {**ANSWER, "citations": [{**CITATION, "marker": "[Source 1]"}]}))
    assert (
        "[1] Compliance > What it is, page 12: word for word\n"
        in quoth(gateway, "ask", "What?").stdout
    )


def test_missing_entities_are_printed(gateway: Played) -> None:
    gateway[ASK] = stream(("done", {**ANSWER, "missing_entities": ["radar"]}))

    result = quoth(gateway, "ask", "Lidar or radar?")

    assert "I found no mention of “radar” for this." in result.stdout

    german = {**ANSWER, "question": "Wie weit sieht das Radar?", "missing_entities": ["Radar"]}
    gateway[ASK] = stream(("done", german))
    assert "„Radar“ habe ich dazu nicht gefunden." in quoth(gateway, "ask", "Wie weit?").stdout


def test_corrected_spellings_are_printed(gateway: Played) -> None:
    corrections = [{"asked": "sattelites", "searched": "satellites"}]
    gateway[ASK] = stream(("done", {**ANSWER, "corrections": corrections}))

    result = quoth(gateway, "ask", "How many sattelites?")

    assert "searched for: satellites" in result.stdout


@pytest.mark.fault("P4")
def test_an_answer_without_its_end_is_no_answer(gateway: Played) -> None:
    gateway[ASK] = stream(("sentence", {"sentence": SENTENCE, "citations": [CITATION]}))

    result = quoth(gateway, "ask", "What?", "--json")

    assert result.exit_code == 1
    assert result.stdout == ""
    assert "broke off" in result.stderr


def test_an_error_inside_the_stream_is_told_with_its_request(gateway: Played) -> None:
    gateway[ASK] = stream(
        ("error", {"status": 504, "detail": "Query processing timed out.", "request_id": "r-9"})
    )

    result = quoth(gateway, "ask", "What?")

    assert result.exit_code == 1
    assert "Query processing timed out. (request r-9)" in result.stderr


@pytest.mark.control("V8")
def test_a_book_cannot_steer_the_terminal(gateway: Played) -> None:
    evil = {"text": "A\x1b]0;title\x07 [bold]B[/bold]\u202e", "citations": [1]}
    gateway[ASK] = stream(
        ("sentence", {"sentence": evil, "citations": [CITATION]}), ("done", ANSWER)
    )

    out = quoth(gateway, "ask", "What?").stdout

    assert "A]0;title [bold]B[/bold] [1]" in out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_an_unknown_book_lists_the_known_ones(gateway: Played) -> None:
    gateway["POST /v1/books/nope/answers"] = problem(404, "There is no such book.")

    result = quoth(gateway, "ask", "--book", "nope", "What?")

    assert result.exit_code == 1
    assert "No book 'nope'. There are: physical-ai. (request r-7)" in result.stderr


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("manuel", "Near it: manual. For all: quoth books"),
        ("zzz", "book-8, book-9 and others. For all: quoth books"),
    ],
)
def test_those_of_many_books_that_have_like_names_are_told(
    gateway: Played, asked: str, told: str
) -> None:
    slugs = [*(f"book-{number}" for number in range(30)), "manual"]
    books = [{"slug": slug} for slug in slugs]
    gateway["GET /v1/books"] = httpx.Response(200, json={"books": books})
    gateway[f"POST /v1/books/{asked}/answers"] = problem(404, "There is no such book.")

    shown = quoth(gateway, "ask", "--book", asked, "What?").stderr

    assert told in shown
    assert "book-20" not in shown


def test_an_unknown_profile_is_not_taken_for_an_unknown_book(gateway: Played) -> None:
    gateway[SEARCH] = problem(404, "There is no profile of that name.")

    assert "no profile" in quoth(gateway, "search", "--profile", "x", "What?").stderr


def test_several_books_need_a_choice(gateway: Played) -> None:
    books = [{"slug": "a"}, {"slug": "b"}]
    gateway["GET /v1/books"] = httpx.Response(200, json={"books": books})

    result = quoth(gateway, "ask", "What?")

    assert result.exit_code == 2
    assert "--book" in result.stderr
    assert "a, b" in result.stderr


def test_passages_are_shown_with_their_scores(gateway: Played) -> None:
    passage = {
        "document": "05.mdx",
        "section_path": ["Compliance"],
        "text": "Compliance is\nthe ability",
        "scores": {"fused": 0.875, "dense": 0.62, "bm25": 7.25},
    }
    gateway[SEARCH] = httpx.Response(200, json={"passages": [passage]})

    result = quoth(gateway, "search", "compliance")

    assert result.exit_code == 0
    for text in ("0.875", "0.620", "7.250", "Compliance"):
        assert text in result.stdout


def test_a_search_may_stay_in_one_document(gateway: Played) -> None:
    gateway[SEARCH] = httpx.Response(200, json={"passages": []})
    quoth(gateway, "search", "compliance", "--document", "05.mdx")
    assert json.loads(gateway.requests[-1].content)["document"] == "05.mdx"


@pytest.mark.parametrize("command", ["search", "ask"])
@pytest.mark.parametrize(("page", "sent"), [("42", 42), ("iv", "iv")])
def test_a_search_and_an_answer_may_stay_in_one_chapter_or_page(
    gateway: Played, command: str, page: str, sent: int | str
) -> None:
    quoth(gateway, command, "compliance", "--chapter", "3", "--page", page)
    asked = json.loads(gateway.requests[-1].content)
    assert asked == {"question": "compliance", "chapter": "3", "page": sent}


def test_the_sentences_that_carry_the_match_are_shown_of_a_passage(gateway: Played) -> None:
    text = "Robots walk. Compliance is soft. Gears wear. It yields."
    spans = [(0, 12, False), (13, 32, True), (33, 44, False), (45, 55, True)]
    passage = {
        "document": "05.mdx",
        "start": 100,
        "text": text,
        "spans": [
            {"start": 100 + start, "end": 100 + end, "highlighted": highlighted}
            for start, end, highlighted in spans
        ],
    }
    gateway[SEARCH] = httpx.Response(200, json={"passages": [passage]})

    shown = " ".join(quoth(gateway, "search", "compliance").stdout.split())

    assert "Compliance is soft. … It yields." in shown
    assert "Robots" not in shown


def test_an_explained_search_shows_ranks_gate_and_stages(gateway: Played) -> None:
    passage = {
        "document": "05.mdx",
        "section_path": ["Compliance"],
        "text": "Compliance",
        "scores": {"fused": 0.875, "dense_rank": 31, "bm25_rank": None, "boost": 1.5},
    }
    timing = {"stage": "retrieval.search", "used_ms": 4.25, "allowed_ms": 2000.0, "outcome": "ok"}
    gate = {
        "probability": 0.91,
        "threshold": 0.7,
        "passed": True,
        "features": {"bm25_margin": 0.25},
    }
    answer = {"passages": [passage], "gate": gate, "timings": [timing]}
    gateway[SEARCH] = httpx.Response(200, json=answer)

    plain = quoth(gateway, "search", "compliance").stdout
    explained = quoth(gateway, "search", "compliance", "--explain").stdout

    told = (
        "#31",
        "#-",
        "1.500",
        "passes: 0.910",
        "bm25_margin",
        "0.250",
        "retrieval.search",
        "4.2",
    )
    for text in told:
        assert text in explained
        assert text not in plain
    assert max(map(len, explained.splitlines())) <= 80


def test_a_passage_found_is_shown_from_below_its_title(gateway: Played) -> None:
    spans = [
        {"kind": "heading", "start": 7, "end": 12, "highlighted": False},
        {"kind": "paragraph", "start": 14, "end": 29, "highlighted": False},
    ]
    found = {
        "section_path": ["Mills"],
        "start": 7,
        "text": "Mills\n\nThe tide turns.",
        "spans": spans,
    }
    gateway[SEARCH] = httpx.Response(200, json={"passages": [found]})
    said = quoth(gateway, "search", "x").stdout
    assert "The tide turns." in said
    assert said.count("Mills") == 1


def test_a_search_that_finds_nothing_says_so(gateway: Played) -> None:
    gateway[SEARCH] = httpx.Response(200, json={"passages": []})

    assert "Nothing found" in quoth(gateway, "search", "x").stdout


def test_questions_to_begin_with_are_one_a_line(gateway: Played) -> None:
    asked = "GET /v1/books/physical-ai/suggestions"
    for questions, told in ((["What?", "How?"], "What?\nHow?\n"), ([], "Nothing in this book")):
        gateway[asked] = httpx.Response(200, json={"questions": questions})
        assert quoth(gateway, "suggest", "--book", "physical-ai").stdout.startswith(told)


def test_a_problem_is_told_with_its_request(gateway: Played) -> None:
    gateway[SEARCH] = problem(422, "question: Say what to look for.")

    result = quoth(gateway, "search", "x")

    assert result.exit_code == 1
    assert "Say what to look for. (request r-7)" in result.stderr


def test_a_problem_as_json_is_the_problem_object(gateway: Played) -> None:
    gateway[SEARCH] = problem(422, "question: Say what to look for.")

    result = quoth(gateway, "search", "x", "--json")

    assert result.exit_code == 1
    assert json.loads(result.stdout)["request_id"] == "r-7"


def test_nothing_running_says_how_to_start_it() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    for arguments in (["books"], ["ask", "--book", "b", "x"], ["search", "--book", "b", "x"]):
        result = quoth(refuse, *arguments)
        assert result.exit_code == 3
        assert (
            "Quoth is not running at http://127.0.0.1:8080; start it with `make run`."
            in result.stderr
        )


def test_a_connection_that_breaks_may_want_tls(gateway: Played) -> None:
    gateway["GET /v1/books"] = httpx.ReadError("cut")
    assert "(https://)" in quoth(gateway, "books").stderr
    assert "(https://)" not in quoth(gateway, "books", "--url", "https://here:2").stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "url"),
    [
        ([], {"QUOTH_PORT": "9000"}, "http://127.0.0.1:9000/v1/books"),
        ([], {"QUOTH_URL": "http://there:1/"}, "http://there:1/v1/books"),
        (["--url", "http://here:2"], {"QUOTH_URL": "http://there:1"}, "http://here:2/v1/books"),
    ],
)
def test_the_address_of_quoth_can_be_given(
    gateway: Played,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    environment: dict[str, str],
    url: str,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    quoth(gateway, "books", *arguments)

    assert str(gateway.requests[0].url) == url


@pytest.fixture
def chapter(tmp_path: Path) -> str:
    path = tmp_path / "chapter.md"
    path.write_text("# One\n")
    return str(path)


def test_a_book_is_sent_followed_and_summed_up(gateway: Played, chapter: str) -> None:
    gateway[INGEST] = httpx.Response(202, json={"job": {**JOB, "state": "queued"}})
    gateway[WATCH] = stream(("progress", {"job": JOB}), ("done", {"job": PUBLISHED}))

    result = quoth(gateway, "ingest", chapter, "--book", "my-book", "--title", "My Book")

    assert result.exit_code == 0
    assert "edition 1 published, 2 documents, 10 passages" in result.stdout
    assert "5 of 10 passages" in result.stderr
    upload = gateway.requests[0]
    assert dict(upload.url.params) == {"file_name": "chapter.md", "title": "My Book"}
    assert upload.content == b"# One\n"
    assert upload.headers["content-length"] == "6"


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("My Book.MD", "my-book"),
        ("The 2nd__manual.tar.gz", "the-2nd-manual"),
        ("a" * 80 + ".md", "a" * 64),
    ],
)
def test_a_new_book_is_called_as_its_file_is(
    gateway: Played, tmp_path: Path, name: str, slug: str
) -> None:
    (tmp_path / name).write_text("# One\n")
    gateway[f"GET /v1/books/{slug}/editions"] = problem(404, "There is no such book.")
    gateway[f"POST /v1/books/{slug}/ingests"] = httpx.Response(202, json={"job": JOB})
    gateway[f"GET /v1/books/{slug}/ingests/j-1"] = stream(("done", {"job": PUBLISHED}))

    result = quoth(gateway, "ingest", str(tmp_path / name))

    assert result.exit_code == 0, result.stderr
    assert f"The book is called {slug}." in result.stdout


def test_a_path_that_cannot_be_read_is_all_that_is_said(gateway: Played, tmp_path: Path) -> None:
    gateway["GET /v1/books/gone/editions"] = problem(404, "There is no such book.")

    result = quoth(gateway, "ingest", str(tmp_path / "gone.md"))

    assert (result.exit_code, result.stdout) == (2, "")
    assert "can't be read: No such file or directory" in result.stderr


def test_a_book_that_is_there_is_replaced_only_by_its_name(gateway: Played, tmp_path: Path) -> None:
    (tmp_path / "my-book.md").write_text("# One\n")
    gateway["GET /v1/books/my-book/editions"] = httpx.Response(200, json={"editions": []})

    result = quoth(gateway, "ingest", str(tmp_path / "my-book.md"))

    assert result.exit_code == 2
    assert "For its new edition say --book my-book" in result.stderr
    assert [request.method for request in gateway.requests] == ["GET"]


def test_a_name_without_letters_asks_for_one(gateway: Played, tmp_path: Path) -> None:
    (tmp_path / "книга.md").write_text("# One\n")

    result = quoth(gateway, "ingest", str(tmp_path / "книга.md"))

    assert result.exit_code == 2
    assert "Say with --book what the book is to be called" in result.stderr
    assert gateway.requests == []


def test_a_file_that_is_not_text_is_sent_only_where_it_may_be_left_out(
    gateway: Played, tmp_path: Path
) -> None:
    path = tmp_path / "chapter.md"
    path.write_bytes(b"caf\0")
    gateway[INGEST] = httpx.Response(202, json={"job": JOB})
    gateway[WATCH] = stream(("done", {"job": PUBLISHED}))

    assert "NUL character" in quoth(gateway, "ingest", str(path), "--book", "my-book").stderr
    assert not gateway.requests
    quoth(gateway, "ingest", str(path), "--book", "my-book", "--allow-partial")
    assert gateway.requests[0].content == b"caf\0"


def test_an_ingest_as_json_is_the_job_as_it_ended(gateway: Played, chapter: str) -> None:
    gateway[INGEST] = httpx.Response(202, json={"job": JOB})
    gateway[WATCH] = stream(("done", {"job": PUBLISHED}))

    result = quoth(gateway, "ingest", chapter, "--book", "my-book", "--json")

    assert json.loads(result.stdout) == {"job": PUBLISHED}


def test_a_book_that_has_not_changed_is_not_said_to_be_empty(gateway: Played, chapter: str) -> None:
    same = {**PUBLISHED, "documents_done": 0, "chunks_total": 0, "edition": 3}
    gateway[INGEST] = httpx.Response(202, json={"job": JOB})
    gateway[WATCH] = stream(("done", {"job": same}))

    result = quoth(gateway, "ingest", chapter, "--book", "my-book")

    assert "nothing has changed since edition 3" in result.stdout


def test_progress_survives_a_restart_of_the_service(gateway: Played, chapter: str) -> None:
    gateway[INGEST] = httpx.Response(202, json={"job": JOB})
    gateway[WATCH] = [
        stream(("progress", {"job": JOB})),
        problem(503, "Ingest does not answer."),
        httpx.ConnectError("refused"),
        stream(("error", {"status": 503, "detail": "broke off"})),
        httpx.ReadError("cut"),
        stream(("done", {"job": PUBLISHED})),
    ]

    result = quoth(gateway, "ingest", chapter, "--book", "my-book")

    assert result.exit_code == 0
    assert "published" in result.stdout


@pytest.fixture
def ctrl_c_is_heard() -> Iterator[None]:
    """Whoever runs the tests in the background may have it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_is_heard")
def test_a_user_who_stops_watching_is_told_how_to_end_the_ingest_too(
    gateway: Played, chapter: str
) -> None:
    gateway[INGEST] = httpx.Response(202, json={"job": JOB})
    gateway[WATCH] = stream(("progress", {"job": JOB}))

    def press_ctrl_c(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            signal.raise_signal(signal.SIGINT)
        return gateway(request)

    result = quoth(press_ctrl_c, "ingest", chapter, "--book", "my-book")

    assert result.exit_code == 130
    assert f"Job {JOB['job_id']}" in result.stderr
    assert f"To end it: quoth cancel {JOB['job_id']} --book my-book" in result.stderr
    assert "To see how far it is: quoth jobs --book my-book" in result.stderr


def test_progress_that_never_comes_back_is_given_up(gateway: Played, chapter: str) -> None:
    gateway[INGEST] = httpx.Response(202, json={"job": JOB})
    gateway[WATCH] = [httpx.ConnectError("refused")] * (client.RECONNECTS + 5)

    assert quoth(gateway, "ingest", chapter, "--book", "my-book").exit_code == 3


def test_a_job_that_is_unknown_is_not_asked_for_again(gateway: Played, chapter: str) -> None:
    gateway[INGEST] = httpx.Response(202, json={"job": JOB})
    gateway[WATCH] = problem(404, "There is no such job.")

    result = quoth(gateway, "ingest", chapter, "--book", "my-book")

    assert result.exit_code == 1
    assert "no such job" in result.stderr


def test_a_job_that_has_to_wait_says_for_what_once(gateway: Played, chapter: str) -> None:
    waiting = {**JOB, "state": "queued", "stage": "", "chunks_done": 0, "waits_for": "book"}
    gateway[INGEST] = httpx.Response(202, json={"job": waiting})
    gateway[WATCH] = stream(("job", {"job": waiting}), ("done", {"job": PUBLISHED}))

    result = quoth(gateway, "ingest", chapter, "--book", "my-book")

    assert result.stderr.count("my-book: waiting for another job of this book\n") == 1


def test_a_job_that_is_to_be_tried_again_says_why(gateway: Played, chapter: str) -> None:
    waiting = {**JOB, "state": "queued", "stage": "", "waits_for": "retry", "error": "It is away."}
    gateway[INGEST] = httpx.Response(202, json={"job": waiting})
    gateway[WATCH] = stream(("job", {"job": waiting}), ("done", {"job": PUBLISHED}))

    result = quoth(gateway, "ingest", chapter, "--book", "my-book")

    assert result.stderr.count("my-book: waiting to be tried again: It is away.\n") == 1


def test_a_failed_ingest_tells_why_and_what_was_odd(gateway: Played, chapter: str) -> None:
    failed = {**JOB, "state": "failed", "error": "No text.", "warnings": ["x.md: left out"]}
    gateway[INGEST] = httpx.Response(202, json={"job": JOB})
    gateway[WATCH] = stream(("done", {"job": failed}))

    result = quoth(gateway, "ingest", chapter, "--book", "my-book")

    assert result.exit_code == 1
    assert "my-book was not published: No text." in result.stderr
    assert "x.md: left out" in result.stdout


def test_a_path_that_cannot_be_sent_sends_nothing(gateway: Played, tmp_path: Path) -> None:
    result = quoth(gateway, "ingest", str(tmp_path), "--book", "my-book")

    assert result.exit_code == 2
    assert "holds no document" in result.stderr
    assert gateway.requests == []


def test_the_version_is_told() -> None:
    assert CliRunner().invoke(app, ["--version"]).stdout.startswith("quoth 0.")


@pytest.mark.parametrize("command", ["up", "ingest", "books", "ask", "search"])
def test_every_command_explains_itself_and_speaks_json(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "100"})

    assert result.exit_code == 0
    assert "--json" in result.stdout


@pytest.mark.parametrize("slug", ["", "Bad", "a b", "-a", "a-", "../a", "a" * 65])
def test_a_slug_that_cannot_be_is_refused_before_anything_travels(
    gateway: Played, chapter: str, slug: str
) -> None:
    result = quoth(gateway, "ingest", chapter, "--book", slug)

    assert result.exit_code == 2
    assert "lower-case letters" in result.stderr
    assert gateway.requests == []


@pytest.mark.control("V11")
def test_a_slug_never_leaves_its_place_in_the_address(gateway: Played) -> None:
    gateway["POST /v1/books/../../x?y/search"] = problem(404, "There is no such book.")

    assert "There are: physical-ai" in quoth(gateway, "search", "--book", "../../x?y", "q").stderr
    assert gateway.requests[0].url.raw_path == b"/v1/books/..%2F..%2Fx%3Fy/search"


def test_an_edition_that_is_not_kept_is_told_with_those_that_are(gateway: Played) -> None:
    gateway["POST /v1/books/physical-ai/rollback"] = problem(404, "There is no such edition.")
    gateway["GET /v1/books/physical-ai/editions"] = httpx.Response(
        200, json={"book": "physical-ai", "editions": [{"number": 4}, {"number": 2}]}
    )
    result = quoth(gateway, "rollback", "--book", "physical-ai", "--edition", "3")
    assert result.exit_code == 1
    assert result.stderr == "There is no such edition. Kept are: 4, 2. (request r-7)\n"


def test_a_book_is_given_another_title(gateway: Played) -> None:
    gateway["PATCH /v1/books/physical-ai"] = httpx.Response(200, json={"title": "Robots [1]"})
    result = quoth(gateway, "rename", "Robots [1]", "--book", "physical-ai")
    assert (result.exit_code, result.stdout) == (0, 'physical-ai is called "Robots [1]" now.\n')
    assert json.loads(gateway.requests[0].content) == {"title": "Robots [1]"}


def test_nothing_asked_is_said_before_anything_travels(gateway: Played) -> None:
    result = quoth(gateway, "ask")
    assert result.exit_code == 2
    assert result.stderr.startswith("Say what to ask: ")
    assert gateway.requests == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("frobnicate",), "No such command 'frobnicate'. Try --help.\n"),
        (
            ("ask", "borg", "What is it?"),
            (
                "Got unexpected extra argument(s) (What is it?). A question stands in quotation marks, "
                "its book behind --book. Try --help.\n"
            ),
        ),
        (("search",), "Missing argument 'question'. Try --help.\n"),
        (("books", "--url", "here"), "An address begins with http:// or https://. Try --help.\n"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.setattr("sys.argv", ["quoth", *arguments])
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.setattr("sys.stderr", errors := io.TextIOWrapper(io.BytesIO()))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    errors.seek(0)
    message = errors.read()
    assert message.endswith(said)
    assert message.count("\n") == 1


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_reader_that_has_enough_ends_a_command_quietly(
    gateway: Played, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    gateway[SEARCH] = httpx.Response(200, json={"passages": []})
    with os.fdopen(writing, "w", buffering=1) as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        status = app(
            ["search", "x", *form], standalone_mode=False, obj=httpx.MockTransport(gateway)
        )
    assert status in (None, 0)
    assert gateway.requests, "it was asked first"
