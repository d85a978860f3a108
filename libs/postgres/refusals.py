"""Say in plain words why PostgreSQL did not do what it was to do."""

import socket
import ssl

import asyncpg

# The first that fits counts.
_REFUSALS: tuple[tuple[tuple[type[Exception], ...], str], ...] = (
    (
        (ssl.SSLError,),
        "TLS with PostgreSQL fails: look at sslmode in its address and at PGSSLROOTCERT",
    ),
    (
        (socket.gaierror,),
        "the host in PostgreSQL's address has no address: look at its name",
    ),
    (
        (OSError, asyncpg.PostgresConnectionError, asyncpg.CannotConnectNowError),
        "PostgreSQL does not answer, or not with sslmode's TLS: start it, or look at host and port",
    ),
    (
        (asyncpg.ClientConfigurationError, ValueError),
        "PostgreSQL's address can't be read: it wants postgresql://user:password@host:5432/database",
    ),
    (
        (asyncpg.InvalidAuthorizationSpecificationError,),
        "PostgreSQL refuses the user or the password of its address",
    ),
    (
        (asyncpg.InvalidCatalogNameError,),
        "the database that PostgreSQL's address names is not there: make it first",
    ),
    (
        (asyncpg.InsufficientPrivilegeError,),
        "this user of PostgreSQL may not do that: connect as the tables' owner",
    ),
    (
        (asyncpg.ReadOnlySQLTransactionError,),
        "the database is read-only: name the server that takes writes",
    ),
    ((asyncpg.DiskFullError,), "PostgreSQL has no room left on its disk: free some, and try again"),
    (
        (asyncpg.TooManyConnectionsError,),
        "PostgreSQL has no connection left: try again in a moment",
    ),
    (
        (asyncpg.LockNotAvailableError,),
        "another transaction holds the lock that this needs: try again in a moment",
    ),
    (
        (asyncpg.QueryCanceledError, asyncpg.IdleInTransactionSessionTimeoutError),
        "PostgreSQL took longer than it may: try again in a moment",
    ),
)


def explain_refusal(error: Exception) -> str:
    """Say why PostgreSQL did not do what it was to do, and what helps.

    Not in the error's own words, which may hold the address, and with it the password.
    """
    for kinds, sentence in _REFUSALS:
        if isinstance(error, kinds):
            return sentence
    if isinstance(error, asyncpg.PostgresError):
        return f"PostgreSQL refuses it with code {error.sqlstate}; its log says more"
    return "the connection to PostgreSQL broke off: try again"
