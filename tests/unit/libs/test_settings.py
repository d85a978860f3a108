"""The environment becomes settings, and a bad value names its variable."""

from dataclasses import dataclass, fields
from pathlib import Path

import httpx
import pytest

from deploy.rest_client.client import Gateway
from libs.settings import SettingsError, load_settings, setting
from libs.uploads import Uploads
from services.gateway.settings import Settings as GatewaySettings
from services.ingest.settings import Settings as IngestSettings


@dataclass(frozen=True)
class Settings:
    url: str = setting("TEST_URL", "where the store is")
    count: int = setting("TEST_COUNT", "how many", default=3)
    folder: Path | None = setting("TEST_FOLDER", "where files go", default=None)
    loud: bool = setting("TEST_LOUD", "whether to shout", default=False)
    key: str = setting("TEST_KEY", "the key", default="", secret=True)
    pause_s: float = setting("TEST_PAUSE_S", "how long", default=1.0, least=0.1)
    level: str = setting("TEST_LEVEL", "how loud", default="LOW", one_of=("LOW", "HIGH"))
    model: Path | None = setting("TEST_MODEL", "a file", default=None, exists=True)


def test_values_are_read_with_their_types() -> None:
    environment = {"TEST_URL": "u", "TEST_COUNT": "7", "TEST_FOLDER": "a/b", "TEST_LOUD": "yes"}
    assert load_settings(Settings, environment) == Settings("u", 7, Path("a/b"), True, "")


def test_an_empty_variable_is_an_absent_one() -> None:
    assert load_settings(Settings, {"TEST_URL": "u", "TEST_COUNT": ""}).count == 3


@pytest.mark.fault("K1")
@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({}, "TEST_URL is not set: where the store is"),
        ({"TEST_URL": "u", "TEST_COUNT": "many"}, "TEST_COUNT must be a whole number, not 'many'"),
        ({"TEST_URL": "u", "TEST_COUNT": "-1"}, "TEST_COUNT must be 0 or more, not -1"),
        ({"TEST_URL": "u", "TEST_PAUSE_S": "nan"}, "TEST_PAUSE_S must be a number, not 'nan'"),
        ({"TEST_URL": "u", "TEST_PAUSE_S": "0"}, r"TEST_PAUSE_S must be 0\.1 or more, not 0"),
        ({"TEST_URL": "u", "TEST_LEVEL": "odd"}, "TEST_LEVEL must be one of LOW, HIGH, not 'odd'"),
        ({"TEST_URL": "u", "TEST_MODEL": "/no"}, "TEST_MODEL names what is not there: /no"),
        ({"TEST_URL": "u", "TEST_LOUD": "perhaps"}, "TEST_LOUD must be true or false"),
    ],
)
def test_a_bad_value_names_its_variable(environment: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        load_settings(Settings, environment)


@pytest.mark.fault("K1")
def test_all_bad_values_are_named_a_line_each() -> None:
    environment = {"TEST_COUNT": "many", "TEST_LOUD": "perhaps", "TEST_PAUSE_S": "-1"}
    with pytest.raises(SettingsError) as caught:
        load_settings(Settings, environment)
    lines = str(caught.value).splitlines()
    assert [line.split()[0] for line in lines] == [
        *("TEST_URL", "TEST_COUNT", "TEST_LOUD", "TEST_PAUSE_S"),
    ]


def test_the_time_that_a_source_may_take_is_one_number_for_all_who_wait_for_it() -> None:
    waiting = (GatewaySettings, IngestSettings, Uploads)
    found = [field for cls in waiting for field in fields(cls) if field.name == "upload_timeout_s"]
    assert len(found) == len(waiting)
    assert len({repr((field.default, dict(field.metadata)["variable"])) for field in found}) == 1


async def test_a_client_waits_for_an_upload_as_long_as_it_is_told(tmp_path: Path) -> None:
    waited: list[float] = []

    def answer(request: httpx.Request) -> httpx.Response:
        waited.append(request.extensions["timeout"]["read"])
        return httpx.Response(200, json={"id": "j", "status": "done"})

    book = tmp_path / "b.md"
    book.write_text("Text.", "utf-8")
    async with Gateway("http://127.0.0.1:1", httpx.MockTransport(answer), "", 4000.0) as gateway:
        await gateway.start_ingest("b", book, {})
    assert waited == [4000.0]


def test_a_word_in_small_letters_is_the_same_word() -> None:
    assert load_settings(Settings, {"TEST_URL": "u", "TEST_LEVEL": "high"}).level == "high"


@pytest.mark.fault("K1")
def test_a_secret_is_one_line_without_the_end_that_its_file_has() -> None:
    assert load_settings(Settings, {"TEST_URL": "u", "TEST_KEY": " hush\r\n"}).key == "hush"
    with pytest.raises(SettingsError, match="TEST_KEY must be one line") as caught:
        load_settings(Settings, {"TEST_URL": "u", "TEST_KEY": "hush\nhush"})
    assert "hush" not in str(caught.value)


@pytest.mark.control("V15")
def test_a_secret_is_not_in_the_representation() -> None:
    assert "hush" not in repr(load_settings(Settings, {"TEST_URL": "u", "TEST_KEY": "hush"}))
