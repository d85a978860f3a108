"""A process without a name, as containers have, is told what it lacks."""

import os
import pwd
from pathlib import Path
from typing import Any

import pytest

from deploy.embedded import StartError
from deploy.postgres_node.account import Account
from libs.postgres import open_pool
from libs.settings import SettingsError


@pytest.fixture
def nameless(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any) -> None:
        raise KeyError("uid not found")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.setattr(pwd, "getpwnam", unknown)
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME", "PGUSER"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.usefixtures("nameless")
async def test_an_address_without_a_user_is_told_to_a_process_without_a_name(
    tmp_path: Path,
) -> None:
    with pytest.raises(SettingsError, match=rf"user@host: uid {os.geteuid()}"):
        await open_pool("postgresql://127.0.0.1:1/quoth", "test", tmp_path)


@pytest.mark.usefixtures("nameless")
def test_the_embedded_postgresql_says_that_it_needs_a_user_with_a_name() -> None:
    with pytest.raises(StartError, match="QUOTH_POSTGRES_DSN"):
        Account.current()
