"""What every store of keys and budgets must do, run on the fake and on PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import count

import asyncpg
import pytest

from libs.errors import Conflict, InvalidInput, NotFound, Unavailable
from libs.paging import write_cursor
from libs.settings import SettingsError
from services.gateway.adapters.postgres_keys import PostgresKeys
from services.gateway.errors import STATUS_BY_KIND, problem_response
from services.gateway.keys import Grant, TakenTokens, is_genuine, make_key, read_key
from services.gateway.model.books import PageQuery
from tests.support.busy import busy
from tests.support.engines import PostgresNode, postgres_node
from tests.support.key_fakes import FakeKeys

Keys = FakeKeys | PostgresKeys
_clients = (f"client-{number}" for number in count())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresNode]:
    with postgres_node(tmp_path_factory.mktemp("postgres")) as node:
        yield node


@pytest.fixture(params=["fake", "postgres"])
async def keys(request: pytest.FixtureRequest, server: PostgresNode) -> AsyncIterator[Keys]:
    if request.param == "fake":
        yield FakeKeys()
        return
    store = PostgresKeys(server.dsn)
    yield store
    await store.close()


@pytest.fixture
def client() -> str:
    return next(_clients)


async def test_a_key_is_found_by_its_id_with_what_it_may(keys: Keys, client: str) -> None:
    new = make_key()
    grant = Grant(client, ("ask", "admin"), ("one", "two"), 7, 50_000, 3600)
    made = await keys.add_key(grant, new, 5.0)
    stored = await keys.find_key(new.key_id, 5.0)
    assert stored is not None
    assert stored.key == made
    assert (made.scopes, made.books) == (["ask", "admin"], ["one", "two"])
    assert (made.rate_per_minute, made.tokens_per_day, made.state) == (7, 50_000, "active")
    assert made.expire_time is not None
    assert (made.expire_time - made.create_time).total_seconds() == 3600
    assert is_genuine(stored, new.digest)


async def test_sites_are_known_while_a_key_of_theirs_is_valid(keys: Keys, client: str) -> None:
    old, new, site = make_key(), make_key(), f"https://{client}.example"
    made = await keys.add_key(Grant(client, ("ask",), origins=(site, f"{site}:81")), old, 5.0)
    assert made.origins == [site, f"{site}:81"]
    rotated = await keys.rotate_key(old.key_id, new, 0, 5.0)
    assert rotated.origins == made.origins
    assert {site, f"{site}:81"} <= await keys.list_origins(5.0)
    await keys.revoke_key(new.key_id, 5.0)
    assert not {site, f"{site}:81"} & await keys.list_origins(5.0)


@pytest.mark.control("V12")
async def test_a_key_is_kept_without_its_secret(server: PostgresNode, client: str) -> None:
    store, new = PostgresKeys(server.dsn), make_key()
    await store.add_key(Grant(client, ("ask",)), new, 5.0)
    await store.close()
    connection = await asyncpg.connect(server.dsn)
    rows = await connection.fetch("SELECT client_keys::text AS row FROM client_keys")
    await connection.close()
    secret = new.text.split("_", 2)[2]
    assert any(new.key_id in row["row"] for row in rows)
    assert not any(secret in row["row"] for row in rows)
    assert not any(secret.encode().hex() in row["row"] for row in rows)


async def test_a_client_has_one_key_until_it_is_rotated(keys: Keys, client: str) -> None:
    grants = [keys.add_key(Grant(client, ("ask",)), make_key(), 5.0) for _ in range(4)]
    made = await asyncio.gather(*grants, return_exceptions=True)
    assert sorted(type(one).__name__ for one in made) == ["ClientKey", *["Conflict"] * 3]


@pytest.mark.control("V12")
async def test_a_rotated_key_stays_valid_for_the_overlap(keys: Keys, client: str) -> None:
    old, new, last = make_key(), make_key(), make_key()
    await keys.add_key(Grant(client, ("ask",), ("one",), 7), old, 5.0)
    rotated = await keys.rotate_key(old.key_id, new, 3600, 5.0)
    assert (rotated.client, rotated.books, rotated.rate_per_minute) == (client, ["one"], 7)
    before = await keys.find_key(old.key_id, 5.0)
    assert before is not None
    assert before.key.state == "active"
    assert before.key.expire_time is not None
    await keys.rotate_key(new.key_id, last, 0, 5.0)
    ended = await keys.find_key(new.key_id, 5.0)
    assert ended is not None
    assert ended.key.state == "expired"
    assert not is_genuine(ended, new.digest)
    with pytest.raises(NotFound):
        await keys.rotate_key(new.key_id, make_key(), 3600, 5.0)


async def test_a_revoked_key_is_no_key_any_more(keys: Keys, client: str) -> None:
    first, second = make_key(), make_key()
    await keys.add_key(Grant(client, ("ask",)), first, 5.0)
    revoked = await keys.revoke_key(first.key_id, 5.0)
    assert revoked.state == "revoked"
    assert (await keys.revoke_key(first.key_id, 5.0)).revoke_time == revoked.revoke_time
    await keys.add_key(Grant(client, ("ask",)), second, 5.0)
    listed, _ = await keys.list_keys(PageQuery(), 5.0)
    of_client = [key for key in listed if key.client == client]
    assert {key.state for key in of_client} == {"active", "revoked"}
    with pytest.raises(NotFound):
        await keys.revoke_key("0" * 12, 5.0)


async def test_keys_are_listed_by_pages(keys: Keys) -> None:
    for _ in range(5):
        await keys.add_key(Grant(next(_clients), ("ask",)), make_key(), 5.0)
    whole, last = await keys.list_keys(PageQuery(), 5.0)
    paged, cursor = await keys.list_keys(PageQuery(limit=2), 5.0)
    while cursor:
        more, cursor = await keys.list_keys(PageQuery(2, cursor), 5.0)
        paged += more
    assert (paged, last) == (whole, "")
    with pytest.raises(InvalidInput):
        await keys.list_keys(PageQuery(2, write_cursor("books", "one")), 5.0)


@pytest.mark.control("V14")
async def test_a_budget_is_never_passed_however_many_ask_at_once(keys: Keys, client: str) -> None:
    taking = [keys.take_tokens(client, 300, 1000, 5.0) for _ in range(12)]
    taken = await asyncio.gather(*taking)
    got = [one for one in taken if isinstance(one, TakenTokens)]
    waits = [one for one in taken if isinstance(one, float)]
    assert len(got) == 3
    assert all(0 < wait_s <= 86400 for wait_s in waits)
    await keys.return_tokens(got[0], 250, 5.0)
    assert isinstance(await keys.take_tokens(client, 300, 1000, 5.0), TakenTokens)
    assert isinstance(await keys.take_tokens(client, 300, 1000, 5.0), float)


async def test_more_than_was_taken_is_charged_too(keys: Keys, client: str) -> None:
    taken = await keys.take_tokens(client, 100, 1000, 5.0)
    assert isinstance(taken, TakenTokens)
    await keys.return_tokens(taken, -850, 5.0)
    assert isinstance(await keys.take_tokens(client, 100, 1000, 5.0), float)


async def test_no_budget_is_less_than_one_taking(keys: Keys, client: str) -> None:
    assert isinstance(await keys.take_tokens(client, 100, 99, 5.0), float)


async def find_until_refused(store: PostgresKeys) -> None:
    while True:  # processes take a moment to end
        await store.find_key("0" * 12, 1.0)


@pytest.mark.fault("D3")
async def test_without_its_database_no_key_is_known(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with postgres_node(tmp_path_factory.mktemp("gone")) as node:
        store = PostgresKeys(node.dsn)
        assert await store.list_keys(PageQuery(), 5.0) == ([], "")
        node.kill()
        with pytest.raises(Unavailable):
            await find_until_refused(store)
        await store.close()


@pytest.mark.fault("D3")
async def test_without_a_free_connection_keys_are_refused_in_time_and_known_again_after(
    server: PostgresNode, client: str
) -> None:
    store, new = PostgresKeys(server.dsn), make_key()
    await store.add_key(Grant(client, ("ask",), tokens_per_day=100), new, 5.0)
    assert store._pool is not None
    async with busy(store._pool):
        for call in (
            store.find_key(new.key_id, 0.1),
            store.list_keys(PageQuery(), 0.1),
            store.take_tokens(client, 10, 100, 0.1),
            store.revoke_key(new.key_id, 0.1),
        ):
            with pytest.raises(Unavailable, match="can't be read now") as caught:
                await call
            assert STATUS_BY_KIND[caught.value.kind] == 503
            assert problem_response(caught.value).headers["retry-after"] == "1"
    stored = await store.find_key(new.key_id, 5.0)
    assert stored is not None
    assert stored.key.state == "active"
    await store.close()


@pytest.mark.fault("K1")
async def test_tables_of_a_later_version_are_an_outage_to_clients_and_no_fault_of_theirs(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with postgres_node(tmp_path_factory.mktemp("later")) as node:
        store = PostgresKeys(node.dsn)
        await store.open()
        await store.close()
        connection = await asyncpg.connect(node.dsn)
        await connection.execute(
            "INSERT INTO schema_migrations (owner, name, needs) VALUES ('gateway', '9999', '9999')"
        )
        await connection.close()
        store = PostgresKeys(node.dsn)
        with pytest.raises(SettingsError, match="later version"):
            await store.open()
        with pytest.raises(Unavailable, match="can't be read now"):
            await store.find_key("0" * 12, 5.0)


@pytest.mark.fault("K1")
async def test_a_database_that_cannot_be_opened_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("libs.postgres.pool._PATIENCE_S", 0.0)
    with pytest.raises(SettingsError, match="QUOTH_POSTGRES_DSN"):
        await PostgresKeys("postgresql://quoth@127.0.0.1:5432/x?host=/nowhere").open()


@pytest.mark.control("V12")
def test_keys_are_random_and_read_by_their_form_alone() -> None:
    made = [make_key() for _ in range(50)]
    assert len({one.digest for one in made}) == len({one.key_id for one in made}) == 50
    assert all(len(one.text.split("_", 2)[2]) >= 43 for one in made)
    assert read_key(made[0].text) == (made[0].key_id, made[0].digest)
    for text in ("", "quoth_", "quoth_abc_def", f"other_{made[0].text[6:]}", "quoth_0123456789ab_"):
        assert read_key(text) is None


async def test_the_conflict_says_what_to_do(keys: Keys, client: str) -> None:
    await keys.add_key(Grant(client, ("ask",)), make_key(), 5.0)
    with pytest.raises(Conflict, match=client):
        await keys.add_key(Grant(client, ("ask",)), make_key(), 5.0)
