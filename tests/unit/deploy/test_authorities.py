"""Commands that reach a gateway by TLS: whom they trust, and what they say where they don't."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from deploy.rest_client.client import Gateway, NotRunningError
from services.gateway.server import listen, start_server
from services.gateway.settings import Exposure
from tests.support.certificates import Authority
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import BOOK, FakeBackend


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
async def url(authority: Authority) -> AsyncIterator[str]:
    certificate, key = authority.issue("gateway")
    exposure = Exposure(tls_cert=certificate, tls_key=key)
    app = make_app(FakeBackend(), tls_cert=certificate, tls_key=key)
    running = await start_server(app, listen(0), exposure)
    yield f"https://127.0.0.1:{running.port}"
    await running.stop()


async def test_an_authority_of_the_house_is_trusted_once_it_is_named(
    url: str, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))
    async with Gateway(url) as gateway:
        assert [book["slug"] for book in (await gateway.list_books())["books"]] == [BOOK.slug]


async def test_a_certificate_that_nobody_vouches_for_is_told_as_what_it_is(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    async with Gateway(url) as gateway:
        with pytest.raises(NotRunningError, match=r"is not trusted: .* in SSL_CERT_FILE\.$"):
            await gateway.list_books()
