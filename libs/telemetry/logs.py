"""One line a log record on standard error; never a question, a passage or a key."""

import logging
import sys


def set_up_logs(service: str, level: str = "INFO") -> None:
    """Log as `time level service message` at `level` and above."""
    logging.basicConfig(
        stream=sys.stderr,
        level=level.upper(),
        format=f"%(asctime)s %(levelname)s {service} %(message)s",
    )
    for chatty in ("httpx", "httpx2", "openai", "grpc", "asyncio"):
        logging.getLogger(chatty).setLevel("WARNING")
