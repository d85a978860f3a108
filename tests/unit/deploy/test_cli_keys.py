"""`quoth keys` against the gateway's own application, over keys in memory."""

import json

import httpx
import pytest
from starlette.applications import Starlette
from typer.testing import CliRunner, Result

from deploy.cli.app import app
from services.gateway.adapters.moving_window import MovingWindow
from services.gateway.bootstrap import bootstrap
from services.gateway.settings import Exposure, Settings
from tests.support.gateway_fakes import FakeBackend
from tests.support.key_fakes import FakeKeys


@pytest.fixture
def keys() -> FakeKeys:
    return FakeKeys()


@pytest.fixture
def gateway(keys: FakeKeys) -> Starlette:
    fake = FakeBackend()
    return bootstrap(
        Settings(),
        exposure=Exposure(require_keys=True),
        library=fake,
        intake=fake,
        searcher=fake,
        answerer=fake,
        probes={},
        keys=keys,
        limits=MovingWindow(),
    )


def quoth(gateway: Starlette, key: str, *arguments: str) -> Result:
    transport = httpx.ASGITransport(gateway)
    return CliRunner().invoke(app, arguments, obj=transport, env={"QUOTH_KEY": key})


def test_a_key_is_made_shown_once_rotated_and_revoked(gateway: Starlette, keys: FakeKeys) -> None:
    operator = keys.grant("operator", scopes=("admin",))
    told = ("--scope", "read", "--book", "tide-mills", "--rate", "7", "--days", "1")
    made = quoth(gateway, operator, "keys", "create", "app", *told)
    assert made.exit_code == 0, made.output
    text = made.stdout.split()[0]
    key_id = text.split("_")[1]
    key = keys.stored[key_id].key
    assert (key.client, key.scopes, key.books, key.rate_per_minute) == (
        *("app", ["read"], ["tide-mills"]),
        7,
    )
    assert quoth(gateway, text, "books").exit_code == 0

    listed = quoth(gateway, operator, "keys", "list").stdout
    assert key_id in listed
    assert text not in listed

    rotated = quoth(
        gateway, operator, "keys", "rotate", key_id, "--overlap-hours", "0", "--json"
    ).stdout
    new = json.loads(rotated)["text"]
    assert quoth(gateway, new, "books").exit_code == 0
    assert quoth(gateway, text, "books").exit_code == 1

    assert quoth(gateway, operator, "keys", "revoke", new.split("_")[1]).exit_code == 0
    refused = quoth(gateway, new, "books")
    assert refused.exit_code == 1
    assert "not valid" in refused.output


def test_a_key_of_a_site_is_made_and_shown_with_it(gateway: Starlette, keys: FakeKeys) -> None:
    operator = keys.grant("operator", scopes=("admin",))
    site = "https://docs.example.org"
    made = quoth(gateway, operator, "keys", "create", "docs", "--origin", site)
    assert made.exit_code == 0, made.output
    assert f"docs: ask; all books; pages of {site}." in made.stdout
    key = keys.stored[made.stdout.split("_")[1]].key
    assert (key.origins, key.scopes, key.rate_per_minute) == ([site], ["ask"], 60)
    assert site in quoth(gateway, operator, "keys", "list", "--json").stdout
    refused = quoth(gateway, operator, "keys", "create", "b", "--origin", site, "--scope", "admin")
    assert refused.exit_code == 1
    assert "scope ask alone" in refused.output


def test_a_command_without_a_key_says_what_is_missing(gateway: Starlette) -> None:
    refused = quoth(gateway, "", "keys", "create", "app")
    assert refused.exit_code == 1
    assert "Send a key" in refused.output


def test_a_wrong_scope_is_refused_by_name(gateway: Starlette, keys: FakeKeys) -> None:
    operator = keys.grant("operator", scopes=("admin",))
    refused = quoth(gateway, operator, "keys", "create", "app", "--scope", "root")
    assert refused.exit_code == 1
    assert "scopes" in refused.output


def test_a_key_for_a_database_that_is_not_there_is_refused(
    gateway: Starlette, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("libs.postgres.pool._PATIENCE_S", 0.0)
    dsn = "postgresql://quoth@/quoth?host=/nowhere"
    refused = quoth(gateway, "", "keys", "create", "operator", "--scope", "admin", "--dsn", dsn)
    assert refused.exit_code == 2
    assert "--dsn can't be opened" in refused.output
    wrong = quoth(gateway, "", "keys", "create", "operator", "--scope", "root", "--dsn", dsn)
    assert wrong.exit_code == 2
    assert "scopes" in wrong.output


def test_a_key_for_a_book_that_is_not_there_is_made_and_says_so(
    gateway: Starlette, keys: FakeKeys
) -> None:
    operator = keys.grant("operator", scopes=("admin", "read"))
    told = ("--book", "tide-mills", "--book", "nope")
    made = quoth(gateway, operator, "keys", "create", "app", *told)
    assert made.exit_code == 0, made.output
    assert 'There is no book "nope" yet' in made.stdout
    assert 'no book "tide-mills"' not in made.stdout
