"""A gateway whose answers never end, in a process of its own: prints its port, ends with its input.

python -m tests.support.idle_gateway READERS
"""

import asyncio
import sys

from libs.budget import budget
from services.gateway.routes import endpoint
from services.gateway.server import listen, start_server
from services.gateway.settings import Settings
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import FakeBackend, events_of, make_answer

PATIENCE_S = 600.0


async def serve(readers: int) -> None:
    backend, never = FakeBackend(), asyncio.Event()
    backend.script = lambda _: [events_of(make_answer())[0], never]
    app = make_app(backend, settings=Settings(answers_at_once=readers))
    running = await start_server(app, listen(0))
    print(running.port, flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    # A request of 5 s would be over before the last one of a thousand has come.
    for module in (endpoint, budget):
        vars(module)["TOTAL_S"] = PATIENCE_S
    asyncio.run(serve(int(sys.argv[1])))
