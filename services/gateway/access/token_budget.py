"""Reserve a question's tokens in its client's budget before it is asked, and settle after."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from libs.errors import Conflict, InvalidInput, NotFound, Overloaded, QuothError, WrongIndex
from services.gateway.errors import BudgetSpent
from services.gateway.keys import Caller, TakenTokens
from services.gateway.ports import TokenBudgets

_STORE_S = 0.5
# Failures that come before a language model is asked.
_FREE = (Conflict, InvalidInput, NotFound, Overloaded, WrongIndex)


@dataclass
class Spending:
    """Tokens charged: the reservation until the real use is known."""

    tokens: int


class TokenBudget:
    """Reserves tokens before a question and settles after.

    The reservation of a killed gateway is not returned, so that no budget is ever exceeded.
    """

    def __init__(self, budgets: TokenBudgets, reserved_tokens: int) -> None:
        self._budgets = budgets
        self._reserved = reserved_tokens

    @property
    def reserved_tokens(self) -> int:
        return self._reserved

    @asynccontextmanager
    async def reserve(self, caller: Caller) -> AsyncIterator[Spending]:
        """Reserve tokens, and return what the block did not use. Raises BudgetSpent."""
        spending = Spending(self._reserved)
        if caller.tokens_per_day is None:
            yield spending
            return
        taken = await self._take(caller, caller.tokens_per_day)
        try:
            yield spending
        except _FREE:
            spending.tokens = 0
            raise
        finally:
            unused = taken.tokens - spending.tokens
            if unused:
                with suppress(QuothError):  # a budget that is charged too much is the safe side
                    await self._budgets.return_tokens(taken, unused, _STORE_S)

    async def _take(self, caller: Caller, most: int) -> TakenTokens:
        taken = await self._budgets.take_tokens(caller.client, self._reserved, most, _STORE_S)
        if isinstance(taken, TakenTokens):
            return taken
        raise BudgetSpent(
            "The tokens of this key are spent for today; they are counted anew at midnight UTC.",
            taken,
        )
